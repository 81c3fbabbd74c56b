package op

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/sqlerr"
)

// turnover is a batch of a TopN over rows that change: each row of it is new or taken
// back. All rows of a key are kept, and the flag marks its first ones.
//
// A key costs what came for it as long as its first rows stay or better ones come. Only
// when one of them is taken back, and what came is no better than the last of them was, are
// the other rows of the key read.
type turnover struct {
	t        *TopN
	contests []contest
	groups   []int32      // per row that came: its contest; -1 for one that is taken back
	came     arrow.Record // without the column of the change
	added    []int32      // per row that came: its number in the state, -1 for one that is taken back
	before   [][]int32    // per contest: its first rows before, also those that are taken back
	others   [][]int32    // per contest: its other rows
	gone     map[int32]bool
}

// takeChanges brings the state up to date and returns the first rows of the keys in which
// they changed, key by key, and one former row of each key that has none left.
func (t *TopN) takeChanges() (changed, emptied []int32, err error) {
	arrived, err := concat(t.cfg.Alloc, t.chunks)
	if err != nil || arrived == nil {
		return nil, nil, err
	}
	defer arrived.Release()
	t.chunks, t.bytes = nil, 0
	back, err := takenBack(t.batch.Expr, t.cfg.Change, arrived)
	if err != nil {
		return nil, nil, err
	}
	v := &turnover{t: t, gone: map[int32]bool{}}
	if v.groups, v.contests, err = t.contests(arrived); err != nil {
		return nil, nil, err
	}
	v.came = t.withoutChange(arrived)
	defer v.came.Release()
	if err := v.store(back); err != nil {
		return nil, nil, err
	}
	if err := v.rank(); err != nil {
		return nil, nil, err
	}
	changed, emptied = v.flag()
	return changed, emptied, nil
}

// withoutChange leaves the last column out.
func (t *TopN) withoutChange(rec arrow.Record) arrow.Record {
	cols := rec.Columns()[:rec.NumCols()-1]
	return array.NewRecord(schemaOf(t.cfg.Input, cols), cols, rec.NumRows())
}

// store removes the rows that are taken back and adds the others.
func (v *turnover) store(back []bool) error {
	rows := v.t.rows
	enc, err := rowEncoders(v.came.Columns())
	if err != nil {
		return err
	}
	times, err := timesOf(v.t.batch.Expr, v.t.cfg.Close, v.came)
	if err != nil {
		return err
	}
	wanted := make([]map[string]int, len(v.contests))
	for row, g := range v.groups {
		if back[row] {
			if wanted[g] == nil {
				wanted[g] = map[string]int{}
			}
			wanted[g][string(encodeRow(nil, enc, row))]++
		}
	}
	v.before, v.others = make([][]int32, len(v.contests)), make([][]int32, len(v.contests))
	for g := range v.contests {
		if err := v.remove(g, wanted[g]); err != nil {
			return err
		}
	}
	v.added = make([]int32, len(v.groups))
	var payload []byte
	for row, g := range v.groups {
		if back[row] {
			v.groups[row], v.added[row] = -1, -1
			continue
		}
		payload = encodeRow(payload[:0], enc, row)
		v.added[row] = rows.Insert(v.contests[g].key, times(row), payload)
		v.t.stats.RowsUpdated++
	}
	return nil
}

// remove finds the rows of a key and removes those that are wanted back, of equal ones the
// newest.
func (v *turnover) remove(g int, wanted map[string]int) error {
	rows := v.t.rows
	held := rows.Rows(v.contests[g].key, nil)
	missing := 0
	for _, n := range wanted {
		missing += n
	}
	for _, row := range slices.Backward(held) {
		if missing == 0 {
			break
		}
		if p := rows.Payload(row); wanted[string(p)] > 0 {
			wanted[string(p)]--
			missing--
			rows.Remove(row)
			v.gone[row] = true
		}
	}
	if missing > 0 {
		return sqlerr.New(sqlerr.Internal, "a ranking is to take back %d rows that it does not have", missing)
	}
	for _, row := range held {
		switch {
		case rows.Flag(row):
			v.before[g] = append(v.before[g], row)
		case !v.gone[row]:
			v.others[g] = append(v.others[g], row)
		}
	}
	return nil
}

