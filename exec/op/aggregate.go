package op

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql/types"
	"ssql/state"
)

// AggregateConfig describes a grouping.
type AggregateConfig struct {
	Mode types.Mode
	// Windows lays windows over Time (TIMESTAMP), which then are the first key. Nil
	// when there are none, or when they come as plain columns.
	Windows *Windows
	Time    expr.Expr
	// Close is the TIMESTAMP that closes a group when Windows is nil: an event time
	// or a window's end that the keys determine. Nil: groups stay for ever.
	Close expr.Expr
	// Watermarked says that the time has a watermark. Without one nothing is late and
	// nothing leaves.
	Watermarked bool
	Keys        []expr.Expr
	Calls       []AggregateCall
	// Change is a BIGINT that is negative for a row that is taken back. All calls must
	// be of changes (expr.Aggregate.OfChanges). Nil: every row is new.
	Change expr.Expr
	// CountsRows says that the last call is the number of rows of a group, of which some may
	// be taken back: a group that has none left comes out and is forgotten.
	CountsRows bool
	// Schema is that of the result: window_start and window_end with Windows, then the
	// keys, then the calls.
	Schema *arrow.Schema
	Alloc  memory.Allocator

	ChunkRows int         // rows per chunk of the result; default 8192
	Limits    StateLimits // of groups and bytes
}

// AggregateCall is one aggregate of a grouping.
type AggregateCall struct {
	*expr.Aggregate
	Filter   expr.Expr // rows for which it is not true are left out; nil without
	Distinct bool      // equal arguments count once per group
}

// aggregate is a keyed aggregation. Each segment of a batch is folded into a table of its own (see
// partial), in the order of its rows; Merge folds those tables into the
// state in the order of the segments, so that a result does not depend on chunks
// or workers, and sums of doubles come out as Spark's: state + (sum of the batch).
//
// The state has one table of groups per window, or per pane of one when windows
// overlap (see panes), and beside it one table per DISTINCT call with
// the values seen.
type aggregate struct {
	cfg      AggregateConfig
	keys     keyCodec
	calls    []boundCall
	args     []expr.Expr // what the calls need, each once
	filters  []expr.Expr
	layout   state.Layout // of the table of groups
	overlap  *overlap     // nil unless windows share panes
	layer    layer
	state    *state.Windows
	batch    *Batch
	groups   int64 // live, as Spark counts them
	stale    bool  // groups is to be counted anew: the state was read
	stats    Stats
	strings  sync.RWMutex // over the state's strings, while segments are consumed and merged
	pool     partialPool
	merging  mergeScratch
	emitting *emitter
}

// boundCall is a call with its place in the group and its inputs.
type boundCall struct {
	AggregateCall
	acc    expr.Accumulator
	offset int   // of its words in a group
	args   []int // into aggregate.args
	filter int   // into aggregate.filters, -1 without
	set    int   // number of its table of seen values from 0, -1 without DISTINCT
	values keyCodec
}

// layer is how rows find the table they belong to.
type layer uint8

const (
	layerOne     layer = iota // one table for all
	layerClose                // one per value of Close
	layerWindows              // one per window; windows do not overlap
	layerPanes                // one per pane of overlapping windows
	layerEach                 // one per window of overlapping windows: a row goes to each
)

// neverCloses is the key of the table for groups whose Close is NULL.
const neverCloses = math.MaxInt64

const chunkRowsDefault = 8192

