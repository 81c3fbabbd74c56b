package ndjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/format"
	"ssql/internal/format/column"
	"ssql/sql/types"
)

// The schema of the differential tests: every kind of column, nested ones too.
var fuzzFields = []types.Field{
	field("i", types.Of(types.BigInt)),
	field("s", types.Of(types.Varchar)),
	field("d", types.Of(types.Double)),
	field("b", types.Of(types.Boolean)),
	field("o", types.StructOf(field("x", types.Of(types.Int)), field("s", types.Of(types.Varchar)),
		field("p", types.StructOf(field("d", types.Of(types.Double)))))),
	field("l", types.ListOf(types.StructOf(field("x", types.Of(types.Int)), field("l", types.ListOf(types.Of(types.Varchar)))))),
	field("m", types.MapOf(types.Of(types.Varchar), types.Of(types.Double))),
}

// model reads one line with encoding/json, which shares no code with the decoder,
// and renders it. ok is false if the line is no row.
func model(line []byte) (row string, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil || !utf8.Valid(line) || dec.InputOffset() < int64(len(bytes.TrimRight(line, " \t\r"))) {
		return "", false
	}
	object, isObject := v.(map[string]any)
	if !isObject {
		return "", false
	}
	cells := make([]string, len(fuzzFields))
	for i, f := range fuzzFields {
		value, there := object[f.Name]
		if !there {
			value = nil
		}
		cell, ok := modelValue(f.Type, value, rawMember(line, f.Name))
		if !ok {
			return "", false
		}
		cells[i] = cell
	}
	return strings.Join(cells, " | "), true
}

// rawMember returns the text of the last member of a name, as written.
func rawMember(object []byte, name string) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	var out json.RawMessage
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return nil
		}
		if key == name {
			out = raw
		}
	}
	return out
}

func rawElements(array []byte) (out []json.RawMessage) {
	if json.Unmarshal(array, &out) != nil {
		return nil
	}
	return out
}

func modelValue(t types.Type, v any, raw json.RawMessage) (string, bool) {
	if v == nil {
		return "NULL", true
	}
	switch t.Kind {
	case types.Varchar:
		s, isText := v.(string)
		if !isText {
			s = string(raw)
		}
		return strconv.Quote(s), true
	case types.Boolean:
		switch v := v.(type) {
		case bool:
			return strconv.FormatBool(v), true
		case string:
			s := strings.ToLower(strings.TrimSpace(v))
			return s, s == "true" || s == "false"
		}
	case types.Double:
		return modelDouble(v)
	case types.BigInt:
		return modelInteger(v, math.MinInt64, math.MaxInt64)
	case types.Int:
		return modelInteger(v, math.MinInt32, math.MaxInt32)
	case types.Struct:
		object, ok := v.(map[string]any)
		if !ok {
			return "", false
		}
		var parts []string
		for _, f := range t.Fields {
			text, ok := modelValue(f.Type, object[f.Name], rawMember(raw, f.Name))
			if !ok {
				return "", false
			}
			parts = append(parts, f.Name+": "+text)
		}
		return "{" + strings.Join(parts, ", ") + "}", true
	case types.List:
		list, ok := v.([]any)
		if !ok {
			return "", false
		}
		raws := rawElements(raw)
		var parts []string
		for i, e := range list {
			text, ok := modelValue(*t.Elem, e, raws[i])
			if !ok {
				return "", false
			}
			parts = append(parts, text)
		}
		return "[" + strings.Join(parts, ", ") + "]", true
	case types.Map:
		object, ok := v.(map[string]any)
		if !ok {
			return "", false
		}
		var parts []string
		for k, e := range object {
			text, ok := modelValue(*t.Elem, e, nil)
			if !ok {
				return "", false
			}
			parts = append(parts, strconv.Quote(k)+": "+text)
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}", true
	}
	return "", false
}

