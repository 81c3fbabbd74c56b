package op

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/plan/expr"
	"ssql/sql/types"
	"ssql/state"
)

// TopNConfig is what NewTopN needs.
type TopNConfig struct {
	Mode  types.Mode // types.Append or types.Update
	Keys  []expr.Expr
	Order []SortKey
	Count int64
	// Close is the TIMESTAMP at which the rows of a key are final: rows at or before the
	// late watermark are late. Nil: keys stay for ever.
	Close expr.Expr
	// ByTime says that Close is the time of the row and not of the key: the first row is
	// final then, and its key is remembered for ever, so that no later row passes for the first.
	ByTime bool
	// Change is a BIGINT, the last column of the rows that come and not one of Input: negative
	// for a row that is taken back. types.Update only. Nil: every row is new.
	Change expr.Expr
	Input  *arrow.Schema
	Schema *arrow.Schema // the input's columns and the row number (BIGINT)
	Limits StateLimits
	Alloc  memory.Allocator
}

// TopN keeps the first rows of each key in an order: ROW_NUMBER() OVER (PARTITION BY
// keys ORDER BY order) <= n. Of rows that are equal in the order the one that came first
// is before the other.
//
// In append mode the rows of a key come out when they are final. In update mode all rows
// of a key come out when one of them is new: the sink replaces the key's rows by them.
//
// A kept row is an entry of the state under its key; a key whose one row is final and gone
// (ByTime) is an entry with the flag and no bytes. Over rows that change (Change) all rows
// of a key are kept, and the first ones have the flag; a key that lost all its rows comes
// out as one of them with the number 0.
type TopN struct {
	heldRows
	cfg    TopNConfig
	batch  *Batch
	chunks []arrow.Record // rows of this batch that are not late
	bytes  int64          // of the chunks
}

var (
	_ Stateful   = (*TopN)(nil)
	_ Opener     = (*TopN)(nil)
	_ NextCloser = (*TopN)(nil)
)

// NewTopN returns the operator without state.
func NewTopN(cfg TopNConfig) *TopN { return &TopN{cfg: cfg, heldRows: newHeldRows()} }

// Begin starts a batch.
func (t *TopN) Begin(b *Batch) error {
	t.batch, t.stats, t.chunks, t.bytes = b, Stats{}, nil, 0
	return nil
}

// Segment keeps the chunks of a segment until it is merged.
func (t *TopN) Segment(input int) Segment { return waitingRows(input, t.cfg.Limits) }

// Merge drops the late rows of a segment and keeps the others for Finish.
func (t *TopN) Merge(s Segment) error {
	rows := s.(*Rows)
	defer rows.Release()
	return rows.each(t.batch, func(rec arrow.Record) error {
		kept, err := dropLate(t.batch, t.cfg.Close, 0, rec, &t.stats)
		if err != nil {
			return err
		}
		if kept != nil {
			t.chunks, t.bytes = append(t.chunks, kept), t.bytes+recordBytes(kept)
		}
		return t.checkLimits()
	})
}

// checkLimits refuses more rows, or more bytes of rows and of the batch, than the limits
// of the state.
func (t *TopN) checkLimits() error {
	return t.cfg.Limits.check("ranking", "rows", int64(t.rows.Len()), t.rows.Bytes()+t.bytes,
		"keep fewer rows of a key, or partition by a window too, so that keys are forgotten")
}

// Finish takes the rows of the batch in, and hands out the keys that changed or the ones
// that are final.
func (t *TopN) Finish(emit Emit) error {
	takeIn := t.takeIn
	if t.cfg.Change != nil {
		takeIn = t.takeChanges
	}
	changed, emptied, err := takeIn()
	if err != nil {
		return err
	}
	if err := t.checkLimits(); err != nil {
		return err
	}
	if t.cfg.Mode == types.Update {
		if err := t.show(changed, emit); err != nil {
			return err
		}
		if err := t.showEmptied(emptied, emit); err != nil {
			return err
		}
	}
	if err := t.close(emit); err != nil {
		return err
	}
	t.stats.RowsTotal, t.stats.MemoryBytes = int64(t.rows.Len()), t.rows.Bytes()
	return nil
}

// contest is the rows of one key in a batch: candidates of a record, the best first.
type contest struct {
	key  []byte
	best []int32
	done bool // the key had its first row before
}

