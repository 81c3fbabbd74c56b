package exec

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// lower turns a plan into operators. The root of an output collects its rows; statics are
// the tables to load before each batch.
func lower(cfg *Config) (roots []*breaker, statics []static, err error) {
	l := &lowering{cfg: cfg, alloc: memory.DefaultAllocator, shared: map[*plan.Shared]*shared{}}
	for i, out := range cfg.Plan.Outputs {
		l.mode = out.Mode
		t, err := l.node(out.Root)
		if err != nil {
			return nil, nil, err
		}
		root := &breaker{op: &op.Collect{BytesMax: cfg.StateBytesMax}, ins: []tree{t}}
		visit(root, func(t tree) {
			if b, ok := t.(*breaker); ok {
				b.output = i
			}
		})
		roots = append(roots, root)
	}
	return roots, l.statics, nil
}

type lowering struct {
	cfg     *Config
	mode    types.Mode // of the output
	alloc   memory.Allocator
	statics []static // tables that joins read
	shared  map[*plan.Shared]*shared
	// replacing is set below a Changes: what stands there gives the groups that a batch
	// touched in complete mode too.
	replacing bool
}

func (l *lowering) stateLimits() op.StateLimits {
	return op.StateLimits{RowsMax: l.cfg.StateRowsMax, BytesMax: l.cfg.StateBytesMax}
}

// node dispatches; each case is one line or a method.
func (l *lowering) node(n plan.Node) (tree, error) {
	switch n := n.(type) {
	case *plan.Scan:
		return l.scan(n), nil
	case *plan.Watermark:
		return l.stage(n.Input, &op.Watermark{
			ID: n.Def.ID, Column: n.Index,
			MaxFutureMicros: n.Def.MaxFutureMicros, MaxFuture: plan.DurationText(n.Def.MaxFutureMicros),
		})
	case *plan.Filter:
		return l.stage(n.Input, &op.Filter{Cond: n.Cond, Count: readsRows(n.Input)})
	case *plan.Project:
		return l.stage(n.Input, &op.Project{Exprs: n.Exprs, Schema: schemaOf(n.Cols), Refuses: n.Computed})
	case *plan.WindowAssign:
		return l.assign(n)
	case *plan.Expand:
		return l.stage(n.Input, &op.Expand{Keys: n.Keys, Sets: n.Sets, Schema: schemaOf(n.Cols)})
	case *plan.Unnest:
		return l.stage(n.Input, &op.Unnest{List: n.List, Outer: n.Outer, Schema: schemaOf(n.Cols), Used: n.Used})
	case *plan.Aggregate:
		return l.aggregate(n)
	case *plan.Dedup:
		return l.dedup(n)
	case *plan.Join:
		return l.join(n)
	case *plan.AsOf:
		return l.asOf(n)
	case *plan.Union:
		return l.union(n)
	case *plan.Sort:
		return l.sort(n)
	case *plan.Limit:
		return l.limit(n)
	case *plan.TopN:
		return l.topN(n)
	case *plan.Changes:
		return l.changes(n)
	case *plan.Shared:
		return l.share(n)
	}
	return nil, fmt.Errorf("a plan node %T that exec cannot run", n)
}

// share lowers rows that several places read; all get the same tree.
func (l *lowering) share(n *plan.Shared) (tree, error) {
	if s := l.shared[n]; s != nil {
		return s, nil
	}
	in, err := l.node(n.Input)
	if err != nil {
		return nil, err
	}
	s := &shared{in: in}
	l.shared[n] = s
	return s, nil
}

// scan reads a source, and holds its rows to the columns that are NOT NULL.
func (l *lowering) scan(n *plan.Scan) tree {
	s := &scan{source: n.Source}
	required := n.Required()
	if required == nil {
		return s
	}
	return &pipe{in: s, stages: []op.Stage{&op.Required{Columns: required}}}
}

// schemaOf returns the Arrow schema of plan columns.
func schemaOf(cols []plan.Column) *arrow.Schema {
	fields := make([]types.Field, len(cols))
	for i, c := range cols {
		fields[i] = c.Field
	}
	return types.ArrowSchema(fields)
}

// readsRows reports whether the rows of n are rows of a source, so that a filter
// over them removes input rows.
func readsRows(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.Scan:
		return true
	case *plan.Watermark, *plan.Filter, *plan.Project, *plan.Shared:
		return readsRows(n.Inputs()[0])
	case *plan.Union:
		for _, in := range n.Ins {
			if !readsRows(in) {
				return false
			}
		}
		return true
	}
	return false
}

