package op

import (
	"errors"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/plan/expr"
	"ssql/sql/types"
	"ssql/state"
)

// JoinSide describes one input of a stream–stream join.
type JoinSide struct {
	Schema *arrow.Schema
	Keys   []expr.Expr // over the side's columns
	Filter expr.Expr   // conjuncts of ON over this side alone; nil without
	// Time is what makes a row late, a TIMESTAMP; nil: rows of the side are never
	// late.
	Time expr.Expr
	// A row may go when Evict is at most the eviction watermark plus BoundMicros; nil: rows
	// stay for ever. A row in which it is NULL can have no partner and goes at once, but with
	// NullStays, where the key is null-safe.
	Evict       expr.Expr
	BoundMicros int64
	NullStays   bool
	// HoldMicros is by how much the event time of a row that still comes out may be behind
	// the watermark, 0 or less: the watermark below the join waits for it.
	HoldMicros int64
}

// JoinConfig is what NewJoin needs.
type JoinConfig struct {
	Kind        types.JoinKind
	Left, Right JoinSide
	NullSafe    []bool    // per key: NULL equals NULL
	Residual    expr.Expr // over the columns of both sides, left first; nil without
	Schema      *arrow.Schema
	Limits      StateLimits
	Alloc       memory.Allocator
}

// Join joins two streams row by row, in Spark's order (docs/SEMANTICS.md, Joins): left
// rows against the right rows of earlier batches, right rows against all left rows,
// then null rows of outer joins whose time is over, then evictions.
//
// NULL keys match nothing, in every join (D10), unless the key is null-safe.
type Join struct {
	heldSides
	cfg      JoinConfig
	sides    [2]*joinSide
	batch    *Batch
	out      []arrow.Record
	outBytes int64
	blanks   [2]*nullRow
}

var _ Stateful = (*Join)(nil)

// joinSide is one side and its buffered rows.
type joinSide struct {
	*JoinSide
	rows *state.Multimap
	// keep says that a row without partner is emitted with NULLs for the other side:
	// at once if its own filter removes it, else when its time is over.
	keep bool
}

// pairsMax and pairsBytesMax bound how many candidate pairs are held as columns at once, and about
// how large they are.
const pairsMax, pairsBytesMax = 1 << 15, 8 << 20

// NewJoin returns a join without state.
func NewJoin(cfg JoinConfig) (*Join, error) {
	if len(cfg.Left.Keys) == 0 || len(cfg.Left.Keys) != len(cfg.Right.Keys) {
		return nil, errors.New("a stream–stream join needs the same number of keys on both sides, at least one")
	}
	j := &Join{cfg: cfg, heldSides: newHeldSides("join")}
	k := cfg.Kind
	j.sides[0] = &joinSide{JoinSide: &j.cfg.Left, rows: j.held[0], keep: k == types.LeftJoin || k == types.FullJoin || k == types.AntiJoin}
	j.sides[1] = &joinSide{JoinSide: &j.cfg.Right, rows: j.held[1], keep: k == types.RightJoin || k == types.FullJoin}
	for i, s := range j.sides {
		j.blanks[i] = newNullRow(cfg.Alloc, s.Schema)
	}
	return j, nil
}

// leftOnly reports whether the result has the columns of the left side alone.
func (j *Join) leftOnly() bool { return j.cfg.Kind == types.SemiJoin || j.cfg.Kind == types.AntiJoin }

// Begin starts a batch.
func (j *Join) Begin(b *Batch) error {
	j.batch, j.stats = b, Stats{}
	j.out, j.outBytes = nil, 0
	return nil
}

// Segment keeps the chunks of a segment until it is merged.
func (j *Join) Segment(input int) Segment { return waitingRows(input, j.cfg.Limits) }

// Merge joins the rows of one segment with what the other side holds.
func (j *Join) Merge(s Segment) error {
	rows := s.(*Rows)
	defer rows.Release()
	return rows.each(j.batch, func(rec arrow.Record) error {
		if err := j.take(rows.Input, rec); err != nil {
			return err
		}
		return j.checkLimits()
	})
}

// checkLimits refuses more rows, or more bytes of rows and of output, than the limits of
// the state.
func (j *Join) checkLimits() error {
	return j.cfg.Limits.check("join", "rows", j.rowCount(), j.bytes()+j.outBytes,
		"narrow the time bounds of the join or lower the watermark delay")
}

// take drops the late rows of a chunk and joins and stores the others.
func (j *Join) take(input int, rec arrow.Record) error {
	side := j.sides[input]
	rec, err := dropLate(j.batch, side.Time, input, rec, &j.stats)
	if err != nil || rec == nil {
		return err
	}
	defer rec.Release()
	arrived, err := j.arrive(side, rec)
	if err != nil {
		return err
	}
	if err := j.probe(input, arrived); err != nil {
		return err
	}
	return j.store(input, arrived)
}

// arrival is a chunk of one side with what the join needs of each row.
type arrival struct {
	rec     arrow.Record
	pass    []bool // its own filter lets it through
	keys    [][]byte
	hasKey  []bool
	times   *array.Timestamp // eviction time; nil: for ever
	matched []bool
	// nullTime is when rows go whose eviction time is NULL.
	nullTime int64
}

