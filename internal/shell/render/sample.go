package render

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/mattn/go-runewidth"

	"ssql/internal/arrowtext"
	"ssql/sql/types"
)

// sample holds the cells of a table that a boxed mode shows, as text: all of them,
// or the first and the last few, so that memory does not grow with the result.
type sample struct {
	names    []string
	types    []string
	right    []bool // numbers are aligned to the right
	null     string
	rowsMax  int
	head     [][]string
	tail     [][]string // a ring once it is full
	tailNext int
	rows     int64
	cell     []byte
}

func newSample(schema *arrow.Schema, o Options) *sample {
	s := &sample{null: nullText(o), rowsMax: o.RowsMax}
	for _, f := range schema.Fields() {
		s.names = append(s.names, Escape(f.Name))
		s.types = append(s.types, boxTypeName(fieldType(f)))
		s.right = append(s.right, isNumber(f.Type))
	}
	return s
}

func (s *sample) Write(rec arrow.Record) error {
	headMax := s.rowsMax - s.rowsMax/2
	cells := cellsOf(rec)
	for row := 0; row < int(rec.NumRows()); row++ {
		s.rows++
		switch {
		case s.rowsMax == 0 || len(s.head) < headMax:
			s.head = append(s.head, s.texts(rec, cells, row))
		case len(s.tail) < s.rowsMax/2:
			s.tail = append(s.tail, s.texts(rec, cells, row))
		case len(s.tail) == 0: // rowsMax is 1: there is no tail
		case rec.NumRows()-int64(row) <= int64(len(s.tail)):
			s.tail[s.tailNext] = s.texts(rec, cells, row)
			s.tailNext = (s.tailNext + 1) % len(s.tail)
		}
	}
	return nil
}

// texts returns the row of a record as it is printed.
func (s *sample) texts(rec arrow.Record, cells []arrowtext.Cell, row int) []string {
	out := make([]string, len(cells))
	for i, cell := range cells {
		if arrowtext.IsNull(rec.Column(i), row) {
			out[i] = s.null
			continue
		}
		s.cell = cell(s.cell[:0], row)
		out[i] = Escape(string(s.cell))
	}
	return out
}

// shown returns the rows to print; gap is the index before which rows are missing,
// -1 if none are.
func (s *sample) shown() (rows [][]string, gap int) {
	gap = -1
	if s.rows > int64(len(s.head)+len(s.tail)) {
		gap = len(s.head)
	}
	rows = append(rows, s.head...)
	rows = append(rows, s.tail[s.tailNext:]...)
	return append(rows, s.tail[:s.tailNext]...), gap
}

// fieldType returns the SQL type of a field: what its metadata says, else what its Arrow
// type is.
func fieldType(f arrow.Field) string {
	if name, ok := f.Metadata.GetValue(types.NameKey); ok {
		return name
	}
	return typeName(f.Type)
}

func isNumber(t arrow.DataType) bool {
	return arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) || arrow.IsDecimal(t.ID())
}

// boxTypeName returns the short name that DuckDB's box shows under a column.
func boxTypeName(name string) string {
	if short, ok := boxTypes[name]; ok {
		return short
	}
	out := []byte(name)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return Escape(string(out))
}

var boxTypes = map[string]string{
	"BIGINT":    "int64",
	"HUGEINT":   "int128",
	"INTEGER":   "int32",
	"SMALLINT":  "int16",
	"TINYINT":   "int8",
	"UBIGINT":   "uint64",
	"UINTEGER":  "uint32",
	"USMALLINT": "uint16",
	"UTINYINT":  "uint8",
}

// displayWidth returns how many columns of a terminal s takes.
func displayWidth(s string) int { return runewidth.StringWidth(s) }

// cut returns s in at most width columns, with an ellipsis if something is missing.
func cut(s string, width int) string {
	if displayWidth(s) <= width {
		return s
	}
	return runewidth.Truncate(s, width, "…")
}
