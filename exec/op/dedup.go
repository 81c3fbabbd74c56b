package op

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/plan/expr"
	"ssql/state"
)

// DedupConfig is what NewDedup needs.
type DedupConfig struct {
	Keys []expr.Expr
	// Time is the event time of the input, a TIMESTAMP: rows at or before the late
	// watermark are dropped, whether it is a key or not; nil without.
	Time expr.Expr
	// A key is forgotten when Expire plus DelayMicros is at or before the eviction
	// watermark: the event time if it is a key (delay 0), or within the watermark
	// (delay that of the watermark). Nil: keys stay for ever.
	Expire      expr.Expr
	DelayMicros int64
	Within      bool
	Limits      StateLimits
}

// Dedup passes the first row of each key, when it arrives (docs/SEMANTICS.md, Deduplication).
// NULL keys are equal. A duplicate does not renew the time of its key.
type Dedup struct {
	heldRows
	cfg      DedupConfig
	batch    *Batch
	out      []arrow.Record
	outBytes int64
}

var _ Stateful = (*Dedup)(nil)

// NewDedup returns a deduplication without state.
func NewDedup(cfg DedupConfig) *Dedup { return &Dedup{cfg: cfg, heldRows: newHeldRows()} }

// Begin starts a batch.
func (d *Dedup) Begin(b *Batch) error {
	d.batch, d.stats, d.out, d.outBytes = b, Stats{}, nil, 0
	return nil
}

// Segment keeps the chunks of a segment until it is merged.
func (d *Dedup) Segment(input int) Segment { return waitingRows(input, d.cfg.Limits) }

// Merge passes the rows of a segment that are the first of their key.
func (d *Dedup) Merge(s Segment) error {
	rows := s.(*Rows)
	defer rows.Release()
	return rows.each(d.batch, func(rec arrow.Record) error {
		if err := d.take(rec); err != nil {
			return err
		}
		return d.cfg.Limits.check("deduplication", "keys", int64(d.rows.Len()), d.rows.Bytes()+d.outBytes,
			"deduplicate WITHIN WATERMARK or by the event time too, so that keys are forgotten")
	})
}

func (d *Dedup) take(rec arrow.Record) error {
	kept, err := dropLate(d.batch, d.cfg.Time, 0, rec, &d.stats)
	if err != nil || kept == nil {
		return err
	}
	defer kept.Release()
	first, err := d.firsts(kept)
	if err != nil || len(first) == 0 {
		return err
	}
	out := Take(kept, first)
	d.out, d.outBytes = append(d.out, out), d.outBytes+recordBytes(out)
	return nil
}

// firsts remembers the new keys of a chunk and returns their rows.
func (d *Dedup) firsts(rec arrow.Record) ([]int32, error) {
	cols, err := evalAll(d.batch.Expr, d.cfg.Keys, rec)
	if err != nil {
		return nil, err
	}
	keys, err := encodeRows(cols, int(rec.NumRows()))
	if err != nil {
		return nil, err
	}
	ids := make([]int32, len(keys))
	d.rows.AddKeys(keys, ids)
	var expire *array.Timestamp
	if d.cfg.Expire != nil {
		a, err := d.cfg.Expire.Eval(d.batch.Expr, rec)
		if err != nil {
			return nil, err
		}
		defer a.Release()
		expire = a.(*array.Timestamp)
	}
	var first []int32
	for row, id := range ids {
		if d.rows.Has(id) {
			d.stats.RowsDuplicate++
			continue
		}
		until := state.NoTime
		if expire != nil && expire.IsValid(row) {
			until = int64(expire.Value(row)) + d.cfg.DelayMicros
		}
		d.rows.InsertAt(id, until, nil)
		d.stats.RowsUpdated++
		first = append(first, int32(row))
	}
	return first, nil
}

// Finish hands out the rows and forgets the keys whose time is over.
func (d *Dedup) Finish(emit Emit) error {
	if d.cfg.Expire != nil {
		d.rows.Evict(d.batch.EvictMicros, func(int32) { d.stats.RowsRemoved++ })
	}
	d.stats.RowsTotal = int64(d.rows.Len())
	d.stats.MemoryBytes = d.rows.Bytes()
	for _, rec := range d.out {
		if err := emit(rec); err != nil {
			return err
		}
		rec.Release()
	}
	d.out = nil
	return nil
}

// Name is Spark's name of the operator.
func (d *Dedup) Name() string {
	if d.cfg.Within {
		return "dedupeWithinWatermark"
	}
	return "dedupe"
}

// WantsBatch is true whenever the watermark moved, as in Spark.
func (d *Dedup) WantsBatch(next, last int64) bool { return next > last }

// OutputWatermark passes the watermark on: a row is emitted when it arrives.
func (d *Dedup) OutputWatermark(in int64) int64 { return in }
