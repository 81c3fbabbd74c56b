package op

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/plan/expr"
	"ssql/state"
)

// AsOfSide describes one input of an AsOf.
type AsOfSide struct {
	Schema *arrow.Schema
	Keys   []expr.Expr
	Time   expr.Expr // the event time, a TIMESTAMP
}

// AsOfConfig is what NewAsOf needs.
type AsOfConfig struct {
	Left, Right AsOfSide
	Strict      bool // the version's time is before the row's, not equal to it
	Outer       bool // rows without a version come out with NULLs
	Schema      *arrow.Schema
	Limits      StateLimits
	Alloc       memory.Allocator
}

// AsOf joins each row of the left stream with the version that the right stream has of
// its key at the row's event time (the temporal join of Flink). A row waits until the watermark reaches
// its time: then no older version can come any more. Of versions with the same time the
// one that came last holds. Rows and versions at or before the late watermark are late.
//
// Of the versions that the watermark has passed, the newest of each key is kept for
// ever: it is the one that holds. It stands in the state without a time, which is as good as
// before all others.
type AsOf struct {
	heldSides // the rows that wait, and the versions
	cfg       AsOfConfig
	batch     *Batch
}

var (
	_ Stateful   = (*AsOf)(nil)
	_ Opener     = (*AsOf)(nil)
	_ NextCloser = (*AsOf)(nil)
)

// NewAsOf returns the operator without state.
func NewAsOf(cfg AsOfConfig) *AsOf {
	return &AsOf{cfg: cfg, heldSides: newHeldSides("as-of join")}
}

// Begin starts a batch.
func (a *AsOf) Begin(b *Batch) error {
	a.batch, a.stats = b, Stats{}
	return nil
}

// Segment keeps the chunks of a segment until it is merged.
func (a *AsOf) Segment(input int) Segment { return waitingRows(input, a.cfg.Limits) }

// Merge stores the rows of a segment that are not late.
func (a *AsOf) Merge(s Segment) error {
	rows := s.(*Rows)
	defer rows.Release()
	return rows.each(a.batch, func(rec arrow.Record) error {
		if err := a.take(rows.Input, rec); err != nil {
			return err
		}
		return a.cfg.Limits.check("as-of join", "rows", a.rowCount(), a.bytes(),
			"lower the watermark delay, or join fewer keys")
	})
}

func (a *AsOf) side(input int) *AsOfSide { return []*AsOfSide{&a.cfg.Left, &a.cfg.Right}[input] }

func (a *AsOf) take(input int, rec arrow.Record) error {
	side := a.side(input)
	kept, err := dropLate(a.batch, side.Time, input, rec, &a.stats)
	if err != nil || kept == nil {
		return err
	}
	defer kept.Release()
	keyOf, err := keysOf(a.batch.Expr, side.Keys, kept)
	if err != nil {
		return err
	}
	times, err := timesOf(a.batch.Expr, side.Time, kept)
	if err != nil {
		return err
	}
	enc, err := rowEncoders(kept.Columns())
	if err != nil {
		return err
	}
	var payload []byte
	for row := range int(kept.NumRows()) {
		key, ok := keyOf(row)
		time := times(row)
		if time == state.NoTime || !ok && (input == 1 || !a.cfg.Outer) {
			continue // it can never find a partner
		}
		payload = encodeRow(payload[:0], enc, row)
		if ok {
			a.held[input].Insert(key, time, payload)
		} else {
			a.held[input].InsertAt(-1, time, payload)
		}
		a.stats.RowsUpdated++
	}
	return nil
}

// Finish emits the rows that the watermark has reached, and forgets the versions that
// hold no more.
func (a *AsOf) Finish(emit Emit) error {
	var rows []int32
	left := a.held[0]
	left.Evict(a.batch.EvictMicros, func(row int32) { rows = append(rows, row) })
	a.stats.RowsRemoved += int64(len(rows))
	slices.Sort(rows)
	for len(rows) > 0 {
		n := min(len(rows), chunkRowsDefault)
		if err := a.join(rows[:n], emit); err != nil {
			return err
		}
		rows = rows[n:]
	}
	a.advance()
	a.stats.RowsTotal, a.stats.MemoryBytes = a.rowCount(), a.bytes()
	return nil
}

