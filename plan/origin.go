package plan

import (
	"fmt"
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// origin is an expression over n written in terms of the streams and aggregates that its
// columns come from. It stays the same when a sub-query renames a column, and changes
// when one computes it differently, which is what a fingerprint must see.
func origin(n Node, e expr.Expr) string {
	if e == nil {
		return ""
	}
	text := moved(e, func(c *expr.Column) expr.Expr {
		return &expr.Column{Index: c.Index, Name: columnOrigin(n, c.Index), T: c.T, Null: c.Null}
	})
	if c, ok := text.(*expr.Column); ok {
		return c.Name
	}
	return plainText(text.String())
}

// columnOrigin is where a column of a node comes from.
func columnOrigin(n Node, i int) string {
	switch n := n.(type) {
	case *Scan:
		return n.Stream + "." + n.Cols[i].Name
	case *StaticScan:
		return n.Table + "." + n.Cols[i].Name
	case *Project:
		return origin(n.Input, n.Exprs[i])
	case *Join:
		if width := len(n.Left.Columns()); i >= width {
			return columnOrigin(n.Right, i-width)
		}
		return columnOrigin(n.Left, i)
	case *AsOf:
		if width := len(n.Left.Columns()); i >= width {
			return columnOrigin(n.Right, i-width)
		}
		return columnOrigin(n.Left, i)
	case *Union:
		if n.Number > 0 {
			return unionColumn(n.Number, n.Cols[i].Name)
		}
		parts := make([]string, 0, len(n.Ins))
		for _, in := range n.Ins {
			parts = append(parts, columnOrigin(in, i))
		}
		return "union(" + strings.Join(parts, ", ") + ")"
	case *Aggregate:
		return n.columnOrigin(i)
	case *WindowAssign:
		if width := len(n.Input.Columns()); i >= width {
			return windowOrigin(n.Input, n.Spec, n.Time) + "." + n.Cols[i].Name
		}
		return columnOrigin(n.Input, i)
	case *Expand:
		width := len(n.Input.Columns())
		switch {
		case i < width:
			return columnOrigin(n.Input, i)
		case i-width < len(n.Keys):
			return origin(n.Input, n.Keys[i-width])
		}
		return groupingID
	case *TopN:
		if i == len(n.Cols)-1 {
			return "row_number"
		}
	case *Changes:
		if i == len(n.Input.Columns()) {
			return changeColumn
		}
	case *Unnest:
		if i == len(n.Input.Columns()) {
			return "unnest(" + origin(n.Input, n.List) + ")"
		}
	}
	return columnOrigin(n.Inputs()[0], i)
}

func (a *Aggregate) columnOrigin(i int) string {
	if a.Window != nil {
		if i < 2 {
			return windowOrigin(a.Input, a.Window, a.Time) + "." + a.Cols[i].Name
		}
		i -= 2
	}
	if i < len(a.Keys) {
		return origin(a.Input, a.Keys[i])
	}
	return a.callOrigin(i - len(a.Keys))
}

// callOrigin is the text of an aggregate over the streams.
func (a *Aggregate) callOrigin(i int) string {
	call := a.Aggs[i]
	args := make([]string, len(call.Args))
	for j, x := range call.Args {
		args[j] = origin(a.Input, x)
	}
	inner := strings.Join(args, ", ")
	if strings.HasPrefix(call.Text, call.Name+"(*)") {
		inner = "*"
	}
	return call.textOf(call.Name, inner, func(e expr.Expr) string { return origin(a.Input, e) })
}

func windowOrigin(n Node, w *WindowSpec, time expr.Expr) string {
	c := *w
	if c.Gap != nil {
		c.Gap = &expr.Column{Name: origin(n, c.Gap), T: types.Of(types.IntervalKind)}
	}
	return specText(&c, &expr.Column{Name: origin(n, time), T: types.Of(types.Timestamp)})
}

// condition is a join condition over the streams, one conjunct a line.
func (j *Join) condition() []string {
	var out []string
	for i := range j.LeftKeys {
		op := "="
		if j.NullSafe[i] {
			op = "<=>"
		}
		out = append(out, fmt.Sprintf("%s %s %s", origin(j.Left, j.LeftKeys[i]), op, origin(j.Right, j.RightKeys[i])))
	}
	if j.LeftFilter != nil {
		out = append(out, origin(j.Left, j.LeftFilter))
	}
	if j.RightFilter != nil {
		out = append(out, origin(j.Right, j.RightFilter))
	}
	if j.Residual != nil {
		out = append(out, origin(j, j.Residual))
	}
	return out
}
