package plan

import (
	"ssql/plan/expr"
	"ssql/sql/types"
)

// StaticScan reads a DuckDB table, snapshotted per batch.
type StaticScan struct {
	Table string // the text DuckDB gets: a quoted name, or a query in parentheses
	Cols  []Column
}

func (n *StaticScan) Columns() []Column { return n.Cols }
func (n *StaticScan) Inputs() []Node    { return nil }

func (n *StaticScan) WithInputs([]Node) Node { return n }

func (*StaticScan) Expressions() []expr.Expr { return nil }

func (n *StaticScan) describe() string { return "Table " + n.source() }

// source says what the rows are read from.
func (n *StaticScan) source() string { return n.Table + ", as it is at the start of each batch" }

func (*StaticScan) keeps(types.Mode) string { return "" }

func (*StaticScan) stageOf() Node { return nil }
