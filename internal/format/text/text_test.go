package text

import (
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format"
	"ssql/internal/format/formattest"
	"ssql/sql/types"
)

func quoted(a arrow.Array, row int) string {
	if a.IsNull(row) {
		return "NULL"
	}
	return strconv.Quote(a.ValueStr(row))
}

// TestDecode shows the rows of lines, whatever the blocks and the chunks.
func TestDecode(t *testing.T) {
	line := []types.Field{{Name: "l", Type: types.Of(types.Varchar)}}
	for _, c := range []struct {
		name    string
		options Options
		blocks  []string
		want    string
	}{
		{"lines", Options{Fields: line}, []string{"a, \"b\r\n\n\t\xff\n", "c\rd\r\n", "no end"},
			"row \"a, \\\"b\"\nrow \"\"\nrow \"c\\rd\"\nrow \"no end\"\nbad 3 \"\": text is not valid UTF-8: \t\uFFFD\n"},
		{"long", Options{Fields: line, LineBytesMax: 3}, []string{"abc\r\nabcd\n"},
			"row \"abc\"\nbad 2 \"\": line is longer than 3 bytes (option line_bytes_max): abcd\n"},
		{"JSON", Options{Fields: []types.Field{{Name: line[0].Name, Type: types.JSONText}}}, []string{" [1, {\"a\": 2}]\n \n\n7\nx\n"},
			"row \" [1, {\\\"a\\\": 2}]\"\nrow \"7\"\nbad 5 \"l\": expected JSON, found the text \"x\": x\n"},
		{"dictionary", Options{Fields: line, Encode: []bool{true}}, []string{"a\nb\na\n"}, "row \"a\"\nrow \"b\"\nrow \"a\"\n"},
		{"no column", Options{}, []string{"a\n\n\xff\n"}, "row \nrow \nbad 3 \"\": text is not valid UTF-8: \uFFFD\n"},
	} {
		for _, chunkRows := range []int{1, 2, 1000} {
			shape := NewShape(c.options)
			shape.Scribble()
			got := formattest.Decode(t, shape.NewDecoder(), format.Input{Name: "f", Line: 1}, quoted, chunkRows, c.blocks...).String()
			if got != c.want {
				t.Errorf("%s, chunks of %d:\n%s\nwant\n%s", c.name, chunkRows, got, c.want)
			}
		}
	}
}
