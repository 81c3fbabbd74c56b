// Package optest runs a stateful operator over a script of batches in every way that
// must make no difference: chunks of one row or many, one segment or several, VARCHAR
// plain or with a dictionary, and the operator made anew between batches from
// its changes or from a snapshot. Chunks are overwritten as soon as nobody holds
// them, so that an operator that keeps one without Retain is found out.
package optest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// Case is an operator and what it should do.
type Case struct {
	// New returns the operator, without state.
	New func() (op.Stateful, error)
	// Inputs are the columns of each input.
	Inputs [][]types.Field
	Steps  []Step
	// Ordered says that rows must come in the order in which they are written.
	Ordered bool
}

// Step is one batch.
type Step struct {
	// Rows of the first input and Right of the second: values as types.AppendText
	// reads them, separated by " | ".
	Rows, Right []string
	// Late and Evict are the watermarks, as text; "" is 1970.
	Late, Evict string
	// Want is the rows emitted, WantLate those dropped, by the columns of their input.
	Want, WantLate []string
	// Total, Updated and Removed are Spark's counters, Partly the rows late for some
	// of their windows.
	Total, Updated, Removed, Partly int64
	// Error is a part of the error's text, which ends the case.
	Error string
}

// way is one of the ways to run a case.
type way struct {
	chunk    int // rows per chunk; 0: all
	segments int
	dict     bool
	state    stateWay
}

type stateWay int

const (
	keep     stateWay = iota // one operator for all batches
	changes                  // before each batch: a new one with all changes so far
	snapshot                 // before each batch: a new one from a snapshot
	mixed                    // a snapshot of the second batch and the changes since
)

func (w way) String() string {
	return fmt.Sprintf("chunk=%d/segments=%d/dict=%t/state=%s", w.chunk, w.segments, w.dict,
		[]string{"kept", "changes", "snapshot", "mixed"}[w.state])
}

// Run runs the case in every way, each a subtest.
func Run(t *testing.T, c Case) {
	t.Helper()
	for _, chunk := range []int{1, 2, 3, 0} {
		for _, segments := range []int{1, 3} {
			for _, dict := range []bool{false, true} {
				for _, state := range []stateWay{keep, changes, snapshot, mixed} {
					w := way{chunk, segments, dict, state}
					t.Run(w.String(), func(t *testing.T) { run(t, c, w) })
				}
			}
		}
	}
}

// RunSome runs the case in four of the ways, drawn by seed, for cases of which there are
// many.
func RunSome(t *testing.T, c Case, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, state := range []stateWay{keep, changes, snapshot, mixed} {
		w := way{chunk: rng.IntN(4), segments: 1 + rng.IntN(3), dict: rng.IntN(2) == 0, state: state}
		if run(t, c, w); t.Failed() {
			t.Fatalf("seed %d, %s", seed, w)
		}
	}
}

func run(t *testing.T, c Case, w way) {
	t.Helper()
	life := &life{c: c, w: w}
	for i, step := range c.Steps {
		o, err := life.operator()
		if err != nil {
			t.Fatalf("batch %d: making the operator: %v", i, err)
		}
		got, err := Batch(o, BatchScript{
			ID: int64(i), Inputs: c.Inputs, Rows: [][]string{step.Rows, step.Right},
			LateMicros: Micros(step.Late), EvictMicros: Micros(step.Evict),
			ChunkRows: w.chunk, Segments: w.segments, Dictionary: w.dict,
		})
		if step.Error != "" {
			if err == nil || !strings.Contains(err.Error(), step.Error) {
				t.Fatalf("batch %d: error %v, want one with %q", i, err, step.Error)
			}
			return
		}
		if err != nil {
			t.Fatalf("batch %d: %v", i, err)
		}
		compare(t, fmt.Sprintf("batch %d: rows", i), got.Rows, step.Want, c.Ordered)
		compare(t, fmt.Sprintf("batch %d: late rows", i), got.Late, step.WantLate, false)
		s := o.Stats()
		s.MemoryBytes = 0
		want := op.Stats{RowsTotal: step.Total, RowsUpdated: step.Updated, RowsRemoved: step.Removed,
			RowsLate: int64(len(step.WantLate)), RowsPartlyLate: step.Partly}
		if s != want {
			t.Errorf("batch %d: stats %+v, want %+v", i, s, want)
		}
		life.after(o, i)
	}
}