// stage puts a stage on the pipe of its input.
func (l *lowering) stage(input plan.Node, s op.Stage) (tree, error) {
	in, err := l.node(input)
	if err != nil {
		return nil, err
	}
	if p, ok := in.(*pipe); ok {
		p.stages = append(p.stages, s)
		return p, nil
	}
	return &pipe{in: in, stages: []op.Stage{s}}, nil
}

// checked lowers the input of an operator that evaluates expressions over its rows.
func (l *lowering) checked(input plan.Node, exprs ...expr.Expr) (tree, error) {
	exprs = slices.DeleteFunc(slices.Clone(exprs), func(e expr.Expr) bool { return e == nil || !expr.CanFail(e) })
	if len(exprs) == 0 || l.cfg.FailedRows == FailedFail {
		return l.node(input)
	}
	return l.stage(input, &op.Checked{Exprs: exprs})
}

// stateful wraps an operator that keeps state.
func stateful(s op.Stateful, eventTime []expr.Expr, ins ...tree) *breaker {
	return &breaker{op: s, state: s, ins: ins, eventTime: eventTime}
}

func (l *lowering) assign(n *plan.WindowAssign) (tree, error) {
	if n.Spec.Kind == plan.Session {
		return nil, sqlerr.New("UNSUPPORTED_FEATURE", "a session window without GROUP BY has no meaning: a session is known when it is over").
			WithHint("GROUP BY window_start, window_end and the keys of the session")
	}
	return l.stage(n.Input, &op.Assign{Time: n.Time, Windows: fixedWindows(n.Spec), Schema: schemaOf(n.Cols)})
}

func fixedWindows(s *plan.WindowSpec) op.Windows {
	return op.Windows{
		SizeMicros: s.SizeMicros, SlideMicros: s.SlideMicros, OffsetMicros: s.OffsetMicros,
		Cumulate: s.Kind == plan.Cumulate,
	}
}

func (l *lowering) dedup(n *plan.Dedup) (tree, error) {
	in, err := l.node(n.Input)
	if err != nil {
		return nil, err
	}
	cols := n.Input.Columns()
	cfg := op.DedupConfig{Within: n.Within, Limits: l.stateLimits()}
	for _, k := range n.Keys {
		cfg.Keys = append(cfg.Keys, column(cols, k))
	}
	if n.EventTime >= 0 {
		if cfg.Time, err = instant(cols, n.EventTime); err != nil {
			return nil, err
		}
	}
	switch {
	case n.Within:
		cfg.Expire, cfg.DelayMicros = cfg.Time, cols[n.EventTime].Mark.Watermark.DelayMicros
	case n.EventKey >= 0:
		if cfg.Expire, err = instant(cols, n.EventKey); err != nil {
			return nil, err
		}
	}
	return stateful(op.NewDedup(cfg), []expr.Expr{cfg.Time}, in), nil
}

// column refers to a column of a node.
func column(cols []plan.Column, i int) expr.Expr {
	c := cols[i]
	return &expr.Column{Index: i, Name: c.Name, T: c.Type, Null: c.Nullable}
}

// instant is the time of an event-time column: its value, or the end of a window.
func instant(cols []plan.Column, i int) (expr.Expr, error) { return endOf(column(cols, i)) }

func (l *lowering) union(n *plan.Union) (tree, error) {
	u := &union{}
	for _, in := range n.Ins {
		t, err := l.node(in)
		if err != nil {
			return nil, err
		}
		u.ins = append(u.ins, t)
	}
	return u, nil
}

func (l *lowering) sort(n *plan.Sort) (tree, error) {
	in, err := l.checked(n.Input, n.Expressions()...)
	if err != nil {
		return nil, err
	}
	s := &op.Sort{Alloc: l.alloc, Keys: sortKeys(n.Keys)}
	return &breaker{op: s, ins: []tree{in}}, nil
}

func (l *lowering) limit(n *plan.Limit) (tree, error) {
	in, err := l.node(n.Input)
	if err != nil {
		return nil, err
	}
	lim := &op.Limit{Count: n.Count, Offset: n.Offset, Lifetime: l.mode == types.Append}
	if !lim.Lifetime {
		return &breaker{op: lim, ins: []tree{in}}, nil
	}
	return stateful(lim, nil, in), nil
}
