package ndjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"ssql/internal/format/cell"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Infer returns the columns of the objects on the given lines, in the order in which
// their keys first appear. Lines that are no objects are passed over.
//
// Objects and arrays are STRUCT and LIST, values by themselves as cell.Tally says. Values
// that are not of the type of their column are told, with the number of their line in the
// sample, from 0.
func Infer(sample [][]byte) ([]types.Field, []cell.Outlier, error) {
	var row guess
	good := 0
	for i, line := range sample {
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		var once guess
		if err := once.read(dec, 0); err != nil || once.kinds.Kinds() != guessObject || dec.More() {
			continue
		}
		good++
		row.merge(&once, i)
	}
	if good == 0 {
		return nil, nil, sqlerr.New("E_DECODE", "the sample has no line that is a JSON object, so the columns are not known").
			WithHint("declare the columns: CREATE STREAM name (column TYPE, ...) WITH (...)")
	}
	var outliers []cell.Outlier
	fields := row.fields("", &outliers)
	if len(fields) == 0 {
		return nil, nil, sqlerr.New("E_DECODE", "the objects of the sample have no keys, so the columns are not known").
			WithHint("declare the columns: CREATE STREAM name (column TYPE, ...) WITH (...)")
	}
	return fields, outliers, nil
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

// What a guess can be besides those of package cell.
const (
	guessObject = cell.OtherGuess << iota
	guessArray
)

// guess is what is known of a column.
type guess struct {
	kinds   cell.Tally
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
		g.kinds.Add(cell.GuessBool, 0, 1, cell.Place{Text: strconv.FormatBool(v)})
	case json.Number:
		g.kinds.Add(cell.GuessNumber(v.String()), 0, 1, cell.Place{Text: v.String()})
	case string:
		g.kinds.Add(cell.GuessText([]byte(v)), cell.GuessQuoted(v), 1, cell.Place{Text: v})
	}
	return nil
}

func (g *guess) readParts(dec *json.Decoder, open json.Delim, depth int) error {
	if open == '[' {
		g.kinds.Add(guessArray, 0, 1, cell.Place{Text: "[..]"})
		if g.elem == nil {
			g.elem = &guess{}
		}
		for dec.More() {
			if err := g.elem.read(dec, depth+1); err != nil {
				return err
			}
		}
	} else {
		g.kinds.Add(guessObject, 0, 1, cell.Place{Text: "{..}"})
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

func (g *guess) merge(o *guess, line int) {
	g.kinds.Merge(o.kinds, line)
	for _, name := range o.names {
		g.member(name).merge(o.members[strings.ToLower(name)], line)
	}
	if o.elem != nil {
		if g.elem == nil {
			g.elem = &guess{}
		}
		g.elem.merge(o.elem, line)
	}
}

// fields returns the members as columns; path is where they are, "" or with a dot at its
// end.
func (g *guess) fields(path string, outliers *[]cell.Outlier) []types.Field {
	out := make([]types.Field, len(g.names))
	for i, name := range g.names {
		out[i] = types.Field{Name: name, Type: g.members[strings.ToLower(name)].typ(path+name, outliers), Nullable: true}
	}
	return out
}

// typ returns the type of the value at a path.
func (g *guess) typ(path string, outliers *[]cell.Outlier) (t types.Type) {
	kinds, odd := g.kinds.Main()
	if odd != nil {
		at := len(*outliers)
		*outliers = append(*outliers, *odd)
		defer func() { (*outliers)[at].Column, (*outliers)[at].Type = path, t }()
	}
	switch kinds {
	case guessArray:
		return types.ListOf(g.elem.typ(path+"[]", outliers))
	case guessObject:
		if len(g.names) > 0 {
			return types.StructOf(g.fields(path+".", outliers)...)
		}
		return types.JSONText // objects without keys
	}
	if kinds&(guessArray|guessObject) != 0 {
		return types.JSONText // arrays or objects, and something else
	}
	return kinds.Type()
}
