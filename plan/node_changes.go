package plan

import "ssql/plan/expr"

// Changes turns a result in which the rows of a key replace the ones before (an
// Aggregate or a TopN in update mode) into what changed: its columns are those of the
// input and change (BIGINT), -1 for a row that no longer is and 1 for a new one.
type Changes struct {
	Input Node
	Keys  []expr.Expr // over the input
	// EventKey is the index into Keys whose value says when a row changes no more, -1 without.
	EventKey int
	// Live is over the input: a row for which it is not true is none of the result, and
	// only says that the rows of its key came anew. Nil: all are.
	Live expr.Expr
	// Whole is for a sink, which replaces all rows of a key: if one of them changed, all
	// come with change 1, and the old ones come with -1 only if none is left.
	Whole bool
	Cols  []Column
}

func (n *Changes) Columns() []Column { return n.Cols }
func (n *Changes) Inputs() []Node    { return []Node{n.Input} }
func (*Changes) node()               {}

func (n *Changes) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *Changes) Expressions() []expr.Expr { return append([]expr.Expr{n.Live}, n.Keys...) }
