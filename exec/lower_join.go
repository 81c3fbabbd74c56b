package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/exec/op"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// Tables reads a DuckDB table for a stream–table join.
type Tables interface {
	// Snapshot returns the rows of a table, quoted name or query in parentheses, with
	// the given columns, as they are now.
	Snapshot(ctx context.Context, text string, fields []types.Field) ([]arrow.Record, error)
}

// static is a table that a join reads anew before each batch.
type static struct {
	join   tableJoin
	text   string
	fields []types.Field
}

// tableJoin is a stage that joins a stream with a table.
type tableJoin interface {
	op.Stage
	// Load replaces the rows of the table.
	Load(c *expr.Ctx, chunks []arrow.Record) error
}

func (l *lowering) join(n *plan.Join) (tree, error) {
	if n.Static {
		return l.staticJoin(n)
	}
	left, err := l.checked(n.Left, append([]expr.Expr{n.LeftFilter}, n.LeftKeys...)...)
	if err != nil {
		return nil, err
	}
	right, err := l.checked(n.Right, append([]expr.Expr{n.RightFilter}, n.RightKeys...)...)
	if err != nil {
		return nil, err
	}
	cfg := op.JoinConfig{
		Kind: n.Kind, NullSafe: n.NullSafe, Residual: n.Residual, Schema: schemaOf(n.Cols),
		Alloc: l.alloc, Limits: l.stateLimits(),
		Left:  joinSide(n.Left, n.LeftKeys, n.LeftFilter, n.State.Left),
		Right: joinSide(n.Right, n.RightKeys, n.RightFilter, n.State.Right),
	}
	j, err := op.NewJoin(cfg)
	if err != nil {
		return nil, err
	}
	return stateful(j, []expr.Expr{cfg.Left.Time, cfg.Right.Time}, left, right), nil
}

func joinSide(side plan.Node, keys []expr.Expr, filter expr.Expr, t plan.JoinTimes) op.JoinSide {
	return op.JoinSide{
		Schema: schemaOf(side.Columns()), Keys: keys, Filter: filter,
		Time: t.Time, Evict: t.Evict, BoundMicros: t.BoundMicros, NullStays: t.NullStays, HoldMicros: t.HoldMicros,
	}
}

func (l *lowering) staticJoin(n *plan.Join) (tree, error) {
	table, ok := n.Right.(*plan.StaticScan)
	if !ok {
		return nil, fmt.Errorf("the table side of a join is a %T", n.Right)
	}
	j := &op.StaticJoin{
		Kind: n.Kind, LeftKeys: n.LeftKeys, RightKeys: n.RightKeys, NullSafe: n.NullSafe,
		LeftFilter: n.LeftFilter, RightFilter: n.RightFilter, Residual: n.Residual,
		TableSchema: schemaOf(table.Cols), Schema: schemaOf(n.Cols),
	}
	return l.withTable(n.Left, table, j)
}

// withTable puts a join with a table on the pipe of a stream.
func (l *lowering) withTable(stream plan.Node, table *plan.StaticScan, j tableJoin) (tree, error) {
	s := static{join: j, text: table.Table}
	for _, c := range table.Cols {
		s.fields = append(s.fields, c.Field)
	}
	l.statics = append(l.statics, s)
	return l.stage(stream, j)
}

// tableError is the error of a table that could not be read. What DuckDB says about it is
// the user's to mend: the table is gone, or a sub-query has two rows for one value.
func (r *batchRun) tableError(text string, err error) error {
	var known *sqlerr.Error
	if r.ctx.Err() != nil || errors.As(err, &known) {
		return fmt.Errorf("reading table %s for a join: %w", text, err)
	}
	return sqlerr.New("E_SOURCE", "a table that the query joins cannot be read: %s", strings.SplitN(err.Error(), "\n", 2)[0]).
		WithDetail("DuckDB was asked for %s", text).
		WithHint("mend the table or the sub-query, and start the query again")
}

// loadTables reads every joined table as it is at the start of the batch.
func (r *batchRun) loadTables() error {
	for _, s := range r.q.statics {
		if r.q.cfg.Tables == nil {
			return fmt.Errorf("query %q joins a table and has no database", r.q.cfg.Name)
		}
		chunks, err := r.q.cfg.Tables.Snapshot(r.ctx, s.text, s.fields)
		if err != nil {
			return r.tableError(s.text, err)
		}
		if err := s.join.Load(r.expr, chunks); err != nil {
			return err
		}
	}
	return nil
}
