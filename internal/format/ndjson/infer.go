package ndjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// ColumnsMax is how many columns, members of STRUCTs included, a schema may get
// from data (reliability §6.3).
const ColumnsMax = 1000

// Infer returns the columns of the objects on the given lines, in the order in which
// their keys first appear. Lines that are no objects are passed over.
//
//	whole numbers             BIGINT, UBIGINT or DOUBLE, the first that holds them all
//	other numbers             DOUBLE
//	true, false               BOOLEAN
//	text that is ISO-8601     DATE or TIMESTAMP
//	objects, arrays           STRUCT, LIST
//	nulls only, or a mixture  VARCHAR
func Infer(sample [][]byte) ([]types.Field, error) {
	var row guess
	good := 0
	for _, line := range sample {
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		var once guess
		if err := once.read(dec, 0); err != nil || once.kinds != sawObject || dec.More() {
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
	if n := countFields(fields); n > ColumnsMax {
		return nil, sqlerr.New("E_LIMIT", "the sample has %d columns, more than %d", n, ColumnsMax).
			WithHint("declare the columns that are needed")
	}
	return fields, nil
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

// The kinds of values that a guess has seen.
const (
	sawBool = 1 << iota
	sawInt  // fits BIGINT
	sawUint // fits UBIGINT only
	sawNegative
	sawReal
	sawDate
	sawTime
	sawText
	sawObject
	sawArray
)

// guess is what is known of a column.
type guess struct {
	kinds   int
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
	if depth > DepthMax {
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
		g.kinds |= sawBool
	case json.Number:
		g.kinds |= numberKind(v.String())
	case string:
		g.kinds |= textKind([]byte(v))
	}
	return nil
}

func (g *guess) readParts(dec *json.Decoder, open json.Delim, depth int) error {
	if open == '[' {
		g.kinds |= sawArray
		if g.elem == nil {
			g.elem = &guess{}
		}
		for dec.More() {
			if err := g.elem.read(dec, depth+1); err != nil {
				return err
			}
		}
	} else {
		g.kinds |= sawObject
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			if err := g.member(name).read(dec, depth+1); err != nil {
				return err
			}
		}
	}
	_, err := dec.Token()
	return err
}

func numberKind(text string) int {
	if strings.ContainsAny(text, ".eE") {
		return sawReal
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if n < 0 {
			return sawInt | sawNegative
		}
		return sawInt
	}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		return sawUint
	}
	return sawReal
}

// textKind takes only the full ISO form for a time: "1-2-3" is a score as often as a
// date.
func textKind(text []byte) int {
	if len(text) < 10 || text[4] != '-' || text[7] != '-' {
		return sawText
	}
	if _, _, ok := types.ParseTimestamp(text); !ok {
		return sawText
	}
	if len(text) == 10 {
		return sawDate
	}
	return sawTime
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
	switch k := g.kinds; {
	case k == sawBool:
		return types.Of(types.Boolean)
	case k == sawInt, k == sawInt|sawNegative:
		return types.Of(types.BigInt)
	case k == sawUint, k == sawInt|sawUint:
		return types.Of(types.UBigInt)
	case k != 0 && k&^(sawInt|sawUint|sawNegative|sawReal) == 0:
		return types.Of(types.Double)
	case k == sawDate:
		return types.Of(types.Date)
	case k == sawTime, k == sawDate|sawTime:
		return types.Of(types.Timestamp)
	case k == sawArray:
		return types.ListOf(g.elem.typ())
	case k == sawObject && len(g.names) > 0:
		return types.StructOf(g.fields()...)
	}
	return types.Of(types.Varchar)
}