func (j *Join) arrive(side *joinSide, rec arrow.Record) (*arrival, error) {
	n := int(rec.NumRows())
	a := &arrival{rec: rec, pass: make([]bool, n), matched: make([]bool, n)}
	for i := range a.pass {
		a.pass[i] = true
	}
	if side.Filter != nil {
		mask, err := evalMask(j.batch.Expr, side.Filter, rec)
		if err != nil {
			return nil, err
		}
		a.pass = mask
	}
	if side.Evict != nil {
		t, err := side.Evict.Eval(j.batch.Expr, rec)
		if err != nil {
			return nil, err
		}
		a.times, a.nullTime = t.(*array.Timestamp), atOnce
		if side.NullStays {
			a.nullTime = state.NoTime
		}
	}
	return a, j.encodeKeys(side, a)
}

// encodeKeys gives each row the bytes of its key; a row with a NULL in a key that is
// not null-safe has none.
func (j *Join) encodeKeys(side *joinSide, a *arrival) error {
	cols, err := evalAll(j.batch.Expr, side.Keys, a.rec)
	if err != nil {
		return err
	}
	if a.keys, err = encodeRows(cols, len(a.pass)); err != nil {
		return err
	}
	a.hasKey = hasKeys(cols, j.cfg.NullSafe, len(a.pass))
	return nil
}

// hasKeys reports for each row whether its key can match: it has no NULL but in columns that
// are null-safe.
func hasKeys(cols []arrow.Array, nullSafe []bool, n int) []bool {
	has := make([]bool, n)
	for row := range has {
		has[row] = true
	}
	for i, col := range cols {
		if nullSafe[i] || col.NullN() == 0 {
			continue
		}
		for row := range has {
			has[row] = has[row] && !col.IsNull(row)
		}
	}
	return has
}

