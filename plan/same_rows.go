package plan

import "ssql/plan/expr"

// shareSource lets the sides of a join that are the same rows of one stream be one
// source, as in Spark: the planner gives their scans one number, and the engine reads the
// rows once and gives them to both sides.
func shareSource(j *Join) (left, right *Scan, ok bool) {
	if j.Static || !sameRows(j.Left, j.Right) {
		return nil, nil, false
	}
	return scanBelow(j.Left), scanBelow(j.Right), true
}

// sameRows reports whether two trees of scans, projections and filters give equal rows.
// Sides with a watermark are apart: each has its own, with its own late rows.
func sameRows(a, b Node) bool {
	switch a := a.(type) {
	case *Scan:
		b, ok := b.(*Scan)
		return ok && a.Stream == b.Stream && a.id == b.id && sameFields(a.Cols, b.Cols)
	case *Filter:
		b, ok := b.(*Filter)
		return ok && sameExpr(a.Cond, b.Cond) && sameRows(a.Input, b.Input)
	case *Project:
		b, ok := b.(*Project)
		if !ok || len(a.Exprs) != len(b.Exprs) {
			return false
		}
		for i := range a.Exprs {
			if !sameExpr(a.Exprs[i], b.Exprs[i]) {
				return false
			}
		}
		return sameRows(a.Input, b.Input)
	}
	return false
}

func sameExpr(a, b expr.Expr) bool {
	return exprKey(a) == exprKey(b) && !expr.IsVolatile(a)
}

func sameFields(a, b []Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !a[i].Type.Equal(b[i].Type) {
			return false
		}
	}
	return true
}

// scanBelow returns the one scan of a tree without branches.
func scanBelow(n Node) *Scan {
	for {
		if s, ok := n.(*Scan); ok {
			return s
		}
		in := n.Inputs()
		if len(in) != 1 {
			return nil
		}
		n = in[0]
	}
}
