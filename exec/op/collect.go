package op

import (
	"fmt"
	"sort"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
)

// Rows is a Segment that keeps its chunks, for operators that need them in order
// and have no use for a partial result.
type Rows struct {
	Input  int
	Chunks []arrow.Record
	// Of a result: how much it has, and may have; 0: no limit.
	bytes, bytesMax int64
}

var _ Segment = (*Rows)(nil)

// Consume keeps the chunk.
func (r *Rows) Consume(rec arrow.Record) error {
	if rec.NumRows() > 0 {
		rec.Retain()
		r.Chunks = append(r.Chunks, rec)
		r.bytes += recordBytes(rec)
	}
	return checkResult(r.bytes, r.bytesMax)
}

// Release gives the chunks back.
func (r *Rows) Release() {
	for _, c := range r.Chunks {
		c.Release()
	}
	r.Chunks = nil
}

// Collect gathers the rows of a batch: the root of every query.
type Collect struct {
	// BytesMax is how much it may gather; 0: no limit.
	BytesMax int64
	chunks   []arrow.Record
	bytes    int64
}

var _ Breaker = (*Collect)(nil)

// Begin forgets the batch before.
func (c *Collect) Begin(*Batch) error { c.chunks, c.bytes = nil, 0; return nil }

// Segment returns a keeper of chunks.
func (c *Collect) Segment(input int) Segment { return &Rows{Input: input, bytesMax: c.BytesMax} }

// Merge appends the segment's chunks.
func (c *Collect) Merge(s Segment) error {
	chunks := s.(*Rows).Chunks
	c.chunks = append(c.chunks, chunks...)
	for _, rec := range chunks {
		c.bytes += recordBytes(rec)
	}
	return checkResult(c.bytes, c.BytesMax)
}

// checkResult refuses a result beyond its limit, also while a segment is read: one row can come to more
// than fits.
func checkResult(bytes, bytesMax int64) error {
	if bytesMax > 0 && bytes > bytesMax {
		return sqlerr.New("E_LIMIT", "the result of the batch has more than state_bytes_max = %d bytes", bytesMax).
			WithHint("raise state_bytes_max; or DROP the query and create it again with max_bytes_per_batch, since a batch that is planned is not made smaller")
	}
	return nil
}

// Finish emits the chunks and releases them.
func (c *Collect) Finish(emit Emit) error {
	for _, rec := range c.chunks {
		if err := emit(rec); err != nil {
			return err
		}
		rec.Release()
	}
	c.chunks = nil
	return nil
}

// Sort orders the complete result of a batch.
type Sort struct {
	Collect
	Keys  []SortKey
	Alloc memory.Allocator
	ctx   *expr.Ctx
}

// SortKey is one ORDER BY key.
type SortKey struct {
	Expr       expr.Expr
	Desc       bool
	NullsFirst bool
}

// Begin keeps the batch's expression context.
func (s *Sort) Begin(b *Batch) error { s.ctx = b.Expr; return s.Collect.Begin(b) }

// Finish emits one chunk with the rows in order; equal rows keep theirs.
func (s *Sort) Finish(emit Emit) error {
	all, err := concat(s.Alloc, s.chunks)
	if err != nil || all == nil {
		return err
	}
	defer all.Release()
	less := make([]func(i, j int) int, len(s.Keys))
	for k, key := range s.Keys {
		a, err := key.Expr.Eval(s.ctx, all)
		if err != nil {
			return err
		}
		defer a.Release()
		less[k] = orderOf(a, expr.Order(key.Expr.Type(), a), key)
	}
	rows := make([]int32, all.NumRows())
	for i := range rows {
		rows[i] = int32(i)
	}
	sort.SliceStable(rows, func(x, y int) bool {
		for _, f := range less {
			if c := f(int(rows[x]), int(rows[y])); c != 0 {
				return c < 0
			}
		}
		return false
	})
	out := Take(all, rows)
	defer out.Release()
	s.chunks = nil
	return emit(out)
}

func orderOf(a arrow.Array, cmp func(i, j int) int, key SortKey) func(i, j int) int {
	return func(i, j int) int {
		ni, nj := a.IsNull(i), a.IsNull(j)
		switch {
		case ni && nj:
			return 0
		case ni != nj:
			if ni == key.NullsFirst {
				return -1
			}
			return 1
		}
		if key.Desc {
			return -cmp(i, j)
		}
		return cmp(i, j)
	}
}

// concat joins chunks into one record; nil for none.
func concat(alloc memory.Allocator, chunks []arrow.Record) (arrow.Record, error) {
	if len(chunks) == 0 {
		return nil, nil
	}
	if len(chunks) == 1 {
		chunks[0].Retain()
		return chunks[0], nil
	}
	n := int64(0)
	for _, c := range chunks {
		n += c.NumRows()
	}
	cols := make([]arrow.Array, chunks[0].NumCols())
	for i := range cols {
		parts := make([]arrow.Array, len(chunks))
		for j, c := range chunks {
			parts[j] = expr.Plain(c.Column(i))
		}
		a, err := array.Concatenate(parts, alloc)
		for _, p := range parts {
			p.Release()
		}
		if err != nil {
			return nil, fmt.Errorf("joining chunks of column %q: %w", chunks[0].ColumnName(i), err)
		}
		cols[i] = a
	}
	return array.NewRecord(schemaOf(chunks[0].Schema(), cols), cols, n), nil
}
