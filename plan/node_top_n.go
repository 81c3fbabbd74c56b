package plan

import (
	"fmt"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// TopN keeps, of the rows with equal Keys, the first Count in an order:
// ROW_NUMBER() OVER (PARTITION BY keys ORDER BY order) <= Count. Its columns are
// those of the input and row_number (BIGINT), from 1.
//
// In append mode the rows of a key come out once: when the watermark reaches the
// value of key EventKey, or, with ByTime, when it reaches the event time of the one
// row. In update mode all rows of a key come out again when one of them changes.
type TopN struct {
	Input Node
	Keys  []expr.Expr
	Order []SortKey
	Count int64
	// EventKey is the index into Keys whose value closes a key, -1 without.
	EventKey int
	// ByTime says that Count is 1 and the order is by event time, earliest first.
	ByTime bool
	// Change is the column of a Changes below, the last of the input, which is not among
	// Cols: negative for a row that is taken back. All rows of a key are then kept, for any
	// of them may be among the first again. A key that lost all its rows comes out
	// as one row with the number 0. Nil: every row is new.
	Change expr.Expr
	// A row is late when its event time (ByTime) or its key EventKey is <= the late
	// watermark.
	Cols     []Column
	Span     Span
	keyMarks []*Mark
}

func (n *TopN) Columns() []Column { return n.Cols }
func (n *TopN) Inputs() []Node    { return []Node{n.Input} }

func (n *TopN) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *TopN) Expressions() []expr.Expr { return append(sortExprs(n.Order), n.Keys...) }

func (n *TopN) describe() string {
	text := fmt.Sprintf("First %d by %s for each %s", n.Count, sortText(n.Order), exprList(n.Keys, expr.Readable))
	if n.Change != nil {
		text += ", old rows taken back"
	}
	return text
}

func (n *TopN) keeps(types.Mode) string {
	kept := "the first rows of each key"
	if n.Change != nil {
		kept = "all rows of each key"
	}
	switch {
	case n.EventKey >= 0:
		return fmt.Sprintf("%s, until the watermark reaches its %s", kept, columnName(n.Keys[n.EventKey]))
	case n.ByTime:
		return "the first row of each key until the watermark reaches its event time, the key for ever"
	}
	return kept + ", for ever"
}

func (*TopN) stageOf() Node { return nil }
