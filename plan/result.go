package plan

import (
	"fmt"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// keyColumns finds the result columns that identify a row in update mode, so that a
// sink can replace it, and notes a key that the select list hides.
func keyColumns(o *Output) {
	o.KeyColumns, o.WindowColumn, o.HiddenKey = nil, -1, nil
	if o.Mode != types.Update {
		return
	}
	// Rows are replaced only if an aggregation or TopN makes them; operators above it
	// must pass its keys on.
	made, from, ok := rowMaker(o.Root)
	if !ok {
		o.HiddenKey = unionOfChanging(o.Root)
		return
	}
	if t, isTop := made.(*TopN); isTop {
		o.topKeys(t, from)
	} else {
		o.groupKeys(made.(*Aggregate), from)
	}
	for _, i := range o.KeyColumns {
		if c := o.Columns[i]; o.WindowColumn < 0 && c.Mark != nil && c.Type.Kind == types.Timestamp {
			o.WindowColumn = i
		}
	}
}

// unionOfChanging says that no columns identify the rows of a UNION of which a branch
// changes; nil for others.
func unionOfChanging(root Node) *sqlerr.Error {
	u, ok := findNode[*Union](root)
	if !ok {
		return nil
	}
	for _, in := range u.Ins {
		if made, _, ok := rowMaker(in); ok {
			return sqlerr.At(spanOf(made), codeHiddenKey, "in update mode a row replaces the one with the same keys, and behind UNION ALL nothing tells the rows of the branches apart").
				WithHint("write each branch to a table of its own, and put UNION ALL into a view over them")
		}
	}
	return nil
}

// groupKeys are the keys of the groups of an aggregation.
func (o *Output) groupKeys(a *Aggregate, from func(int) int) {
	keys := []int{} // without GROUP BY it stays empty: each row replaces the one before
	shown, marks := make([]int, len(a.Cols)-len(a.Aggs)), make([]*Mark, len(a.Cols)-len(a.Aggs))
	for key := range shown {
		shown[key], marks[key] = from(key), a.Cols[key].Mark
	}
	for key, at := range shown {
		switch {
		case slices.Contains(keys, at): // a struct holds both ends of a window
		case at >= 0:
			keys = append(keys, at)
		case followsFromShown(marks, shown, key):
		case a.Cols[key].Name == groupingID:
			o.notices = append(o.notices, "a total of ROLLUP or CUBE replaces the row of a group whose key is NULL: add grouping_id() to the select list to keep them apart")
		default:
			o.HiddenKey = hiddenKey(a.Span, a.Cols[key].Name, hiddenKeyText(a, key))
			return
		}
	}
	o.KeyColumns = keys
}

// topKeys are the keys of a TopN: all rows of a key come again together.
func (o *Output) topKeys(t *TopN, from func(int) int) {
	at := make([]int, len(t.Keys)) // where each key is shown, -1 for nowhere
	for i, k := range t.Keys {
		at[i] = -1
		if c, ok := k.(*expr.Column); ok {
			at[i] = from(c.Index)
		} else {
			at[i] = o.shows(k)
		}
	}
	keys := []int{}
	for i, k := range t.Keys {
		switch {
		case slices.Contains(keys, at[i]):
		case at[i] >= 0:
			keys = append(keys, at[i])
		case !followsFromShown(t.keyMarks, at, i):
			o.HiddenKey = hiddenKey(t.Span, columnName(k), columnName(k))
			return
		}
	}
	o.KeyColumns = keys
}

// shows returns the result column that computes an expression over the node that makes the
// rows, -1 without.
func (o *Output) shows(e expr.Expr) int {
	if expr.IsVolatile(e) {
		return -1
	}
	r := &resultChain{}
	if !r.collect(o.Root) {
		return -1
	}
	for i := range o.Columns {
		if shown := r.over(ref(o.Root, i)); exprKey(shown) == exprKey(e) {
			return i
		}
	}
	return -1
}

// followsFromShown reports whether a key is one end of a window whose other end is shown: of
// a window of fixed size each follows from the other.
func followsFromShown(marks []*Mark, at []int, key int) bool {
	m := marks[key]
	if !isWindowPart(m) || m.Window == nil || m.Window.Kind != Tumble && m.Window.Kind != Hop {
		return false
	}
	for other, o := range marks {
		if at[other] >= 0 && isWindowPart(o) && sameWindow(o, m) {
			return true
		}
	}
	return false
}

func hiddenKey(span Span, name, add string) *sqlerr.Error {
	return sqlerr.At(span, codeHiddenKey, "in update mode a row replaces the one with the same keys, and the select list leaves out the key %q", name).
		WithHint("add %s to the select list", add)
}

func hiddenKeyText(a *Aggregate, key int) string {
	if isWindowPart(a.Cols[key].Mark) {
		return "window.start (or window_start)"
	}
	return strings.Trim(a.Cols[key].Name, `"`)
}

// rowMaker finds the aggregation or TopN whose rows are those of n, and where its columns
// are in n; -1 for one that was left out or computed over.
func rowMaker(n Node) (Node, func(int) int, bool) {
	switch n := n.(type) {
	case *Aggregate, *TopN:
		return n, func(i int) int { return i }, true
	case *Filter, *Sort, *Limit:
		return rowMaker(n.Inputs()[0])
	case *Project:
		made, below, ok := rowMaker(n.Input)
		if !ok {
			return nil, nil, false
		}
		return made, func(i int) int { return n.carries(below(i)) }, true
	case *Unnest: // the rows of a key come together, also when they are several or none
		return rowMaker(n.Input)
	case *Join:
		if n.Static {
			return rowMaker(n.Left)
		}
	}
	return nil, nil, false
}

// carries returns the column of a projection that holds column i of its input as it is,
// in a wider type, or as the start or end of a window struct; -1 without.
func (n *Project) carries(i int) int {
	if i < 0 {
		return -1
	}
	for at, e := range n.Exprs {
		if c, ok := e.(*expr.Column); ok && c.Index == i {
			return at
		}
	}
	for at, e := range n.Exprs {
		if c, ok := expr.WidenedColumn(e); ok && c.Index == i {
			return at
		}
	}
	for at, e := range n.Exprs {
		if m := n.Cols[at].Mark; m != nil && m.Part == WindowStruct {
			for _, used := range columnsOf(e) {
				if used == i {
					return at
				}
			}
		}
	}
	return -1
}

// warnings are what a user should know of a plan that runs.
func warnings(p *Plan) []string {
	var out []string
	used := map[*WatermarkDef]bool{}
	needed := false
	for _, o := range p.Outputs {
		// Where nothing is kept, or all for ever, nothing needs a watermark.
		needed = markUsed(o.Root, used) && o.Mode != types.Complete || needed
	}
	if !needed {
		return nil
	}
	for _, w := range p.Watermarks {
		if !used[w] {
			out = append(out, fmt.Sprintf("the watermark on %q of %s is not used by any operator: no row is late and nothing closes by it", w.Column, w.Relation))
		}
	}
	return out
}

// markUsed notes the watermarks that some operator drops late rows or closes by, and
// reports whether any operator keeps state.
func markUsed(n Node, used map[*WatermarkDef]bool) (stateful bool) {
	switch n := n.(type) {
	case *Aggregate, *TopN, *Dedup:
		stateful = true
	case *Join:
		stateful = !n.Static
	case *AsOf:
		stateful = !n.Static
	}
	if usesWatermark(n) {
		for _, w := range watermarksOf(n) {
			used[w] = true
		}
	}
	for _, in := range n.Inputs() {
		stateful = markUsed(in, used) || stateful
	}
	return stateful
}

// watermarksOf returns the watermarks in a tree: together they make the one that its root
// works with.
func watermarksOf(n Node) []*WatermarkDef {
	var out []*WatermarkDef
	if w, ok := n.(*Watermark); ok {
		out = append(out, w.Def)
	}
	for _, in := range n.Inputs() {
		out = append(out, watermarksOf(in)...)
	}
	return out
}

// Global reports whether the result is one row over all input: an aggregation without GROUP
// BY.
func (o *Output) Global() bool {
	made, _, ok := rowMaker(o.Root)
	a, isAggregate := made.(*Aggregate)
	return ok && isAggregate && len(a.Keys) == 0 && a.Window == nil
}