func compare(t *testing.T, what string, got, want []string, ordered bool) {
	t.Helper()
	if !ordered {
		got, want = slices.Clone(got), slices.Clone(want)
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\n got:\n  %s\nwant:\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// life makes an operator die and rise again between batches.
type life struct {
	c        Case
	w        way
	now      op.Stateful
	snapshot []byte
	log      [][]byte // changes since the snapshot
}

func (l *life) operator() (op.Stateful, error) {
	if l.now != nil && l.w.state == keep {
		return l.now, nil
	}
	o, err := l.c.New()
	if err != nil {
		return nil, err
	}
	if l.snapshot != nil {
		if err := o.Restore(l.snapshot); err != nil {
			return nil, err
		}
	}
	for _, changes := range l.log {
		if err := o.ApplyChanges(changes); err != nil {
			return nil, err
		}
	}
	l.now = o
	return o, nil
}

func (l *life) after(o op.Stateful, batch int) {
	l.log = append(l.log, o.AppendChanges(nil))
	if l.w.state == snapshot || l.w.state == mixed && batch == 1 {
		l.snapshot, l.log = o.AppendSnapshot(nil), nil
	}
}

// BatchScript is one batch and the way it is cut.
type BatchScript struct {
	ID                      int64
	Inputs                  [][]types.Field
	Rows                    [][]string // per input
	LateMicros, EvictMicros int64
	ChunkRows               int // 0: all rows in one
	Segments                int // per input; 0 is 1
	Dictionary              bool
}

// Result is what a batch gave, as text.
type Result struct {
	Rows, Late []string
}

// Batch runs one batch through an operator.
func Batch(o op.Stateful, b BatchScript) (*Result, error) {
	res := &Result{}
	batch := &op.Batch{
		ID: b.ID, Expr: &expr.Ctx{Alloc: memory.DefaultAllocator},
		LateMicros: b.LateMicros, EvictMicros: b.EvictMicros,
		Late: func(_ int, rec arrow.Record) error { res.Late = append(res.Late, Lines(rec)...); return nil },
	}
	if err := o.Begin(batch); err != nil {
		return nil, err
	}
	for input, fields := range b.Inputs {
		var rows []string
		if input < len(b.Rows) {
			rows = b.Rows[input]
		}
		if err := b.feed(o, input, fields, rows); err != nil {
			return nil, err
		}
	}
	err := o.Finish(func(rec arrow.Record) error { res.Rows = append(res.Rows, Lines(rec)...); return nil })
	return res, err
}

// feed consumes all segments before it merges the first: they may run at once.
func (b *BatchScript) feed(o op.Stateful, input int, fields []types.Field, rows []string) error {
	segments := max(1, b.Segments)
	var open []op.Segment
	for i := range segments {
		seg := o.Segment(input)
		open = append(open, seg)
		part := rows[len(rows)*i/segments : len(rows)*(i+1)/segments]
		size := b.ChunkRows
		if size == 0 {
			size = max(1, len(part))
		}
		for chunk := range slices.Chunk(part, size) {
			rec, err := Record(fields, chunk, b.Dictionary)
			if err != nil {
				return err
			}
			err = seg.Consume(rec)
			rec.Release()
			if err != nil {
				return err
			}
		}
	}
	for _, seg := range open {
		if err := o.Merge(seg); err != nil {
			return err
		}
	}
	return nil
}

// Record makes a chunk of lines of values separated by " | ", in memory that is
// overwritten on the last Release. NULL is NULL.
func Record(fields []types.Field, lines []string, dictionary bool) (arrow.Record, error) {
	cols := make([]arrow.Array, len(fields))
	schema := make([]arrow.Field, len(fields))
	for i, f := range fields {
		var values []string
		for _, line := range lines {
			parts := strings.Split(line, " | ")
			if len(parts) != len(fields) {
				return nil, fmt.Errorf("line %q has %d values, want %d", line, len(parts), len(fields))
			}
			values = append(values, strings.TrimSpace(parts[i]))
		}
		col, err := column(f.Type, values, dictionary)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		cols[i], schema[i] = col, arrow.Field{Name: f.Name, Type: col.DataType(), Nullable: true}
	}
	rec := array.NewRecord(arrow.NewSchema(schema, nil), cols, int64(len(lines)))
	for _, col := range cols {
		col.Release()
	}
	return rec, nil
}

func column(t types.Type, values []string, dictionary bool) (arrow.Array, error) {
	b := array.NewBuilder(scribbler{}, t.Arrow())
	if dictionary && t.Kind == types.Varchar {
		b = array.NewDictionaryBuilder(scribbler{}, types.ArrowDictionary)
	}
	defer b.Release()
	for _, v := range values {
		if err := types.AppendText(b, t, v); err != nil {
			return nil, err
		}
	}
	return b.NewArray(), nil
}

// Lines returns the rows of a chunk as canonical text.
func Lines(rec arrow.Record) []string {
	out := make([]string, rec.NumRows())
	for r := range out {
		parts := make([]string, rec.NumCols())
		for i, col := range rec.Columns() {
			parts[i] = types.Text(col, r)
		}
		out[r] = strings.Join(parts, " | ")
	}
	return out
}

// Micros returns a time written as `2006-01-02 15:04:05` as UTC microseconds; "" is 0.
// A text that is no time gives 0 too, which a test notices at once.
func Micros(text string) int64 {
	t, err := time.Parse("2006-01-02 15:04:05.999999", text)
	if err != nil {
		return 0
	}
	return t.UnixMicro()
}

// scribbler overwrites memory when it is freed.
type scribbler struct{}

var _ memory.Allocator = scribbler{}

// Allocate returns zeroed memory.
func (scribbler) Allocate(size int) []byte { return memory.DefaultAllocator.Allocate(size) }

// Reallocate copies to new memory and overwrites the old.
func (s scribbler) Reallocate(size int, b []byte) []byte {
	fresh := s.Allocate(size)
	copy(fresh, b)
	s.Free(b)
	return fresh
}

// Free overwrites the memory.
func (scribbler) Free(b []byte) {
	b = b[:cap(b)]
	for i := range b {
		b[i] = 0xAA
	}
}
