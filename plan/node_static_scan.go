package plan

import "ssql/plan/expr"

// StaticScan reads a DuckDB table, snapshotted per batch.
type StaticScan struct {
	Table string // the text DuckDB gets: a quoted name, or a query in parentheses
	Cols  []Column
}

func (n *StaticScan) Columns() []Column { return n.Cols }
func (n *StaticScan) Inputs() []Node    { return nil }
func (*StaticScan) node()               {}

func (n *StaticScan) WithInputs([]Node) Node { return n }

func (*StaticScan) Expressions() []expr.Expr { return nil }
