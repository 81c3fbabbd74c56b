package op

import (
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
	what   string // for messages
	// How much it has, and may have; 0: no limit.
	bytes, bytesMax int64
}

// waitingBytesMin is what the chunks of a segment may always have: a limit of the state is not one of the
// input.
const waitingBytesMin = 64 << 20

// waitingRows returns a keeper of the chunks of a segment that wait for their turn in an operator: where
// a row of the input became many, they are as large as its state.
func waitingRows(input int, l StateLimits) *Rows {
	r := &Rows{Input: input, what: "the input of an operator"}
	if l.BytesMax > 0 {
		r.bytesMax = max(l.BytesMax, waitingBytesMin)
	}
	return r
}

// each calls f with the chunks, in parts that are not too large, while the batch is wanted.
func (r *Rows) each(b *Batch, f func(rec arrow.Record) error) error {
	for _, rec := range r.Chunks {
		err := inParts(rec, func(part arrow.Record) error {
			if err := b.Expr.Ended(); err != nil {
				return err
			}
			return f(part)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var _ Segment = (*Rows)(nil)

// Consume keeps the chunk.
func (r *Rows) Consume(rec arrow.Record) error {
	if rec.NumRows() > 0 {
		rec.Retain()
		r.Chunks = append(r.Chunks, rec)
		r.bytes += recordBytes(rec)
	}
	return checkBytes(r.what, r.bytes, r.bytesMax)
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
	// small is how many of the last chunks are small, smallRows and smallBytes what they have.
	small                 int
	smallRows, smallBytes int64
}

// A chunk of a few rows costs a sink as much as a large one: DuckDB takes 80 KB for each. Small
// ones are joined when they have come to something.
const (
	smallRowsMax, smallBytesMax   = 511, 64 << 10
	joinedRowsMin, joinedBytesMin = 4096, 1 << 20
)

var _ Breaker = (*Collect)(nil)

// Begin forgets the batch before.
func (c *Collect) Begin(*Batch) error {
	c.chunks, c.bytes, c.small, c.smallRows, c.smallBytes = nil, 0, 0, 0, 0
	return nil
}

// Segment returns a keeper of chunks.
func (c *Collect) Segment(input int) Segment {
	return &Rows{Input: input, what: resultOfBatch, bytesMax: c.BytesMax}
}

// Merge appends the segment's chunks.
func (c *Collect) Merge(s Segment) error {
	for _, rec := range s.(*Rows).Chunks {
		bytes := recordBytes(rec)
		c.bytes += bytes
		isSmall := rec.NumRows() <= smallRowsMax && bytes <= smallBytesMax
		if !isSmall || c.smallRows >= joinedRowsMin || c.smallBytes >= joinedBytesMin {
			if err := c.join(); err != nil {
				return err
			}
		}
		if c.chunks = append(c.chunks, rec); isSmall {
			c.small, c.smallRows, c.smallBytes = c.small+1, c.smallRows+rec.NumRows(), c.smallBytes+bytes
		}
	}
	return checkBytes(resultOfBatch, c.bytes, c.BytesMax)
}

// join makes one chunk of the last small ones.
func (c *Collect) join() error {
	first := len(c.chunks) - c.small
	small := c.chunks[first:]
	c.small, c.smallRows, c.smallBytes = 0, 0, 0
	if len(small) < 2 {
		return nil
	}
	joined, err := concat(memory.DefaultAllocator, small)
	if err != nil {
		return err
	}
	for i, rec := range small {
		rec.Release()
		small[i] = nil
	}
	c.chunks = append(c.chunks[:first], joined)
	return nil
}

const resultOfBatch = "the result of the batch"

// checkBytes refuses what is more than its limit, also while a segment is read: one row can come to more
// than fits.
func checkBytes(what string, bytes, bytesMax int64) error {
	if bytesMax > 0 && bytes > bytesMax {
		return sqlerr.New("E_LIMIT", "%s has more than state_bytes_max = %d bytes", what, bytesMax).
			WithHint("raise state_bytes_max, or let a batch be smaller")
	}
	return nil
}

// Finish emits the chunks and releases them.
func (c *Collect) Finish(emit Emit) error {
	if err := c.join(); err != nil {
		return err
	}
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

// Finish emits the rows in order, in chunks; equal rows keep theirs.
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
	s.chunks = nil
	return takeInParts(all, rows, emit)
}

// takeInParts emits the listed rows of a record in chunks of a size that can be copied at once.
func takeInParts(rec arrow.Record, rows []int32, emit Emit) error {
	start, bytes := 0, int64(0)
	for i, row := range rows {
		bytes += rowBytes(rec, int(row))
		if i+1 < len(rows) && bytes < partBytesMax {
			continue
		}
		out := Take(rec, rows[start:i+1])
		err := emit(out)
		out.Release()
		if err != nil {
			return err
		}
		start, bytes = i+1, 0
	}
	return nil
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
			return nil, sqlerr.New("E_LIMIT", "column %q of what is sorted has more than 2 GiB: %v", chunks[0].ColumnName(i), err).
				WithHint("let a batch have less: max_bytes_per_batch, or sort the table that the result is written to")
		}
		cols[i] = a
	}
	return array.NewRecord(schemaOf(chunks[0].Schema(), cols), cols, n), nil
}
