package expr

import (
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

// DuckDB makes the values of a call for all of its rows before anybody sees one, several times over
// (its vectors, what it hands over, the copy of that), and knows no bound of a value. So the
// first rows that a call is asked about are few, and how many come at once goes by the largest
// value of those before: a function whose values are long stands out before it makes many.
const (
	partGrowth   = 8
	partBytesMax = 16 << 20
)

// CallSize is what is known of the values of a call, by all workers that evaluate it.
type CallSize struct {
	rowsSeen       atomic.Int64
	valueBytesMost atomic.Int64
}

// add remembers values, of which the largest has so many bytes.
func (s *CallSize) add(rows int, bytes int64) {
	s.rowsSeen.Add(int64(rows))
	for {
		most := s.valueBytesMost.Load()
		if bytes <= most || s.valueBytesMost.CompareAndSwap(most, bytes) {
			return
		}
	}
}

// rows returns how many rows are asked about next.
func (s *CallSize) rows() int {
	return int(max(1, min(s.rowsSeen.Load()*partGrowth, partBytesMax/max(1, s.valueBytesMost.Load()))))
}

// callParts evaluates a call whose values may be of any length.
func (e *External) callParts(c *Ctx, cols []arrow.Array, rows int) (arrow.Array, error) {
	var parts []arrow.Array
	defer func() {
		for _, p := range parts {
			p.Release()
		}
	}()
	total, last := int64(0), 0
	for done := 0; done < rows; done += last {
		last = min(rows-done, e.Size.rows())
		part, err := e.part(c, cols, done, done+last, rows)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		bytes := bytesOfRows(part, 0, int64(last))
		if total += bytes; c.columnTooLarge(rows, total) || total > offsetMax {
			return nil, ErrChunkTooLarge
		}
		if err := e.checkValues(c, part, done, bytes); err != nil {
			return nil, err
		}
	}
	if len(parts) == 1 {
		parts[0].Retain()
		return parts[0], nil
	}
	return array.Concatenate(parts, c.Alloc)
}

// part evaluates the call over the rows from start to end.
func (e *External) part(c *Ctx, cols []arrow.Array, start, end, rows int) (arrow.Array, error) {
	if end-start == rows {
		return e.ask(c, cols, rows)
	}
	some := make([]arrow.Array, len(cols))
	defer func() {
		for _, a := range some {
			if a != nil {
				a.Release()
			}
		}
	}()
	for i, a := range cols {
		slice := array.NewSlice(a, int64(start), int64(end))
		own, err := array.Concatenate([]arrow.Array{slice}, c.Alloc) // DuckDB does not know every offset within nested columns
		slice.Release()
		if err != nil {
			return nil, err
		}
		some[i] = own
	}
	return e.ask(c, some, end-start)
}

// checkValues remembers how large the values of a part are, the first of which is that of a row, and
// refuses one above value_bytes_max. A value counts as the average where none can be large.
func (e *External) checkValues(c *Ctx, part arrow.Array, row int, bytes int64) error {
	n := part.Len()
	if bytes <= partBytesMax/4 && bytes <= c.valueBytesMax() {
		e.Size.add(n, bytes/int64(n))
		return nil
	}
	for i := range n {
		value := bytesOfRow(part, i)
		if value > c.valueBytesMax() {
			err := valueLimit(e.Name, c.valueBytesMax())
			err.Span = e.Span
			return &RowError{Row: row + i, Err: err}
		}
		e.Size.add(1, value)
	}
	return nil
}

// anyLength reports whether a value of a type may have any number of bytes.
func anyLength(t types.Type) bool {
	switch t.Kind {
	case types.Varchar, types.Blob, types.List, types.Map:
		return true
	}
	for _, f := range t.Fields {
		if anyLength(f.Type) {
			return true
		}
	}
	return false
}
