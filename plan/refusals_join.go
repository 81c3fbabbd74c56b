package plan

import (
	"fmt"
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// joinWords are the joins as the user writes them.
var joinWords = [...]string{types.InnerJoin: "JOIN", types.LeftJoin: "LEFT JOIN", types.RightJoin: "RIGHT JOIN", types.FullJoin: "FULL JOIN", types.SemiJoin: "SEMI JOIN", types.AntiJoin: "ANTI JOIN"}

// streamJoin returns n if it is a join of two streams.
func streamJoin(n Node) (*Join, bool) {
	j, ok := n.(*Join)
	return j, ok && !j.Static
}

// joinWithTable finds joins that would have to know that no row of the stream will ever
// match a row of the table.
func joinWithTable(_ *checker, n Node) *fault {
	j, ok := n.(*Join)
	if !ok || !j.Static {
		return nil
	}
	left := isStatic(j.Left)
	switch {
	case j.Kind == types.FullJoin,
		left && (j.Kind == types.LeftJoin || j.Kind == types.SemiJoin || j.Kind == types.AntiJoin),
		!left && j.Kind == types.RightJoin:
		return &fault{j.Span, fmt.Sprintf("this %s keeps rows of the table, and whether one has no partner is known only when the stream is over", joinWords[j.Kind]),
			tableJoinHint(j, left)}
	}
	return nil
}

func antiJoin(_ *checker, n Node) *fault {
	j, ok := streamJoin(n)
	if !ok || j.Kind != types.AntiJoin || j.State.Left.Evict != nil {
		return nil
	}
	return &fault{j.Span, "an ANTI JOIN of two streams can say that a row has no partner only when none can come any more, and no condition on the event times says when", rangeHint(j)}
}

func joinMode(c *checker, n Node) *fault {
	j, ok := streamJoin(n)
	if !ok || c.output.Mode == types.Append {
		return nil
	}
	adds := j.Kind == types.InnerJoin || j.Kind == types.SemiJoin
	fixed := c.changing(j.Left) == nil && c.changing(j.Right) == nil
	if fixed && (c.output.retraction && c.aboveIs(c.output.Root, j, false) || c.output.Mode == types.Update && (adds || c.rankedAbove(j))) {
		return nil // its rows are only ever added to what stands above, or to the result
	}
	if c.output.Mode == types.Complete && !c.aboveIs(c.output.Root, j, false) {
		return nil // refused as a whole: nothing to show completely
	}
	hint := "use EMIT ON WINDOW CLOSE (SET output_mode = 'append'); or write the join to a table of its own and aggregate that"
	switch {
	case !fixed:
		return &fault{j.Span, fmt.Sprintf("in %s mode the rows of a side of this %s change, and a join cannot take a row back", c.output.Mode, joinWords[j.Kind]), hint}
	case adds:
		return &fault{j.Span, fmt.Sprintf("a join of two streams works in append and update mode only, not in %s mode", c.output.Mode), hint}
	}
	return &fault{j.Span, fmt.Sprintf("this %s of two streams works in append mode only, not in %s mode", joinWords[j.Kind], c.output.Mode), hint}
}

// rankedAbove reports whether a TopN stands between the root and a join.
func (c *checker) rankedAbove(j *Join) bool {
	for n := c.output.Root; n != nil; {
		if _, ok := n.(*TopN); ok {
			return contains(n, j)
		}
		ins := n.Inputs()
		if len(ins) != 1 {
			return false
		}
		n = ins[0]
	}
	return false
}

func joinEquality(_ *checker, n Node) *fault {
	j, ok := streamJoin(n)
	if !ok || len(j.LeftKeys) > 0 {
		return nil
	}
	return &fault{j.Span, "a join of two streams needs a column of one side to equal a column of the other",
		"add an equality to ON: " + orName(j.common, "a.id = b.id")}
}

// joinUnmarked finds outer, semi and anti joins with a side that has no watermark. When a row
// of it still comes is not known then: a row of the other side may have been given up, or its
// partners may be gone (D11, D13).
func joinUnmarked(_ *checker, n Node) *fault {
	j, ok := streamJoin(n)
	if !ok || j.Kind == types.InnerJoin {
		return nil
	}
	for i, side := range []Node{j.Left, j.Right} {
		if _, declared := findNode[*Watermark](side); declared {
			continue
		}
		name := [...]string{"left", "right"}[i]
		why := "it is never known that no partner can come any more"
		if i == 0 && j.Kind != types.RightJoin || i == 1 && (j.Kind == types.RightJoin || j.Kind == types.FullJoin) {
			why = "its rows without partner would never come out"
			if j.Kind == types.SemiJoin {
				why = "its rows would wait for a partner for ever"
			}
		}
		return &fault{j.Span, fmt.Sprintf("the %s side of this %s has no watermark, so %s", name, joinWords[j.Kind], why), watermarkHint(side)}
	}
	return nil
}

// joinUnbounded finds outer and semi joins in which a row without partner could never be
// decided.
func joinUnbounded(_ *checker, n Node) *fault {
	j, ok := streamJoin(n)
	if !ok || j.Kind == types.InnerJoin || j.Kind == types.AntiJoin {
		return nil
	}
	sides := []struct {
		name  string
		times JoinTimes
		keeps bool
	}{
		{"left", j.State.Left, j.Kind == types.LeftJoin || j.Kind == types.FullJoin || j.Kind == types.SemiJoin},
		{"right", j.State.Right, j.Kind == types.RightJoin || j.Kind == types.FullJoin},
	}
	for _, s := range sides {
		if s.keeps && s.times.Evict == nil {
			return &fault{j.Span, fmt.Sprintf("no condition of this %s says how late a partner of a row of the %s side may come, so it could never be given up", joinWords[j.Kind], s.name),
				rangeHint(j)}
		}
	}
	return nil
}

// rangeHint writes the condition that a join lacks.
func rangeHint(j *Join) string {
	l, lok := j.eventName(0)
	r, rok := j.eventName(1)
	switch {
	case !lok:
		return watermarkHint(j.Left) + fmt.Sprintf(", and add a range to ON: AND %s BETWEEN %s - INTERVAL '30' MINUTE AND %s + INTERVAL '30' MINUTE", "left_ts", orName(r, "right_ts"), orName(r, "right_ts"))
	case !rok:
		return watermarkHint(j.Right) + fmt.Sprintf(", and add a range to ON: AND %s BETWEEN right_ts - INTERVAL '30' MINUTE AND right_ts + INTERVAL '30' MINUTE", l)
	}
	bounds := fmt.Sprintf("%s BETWEEN %s - INTERVAL '30' MINUTE AND %s + INTERVAL '30' MINUTE", l, r, r)
	if len(j.using) > 0 {
		return fmt.Sprintf("write ON %s AND %s in place of USING", strings.Join(j.using, " AND "), bounds)
	}
	return "add a range of the event times to ON: AND " + bounds
}

// eventName is the event-time column of a side as the condition names it.
func (j *Join) eventName(side int) (string, bool) {
	name, ok := eventName([]Node{j.Left, j.Right}[side])
	if alias := j.sides[side]; ok && alias != "" {
		name = alias + "." + name[strings.LastIndex(name, ".")+1:]
	}
	return name, ok
}

func orName(name, other string) string {
	if name == "" {
		return other
	}
	return name
}

// eventName is the event-time column of a side. Columns that the condition does not use
// may be pruned, so the declaration counts.
func eventName(n Node) (string, bool) {
	if times := eventColumns(n); len(times) > 0 {
		return qualifiedName(n.Columns()[times[0]]), true
	}
	if w, ok := findNode[*Watermark](n); ok {
		return w.Def.Relation + "." + w.Def.Column, true
	}
	return "", false
}

// columnName is the name of a plain column, or the text of an expression.
func columnName(e expr.Expr) string {
	if c, ok := e.(*expr.Column); ok {
		return c.Name
	}
	return expr.Readable(e)
}
