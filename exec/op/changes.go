package op

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/plan/expr"
	"ssql/state"
)

// ChangesConfig is what NewChanges needs.
type ChangesConfig struct {
	Keys []expr.Expr // over the input
	// Close is the TIMESTAMP at which a row changes no more and is forgotten. Nil: rows are kept
	// for ever.
	Close expr.Expr
	// Live is a condition: a row for which it is not true is none of the result, and only says
	// that the rows of its key came anew. Nil: all are.
	Live expr.Expr
	// Whole emits all rows of a key if one of them changed, and the old ones only if none is
	// left.
	Whole  bool
	Input  *arrow.Schema
	Schema *arrow.Schema // the input's columns and the change (BIGINT)
	Limits StateLimits
	Alloc  memory.Allocator
}

// Changes turns the result of an operator in update mode, in which the rows of a key
// replace those that came for it before, into what changed: each row that no longer is,
// with change -1, and each new one, with change 1. Rows that came again as they were are
// left out. An aggregation above subtracts the ones and adds the others; a sink (Whole)
// deletes the ones and replaces the others.
type Changes struct {
	heldRows
	cfg    ChangesConfig
	batch  *Batch
	chunks []arrow.Record
}

var _ Stateful = (*Changes)(nil)

// NewChanges returns the operator without state.
func NewChanges(cfg ChangesConfig) *Changes { return &Changes{cfg: cfg, heldRows: newHeldRows()} }

// Begin starts a batch.
func (c *Changes) Begin(b *Batch) error {
	c.batch, c.stats, c.chunks = b, Stats{}, nil
	return nil
}

// Segment keeps the chunks of a segment until it is merged.
func (c *Changes) Segment(input int) Segment { return &Rows{Input: input} }

// Merge keeps the chunks for Finish.
func (c *Changes) Merge(s Segment) error {
	c.chunks = append(c.chunks, s.(*Rows).Chunks...)
	return nil
}

// Finish emits what changed and forgets what changes no more.
func (c *Changes) Finish(emit Emit) error {
	rec, err := concat(c.cfg.Alloc, c.chunks)
	if err != nil {
		return err
	}
	c.chunks = nil
	if rec != nil {
		defer rec.Release()
		if err := c.replace(rec, emit); err != nil {
			return err
		}
	}
	if c.cfg.Close != nil {
		c.rows.Evict(c.batch.EvictMicros, func(int32) { c.stats.RowsRemoved++ })
	}
	c.stats.RowsTotal, c.stats.MemoryBytes = int64(c.rows.Len()), c.rows.Bytes()
	return c.cfg.Limits.check("retraction", "rows", c.stats.RowsTotal, c.stats.MemoryBytes,
		"group the inner query by fewer keys, or by a window too, so that groups are forgotten")
}

// replace puts the rows of a batch in the place of those of the same keys.
func (c *Changes) replace(rec arrow.Record, emit Emit) error {
	keys, byKey, err := c.liveRows(rec)
	if err != nil {
		return err
	}
	valueOf, err := rowEncoders(rec.Columns())
	if err != nil {
		return err
	}
	times, err := timesOf(c.batch.Expr, c.cfg.Close, rec)
	if err != nil {
		return err
	}
	var gone, fresh, held []int32
	for id, rows := range byKey {
		key := keys.Value(int32(id))
		held = c.rows.Rows(key, held[:0])
		left := map[string]int{}
		for _, row := range rows {
			left[string(encodeRow(nil, valueOf, int(row)))]++
		}
		goneBefore, freshBefore := len(gone), len(fresh)
		for _, h := range held {
			if p := string(c.rows.Payload(h)); left[p] > 0 {
				left[p]--
				continue
			}
			c.rows.Remove(h)
			gone = append(gone, h)
		}
		for _, row := range rows {
			payload := encodeRow(nil, valueOf, int(row))
			if left[string(payload)] == 0 {
				continue
			}
			left[string(payload)]--
			c.rows.Insert(key, times(int(row)), payload)
			c.stats.RowsUpdated++
			fresh = append(fresh, row)
		}
		if changed := len(gone) > goneBefore || len(fresh) > freshBefore; c.cfg.Whole && changed && len(rows) > 0 {
			gone, fresh = gone[:goneBefore], append(fresh[:freshBefore], rows...)
		}
	}
	return c.emit(gone, rec, fresh, emit)
}

