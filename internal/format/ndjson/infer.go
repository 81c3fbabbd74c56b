package ndjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Infer returns the columns of the objects on the given lines, in the order in which
// their keys first appear. Lines that are no objects are passed over.
//
// Objects and arrays are STRUCT and LIST, values by themselves as cell.Guess says.
func Infer(sample [][]byte) ([]types.Field, error) {
	var row guess
	good := 0
	for _, line := range sample {
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		var once guess
		if err := once.read(dec, 0); err != nil || once.kinds != guessObject || dec.More() {
			continue
		}
		good++
		row.merge(&once)
	}
	if good == 0 {
		return nil, sqlerr.New("E_DECODE", "the sample has no line that is a JSON object, so the columns are not known").
			WithHint("declare the columns: CREATE STREAM name (column TYPE, ...) WITH (...)")
	}
	fields := row.fields()
	if len(fields) == 0 {
		return nil, sqlerr.New("E_DECODE", "the objects of the sample have no keys, so the columns are not known").
			WithHint("declare the columns: CREATE STREAM name (column TYPE, ...) WITH (...)")
	}
	if n := countFields(fields); n > format.ColumnsMax {
		return nil, sqlerr.New("E_LIMIT", "the sample has %d columns, more than %d", n, format.ColumnsMax).
			WithHint("declare the columns that are needed")
	}
	return fields, nil
}

// Elements returns the elements of an array whose start is given, as far as they are
// whole and at most max.
func Elements(start []byte, max int) (elements [][]byte) {
	dec := json.NewDecoder(bytes.NewReader(start))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() && len(elements) < max {
		var e json.RawMessage
		if dec.Decode(&e) != nil {
			break
		}
		elements = append(elements, e)
	}
	return elements
}

func countFields(fields []types.Field) int {
	n := len(fields)
	for _, f := range fields {
		t := f.Type
		for t.Kind == types.List {
			t = *t.Elem
		}
		n += countFields(t.Fields)
	}
	return n
}

// What a guess can be besides those of package cell.
const (
	guessObject = cell.OtherGuess << iota
	guessArray
)

// guess is what is known of a column.
type guess struct {
	kinds   cell.Guess
	names   []string
	members map[string]*guess // by name in lower case: columns compare without it
	elem    *guess
}

func (g *guess) member(name string) *guess {
	key := strings.ToLower(name)
	m := g.members[key]
	if m == nil {
		if g.members == nil {
			g.members = map[string]*guess{}
		}
		m = &guess{}
		g.members[key] = m
		g.names = append(g.names, name)
	}
	return m
}

var errTooDeep = errors.New("nested too deep")

// read takes one value in.
func (g *guess) read(dec *json.Decoder, depth int) error {
	if depth > depthMax {
		return errTooDeep
	}
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		return g.readParts(dec, v, depth)
	case bool:
		g.kinds |= cell.GuessBool
	case json.Number:
		g.kinds |= cell.GuessNumber(v.String())
	case string:
		g.kinds |= cell.GuessText([]byte(v))
	}
	return nil
}

func (g *guess) readParts(dec *json.Decoder, open json.Delim, depth int) error {
	if open == '[' {
		g.kinds |= guessArray
		if g.elem == nil {
			g.elem = &guess{}
		}
		for dec.More() {
			if err := g.elem.read(dec, depth+1); err != nil {
				return err
			}
		}
	} else {
		g.kinds |= guessObject
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			member := &guess{} // that of an empty key, which no column can be called after
			if name, _ := key.(string); name != "" {
				member = g.member(name)
			}
			if err := member.read(dec, depth+1); err != nil {
				return err
			}
		}
	}
	_, err := dec.Token()
	return err
}

func (g *guess) merge(o *guess) {
	g.kinds |= o.kinds
	for _, name := range o.names {
		g.member(name).merge(o.members[strings.ToLower(name)])
	}
	if o.elem != nil {
		if g.elem == nil {
			g.elem = &guess{}
		}
		g.elem.merge(o.elem)
	}
}

func (g *guess) fields() []types.Field {
	out := make([]types.Field, len(g.names))
	for i, name := range g.names {
		out[i] = types.Field{Name: name, Type: g.members[strings.ToLower(name)].typ(), Nullable: true}
	}
	return out
}

func (g *guess) typ() types.Type {
	switch g.kinds {
	case guessArray:
		return types.ListOf(g.elem.typ())
	case guessObject:
		if len(g.names) > 0 {
			return types.StructOf(g.fields()...)
		}
		return types.JSONText // objects without keys
	}
	if g.kinds&(guessArray|guessObject) != 0 {
		return types.JSONText // arrays or objects, and something else
	}
	return g.kinds.Type()
}
