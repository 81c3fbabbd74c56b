package op

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/invariant"
	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql/types"
	"ssql/state"
)

// SessionConfig describes a grouping by session windows.
type SessionConfig struct {
	Mode        types.Mode // types.Append or types.Complete: a session that may still grow has no update
	Time        expr.Expr  // TIMESTAMP over the input
	GapMicros   int64      // the gap, unless it is computed per row
	Gap         expr.Expr  // INTERVAL over the input; nil for a constant gap
	Watermarked bool
	Keys        []expr.Expr
	Calls       []AggregateCall
	Columns     int // columns of the input
	// Schema is that of the result: window_start and window_end, then the keys, then
	// the calls.
	Schema *arrow.Schema
	Alloc  memory.Allocator

	ChunkRows int // rows per chunk of the result; default 8192
	Limits    StateLimits
}

// session groups rows into sessions: windows that begin with a row, end a gap after
// their last one, and grow together when they touch (docs/SEMANTICS.md, Windows).
//
// Each row is the session [t, t+gap). The rows of a batch are first aggregated by key
// and start, as by any grouping, on all workers; Finish then walks the sessions of each
// touched key in the order of their starts, stored and new, and merges those that
// touch, as Spark does. A row is late by its own session, even if it would fall into an
// open one.
type session struct {
	cfg   SessionConfig
	batch *aggregate // the rows of this batch, by key and start
	held  *aggregate // the sessions, by key and start
	end   int        // the call that keeps the end
	b     *Batch
	stats Stats
	stale bool // the sessions were read from bytes and are not indexed yet
	shown shownOnce

	keys  *sessionKeys
	epoch uint64  // of the strings that keys refers to
	ends  []int64 // per session
	due   state.Expiry
	merge sessionMerge
}

var _ Stateful = (*session)(nil)

// NewSession returns the operator of a grouping by sessions.
func NewSession(cfg SessionConfig) (Stateful, error) {
	cfg.Calls = slices.Clone(cfg.Calls)
	for i, c := range cfg.Calls {
		if !c.Distinct {
			continue
		}
		// What counts the values of a group can be merged when sessions grow together; the
		// set of values that a grouping keeps beside its groups cannot.
		of, ok := c.OfChanges(true)
		if !ok {
			return nil, sqlerr.New("UNSUPPORTED_FEATURE", "%s(DISTINCT ...) in a session window is not supported: which of two equal values comes first is not known when sessions grow together", c.Name).
				WithHint("collect the values with collect_set, or deduplicate the stream first")
		}
		cfg.Calls[i] = AggregateCall{Aggregate: of, Filter: c.Filter}
	}
	start := &expr.Column{Index: cfg.Columns, Name: "session_start", T: types.Of(types.Timestamp)}
	end := &expr.Column{Index: cfg.Columns + 1, Name: "session_end", T: types.Of(types.Timestamp)}
	last, err := expr.BindAggregate("max", []expr.Expr{end}, false, sqlerr.Span{})
	if err != nil {
		return nil, fmt.Errorf("binding the end of a session: %w", err)
	}
	inner := AggregateConfig{
		Mode: types.Complete, Alloc: cfg.Alloc, ChunkRows: cfg.ChunkRows, Limits: cfg.Limits,
		Keys:   append(slices.Clone(cfg.Keys), start),
		Calls:  append(slices.Clone(cfg.Calls), AggregateCall{Aggregate: last}),
		Schema: innerSchema(cfg.Schema, len(cfg.Keys)),
	}
	s := &session{cfg: cfg, end: len(cfg.Calls)}
	for _, a := range []**aggregate{&s.batch, &s.held} {
		op, err := NewAggregate(inner)
		if err != nil {
			return nil, err
		}
		*a = op.(*aggregate)
	}
	return s, s.reindex()
}

// innerSchema orders the result's columns as the groupings hold them: keys, start,
// calls, end.
func innerSchema(s *arrow.Schema, keys int) *arrow.Schema {
	f := s.Fields()
	out := append(slices.Clone(f[2:2+keys]), f[0])
	return arrow.NewSchema(append(append(out, f[2+keys:]...), f[1]), nil)
}