// join emits rows of the left side with their versions.
func (a *AsOf) join(rows []int32, emit Emit) error {
	byKey := map[string][]version{}
	place := map[int32]int32{} // of a row of the right side among those that are decoded
	var mine, theirs, used []int32
	for i, row := range rows {
		found := int32(-1)
		if a.held[0].HasKey(row) {
			key := a.held[0].Key(row)
			versions, ok := byKey[string(key)]
			if !ok {
				versions = a.versions(key)
				byKey[string(key)] = versions
			}
			found = latest(versions, a.held[0].Time(row), a.cfg.Strict)
		}
		if found < 0 && !a.cfg.Outer {
			continue
		}
		if found >= 0 {
			at, ok := place[found]
			if !ok {
				at = int32(len(used))
				place[found], used = at, append(used, found)
			}
			found = at
		}
		mine, theirs = append(mine, int32(i)), append(theirs, found)
	}
	if len(mine) == 0 {
		return nil
	}
	l, err := decodeRows(a.cfg.Alloc, a.cfg.Left.Schema, a.held[0], rows)
	if err != nil {
		return err
	}
	defer l.Release()
	r, err := decodeRows(a.cfg.Alloc, a.cfg.Right.Schema, a.held[1], used)
	if err != nil {
		return err
	}
	defer r.Release()
	both := joinColumns(0, Take(l, mine), Take(r, theirs))
	return emit(array.NewRecord(schemaOf(a.cfg.Schema, both.Columns()), both.Columns(), both.NumRows()))
}

// versions returns the versions of a key, ascending by time.
func (a *AsOf) versions(key []byte) []version {
	var out []version
	for _, row := range a.held[1].Rows(key, nil) {
		out = append(out, version{a.since(row), row})
	}
	slices.SortStableFunc(out, byTime)
	return out
}

// since returns the time from which a version holds: that of one that the watermark has
// passed is before all.
func (a *AsOf) since(row int32) int64 {
	if t := a.held[1].Time(row); t != state.NoTime {
		return t
	}
	return -1 << 63
}

// advance keeps, of the versions that the watermark has passed, the newest of each key.
func (a *AsOf) advance() {
	right := a.held[1]
	newest := map[string]version{}
	var order []string
	right.Evict(a.batch.EvictMicros, func(row int32) {
		a.stats.RowsRemoved++
		key, v := string(right.Key(row)), version{right.Time(row), row}
		have, ok := newest[key]
		if !ok {
			order = append(order, key)
		}
		if !ok || v.time > have.time || v.time == have.time && row > have.row {
			newest[key] = v
		}
	})
	slices.Sort(order)
	for _, key := range order {
		for _, row := range right.Rows([]byte(key), nil) {
			if right.Time(row) == state.NoTime {
				right.Remove(row)
				a.stats.RowsRemoved++
			}
		}
		right.Insert([]byte(key), state.NoTime, slices.Clone(right.Payload(newest[key].row)))
		a.stats.RowsRemoved-- // one stays
	}
}

// Name is the operator's name in progress; Spark has none.
func (a *AsOf) Name() string { return "asOfJoin" }

// WantsBatch is true if the watermark moved: rows may come out by it.
func (a *AsOf) WantsBatch(next, last int64) bool { return next > last }

// OutputWatermark passes the watermark on: a row comes out in the batch in which the
// watermark reaches its time.
func (a *AsOf) OutputWatermark(in int64) int64 { return in }

// NextClose returns the time of the row that comes out next.
func (a *AsOf) NextClose() (micros int64, ok bool) { return a.held[0].Oldest() }

// OpenUntil returns the time of the row that comes out last.
func (a *AsOf) OpenUntil() (micros int64, ok bool) { return a.held[0].NewestUnflagged() }
