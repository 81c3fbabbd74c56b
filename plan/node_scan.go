package plan

import (
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// Scan reads a stream. Source indexes Plan.Sources.
type Scan struct {
	Source  int
	Stream  string
	Cols    []Column
	Reading sql.Reading
	id      string // Stream.ID
	span    Span
	limits  eventLimits
	stored  []types.Field // all that the source delivers, for hints
}

func (n *Scan) Columns() []Column { return n.Cols }
func (n *Scan) Inputs() []Node    { return nil }

// Required returns the columns that are NOT NULL, to which the rows of the stream are held;
// nil for none.
func (n *Scan) Required() (columns []int) {
	for i, c := range n.Cols {
		if !c.Nullable {
			columns = append(columns, i)
		}
	}
	return columns
}

func (n *Scan) WithInputs([]Node) Node { return n }

func (*Scan) Expressions() []expr.Expr { return nil }

func (n *Scan) describe() string { return "Scan " + n.Stream + readingText(n.Reading) }

func (*Scan) keeps(types.Mode) string { return "" }

func (*Scan) stageOf() Node { return nil }
