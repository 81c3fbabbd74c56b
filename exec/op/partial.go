package op

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/plan/expr"
	"ssql/state"
)

// partial is the groups of one segment: a Segment of an aggregate. All its windows share
// one slab, so that a kernel runs over a whole chunk whatever windows its rows fall
// in; each window has an index of its own, so that its keys stay dense.
//
// A partial outlives its segment in a pool: its memory, and what it knows of
// dictionaries, are used again.
type partial struct {
	a      *aggregate
	in     interning
	slab   state.Slab
	heap   state.Heap
	cells  []expr.Cells // per call
	sets   []partialSet // per DISTINCT call
	tables partialTables
	table  []int32 // per group: its table

	late       []arrow.Record
	rowsLate   int64
	rowsPartly int64

	epoch uint64 // of the state's strings that the caches of in refer to

	chunk chunkScratch
}

// chunkScratch is what Consume needs while it looks at one chunk.
type chunkScratch struct {
	runs     []tableRun
	keys     []uint64
	groups   []int32
	filtered []int32
	lateRows []int32
	cols     []arrow.Array
	args     []arrow.Array
	masks    [][]bool
	back     []bool // rows that are taken back; nil if all are new
	split    []int32
	setKeys  []uint64
	setOut   []int32
}

// tableRun is consecutive rows that belong to the same table: those from the end of the run
// before up to end.
type tableRun struct {
	end   int32
	table int32 // number of a partial table, or one of the following
}

const (
	noTable   = -1 // the row has no time
	lateTable = -2
)

// partialSet is the values that a DISTINCT call has seen in the segment: its keys
// are a group and the key words of the values.
type partialSet struct {
	slab  state.Slab
	index state.Index
	in    interning // over the strings of the partial
}

func newPartial(a *aggregate) *partial {
	p := &partial{
		a: a,
		in: interning{
			segmentStrings: &segmentStrings{mu: &a.strings, local: state.NewInterner()},
			caches:         make([]dictCache, len(a.keys.cols)),
		},
		slab: state.Slab{KeyWords: a.layout.KeyWords, Stride: max(1, a.layout.Stride())},
	}
	for _, c := range a.calls {
		p.cells = append(p.cells, expr.Cells{Stride: p.slab.Stride, Offset: c.offset, Heap: &p.heap})
		if c.set >= 0 {
			words := 1 + c.values.words
			p.sets = append(p.sets, partialSet{
				slab:  state.Slab{KeyWords: words, Stride: words},
				index: state.NewIndex(false, rand.Uint64()),
				in:    interning{segmentStrings: p.in.segmentStrings, caches: make([]dictCache, len(c.args))},
			})
		}
	}
	p.tables.init(a)
	return p
}

// begin starts a segment.
func (p *partial) begin() {
	p.in.begin(p.a.state.Interner())
	if epoch := p.a.state.Epoch(); epoch != p.epoch {
		p.epoch = epoch
		p.in.forget()
		for i := range p.sets {
			p.sets[i].in.forget()
		}
	}
}

// reset forgets the segment and keeps the memory.
func (p *partial) reset() {
	p.in.settle()
	p.slab.Words = p.slab.Words[:0]
	p.heap.Reset()
	for i := range p.sets {
		p.sets[i].slab.Words = p.sets[i].slab.Words[:0]
		p.sets[i].index.Reset()
		p.sets[i].in.settle()
	}
	p.tables.reset()
	p.table = p.table[:0]
	for _, rec := range p.late {
		rec.Release()
	}
	p.late, p.rowsLate, p.rowsPartly = p.late[:0], 0, 0
}

// Consume folds a chunk into the groups of the segment.
func (p *partial) Consume(rec arrow.Record) error {
	if rec.NumRows() == 0 {
		return nil
	}
	// What a chunk that is too large has left is given back: it comes again in parts.
	defer p.release()
	if err := p.evaluate(rec); err != nil {
		return err
	}
	n := int(rec.NumRows())
	p.chunk.groups = sized(p.chunk.groups, n)
	return p.tables.assign(p, rec, func() error {
		p.resolve()
		if err := p.update(); err != nil {
			return err
		}
		return p.a.checkLimits(int64(p.slab.Len()), 8*int64(len(p.slab.Words))+p.heap.Bytes()+p.in.local.Bytes())
	})
}

// evaluate computes keys, arguments and filters over a chunk.
func (p *partial) evaluate(rec arrow.Record) error {
	s, ctx := &p.chunk, p.a.batch.Expr
	for _, e := range p.a.cfg.Keys {
		col, err := e.Eval(ctx, rec)
		if err != nil {
			return err
		}
		s.cols = append(s.cols, col)
	}
	s.keys = sized(s.keys, int(rec.NumRows())*p.a.keys.words)
	if err := p.a.keys.encode(s.keys, 0, p.a.keys.words, s.cols, &p.in); err != nil {
		return err
	}
	for _, e := range p.a.args {
		col, err := evalPlain(e, ctx, rec)
		if err != nil {
			return err
		}
		s.args = append(s.args, col)
	}
	for _, e := range p.a.filters {
		mask, err := evalMask(ctx, e, rec)
		if err != nil {
			return err
		}
		s.masks = append(s.masks, mask)
	}
	return p.evaluateChange(rec)
}

