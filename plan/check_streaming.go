package plan

import (
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// checkStreaming refuses a plan that could never give an answer in its output mode. It
// walks the tree once, inputs first, and asks every row of refusals that is about the
// kind of the node.
func checkStreaming(o *Output) error {
	c := &checker{output: o}
	if err := c.node(o.Root); err != nil {
		return err
	}
	if o.Mode == types.Complete && !c.aggregated {
		return sqlerr.At(o.span, codeOutputMode, "complete mode shows a whole result again and again, and this query has no aggregation that makes one").
			WithHint("leave out EMIT COMPLETE (SET output_mode = 'append'), or group the rows")
	}
	return nil
}

// checker is one walk over the tree of an output.
type checker struct {
	output *Output
	// aggregated is set once an aggregation was seen.
	aggregated bool
}

// fault is what a refusal found: the place, what is wrong, what to do.
type fault struct {
	span       Span
	text, hint string
}

// refusal is one row of the table of what has no streaming form.
type refusal struct {
	code string
	// when says in words what is refused, for the documentation.
	when string
	// find returns nil where the node is fine or of another kind.
	find func(c *checker, n Node) *fault
}

// refusals are asked in this order; the first that finds something is the error.
var refusals = []refusal{
	{codeWatermarkTwice, "a watermark above another one", watermarkAgain},
	{codeTwoEventTimes, "two event-time columns reach one stateful operator", twoEventTimes},
	{codeSessionUngroup, "a session window that no GROUP BY uses", sessionUngrouped},
	{codeSessionGlobal, "a session window without another key", sessionGlobal},
	{codeStatefulAfter, "a stateful operator behind an aggregation whose rows change", statefulAfter},
	{codeExternal, "an aggregate of DuckDB over groups that are never complete", externalOpen},
	{codeRetract, "an aggregate that cannot take a row back over rows that change", cannotRetract},
	{codeSessionUpdate, "a session window in update mode", sessionUpdate},
	{codeOutputMode, "an aggregation in append mode whose groups are never final", neverFinal},
	{codeDistinct, "an aggregate of distinct values whose groups never close", distinctUnbounded},
	{codeDedupWatermark, "DEDUP ... WITHIN WATERMARK without a watermark", withinWithout},
	{codeOutputMode, "a deduplication in complete mode without an aggregation above", dedupComplete},
	{codeJoinTable, "an outer join that would have to wait for the whole stream", joinWithTable},
	{codeJoinUnbounded, "an outer, semi or anti join of two streams of which one has no watermark", joinUnmarked},
	{codeJoinAnti, "an anti join of two streams without a bound", antiJoin},
	{codeJoinMode, "a join of a stream with versions outside append mode", asOfMode},
	{codeJoinEquality, "a join of two streams without an equality", joinEquality},
	{codeJoinUnbounded, "an outer join of two streams that can never decide", joinUnbounded},
	{codeJoinMode, "a join of two streams in a mode that needs rows back", joinMode},
	{codeWindowFunction, "ROW_NUMBER() without a limit on it", rankUnlimited},
	{codeOutputMode, "the first rows of a key in append mode that are never final", topNNeverFinal},
	{codeOutputMode, "the first rows of a key in complete mode", topNComplete},
	{codeSort, "ORDER BY outside complete mode", sortRefused},
	{codeLimit, "LIMIT in update mode", limitUpdate},
	{codeOffset, "OFFSET", offsetRefused},
}

func (c *checker) node(n Node) error {
	for _, in := range n.Inputs() {
		if err := c.node(in); err != nil {
			return err
		}
	}
	for _, r := range refusals {
		if f := r.find(c, n); f != nil {
			return &sqlerr.Error{Code: r.code, Span: f.span, Text: f.text, Hint: f.hint}
		}
	}
	if _, ok := n.(*Aggregate); ok {
		c.aggregated = true
	}
	return nil
}

// spanOf is where a node was written, the zero span if it keeps no place.
func spanOf(n Node) Span {
	switch n := n.(type) {
	case *Aggregate:
		return n.Span
	case *Dedup:
		return n.Span
	case *Join:
		return n.Span
	case *AsOf:
		return n.Span
	case *Sort:
		return n.Span
	case *Limit:
		return n.Span
	case *WindowAssign:
		return n.Span
	case *TopN:
		return n.Span
	}
	return Span{}
}

// changing returns the aggregation or TopN below n, or n itself, whose rows change after
// they came out; nil in append mode and where there is none, or where a Changes takes the
// old ones back.
func (c *checker) changing(n Node) Node {
	if c.output.Mode == types.Append {
		return nil
	}
	switch n := n.(type) {
	case *Aggregate, *TopN:
		return n
	case *Changes:
		return nil
	}
	for _, in := range n.Inputs() {
		if a := c.changing(in); a != nil {
			return a
		}
	}
	return nil
}

// findNode returns the first node of a kind in a tree, inputs left first.
func findNode[T Node](n Node) (found T, ok bool) {
	if t, is := n.(T); is {
		return t, true
	}
	for _, in := range n.Inputs() {
		if t, is := findNode[T](in); is {
			return t, true
		}
	}
	return found, false
}
