package session

import (
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// textTable is a small answer of ours, all columns VARCHAR.
type textTable struct {
	names []string
	rows  [][]string
}

func newTextTable(names ...string) *textTable { return &textTable{names: names} }

// add appends a row; "" becomes NULL.
func (t *textTable) add(cells ...string) { t.rows = append(t.rows, cells) }

// send gives the table to out.
func (t *textTable) send(out Output) error {
	fields := make([]arrow.Field, len(t.names))
	for i, n := range t.names {
		fields[i] = arrow.Field{Name: n, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, row := range t.rows {
		for i, cell := range row {
			if cell == "" {
				b.Field(i).AppendNull()
				continue
			}
			b.Field(i).(*array.StringBuilder).Append(cell)
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	w, err := out.Table(rec.Schema())
	if err != nil {
		return err
	}
	if err := w.Write(rec); err != nil {
		return err
	}
	return w.Close()
}

// likeMatches is SQL's LIKE without case; "" matches everything.
func likeMatches(pattern, s string) bool {
	return pattern == "" || like(strings.ToLower(pattern), strings.ToLower(s))
}

func like(pattern, s string) bool {
	for pattern != "" {
		r, size := utf8.DecodeRuneInString(pattern)
		pattern = pattern[size:]
		switch r {
		case '%':
			for at := 0; at <= len(s); at++ {
				if like(pattern, s[at:]) {
					return true
				}
			}
			return false
		case '_':
			if s == "" {
				return false
			}
			_, n := utf8.DecodeRuneInString(s)
			s = s[n:]
		default:
			if !strings.HasPrefix(s, string(r)) {
				return false
			}
			s = s[size:]
		}
	}
	return s == ""
}