// evaluateChange finds the rows that are taken back.
func (p *partial) evaluateChange(rec arrow.Record) (err error) {
	p.chunk.back = nil
	if p.a.cfg.Change != nil {
		p.chunk.back, err = takenBack(p.a.batch.Expr, p.a.cfg.Change, rec)
	}
	return err
}

// evalPlain evaluates an argument; NULLs that hide among the values of a dictionary
// are brought to the rows, where accumulators look for them.
func evalPlain(e expr.Expr, ctx *expr.Ctx, rec arrow.Record) (arrow.Array, error) {
	col, err := e.Eval(ctx, rec)
	if err != nil {
		return nil, err
	}
	if d, ok := col.(*array.Dictionary); ok && d.Dictionary().NullN() > 0 {
		defer col.Release()
		return expr.Plain(col), nil
	}
	return col, nil
}

func (p *partial) release() {
	s := &p.chunk
	for _, col := range append(s.cols, s.args...) {
		col.Release()
	}
	s.cols, s.args, s.masks = s.cols[:0], s.args[:0], s.masks[:0]
}

// resolve finds the group of each row from the runs of tables.
func (p *partial) resolve() {
	s, kw := &p.chunk, p.a.keys.words
	from := int32(0)
	for _, run := range s.runs {
		groups := s.groups[from:run.end]
		if run.table < 0 {
			for i := range groups {
				groups[i] = -1
			}
		} else {
			keys := s.keys[int(from)*kw : int(run.end)*kw]
			p.tables.list[run.table].index.Resolve(&p.slab, keys, groups)
			for n := int(p.slab.Len()); len(p.table) < n; {
				p.table = append(p.table, run.table)
			}
		}
		from = run.end
	}
}

// update folds the rows of the chunk into their groups, call by call.
func (p *partial) update() error {
	for i := range p.a.calls {
		c := &p.a.calls[i]
		groups := p.chunk.groups
		if c.filter >= 0 {
			groups = p.filter(groups, p.chunk.masks[c.filter])
		}
		if c.set >= 0 {
			if err := p.remember(c, groups); err != nil {
				return err
			}
			continue
		}
		cells := &p.cells[i]
		cells.Slab = p.slab.Words
		if err := p.fold(c.acc, cells, groups, p.argsOf(c)); err != nil {
			return p.groupError(err, i)
		}
	}
	return nil
}

// fold adds the new rows to their groups and takes the others back.
func (p *partial) fold(acc expr.Accumulator, cells *expr.Cells, groups []int32, args []arrow.Array) error {
	back := p.chunk.back
	if back == nil {
		return acc.Update(cells, groups, args)
	}
	retracter, ok := acc.(expr.Retracter)
	if !ok {
		return fmt.Errorf("an accumulator %T that cannot take rows back", acc)
	}
	split := func(want bool) []int32 {
		p.chunk.split = sized(p.chunk.split, len(groups))
		for i, g := range groups {
			if back[i] != want {
				g = -1
			}
			p.chunk.split[i] = g
		}
		return p.chunk.split
	}
	if err := acc.Update(cells, split(false), args); err != nil {
		return err
	}
	return retracter.Retract(cells, split(true), args)
}

func (p *partial) groupError(err error, call int) error {
	var ge *expr.GroupError
	if errors.As(err, &ge) {
		span := p.a.spanOf(p.tables.list[p.table[ge.Group]].key)
		return p.a.groupError(err, call, span, p.slab.Key(ge.Group), p.in.value)
	}
	return err
}

func (p *partial) argsOf(c *boundCall) []arrow.Array {
	args := make([]arrow.Array, len(c.args))
	for i, at := range c.args {
		args[i] = p.chunk.args[at]
	}
	return args
}

// filter leaves out the rows for which mask is not true.
func (p *partial) filter(groups []int32, mask []bool) []int32 {
	p.chunk.filtered = sized(p.chunk.filtered, len(groups))
	for i, g := range groups {
		if !mask[i] {
			g = -1
		}
		p.chunk.filtered[i] = g
	}
	return p.chunk.filtered
}

// remember adds the values of a DISTINCT call to its set.
func (p *partial) remember(c *boundCall, groups []int32) error {
	s, set := &p.chunk, &p.sets[c.set]
	words := 1 + c.values.words
	s.setKeys = sized(s.setKeys, len(groups)*words)
	if err := c.values.encode(s.setKeys, 1, words, p.argsOf(c), &set.in); err != nil {
		return err
	}
	kept := s.setKeys[:0]
	for i, g := range groups {
		if g >= 0 {
			key := s.setKeys[i*words : (i+1)*words]
			key[0] = uint64(g)
			kept = append(kept, key...)
		}
	}
	s.setOut = sized(s.setOut, len(kept)/words)
	set.index.Resolve(&set.slab, kept, s.setOut)
	return nil
}

// takeLate sets the rows aside that are late.
func (p *partial) takeLate(rec arrow.Record) error {
	rows := p.chunk.lateRows
	if len(rows) == 0 {
		return nil
	}
	p.late = append(p.late, Take(rec, rows))
	p.rowsLate += int64(len(rows))
	return nil
}

// sized returns s with n elements of any value.
func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