// takeIn brings the state up to date with the rows of the batch and returns the rows of
// the state whose keys changed, key by key. No key loses its rows.
func (t *TopN) takeIn() (changed, emptied []int32, err error) {
	arrived, err := concat(t.cfg.Alloc, t.chunks)
	if err != nil || arrived == nil {
		return nil, nil, err
	}
	t.chunks, t.bytes = nil, 0
	groups, contests, err := t.contests(arrived)
	if err != nil {
		return nil, nil, err
	}
	// Rows that are kept come before those of the batch: they arrived before them.
	var held []int32
	var heldBy []int32 // the contest of each
	for i := range contests {
		from := len(held)
		held = t.rows.Rows(contests[i].key, held)
		if len(held) > from && t.rows.Flag(held[from]) {
			contests[i].done, held = true, held[:from]
		}
		for range held[from:] {
			heldBy = append(heldBy, int32(i))
		}
	}
	all, err := t.with(held, arrived)
	if err != nil {
		return nil, nil, err
	}
	if err := t.rank(contests, append(heldBy, groups...), all); err != nil {
		return nil, nil, err
	}
	changed, err = t.replace(contests, held, all)
	return changed, nil, err
}

// contests gives each row of a record the number of its key.
func (t *TopN) contests(rec arrow.Record) ([]int32, []contest, error) {
	cols, err := evalAll(t.batch.Expr, t.cfg.Keys, rec)
	if err != nil {
		return nil, nil, err
	}
	enc, err := keyEncoders(cols)
	if err != nil {
		return nil, nil, err
	}
	keys := state.NewInterner()
	groups := make([]int32, rec.NumRows())
	var key []byte
	for row := range groups {
		key = encodeRow(key[:0], enc, row)
		groups[row] = keys.Intern(key)
	}
	contests := make([]contest, keys.Len())
	for i := range contests {
		contests[i].key = keys.Value(int32(i))
	}
	return groups, contests, nil
}

// with puts rows of the state in front of a record, which it releases.
func (t *TopN) with(held []int32, rec arrow.Record) (arrow.Record, error) {
	if len(held) == 0 {
		return rec, nil
	}
	front, err := decodeRows(t.cfg.Alloc, t.cfg.Input, t.rows, held)
	if err != nil {
		return nil, err
	}
	defer front.Release()
	defer rec.Release()
	return concat(t.cfg.Alloc, []arrow.Record{front, rec})
}

// rank finds the first rows of each key; rows of group -1 have none. A row that is not
// among the first so far costs one comparison.
func (t *TopN) rank(contests []contest, groups []int32, all arrow.Record) error {
	less, err := t.less(all)
	if err != nil {
		return err
	}
	count := int(min(t.cfg.Count, int64(len(groups))))
	for row, g := range groups {
		if g < 0 {
			continue
		}
		c := &contests[g]
		if c.done {
			t.stats.RowsDuplicate++
			continue
		}
		at := len(c.best)
		for at > 0 && less(int32(row), c.best[at-1]) {
			at--
		}
		if at >= count {
			continue
		}
		if len(c.best) == count {
			c.best = c.best[:count-1]
		}
		c.best = slices.Insert(c.best, at, int32(row))
	}
	return nil
}

// less returns the order of the rows of a record.
func (t *TopN) less(rec arrow.Record) (func(x, y int32) bool, error) {
	compare := make([]func(i, j int) int, len(t.cfg.Order))
	for k, key := range t.cfg.Order {
		a, err := key.Expr.Eval(t.batch.Expr, rec)
		if err != nil {
			return nil, err
		}
		compare[k] = orderOf(a, expr.Order(key.Expr.Type(), a), key)
	}
	return func(x, y int32) bool {
		for _, f := range compare {
			if c := f(int(x), int(y)); c != 0 {
				return c < 0
			}
		}
		return false
	}, nil
}

// replace removes the rows that others pushed out and stores the new ones. all holds
// the rows of held, then those of the batch.
func (t *TopN) replace(contests []contest, held []int32, all arrow.Record) (changed []int32, err error) {
	defer all.Release()
	enc, err := rowEncoders(all.Columns())
	if err != nil {
		return nil, err
	}
	times, err := timesOf(t.batch.Expr, t.cfg.Close, all)
	if err != nil {
		return nil, err
	}
	stays := make([]bool, len(held))
	for _, c := range contests {
		for _, row := range c.best {
			if int(row) < len(held) {
				stays[row] = true
			}
		}
	}
	for i, row := range held {
		if !stays[i] {
			t.rows.Remove(row)
		}
	}
	var payload []byte
	for _, c := range contests {
		isNew := false
		for _, row := range c.best {
			if int(row) < len(held) {
				continue
			}
			payload = encodeRow(payload[:0], enc, int(row))
			t.rows.Insert(c.key, times(int(row)), payload)
			t.stats.RowsUpdated++
			isNew = true
		}
		if isNew && t.cfg.Mode == types.Update {
			changed = t.rows.Rows(c.key, changed)
		}
	}
	return changed, nil
}