// probe emits the pairs of arrived rows with rows of the other side, and marks both.
func (j *Join) probe(input int, a *arrival) error {
	other := j.sides[1-input]
	var mine, theirs []int32
	bytes := int64(0) // of the pairs that wait
	ids := make([]int32, len(a.keys))
	other.rows.FindKeys(a.keys, ids)
	for row, id := range ids {
		if !a.pass[row] || !a.hasKey[row] {
			continue
		}
		var err error
		own := rowBytes(a.rec, row)
		other.rows.Each(id, func(r int32) bool {
			mine, theirs = append(mine, int32(row)), append(theirs, r)
			bytes += own + int64(len(other.rows.Payload(r)))
			if len(mine) < pairsMax && bytes < pairsBytesMax {
				return true
			}
			err = j.pair(input, a, mine, theirs)
			mine, theirs, bytes = mine[:0], theirs[:0], 0
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return j.pair(input, a, mine, theirs)
}

// pair checks candidate pairs against the residual condition and emits them.
func (j *Join) pair(input int, a *arrival, mine, theirs []int32) error {
	if len(mine) == 0 {
		return nil
	}
	if err := j.batch.Expr.Ended(); err != nil {
		return err
	}
	other := j.sides[1-input]
	partner, err := decodeRows(j.cfg.Alloc, other.Schema, other.rows, theirs)
	if err != nil {
		return err
	}
	both := joinColumns(input, Take(a.rec, mine), partner)
	keep := sequence(len(mine))
	if j.cfg.Residual != nil {
		mask, err := evalMask(j.batch.Expr, j.cfg.Residual, both)
		if err != nil {
			return err
		}
		keep = keep[:0]
		for i, ok := range mask {
			if ok {
				keep = append(keep, int32(i))
			}
		}
	}
	return j.emitPairs(input, a, mine, theirs, keep, both)
}

func (j *Join) emitPairs(input int, a *arrival, mine, theirs, keep []int32, both arrow.Record) error {
	other := j.sides[1-input]
	rows := keep[:0:0]
	for _, i := range keep {
		// A semi join emits a left row once, at its first match.
		first := input == 0 && !a.matched[mine[i]] || input == 1 && !other.rows.Flag(theirs[i])
		a.matched[mine[i]] = true
		if !other.rows.Flag(theirs[i]) {
			other.rows.SetFlag(theirs[i])
			if input == 1 && j.leftOnly() {
				other.rows.Remove(theirs[i]) // nobody asks for it again (D15)
			}
		}
		switch j.cfg.Kind {
		case types.SemiJoin:
			if first {
				rows = append(rows, i)
			}
		case types.AntiJoin:
		default:
			rows = append(rows, i)
		}
	}
	return j.emitRows(both, rows)
}

// emitRows adds rows of a record with the columns of both sides to the output. The
// output is in memory until the batch ends, so it counts like state: a key that many
// rows on both sides share can make more pairs than fit.
func (j *Join) emitRows(both arrow.Record, rows []int32) error {
	if len(rows) == 0 {
		return nil
	}
	rec := Take(both, rows)
	cols := rec.Columns()
	if j.leftOnly() {
		cols = cols[:len(j.cfg.Left.Schema.Fields())]
	}
	out := array.NewRecord(schemaOf(j.cfg.Schema, cols), cols, rec.NumRows())
	j.out, j.outBytes = append(j.out, out), j.outBytes+recordBytes(out)
	return j.checkLimits()
}

// store buffers arrived rows by Spark's rules: left rows always, except those of a
// semi or anti join that have their match; right rows unless they could go at once, except
// unmatched ones that an outer join has yet to emit. A row that can never be
// matched nor emitted is not stored.
func (j *Join) store(input int, a *arrival) error {
	side := j.sides[input]
	enc, err := rowEncoders(a.rec.Columns())
	if err != nil {
		return err
	}
	keep, alone := j.stored(input, a)
	keys := make([][]byte, 0, len(keep))
	for _, row := range keep {
		if a.hasKey[row] {
			keys = append(keys, a.keys[row])
		}
	}
	ids := make([]int32, len(keys))
	side.rows.AddKeys(keys, ids)
	var payload []byte
	for _, row := range keep {
		id := int32(-1)
		if a.hasKey[row] {
			id, ids = ids[0], ids[1:]
		}
		payload = encodeRow(payload[:0], enc, int(row))
		r := side.rows.InsertAt(id, a.time(row), payload)
		if a.matched[row] {
			side.rows.SetFlag(r)
		}
	}
	j.stats.RowsUpdated += int64(len(keep))
	return j.emitAlone(input, a.rec, alone)
}

// time is when a row may go.
func (a *arrival) time(row int32) int64 {
	switch {
	case a.times == nil:
		return state.NoTime
	case a.times.IsNull(int(row)):
		return a.nullTime
	}
	return int64(a.times.Value(int(row)))
}

// atOnce is the time of rows that go in the batch in which they came.
const atOnce = -int64(eventTimeMax)

// stored returns the rows that store buffers, and those that are emitted at once without a
// partner.
func (j *Join) stored(input int, a *arrival) (keep, alone []int32) {
	side := j.sides[input]
	through := j.through(side)
	for i := range a.keys {
		row := int32(i)
		switch {
		case !a.pass[row]:
			if side.keep {
				alone = append(alone, row)
			}
		case !a.hasKey[row] && !side.keep:
		case input == 0 && j.leftOnly() && a.matched[row]:
		case input == 1 && a.time(row) <= through && (!side.keep || a.matched[row]):
		default:
			keep = append(keep, row)
		}
	}
	return keep, alone
}

// through is the time up to which rows of a side may go.
func (j *Join) through(s *joinSide) int64 {
	if s.Evict == nil {
		return -1 << 62
	}
	return j.batch.EvictMicros + s.BoundMicros
}

// emitAlone emits rows of one side with NULLs for the other.
func (j *Join) emitAlone(input int, rec arrow.Record, rows []int32) error {
	if len(rows) == 0 {
		return nil
	}
	return j.emitRows(joinColumns(input, Take(rec, rows), j.blanks[1-input].repeat(len(rows))), sequence(len(rows)))
}

// Finish emits the null rows of outer joins whose time is over, removes what can
// find no partner any more, and hands out the batch's rows.
func (j *Join) Finish(emit Emit) error {
	for input, s := range j.sides {
		if s.keep {
			if err := j.emitOver(input, s); err != nil {
				return err
			}
		}
	}
	for _, s := range j.sides {
		if !s.keep && s.Evict != nil {
			s.rows.Evict(j.through(s), func(int32) { j.stats.RowsRemoved++ })
		}
	}
	j.stats.RowsTotal = j.rowCount()
	j.stats.MemoryBytes = j.bytes()
	for _, rec := range j.out {
		if err := emit(rec); err != nil {
			return err
		}
		rec.Release()
	}
	j.out = nil
	return nil
}

// emitOver emits the rows of a side that found no partner in their time. As in Spark, rows
// that leave so are not counted as removed.
func (j *Join) emitOver(input int, s *joinSide) error {
	if s.Evict == nil {
		return nil
	}
	var over []int32
	s.rows.Evict(j.through(s), func(row int32) {
		if !s.rows.Flag(row) {
			over = append(over, row)
		}
	})
	for len(over) > 0 {
		n := min(len(over), pairsMax)
		rec, err := decodeRows(j.cfg.Alloc, s.Schema, s.rows, over[:n])
		if err != nil {
			return err
		}
		if err := j.emitAlone(input, rec, sequence(n)); err != nil {
			return err
		}
		over = over[n:]
	}
	return nil
}

// Name is Spark's name of the operator.
func (j *Join) Name() string { return "symmetricHashJoin" }

// WantsBatch is true if the watermark moved and a side can lose rows.
func (j *Join) WantsBatch(next, last int64) bool {
	return next > last && (j.cfg.Left.Evict != nil || j.cfg.Right.Evict != nil)
}

// OutputWatermark holds the watermark back by what the join may still emit.
func (j *Join) OutputWatermark(in int64) int64 {
	return in + min(0, j.cfg.Left.HoldMicros, j.cfg.Right.HoldMicros)
}