func modelDouble(v any) (string, bool) {
	text := ""
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
		switch strings.ToLower(text) {
		case "nan":
			return "NaN", true
		case "inf", "+inf", "infinity", "+infinity":
			return "+Inf", true
		case "-inf", "-infinity":
			return "-Inf", true
		}
		if strings.Trim(text, "0123456789.eE+-") != "" {
			return "", false
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	return strconv.FormatFloat(f, 'g', -1, 64), err == nil
}

func modelInteger(v any, least, most int64) (string, bool) {
	text := ""
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
		if strings.Trim(text, "0123456789.eE+-") != "" {
			return "", false
		}
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok || !n.IsInt() || n.Num().Cmp(big.NewInt(least)) < 0 || n.Num().Cmp(big.NewInt(most)) > 0 {
		return "", false
	}
	return n.Num().String(), true
}

// show renders a value so that no two different ones look alike.
func show(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "NULL"
	}
	switch a := a.(type) {
	case *array.String:
		return strconv.Quote(a.Value(i))
	case *array.Dictionary:
		return show(a.Dictionary(), a.GetValueIndex(i))
	case *array.Float64:
		return strconv.FormatFloat(a.Value(i), 'g', -1, 64)
	case *array.Map:
		var parts []string
		start, end := a.ValueOffsets(i)
		for j := start; j < end; j++ {
			parts = append(parts, show(a.Keys(), int(j))+": "+show(a.Items(), int(j)))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case *array.List:
		var parts []string
		start, end := a.ValueOffsets(i)
		for j := start; j < end; j++ {
			parts = append(parts, show(a.ListValues(), int(j)))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *array.Struct:
		var parts []string
		for j, f := range a.DataType().(*arrow.StructType).Fields() {
			parts = append(parts, f.Name+": "+show(a.Field(j), i))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return a.ValueStr(i)
}

// lineResult is what became of the lines of an input: rows in order, and the
// reasons of bad lines by number.
type lineResult struct {
	rows []string
	bad  map[int64]string
}

func decodeAll(t testing.TB, d *Decoder, chunkRows int, blocks [][]byte) lineResult {
	t.Helper()
	r := lineResult{bad: map[int64]string{}}
	d.Begin(format.Input{Line: 1}, chunkRows, format.Output{
		Emit: func(rec arrow.Record) error {
			for i := range int(rec.NumRows()) {
				cells := make([]string, rec.NumCols())
				for c := range cells {
					cells[c] = show(rec.Column(c), i)
				}
				r.rows = append(r.rows, strings.Join(cells, " | "))
			}
			return nil
		},
		Bad: func(b format.Bad) error { r.bad[b.Line] = b.Reason; return nil },
	})
	for _, b := range blocks {
		if err := d.Decode(append(make([]byte, 0, len(b)+column.Slack), b...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Finish(false); err != nil {
		t.Fatal(err)
	}
	return r
}

var loneSurrogate = regexp.MustCompile(`\\u[dD][89a-fA-F]`)

// checkAgainstModel compares a result with encoding/json, line by line. The two may
// differ where the package says so: NaN and Infinity, lone surrogates, depth.
func checkAgainstModel(t testing.TB, data []byte, got lineResult) {
	t.Helper()
	rows := got.rows
	for i, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		reason, isBad := got.bad[int64(i+1)]
		want, ok := model(line)
		switch {
		case isBad && !ok:
		case isBad:
			if !strings.Contains(reason, "nested more than") && !(strings.Contains(reason, "is no character") && loneSurrogate.Match(line)) {
				t.Fatalf("line %d is bad (%s), but encoding/json reads it\n%s\nas %s", i+1, reason, line, want)
			}
		case len(rows) == 0:
			t.Fatalf("line %d gave neither a row nor a bad line\n%s", i+1, line)
		default:
			if !ok && !bytes.Contains(line, []byte("NaN")) && !bytes.Contains(line, []byte("Infinity")) {
				t.Fatalf("line %d is a row, but not for encoding/json\n%s\n%s", i+1, line, rows[0])
			}
			if ok && rows[0] != want {
				t.Fatalf("line %d\n%s\ngot  %s\nwant %s", i+1, line, rows[0], want)
			}
			rows = rows[1:]
		}
	}
	if len(rows) > 0 {
		t.Fatalf("%d rows too many: %s", len(rows), rows[0])
	}
}

// checkAllWays decodes data along every way there is and wants the same each time:
// with and without known steps, in one block or many, in chunks of any size, with
// and without a dictionary.
func checkAllWays(t testing.TB, data []byte) {
	t.Helper()
	whole := decodeAll(t, newDecoder(t, Options{Fields: fuzzFields}), 100, [][]byte{data})
	checkAgainstModel(t, data, whole)
	for _, c := range []struct {
		name      string
		chunkRows int
		blocks    [][]byte
		grammar   bool
		encode    bool
	}{
		{"by grammar", 100, [][]byte{data}, true, false},
		{"line by line", 3, bytes.SplitAfter(data, []byte("\n")), false, false},
		{"with a dictionary", 1, [][]byte{data}, false, true},
	} {
		d := newDecoder(t, Options{Fields: fuzzFields, Encode: []bool{false, c.encode}})
		for round := range 2 {
			if c.grammar {
				d.steps.rest = 1 << 30
			}
			got := decodeAll(t, d, c.chunkRows, c.blocks)
			if fmt.Sprint(got) != fmt.Sprint(whole) {
				t.Fatalf("%s, round %d:\ngot  %v\nwant %v\ndata %q", c.name, round, got, whole, data)
			}
		}
	}
}

// document makes random rows that are mostly right.
type document struct{ *rand.Rand }

func (g document) pick(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g document) blank() string {
	if g.IntN(8) > 0 {
		return ""
	}
	return g.pick(" ", "  ", "\t", "\r", " \t ")
}

func (g document) text() string {
	return g.pick(`""`, `"a"`, `"device-0042"`, `"exactly8"`, `"sixteen bytes!!!"`, `"more than sixteen bytes of it"`,
		`"gr\u00fcn"`, `"grün"`, `"日本語"`, `"a\\b\"c\/"`, `"\ud83d\ude00"`, `"\ud83d"`, `"12"`, `" 7 "`, `"1.5"`, `"true"`, `"nan"`, `"tab\there"`, "\"raw\ttab\"", `"\x"`)
}

func (g document) number() string {
	return g.pick("0", "-0", "1", "-1", "12", "12.0", "1e2", "1.5", "-3.25e-3", "2147483647", "2147483648", "9223372036854775807",
		"9223372036854775808", "123456789012345678901234567890", "0.1", "1E400", "1e-400", "0.30000000000000004", "01", "1.", "-", "1e", "NaN")
}

func (g document) value(depth int) string {
	switch n := g.IntN(12); {
	case n < 3:
		return g.text()
	case n < 6:
		return g.number()
	case n < 8:
		return g.pick("null", "true", "false", "nul", "True")
	case n == 8 && depth < 4:
		return g.list(depth+1, g.value)
	case n > 8 && depth < 4:
		return g.object(depth+1, nil)
	}
	return "null"
}

func (g document) list(depth int, elem func(int) string) string {
	var parts []string
	for range g.IntN(4) {
		parts = append(parts, g.blank()+elem(depth)+g.blank())
	}
	return "[" + strings.Join(parts, ",") + g.pick("]", "]", "]", "]", "]", ",]", "") + ""
}

// typed makes a value that mostly fits a type.
func (g document) typed(t types.Type, depth int) string {
	if g.IntN(12) == 0 || depth > 5 {
		return g.value(depth)
	}
	switch t.Kind {
	case types.BigInt, types.Int:
		return strconv.Itoa(g.IntN(200000) - 1000)
	case types.Double:
		return strconv.FormatFloat(g.NormFloat64()*100, 'g', 1+g.IntN(17), 64)
	case types.Boolean:
		return g.pick("true", "false")
	case types.Struct:
		return g.object(depth+1, t.Fields)
	case types.List:
		return g.list(depth+1, func(d int) string { return g.typed(*t.Elem, d) })
	case types.Map:
		return g.object(depth+1, []types.Field{field("k1", *t.Elem), field("k2", *t.Elem), field("ключ", *t.Elem)})
	}
	return g.text()
}

func (g document) object(depth int, fields []types.Field) string {
	var parts []string
	add := func(key, value string) {
		parts = append(parts, g.blank()+key+g.blank()+":"+g.blank()+value+g.blank())
	}
	for _, f := range fields {
		if g.IntN(10) > 0 {
			key := strconv.Quote(f.Name)
			if g.IntN(30) == 0 {
				key = fmt.Sprintf(`"\u%04x%s"`, []rune(f.Name)[0], string([]rune(f.Name)[1:]))
			}
			add(key, g.typed(f.Type, depth))
		}
	}
	if fields == nil || g.IntN(10) == 0 {
		add(g.pick(`"x"`, `"unknown"`, `"k"`, `"S"`), g.value(depth))
	}
	if len(fields) > 0 && g.IntN(15) == 0 {
		f := fields[g.IntN(len(fields))]
		add(strconv.Quote(f.Name), g.typed(f.Type, depth))
	}
	if g.IntN(6) == 0 {
		g.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g document) lines(n int) []byte {
	var b bytes.Buffer
	for range n {
		line := []byte(g.blank() + g.object(0, fuzzFields) + g.blank())
		if g.IntN(20) == 0 && len(line) > 0 {
			line[g.IntN(len(line))] = byte(g.IntN(256))
		}
		if g.IntN(20) == 0 {
			line = line[:g.IntN(len(line)+1)]
		}
		if g.IntN(30) == 0 {
			line = nil
		}
		b.Write(bytes.ReplaceAll(line, []byte("\n"), nil))
		b.WriteString(g.pick("\n", "\n", "\n", "\r\n"))
	}
	return b.Bytes()[:b.Len()-g.IntN(2)]
}

// TestAgainstEncodingJSON is the differential test on random documents.
func TestAgainstEncodingJSON(t *testing.T) {
	for seed := range uint64(300) {
		checkAllWays(t, document{rand.New(rand.NewPCG(seed, 7))}.lines(20))
	}
}

// hugeExponent keeps numbers from the model that math/big would take minutes for.
var hugeExponent = regexp.MustCompile(`[eE][+-]?0*[0-9]{5}`)

func FuzzNDJSON(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(document{rand.New(rand.NewPCG(seed, 8))}.lines(4))
	}
	f.Add([]byte("{\"i\":1}\n{\"i\":2}\n\n{\"i\":\"x\"}\r\n{\"s\":\"\\\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 || hugeExponent.Match(data) {
			t.Skip()
		}
		checkAllWays(t, data)
	})
}
