package plan

import (
	"fmt"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// AsOf joins each row of a stream with the version of a key that holds at the time
// of the row: of the rows of Right with equal keys, the one with the greatest
// RightTime up to LeftTime, or before it if Strict. Outer keeps rows without a
// version. Static: the versions are a table; else both sides have event time, and a row comes
// out when the watermark has reached its time.
type AsOf struct {
	Left, Right           Node
	LeftKeys, RightKeys   []expr.Expr // over Left, over Right
	LeftTime, RightTime   expr.Expr   // TIMESTAMP, over Left, over Right
	Strict, Outer, Static bool
	Cols                  []Column
	Span                  Span
}

func (n *AsOf) Columns() []Column { return n.Cols }
func (n *AsOf) Inputs() []Node    { return []Node{n.Left, n.Right} }

func (n *AsOf) WithInputs(ins []Node) Node {
	c := *n
	c.Left, c.Right = ins[0], ins[1]
	return &c
}

func (n *AsOf) Expressions() []expr.Expr {
	return append(append([]expr.Expr{n.LeftTime, n.RightTime}, n.LeftKeys...), n.RightKeys...)
}

// describe shows the condition of a join of versions.
func (n *AsOf) describe() string {
	text := "Join with the version"
	if n.Outer {
		text = "Left join with the version"
	}
	if n.Static {
		text += " of a table"
	}
	text += " as of " + conditionText(n.LeftTime, sided(0, "left."))
	sep := " on "
	for _, c := range n.condition(conditionText) {
		text, sep = text+sep+c, " AND "
	}
	return text
}

func (n *AsOf) keeps(types.Mode) string {
	if n.Static {
		return ""
	}
	return fmt.Sprintf("the rows of the left side until the watermark reaches their %s, of each key of the right side the version at the watermark and those after it",
		columnName(n.LeftTime))
}

func (n *AsOf) stageOf() Node {
	if n.Static {
		return n.Left
	}
	return nil
}