// field is a record of rows of the state and of rows that came, in the order of their
// arrival as far as they are equal.
type field struct {
	rec    arrow.Record
	rows   []int32 // per row of rec: its number in the state
	groups []int32 // its contest; -1 for one that is taken back
}

// fieldOf puts held rows, contest by contest, in front of those that came.
func (v *turnover) fieldOf(held [][]int32) (*field, error) {
	f := &field{}
	for g, rows := range held {
		for _, row := range rows {
			contest := int32(g)
			if v.gone[row] {
				contest = -1
			}
			f.rows, f.groups = append(f.rows, row), append(f.groups, contest)
		}
	}
	f.rows, f.groups = append(f.rows, v.added...), append(f.groups, v.groups...)
	v.came.Retain()
	var err error
	f.rec, err = v.t.with(f.rows[:len(f.rows)-len(v.added)], v.came)
	return f, err
}

// rank finds the first rows of each contest.
func (v *turnover) rank() error {
	f, err := v.fieldOf(v.before)
	if err != nil {
		return err
	}
	held := slices.Clone(v.before)
	more := false
	open, err := v.undecided(f)
	if err != nil {
		f.rec.Release()
		return err
	}
	for g, is := range open {
		if is && len(v.others[g]) > 0 {
			held[g], more = slices.Concat(v.before[g], v.others[g]), true
		}
	}
	if more {
		f.rec.Release()
		if f, err = v.fieldOf(held); err != nil {
			return err
		}
	}
	defer f.rec.Release()
	if err := v.t.rank(v.contests, f.groups, f.rec); err != nil {
		return err
	}
	for g := range v.contests {
		for i, row := range v.contests[g].best {
			v.contests[g].best[i] = f.rows[row]
		}
	}
	return nil
}

// undecided reports of each contest whether one of its other rows could be among the first
// now. f has its first rows of before and what came. Whatever is left of the former, or is
// better than the last of them, is before all others.
func (v *turnover) undecided(f *field) ([]bool, error) {
	less, err := v.t.less(f.rec)
	if err != nil {
		return nil, err
	}
	open := make([]bool, len(v.contests))
	safe := make([]int64, len(v.contests))
	last := make([]int32, len(v.contests)) // in f: the last of the first rows of before
	at := int32(0)
	for g, rows := range v.before {
		for i, row := range rows {
			if i == 0 || !less(at, last[g]) {
				last[g] = at
			}
			if v.gone[row] {
				open[g] = true
			} else {
				safe[g]++
			}
			at++
		}
	}
	for ; int(at) < len(f.rows); at++ {
		if g := f.groups[at]; g >= 0 && open[g] && less(at, last[g]) {
			safe[g]++
		}
	}
	for g := range open {
		open[g] = open[g] && safe[g] < v.t.cfg.Count
	}
	return open, nil
}

// flag marks the first rows and returns those of the contests in which they changed.
func (v *turnover) flag() (changed, emptied []int32) {
	rows := v.t.rows
	for g, c := range v.contests {
		isNew := false
		for _, row := range v.before[g] {
			if v.gone[row] {
				isNew = true
			} else if !slices.Contains(c.best, row) {
				rows.ClearFlag(row)
			}
		}
		for _, row := range c.best {
			isNew = isNew || !rows.Flag(row)
			rows.SetFlag(row)
		}
		switch {
		case isNew && len(c.best) > 0:
			changed = append(changed, c.best...)
		case isNew:
			emptied = append(emptied, v.before[g][0])
		}
	}
	return changed, emptied
}
