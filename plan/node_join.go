package plan

import "ssql/plan/expr"

// Join joins two streams, or a stream with a StaticScan subtree.
type Join struct {
	Kind        JoinKind
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
	on          []predicate // conjuncts of the condition, while Bind works
	bounds      []comparison
	keyMarks    [][2]*Mark // per key: event time of its two sides
}

func (n *Join) Columns() []Column { return n.Cols }
func (n *Join) Inputs() []Node    { return []Node{n.Left, n.Right} }
func (*Join) node()               {}

func (n *Join) WithInputs(ins []Node) Node {
	c := *n
	c.Left, c.Right = ins[0], ins[1]
	return &c
}

func (n *Join) Expressions() []expr.Expr {
	return append(append([]expr.Expr{n.Residual, n.LeftFilter, n.RightFilter}, n.LeftKeys...), n.RightKeys...)
}

// JoinKind is the type of a join.
type JoinKind uint8

// The join kinds.
const (
	Inner JoinKind = iota
	LeftOuter
	RightOuter
	FullOuter
	LeftSemi
	LeftAnti
)

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
