package plan

import (
	"fmt"
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// Join joins two streams, or a stream with a StaticScan subtree.
type Join struct {
	Kind        types.JoinKind
	Left, Right Node
	LeftKeys    []expr.Expr // over Left
	RightKeys   []expr.Expr // over Right
	Residual    expr.Expr   // over the columns of both; nil without
	LeftFilter  expr.Expr   // conjuncts of ON over left alone, kept in the join; nil without
	RightFilter expr.Expr
	NullSafe    []bool // per key: <=>
	State       JoinState
	Static      bool // the right side is a table
	Cols        []Column
	Span        Span
	sides       [2]string   // what the condition calls them; "" where they are several
	common      string      // the equality of a column that both sides have; "" if there is none
	using       []string    // the equalities that USING or NATURAL stands for
	on          []predicate // conjuncts of the condition, while Bind works
	bounds      []comparison
	keyMarks    [][2]*Mark // per key: event time of its two sides
}

func (n *Join) Columns() []Column { return n.Cols }
func (n *Join) Inputs() []Node    { return []Node{n.Left, n.Right} }

func (n *Join) WithInputs(ins []Node) Node {
	c := *n
	c.Left, c.Right = ins[0], ins[1]
	return &c
}

func (n *Join) Expressions() []expr.Expr {
	return append(append([]expr.Expr{n.Residual, n.LeftFilter, n.RightFilter}, n.LeftKeys...), n.RightKeys...)
}

// describe shows kind and condition of a join.
func (n *Join) describe() string {
	text := [...]string{types.InnerJoin: "Inner join", types.LeftJoin: "Left join", types.RightJoin: "Right join", types.FullJoin: "Full join",
		types.SemiJoin: "Semi join", types.AntiJoin: "Anti join"}[n.Kind]
	if n.Static {
		text += " with a table"
	}
	left, right := sided(0, "left."), sided(0, "right.")
	both := sided(len(n.Left.Columns()), "right.")
	var parts []string
	for i := range n.LeftKeys {
		op := " = "
		if n.NullSafe[i] {
			op = " <=> "
		}
		parts = append(parts, conditionText(n.LeftKeys[i], left)+op+conditionText(n.RightKeys[i], right))
	}
	if n.LeftFilter != nil {
		parts = append(parts, conditionText(n.LeftFilter, left))
	}
	if n.RightFilter != nil {
		parts = append(parts, conditionText(n.RightFilter, right))
	}
	if n.Residual != nil {
		parts = append(parts, conditionText(n.Residual, both))
	}
	if len(parts) == 0 {
		return text
	}
	return text + " on " + strings.Join(parts, " AND ")
}

func (n *Join) keeps(types.Mode) string {
	if n.Static {
		return ""
	}
	s := n.State
	text := ""
	if s.KeyTime >= 0 {
		l, r := columnName(n.LeftKeys[s.KeyTime]), columnName(n.RightKeys[s.KeyTime])
		if l != r {
			l += " and " + r
		}
		text = "the rows of both sides, until the watermark reaches their " + l
	} else {
		name := func(_ Node, e expr.Expr) string { return columnName(e) }
		text = "the rows of the left side " + s.Left.until(n.Left, name) + ", the rows of the right side " + s.Right.until(n.Right, name)
	}
	for _, side := range []struct {
		name  string
		times JoinTimes
	}{{"left", s.Left}, {"right", s.Right}} {
		if side.times.byPartner {
			text += fmt.Sprintf("; a row of the %s side, which has no watermark, is late when %s <= the watermark: what it joins is gone", side.name, columnName(side.times.Time))
		}
	}
	return text
}

func (n *Join) stageOf() Node {
	if n.Static {
		return n.Left
	}
	return nil
}

// JoinState says which rows of a stream–stream join are late and when buffered ones leave;
// see settleJoin.
type JoinState struct {
	Left, Right JoinTimes
	// KeyTime is the index into the join keys by whose time both sides go when the
	// watermark reaches it, -1 if they do not.
	KeyTime int
}

// JoinTimes are those of one side. The expressions are TIMESTAMPs over its columns.
type JoinTimes struct {
	// A row is late when Time is at most the late watermark; nil: never.
	Time expr.Expr
	// A row goes when Evict is at most the eviction watermark plus BoundMicros; nil: rows
	// stay for ever. A row in which it is NULL goes at once, for it can have no partner,
	// unless NullStays.
	Evict       expr.Expr
	BoundMicros int64
	NullStays   bool
	// HoldMicros is by how much the event time of rows of this side that still come out may be
	// behind the watermark: 0 or less.
	HoldMicros int64

	derived   bool // from an equality of times
	byPartner bool // the side has no watermark: Time is that of the rows it joins
}

// sided names columns by their side: those before the first with left, the others with
// prefix.
func sided(first int, prefix string) func(*expr.Column) string {
	return func(c *expr.Column) string {
		if c.Index < first {
			return "left." + c.Name
		}
		return prefix + c.Name
	}
}

// conditionText is one condition of a join for people, with columns named by a function.
func conditionText(e expr.Expr, name func(*expr.Column) string) string {
	return expr.ReadableConjunct(named(e, name))
}

// named is an expression with columns named by a function.
func named(e expr.Expr, name func(*expr.Column) string) expr.Expr {
	return moved(e, func(c *expr.Column) expr.Expr {
		return &expr.Column{Index: c.Index, Name: name(c), T: c.T, Null: c.Null}
	})
}

// until says when the rows of a side go, in terms of its node.
func (t *JoinTimes) until(n Node, name func(Node, expr.Expr) string) string {
	if t.Evict == nil {
		return "for ever"
	}
	limit := "the watermark"
	if t.BoundMicros != 0 {
		sign, length := "+", t.BoundMicros
		if length < 0 {
			sign, length = "-", -length
		}
		limit = fmt.Sprintf("the watermark %s %s", sign, durationText(length))
	}
	return fmt.Sprintf("until %s <= %s", name(n, t.Evict), limit)
}
