package render

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

// jsonWriter prints objects: one array of them, or one per line. Numbers are
// numbers, also decimals; what JSON has no value for (NaN, infinity) is text; times
// are text as in the other modes; bytes are in base64, as streams read them; JSON is
// itself.
type jsonWriter struct {
	w     *bufio.Writer
	names [][]byte
	json  []bool // which columns are JSON
	lines bool
	rows  int64
	buf   []byte
}

func newJSON(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	return newJSONWriter(w, schema, false), nil
}

func newJSONLines(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	return newJSONWriter(w, schema, true), nil
}

func newJSONWriter(w io.Writer, schema *arrow.Schema, lines bool) *jsonWriter {
	j := &jsonWriter{w: bufio.NewWriter(w), lines: lines}
	for _, f := range schema.Fields() {
		j.names = append(j.names, append(appendJSONString(nil, f.Name), ':'))
		j.json = append(j.json, types.IsJSONField(f))
	}
	return j
}

func (j *jsonWriter) Write(rec arrow.Record) error {
	for row := 0; row < int(rec.NumRows()); row++ {
		switch {
		case j.lines:
		case j.rows == 0:
			j.w.WriteByte('[')
		default:
			j.w.WriteString(",\n")
		}
		j.rows++
		b := append(j.buf[:0], '{')
		for i, a := range rec.Columns() {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, j.names[i]...)
			b = appendJSON(b, a, row, j.json[i])
		}
		b = append(b, '}')
		if j.lines {
			b = append(b, '\n')
		}
		j.w.Write(b)
		j.buf = b
	}
	return j.w.Flush()
}

func (j *jsonWriter) Close() (int64, error) {
	if !j.lines {
		if j.rows == 0 {
			j.w.WriteByte('[')
		}
		j.w.WriteString("]\n")
	}
	return j.rows, j.w.Flush()
}

// appendJSON appends value i of a as JSON; isJSON says that it is JSON already.
func appendJSON(dst []byte, a arrow.Array, i int, isJSON bool) []byte {
	if a.IsNull(i) {
		return append(dst, "null"...)
	}
	switch a := a.(type) {
	case *array.Null:
		return append(dst, "null"...)
	case *array.Boolean:
		return strconv.AppendBool(dst, a.Value(i))
	case *array.Decimal128:
		return AppendText(dst, a, i)
	case *array.Float64:
		return appendJSONDouble(dst, a.Value(i), a, i)
	case *array.Float32:
		return appendJSONDouble(dst, float64(a.Value(i)), a, i)
	case *array.Dictionary:
		return appendJSON(dst, a.Dictionary(), a.GetValueIndex(i), isJSON)
	case *array.Map:
		return appendJSONMap(dst, a, i)
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		item := types.IsJSONField(itemField(a))
		dst = append(dst, '[')
		for k := int(start); k < int(end); k++ {
			if k > int(start) {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, a.ListValues(), k, item)
		}
		return append(dst, ']')
	case *array.Struct:
		dst = append(dst, '{')
		for k, f := range a.DataType().(*arrow.StructType).Fields() {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJSONString(dst, f.Name), ':')
			dst = appendJSON(dst, a.Field(k), i, types.IsJSONField(f))
		}
		return append(dst, '}')
	case array.Union:
		return appendJSON(dst, a.Field(a.ChildID(i)), unionRow(a, i), false)
	}
	if out, ok := appendInteger(dst, a, i); ok {
		return out
	}
	if b, ok := bytesOf(a, i); ok {
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
	}
	text := AppendText(nil, a, i)
	if isJSON {
		return appendJSONText(dst, text)
	}
	return appendJSONString(dst, string(text))
}

// appendJSONText appends a text that is JSON, on one line and without what drives a terminal.
func appendJSONText(dst, text []byte) []byte {
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		return appendJSONString(dst, string(text))
	}
	for rest := line.Bytes(); len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == 0x7f || drivesTerminal(r) { // which stand in strings only
			dst = fmt.Appendf(dst, `\u%04x`, r)
		} else {
			dst = append(dst, rest[:size]...)
		}
		rest = rest[size:]
	}
	return dst
}

// itemField is the field of the elements of a list.
func itemField(a array.ListLike) arrow.Field {
	if t, ok := a.DataType().(interface{ ElemField() arrow.Field }); ok {
		return t.ElemField()
	}
	return arrow.Field{}
}

func appendJSONDouble(dst []byte, v float64, a arrow.Array, i int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(append(append(dst, '"'), AppendText(nil, a, i)...), '"')
	}
	return AppendText(dst, a, i)
}

// appendJSONMap writes a map as an object; keys that are no text are spelled as text.
func appendJSONMap(dst []byte, a *array.Map, i int) []byte {
	start, end := a.ValueOffsets(i)
	item := types.IsJSONField(a.DataType().(*arrow.MapType).ItemField())
	dst = append(dst, '{')
	for k := int(start); k < int(end); k++ {
		if k > int(start) {
			dst = append(dst, ',')
		}
		dst = append(appendJSONString(dst, string(AppendText(nil, a.Keys(), k))), ':')
		dst = appendJSON(dst, a.Items(), k, item)
	}
	return append(dst, '}')
}

// appendJSONString quotes s. It escapes what JSON demands and what could drive a
// terminal, and leaves <, > and & readable, which encoding/json does not.
func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, `\ufffd`...)
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r < 0x20 || r == 0x7f || drivesTerminal(r):
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = append(dst, s[at:at+size]...)
		}
		at += size
	}
	return append(dst, '"')
}