// NewAggregate returns the operator of a grouping.
//
// Overlapping windows are kept in panes, whatever their number, unless a call depends on the
// order of rows or is DISTINCT: then each row is added to each of its windows,
// because a pane does not know which of two rows in different panes came first.
func NewAggregate(cfg AggregateConfig) (Stateful, error) {
	if cfg.ChunkRows <= 0 {
		cfg.ChunkRows = chunkRowsDefault
	}
	a := &aggregate{cfg: cfg, keys: newKeyCodec(typesOf(cfg.Keys))}
	if len(cfg.Keys) > nullBitsMax {
		return nil, sqlerr.New("UNSUPPORTED_FEATURE", "a grouping has at most %d keys, found %d", nullBitsMax, len(cfg.Keys))
	}
	if (cfg.Windows == nil) != (cfg.Time == nil) || cfg.Windows != nil && cfg.Close != nil {
		return nil, errors.New("a grouping needs the time of its windows, and has either windows or a closing key")
	}
	layouts := a.bindCalls()
	if err := a.chooseLayer(); err != nil {
		return nil, err
	}
	st, err := state.NewWindows(layouts...)
	if err != nil {
		return nil, err
	}
	a.state = st
	a.emitting = newEmitter(a)
	return a, nil
}

// bindCalls lays out the words of a group and returns the layouts of all tables.
func (a *aggregate) bindCalls() []state.Layout {
	a.layout = state.Layout{KeyWords: a.keys.words, Interned: a.keys.interned}
	var sets []state.Layout
	for _, c := range a.cfg.Calls {
		b := boundCall{AggregateCall: c, acc: c.New(), offset: a.keys.words + a.layout.CellWords, filter: -1, set: -1}
		for _, w := range b.acc.Blobs() {
			a.layout.Blobs = append(a.layout.Blobs, a.layout.CellWords+w)
		}
		a.layout.CellWords += b.acc.WordCount()
		for _, e := range c.Args {
			b.args = append(b.args, indexOf(&a.args, e))
		}
		if c.Filter != nil {
			b.filter = indexOf(&a.filters, c.Filter)
		}
		if c.Distinct && len(c.Args) > 0 {
			b.set, b.values = len(sets), newKeyCodec(typesOf(c.Args))
			l := state.Layout{KeyWords: 1 + b.values.words}
			for _, w := range b.values.interned {
				l.Interned = append(l.Interned, 1+w)
			}
			sets = append(sets, l)
		}
		a.calls = append(a.calls, b)
	}
	return append([]state.Layout{a.layout}, sets...)
}

// indexOf returns the place of an expression in a list, to which it is added if no
// equal one is there.
func indexOf(list *[]expr.Expr, e expr.Expr) int {
	for i, have := range *list {
		if have.String() == e.String() && have.Type().Equal(e.Type()) {
			return i
		}
	}
	*list = append(*list, e)
	return len(*list) - 1
}

func (a *aggregate) chooseLayer() error {
	switch {
	case a.cfg.Windows != nil:
		p, err := newPanes(*a.cfg.Windows)
		if err != nil {
			return err
		}
		a.layer = layerWindows
		if !p.single() {
			a.layer = layerPanes
			for _, c := range a.calls {
				if c.Ordered || c.set >= 0 {
					a.layer = layerEach
				}
			}
		}
		a.overlap = newOverlap(a, p)
	case a.cfg.Close != nil:
		a.layer = layerClose
	}
	return nil
}

// global reports whether there is exactly one group, always.
func (a *aggregate) global() bool { return len(a.cfg.Keys) == 0 && a.cfg.Windows == nil }

// drops reports whether rows can be late and groups leave.
func (a *aggregate) drops() bool {
	return a.cfg.Mode != types.Complete && a.cfg.Watermarked && a.layer != layerOne
}

// Name returns Spark's name of the operator.
func (a *aggregate) Name() string { return "stateStoreSave" }

// WantsBatch reports whether the watermark has moved, also if no key carries event
// time (docs/SEMANTICS.md, Watermarks).
func (a *aggregate) WantsBatch(next, last int64) bool {
	return a.cfg.Mode != types.Complete && next > last
}

// OutputWatermark returns the input's.
func (a *aggregate) OutputWatermark(in int64) int64 { return in }

// Stats describes the last batch.
func (a *aggregate) Stats() Stats { return a.stats }

