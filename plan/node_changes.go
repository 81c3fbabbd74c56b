package plan

import (
	"fmt"

	"ssql/plan/expr"
	"ssql/sql/types"
)

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

func (n *Changes) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *Changes) Expressions() []expr.Expr { return append([]expr.Expr{n.Live}, n.Keys...) }

func (n *Changes) describe() string {
	text := "Changes"
	if n.Whole {
		text = "Result, deleted where it is no more,"
	}
	if len(n.Keys) > 0 {
		text += " by " + exprList(n.Keys, expr.Readable)
	}
	if n.Live != nil {
		text += " where " + expr.Readable(n.Live)
	}
	return text
}

func (n *Changes) keeps(types.Mode) string {
	if n.EventKey < 0 {
		return "the rows of the query below as they came last, for ever"
	}
	return fmt.Sprintf("the rows of the query below as they came last, until the watermark reaches their %s", columnName(n.Keys[n.EventKey]))
}

func (*Changes) stageOf() Node { return nil }