// show emits rows of the state with their numbers. The rows of a key must all be there.
func (t *TopN) show(rows []int32, emit Emit) error {
	for len(rows) > 0 {
		n := t.wholeKeys(rows, chunkRowsDefault)
		if err := t.showChunk(rows[:n], emit); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// wholeKeys returns how many rows are those of whole keys and about limit.
func (t *TopN) wholeKeys(rows []int32, limit int) int {
	n := min(limit, len(rows))
	for n < len(rows) && string(t.rows.Key(rows[n])) == string(t.rows.Key(rows[n-1])) {
		n++
	}
	return n
}

func (t *TopN) showChunk(rows []int32, emit Emit) error {
	rec, err := decodeRows(t.cfg.Alloc, t.cfg.Input, t.rows, rows)
	if err != nil {
		return err
	}
	defer rec.Release()
	less, err := t.less(rec)
	if err != nil {
		return err
	}
	numbers := make([]int64, len(rows))
	order := sequence(len(rows))
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && string(t.rows.Key(rows[to])) == string(t.rows.Key(rows[from])) {
			to++
		}
		slices.SortStableFunc(order[from:to], func(x, y int32) int {
			switch {
			case less(x, y):
				return -1
			case less(y, x):
				return 1
			}
			return 0
		})
		for i := from; i < to; i++ {
			numbers[i] = int64(i - from + 1)
		}
		from = to
	}
	sorted := Take(rec, order)
	defer sorted.Release()
	return t.emitNumbered(sorted, numbers, emit)
}

// showEmptied emits rows of the state that were there, of keys that have none, as number 0.
func (t *TopN) showEmptied(rows []int32, emit Emit) error {
	if len(rows) == 0 {
		return nil
	}
	rec, err := decodeRows(t.cfg.Alloc, t.cfg.Input, t.rows, rows)
	if err != nil {
		return err
	}
	defer rec.Release()
	return t.emitNumbered(rec, make([]int64, len(rows)), emit)
}

func (t *TopN) emitNumbered(rec arrow.Record, numbers []int64, emit Emit) error {
	b := array.NewInt64Builder(t.cfg.Alloc)
	defer b.Release()
	b.AppendValues(numbers, nil)
	number := b.NewArray()
	defer number.Release()
	cols := append(slices.Clone(rec.Columns()), number)
	out := array.NewRecord(schemaOf(t.cfg.Schema, cols), cols, rec.NumRows())
	defer out.Release()
	return emit(out)
}

// close lets go of the rows that are final, in append mode to the result.
func (t *TopN) close(emit Emit) error {
	if t.cfg.Close == nil {
		return nil
	}
	var over []int32
	t.rows.Evict(t.batch.EvictMicros, func(row int32) { over = append(over, row) })
	t.stats.RowsRemoved += int64(len(over))
	// The rows of a key stand together in the result, the keys in the order in which they came.
	first := map[string]int32{}
	for _, row := range over {
		k := string(t.rows.Key(row))
		if f, ok := first[k]; !ok || row < f {
			first[k] = row
		}
	}
	slices.SortFunc(over, func(x, y int32) int {
		fx, fy := first[string(t.rows.Key(x))], first[string(t.rows.Key(y))]
		if fx != fy {
			return int(fx) - int(fy)
		}
		return int(x) - int(y)
	})
	if t.cfg.Mode == types.Append {
		if err := t.show(over, emit); err != nil {
			return err
		}
	}
	if t.cfg.ByTime {
		for _, row := range over {
			t.rows.SetFlag(t.rows.Insert(slices.Clone(t.rows.Key(row)), state.NoTime, nil))
		}
	}
	return nil
}

// Name is the operator's name in progress; Spark has none.
func (t *TopN) Name() string { return "topN" }

// WantsBatch is true if the watermark moved and rows become final by it.
func (t *TopN) WantsBatch(next, last int64) bool { return next > last && t.cfg.Close != nil }

// OutputWatermark passes the watermark on: rows come out in the batch in which the
// watermark reaches the time that closes them.
func (t *TopN) OutputWatermark(in int64) int64 { return in }

// NextClose returns the time of the rows that are final next.
func (t *TopN) NextClose() (micros int64, ok bool) {
	if t.cfg.Mode != types.Append {
		return 0, false
	}
	return t.rows.Oldest()
}

// OpenUntil returns when the last rows that are held are final.
func (t *TopN) OpenUntil() (micros int64, ok bool) {
	if t.cfg.Mode != types.Append {
		return 0, false
	}
	return t.rows.NewestUnflagged()
}
