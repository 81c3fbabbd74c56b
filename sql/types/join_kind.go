package types

// JoinKind is the type of a join.
type JoinKind uint8

// The join kinds. RightJoin and FullJoin keep rows of the right side that have no partner,
// LeftJoin and FullJoin those of the left; SemiJoin and AntiJoin give rows of the left side that
// have one, or none.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	SemiJoin
	AntiJoin
)