// sessionSegment splits the chunks of a segment into late rows and sessions.
type sessionSegment struct {
	s    *session
	rows Segment
	late []arrow.Record
}

// Begin starts a batch.
func (s *session) Begin(b *Batch) error {
	s.b, s.stats = b, Stats{}
	if err := s.refresh(); err != nil {
		return err
	}
	inner := &Batch{ID: b.ID, Expr: b.Expr}
	return errors.Join(s.batch.Begin(inner), s.held.Begin(inner))
}

// Segment returns a part of the input.
func (s *session) Segment(input int) Segment {
	return &sessionSegment{s: s, rows: s.batch.Segment(input)}
}

// Consume gives each row its session and aggregates them by key and start.
func (g *sessionSegment) Consume(rec arrow.Record) error {
	starts, ends, err := g.s.bounds(rec)
	if err != nil {
		return err
	}
	var keep, late []int32
	for i, end := range ends {
		switch {
		case end == noSession:
		case g.s.cfg.Watermarked && end <= arrow.Timestamp(g.s.b.LateMicros):
			late = append(late, int32(i))
		default:
			keep = append(keep, int32(i))
		}
	}
	if err := g.aggregate(rec, keep, starts, ends); err != nil {
		return err
	}
	if len(late) > 0 {
		g.late = append(g.late, Take(rec, late))
	}
	return nil
}

// aggregate aggregates the listed rows of a chunk by their sessions.
func (g *sessionSegment) aggregate(rec arrow.Record, keep []int32, starts, ends []arrow.Timestamp) error {
	if len(keep) == 0 {
		return nil
	}
	if len(keep) < len(ends) {
		for i, row := range keep {
			starts[i], ends[i] = starts[row], ends[row]
		}
		rec = Take(rec, keep)
		defer rec.Release()
	}
	n := len(keep)
	cols := append(slices.Clone(rec.Columns()), timestamps(starts[:n]), timestamps(ends[:n]))
	fields := append(slices.Clone(rec.Schema().Fields()),
		arrow.Field{Name: "session_start", Type: types.ArrowTimestamp},
		arrow.Field{Name: "session_end", Type: types.ArrowTimestamp})
	with := array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(n))
	defer with.Release()
	return g.rows.Consume(with)
}

// noSession is the end of a row that has no session: no time, or no positive gap.
const noSession = arrow.Timestamp(-1 << 63)

// bounds returns the session of each row alone.
func (s *session) bounds(rec arrow.Record) (starts, ends []arrow.Timestamp, err error) {
	a, err := s.cfg.Time.Eval(s.b.Expr, rec)
	if err != nil {
		return nil, nil, err
	}
	defer a.Release()
	times, ok := a.(*array.Timestamp)
	if !ok {
		return nil, nil, errors.New("the time of a session is no timestamp")
	}
	gaps, err := s.gaps(rec)
	if err != nil {
		return nil, nil, err
	}
	starts = slices.Clone(times.TimestampValues())
	ends = make([]arrow.Timestamp, len(starts))
	for i, t := range starts {
		gap := s.cfg.GapMicros
		if gaps != nil {
			gap = gaps[i]
		}
		if ends[i] = t + arrow.Timestamp(gap); gap <= 0 || times.IsNull(i) {
			ends[i] = noSession
		}
	}
	return starts, ends, nil
}

// gaps returns the computed gap of each row, 0 where it is NULL; nil for a constant
// gap.
func (s *session) gaps(rec arrow.Record) ([]int64, error) {
	if s.cfg.Gap == nil {
		return nil, nil
	}
	a, err := s.cfg.Gap.Eval(s.b.Expr, rec)
	if err != nil {
		return nil, err
	}
	defer a.Release()
	intervals, ok := a.(*array.MonthDayNanoInterval)
	if !ok {
		return nil, errors.New("the gap of a session is no interval")
	}
	gaps := make([]int64, intervals.Len())
	for i := range gaps {
		if intervals.IsNull(i) {
			continue
		}
		v := intervals.Value(i)
		gap, fixed := types.Interval{Months: v.Months, Days: v.Days, Micros: v.Nanoseconds / 1000}.FixedMicros()
		if !fixed {
			return nil, &expr.RowError{Row: i, Err: sqlerr.New("WINDOW_MONTHS", "the gap of a session may not be in months or years: they have no fixed length")}
		}
		gaps[i] = gap
	}
	return gaps, nil
}

