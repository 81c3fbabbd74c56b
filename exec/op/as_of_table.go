package op

import (
	"fmt"
	"slices"
	"sort"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/plan/expr"
	"ssql/state"
)

// AsOfTable joins each row of a stream with the version in a table that holds at the
// row's time: of the table's rows with equal keys, the one with the greatest time up to it;
// of several with that time the last one in the table. Keys and times that are NULL match nothing.
// It keeps nothing between batches: exec loads the table anew before each.
type AsOfTable struct {
	LeftKeys, RightKeys []expr.Expr // over the stream, over the table
	LeftTime, RightTime expr.Expr   // TIMESTAMP
	Strict              bool        // the version's time is before the row's, not equal to it
	Outer               bool        // rows without a version come out with NULLs
	TableSchema         *arrow.Schema
	Schema              *arrow.Schema

	table    arrow.Record
	keys     *state.Interner
	versions [][]version // per key, ascending by time
}

// version is a row that holds from a time on.
type version struct {
	time int64
	row  int32
}

// latest returns the row of the version that holds at a time, -1 if none does.
func latest(versions []version, time int64, strict bool) int32 {
	i := sort.Search(len(versions), func(i int) bool {
		return versions[i].time > time || strict && versions[i].time == time
	})
	if i == 0 {
		return -1
	}
	return versions[i-1].row
}

var _ Expander = (*AsOfTable)(nil)

// Expands marks the stage: a row can have no version.
func (t *AsOfTable) Expands() {}

// Load replaces the table's rows. It must be called before each batch, and not while
// Apply runs.
func (t *AsOfTable) Load(c *expr.Ctx, chunks []arrow.Record) error {
	table, err := tableOf(c, t.TableSchema, chunks)
	if err != nil {
		return err
	}
	t.table, t.keys, t.versions = table, state.NewInterner(), nil
	keyOf, err := keysOf(c, t.RightKeys, table)
	if err != nil {
		return fmt.Errorf("indexing the versions of a join: %w", err)
	}
	times, err := timesOf(c, t.RightTime, table)
	if err != nil {
		return err
	}
	for row := range int(table.NumRows()) {
		key, ok := keyOf(row)
		time := times(row)
		if !ok || time == state.NoTime {
			continue
		}
		id := int(t.keys.Intern(key))
		if id == len(t.versions) {
			t.versions = append(t.versions, nil)
		}
		t.versions[id] = append(t.versions[id], version{time, int32(row)})
	}
	for _, v := range t.versions {
		slices.SortStableFunc(v, byTime)
	}
	return nil
}

func byTime(x, y version) int {
	switch {
	case x.time < y.time:
		return -1
	case x.time > y.time:
		return 1
	}
	return 0
}

// keysOf returns a function that gives the bytes of a row's key, and whether no part of it
// is NULL. The bytes are valid until the next call.
func keysOf(c *expr.Ctx, keys []expr.Expr, rec arrow.Record) (func(row int) ([]byte, bool), error) {
	cols, err := evalAll(c, keys, rec)
	if err != nil {
		return nil, err
	}
	enc, err := keyEncoders(cols)
	if err != nil {
		return nil, err
	}
	var buf []byte
	return func(row int) ([]byte, bool) {
		for _, col := range cols {
			if col.IsNull(row) {
				return nil, false
			}
		}
		buf = encodeRow(buf[:0], enc, row)
		return buf, true
	}, nil
}

// Apply joins a chunk.
func (t *AsOfTable) Apply(task *Task, rec arrow.Record, emit Emit) error {
	keyOf, err := keysOf(task.Expr, t.LeftKeys, rec)
	if err != nil {
		return err
	}
	times, err := timesOf(task.Expr, t.LeftTime, rec)
	if err != nil {
		return err
	}
	var mine, theirs []int32
	for row := range int(rec.NumRows()) {
		found := int32(-1)
		key, ok := keyOf(row)
		if time := times(row); ok && time != state.NoTime {
			if id := t.keys.Find(key); id >= 0 {
				found = latest(t.versions[id], time, t.Strict)
			}
		}
		if found >= 0 || t.Outer {
			mine, theirs = append(mine, int32(row)), append(theirs, found)
		}
	}
	both := joinColumns(0, Take(rec, mine), Take(t.table, theirs))
	out := tracedAs(both, array.NewRecord(schemaOf(t.Schema, both.Columns()), both.Columns(), both.NumRows()))
	defer out.Release()
	task.From = mine
	return emit(out)
}