// liveRows returns the keys of a record and the rows that each of them has now.
func (c *Changes) liveRows(rec arrow.Record) (keys *state.Interner, byKey [][]int32, err error) {
	cols, err := evalAll(c.batch.Expr, c.cfg.Keys, rec)
	if err != nil {
		return nil, nil, err
	}
	keyOf, err := keyEncoders(cols)
	if err != nil {
		return nil, nil, err
	}
	var live []bool
	if c.cfg.Live != nil {
		if live, err = evalMask(c.batch.Expr, c.cfg.Live, rec); err != nil {
			return nil, nil, err
		}
	}
	keys = state.NewInterner()
	for row := range int(rec.NumRows()) {
		id := keys.Intern(encodeRow(nil, keyOf, row))
		if int(id) == len(byKey) {
			byKey = append(byKey, nil)
		}
		if live == nil || live[row] {
			byKey[id] = append(byKey[id], int32(row))
		}
	}
	return keys, byKey, nil
}

// emit hands out the rows that are gone, then the new ones.
func (c *Changes) emit(gone []int32, rec arrow.Record, fresh []int32, emit Emit) error {
	if len(gone) > 0 {
		old, err := decodeRows(c.cfg.Alloc, c.cfg.Input, c.rows, gone)
		if err != nil {
			return err
		}
		defer old.Release()
		if err := c.emitSigned(old, -1, emit); err != nil {
			return err
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	added := Take(rec, fresh)
	defer added.Release()
	return c.emitSigned(added, 1, emit)
}

func (c *Changes) emitSigned(rec arrow.Record, change int64, emit Emit) error {
	b := array.NewInt64Builder(c.cfg.Alloc)
	defer b.Release()
	for range int(rec.NumRows()) {
		b.Append(change)
	}
	signs := b.NewArray()
	defer signs.Release()
	cols := append(slices.Clone(rec.Columns()), signs)
	out := array.NewRecord(schemaOf(c.cfg.Schema, cols), cols, rec.NumRows())
	defer out.Release()
	return emit(out)
}

// Name is the operator's name in progress; Spark has none.
func (c *Changes) Name() string { return "changes" }

// WantsBatch is true if the watermark moved and rows are forgotten by it.
func (c *Changes) WantsBatch(next, last int64) bool { return next > last && c.cfg.Close != nil }

// OutputWatermark passes the watermark on.
func (c *Changes) OutputWatermark(in int64) int64 { return in }

// takenBack says of each row whether its change, a BIGINT, is negative.
func takenBack(c *expr.Ctx, change expr.Expr, rec arrow.Record) ([]bool, error) {
	col, err := change.Eval(c, rec)
	if err != nil {
		return nil, err
	}
	defer col.Release()
	changes, ok := col.(*array.Int64)
	if !ok {
		return nil, fmt.Errorf("a change is a %s", col.DataType())
	}
	back := make([]bool, changes.Len())
	for i, v := range changes.Int64Values() {
		back[i] = v < 0
	}
	return back, nil
}

// SplitChanges takes the last column, a change, off a record: rows are those that are, gone
// those that are no more. Each is nil when it has no rows; the caller releases both.
func SplitChanges(rec arrow.Record) (rows, gone arrow.Record) {
	last := int(rec.NumCols()) - 1
	var kept, left []int32
	for i, v := range rec.Column(last).(*array.Int64).Int64Values() {
		if v < 0 {
			left = append(left, int32(i))
		} else {
			kept = append(kept, int32(i))
		}
	}
	cols := rec.Columns()[:last]
	plain := array.NewRecord(arrow.NewSchema(rec.Schema().Fields()[:last], nil), cols, rec.NumRows())
	defer plain.Release()
	part := func(list []int32) arrow.Record {
		switch int64(len(list)) {
		case 0:
			return nil
		case rec.NumRows():
			plain.Retain()
			return plain
		}
		return Take(plain, list)
	}
	return part(kept), part(left)
}