// Merge adds a segment's sessions to those of the batch.
func (s *session) Merge(seg Segment) error {
	g := seg.(*sessionSegment)
	for _, rec := range g.late {
		s.stats.RowsLate += rec.NumRows()
		if err := s.b.Late(0, rec); err != nil {
			return err
		}
		rec.Release()
	}
	return s.batch.Merge(g.rows)
}

// Finish merges the batch's sessions with the stored ones, and hands out those that
// are over, or all of them.
func (s *session) Finish(emit Emit) error {
	if err := s.absorb(); err != nil {
		return err
	}
	e := s.held.emitting
	e.emit = func(rec arrow.Record) error {
		rec = s.result(rec)
		if invariant.Enabled && s.cfg.Mode == types.Append {
			s.shown.check(rec, 2+len(s.cfg.Keys))
		}
		return emit(rec)
	}
	t := s.table()
	var shown []int32
	if s.cfg.Mode == types.Complete {
		shown = t.All(nil)
	} else if s.cfg.Watermarked {
		for _, g := range s.due.Take(s.b.EvictMicros, nil) {
			if t.Alive(g) && s.ends[g] <= s.b.EvictMicros {
				shown = append(shown, g)
			}
		}
		// A session that grew was due more than once.
		slices.Sort(shown)
		shown = slices.Compact(shown)
	}
	if err := e.addTable(t, shown, windowSpan{}); err != nil {
		return err
	}
	if err := e.flush(); err != nil {
		return err
	}
	if s.cfg.Mode != types.Complete {
		for _, g := range shown {
			s.remove(g)
		}
	}
	s.held.state.Count(t)
	s.stats.RowsTotal, s.stats.MemoryBytes = int64(t.Live()), s.held.state.Bytes()
	return s.held.checkLimits(s.stats.RowsTotal, s.stats.MemoryBytes)
}

func (s *session) table() *state.Table { return s.held.state.Window(0).Tables[0] }

// result puts the columns of a grouping in the order of the session's.
func (s *session) result(rec arrow.Record) arrow.Record {
	keys, cols := len(s.cfg.Keys), rec.Columns()
	out := []arrow.Array{cols[keys], cols[len(cols)-1]}
	out = append(out, cols[:keys]...)
	out = append(out, cols[keys+1:len(cols)-1]...)
	return array.NewRecord(schemaOf(s.cfg.Schema, out), out, rec.NumRows())
}

// Name returns Spark's name of the operator.
func (s *session) Name() string { return "sessionWindowStateStoreSaveExec" }

// WantsBatch is true if the watermark moved and closes sessions.
func (s *session) WantsBatch(next, last int64) bool {
	return s.cfg.Mode != types.Complete && next > last
}

// OutputWatermark returns the input's.
func (s *session) OutputWatermark(in int64) int64 { return in }

// Stats describes the last batch.
func (s *session) Stats() Stats { return s.stats }

// AppendChanges appends the sessions that changed.
func (s *session) AppendChanges(dst []byte) []byte { return s.held.AppendChanges(dst) }

// ApplyChanges replays what AppendChanges wrote.
func (s *session) ApplyChanges(changes []byte) error {
	s.stale = true
	return s.held.ApplyChanges(changes)
}

// AppendSnapshot appends all sessions.
func (s *session) AppendSnapshot(dst []byte) []byte { return s.held.AppendSnapshot(dst) }

// Restore replaces all sessions.
func (s *session) Restore(snapshot []byte) error {
	s.stale = true
	return s.held.Restore(snapshot)
}