// Begin starts a batch.
func (a *aggregate) Begin(b *Batch) error {
	a.state.ForgetChanges()
	a.state.Compact()
	a.batch, a.stats = b, Stats{}
	if a.stale {
		a.recount()
	}
	return nil
}

// Segment returns a table for one part of the input.
func (a *aggregate) Segment(int) Segment { return a.pool.get(a) }

// partialsKept and partialWordsKept bound what a partialPool holds on to.
const (
	partialsKept     = 16
	partialWordsKept = 8 << 20
)

// partialPool keeps partials with their memory for the next segment.
type partialPool struct {
	mu   sync.Mutex
	free []*partial
}

func (p *partialPool) get(a *aggregate) *partial {
	p.mu.Lock()
	defer p.mu.Unlock()
	var s *partial
	if n := len(p.free); n > 0 {
		s, p.free = p.free[n-1], p.free[:n-1]
	} else {
		s = newPartial(a)
	}
	s.begin()
	return s
}

func (p *partialPool) put(s *partial) {
	s.reset()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < partialsKept && cap(s.slab.Words) <= partialWordsKept {
		p.free = append(p.free, s)
	}
}

// checkLimits refuses more groups or bytes than the limits of the state.
func (a *aggregate) checkLimits(groups, bytes int64) error {
	return a.cfg.Limits.check("aggregation", "groups", groups, bytes,
		"group by fewer keys, close windows sooner with a smaller watermark delay")
}

// AppendChanges appends what the batch changed.
func (a *aggregate) AppendChanges(dst []byte) []byte { return a.state.AppendChanges(dst) }

// ApplyChanges replays the changes of a batch.
func (a *aggregate) ApplyChanges(changes []byte) error {
	if err := a.state.ApplyChanges(changes); err != nil {
		return fmt.Errorf("replaying the changes of an aggregation: %w", err)
	}
	a.stale = true
	return nil
}

// AppendSnapshot appends the whole state.
func (a *aggregate) AppendSnapshot(dst []byte) []byte { return a.state.AppendSnapshot(dst) }

// Restore replaces the state by a snapshot.
func (a *aggregate) Restore(snapshot []byte) error {
	if err := a.state.Restore(snapshot); err != nil {
		return fmt.Errorf("restoring an aggregation: %w", err)
	}
	a.stale, a.pool.free = true, nil
	return nil
}

// recount counts the groups of state that was read.
func (a *aggregate) recount() {
	a.stale, a.groups = false, 0
	if a.layer == layerPanes {
		a.groups = a.overlap.recount()
		return
	}
	for _, w := range a.state.List() {
		a.groups += int64(w.Tables[0].Live())
	}
}

// value returns the string of a reference of the state, which is not 0.
func (a *aggregate) value(ref uint64) []byte { return a.state.Interner().Value(int32(ref) - 1) }

// groupError says which group and which column an accumulator's error belongs to. The
// span is that of the group's window, zero if it has none or shares a pane with others.
func (a *aggregate) groupError(err error, call int, span windowSpan, words []uint64, value func(ref uint64) []byte) error {
	var ge *expr.GroupError
	if !errors.As(err, &ge) {
		return err
	}
	shift := a.cfg.Schema.NumFields() - len(a.calls)
	e := *ge.Err
	e.Text = fmt.Sprintf("column %q: %s", a.cfg.Schema.Field(shift+call).Name, e.Text)
	first := shift - len(a.cfg.Keys)
	sep := " in the group "
	if span != (windowSpan{}) {
		e.Text += fmt.Sprintf("%s%s = %s", sep, a.cfg.Schema.Field(0).Name, types.FormatTimestamp(span.start))
		sep = ", "
	}
	for i := range a.cfg.Keys {
		v, err := a.keys.decode(i, words[:a.keys.words], 0, a.keys.words, value, a.cfg.Alloc)
		if err != nil {
			return err
		}
		e.Text += fmt.Sprintf("%s%s = %s", sep, a.cfg.Schema.Field(first+i).Name, types.Text(v, 0))
		sep = ", "
	}
	return &e
}
