package exec

import (
	"ssql/exec/op"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/plan/expr"
	"ssql/sql/types"
)

func (l *lowering) aggregate(n *plan.Aggregate) (tree, error) {
	if n.Window != nil && n.Window.Kind == plan.Session {
		return l.session(n)
	}
	in, err := l.checked(n.Input, n.Expressions()...)
	if err != nil {
		return nil, err
	}
	cfg := op.AggregateConfig{
		Mode: l.mode, Time: n.Time, Keys: n.Keys, Change: n.Change, CountsRows: n.CountsRows, Schema: schemaOf(n.Cols),
		Watermarked: n.Mark != nil && n.Mark.Watermark != nil,
		Alloc:       l.alloc, ChunkRows: l.cfg.ChunkRows, Limits: l.stateLimits(),
	}
	if l.replacing && cfg.Mode == types.Complete {
		cfg.Mode, cfg.Watermarked = types.Update, false // nothing is late or leaves in complete mode
	}
	cfg.Calls = calls(n)
	if n.Window != nil {
		w := fixedWindows(n.Window)
		cfg.Windows = &w
	}
	if n.EventKey >= 0 {
		if cfg.Close, err = endOf(n.Keys[n.EventKey]); err != nil {
			return nil, err
		}
	}
	agg, err := op.NewAggregate(cfg)
	if err != nil {
		return nil, err
	}
	return stateful(agg, []expr.Expr{eventTime(cfg)}, in), nil
}

// eventTime is what makes a row of an aggregation late; nil if nothing does.
func eventTime(cfg op.AggregateConfig) expr.Expr {
	if cfg.Close != nil {
		return cfg.Close
	}
	return cfg.Time
}

// endOf is the time that a key stands for: its value, or the end of a window.
func endOf(key expr.Expr) (expr.Expr, error) {
	if key.Type().Kind == types.Struct {
		return expr.BindField(key, "end", sqlerr.Span{})
	}
	return key, nil
}

func calls(n *plan.Aggregate) []op.AggregateCall {
	var out []op.AggregateCall
	for _, a := range n.Aggs {
		out = append(out, op.AggregateCall{Aggregate: a.Aggregate, Filter: a.Filter, Distinct: a.Distinct})
	}
	return out
}

func (l *lowering) session(n *plan.Aggregate) (tree, error) {
	in, err := l.checked(n.Input, n.Expressions()...)
	if err != nil {
		return nil, err
	}
	s, err := op.NewSession(op.SessionConfig{
		Mode: l.mode, Time: n.Time, GapMicros: n.Window.SizeMicros, Gap: n.Window.Gap,
		Watermarked: n.Mark != nil && n.Mark.Watermark != nil, Keys: n.Keys, Calls: calls(n),
		Columns: len(n.Input.Columns()), Schema: schemaOf(n.Cols), Alloc: l.alloc, ChunkRows: l.cfg.ChunkRows,
		Limits: l.stateLimits(),
	})
	if err != nil {
		return nil, err
	}
	return stateful(s, []expr.Expr{n.Time}, in), nil
}
