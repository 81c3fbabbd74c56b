package plan

import (
	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// groupingSets is what ROLLUP, CUBE and GROUPING SETS add to a grouping.
type groupingSets struct {
	id       *expr.Column   // over the Expand: bit i from the right is set where key len-1-i is left out
	position map[string]int // by exprKey over rows: which key of the Expand
	count    int            // keys of the Expand
}

// groupingID is the column that tells the grouping sets apart.
const groupingID = "grouping_id"

// setsMax bounds the rows that one row becomes.
const setsMax = 4096

// expandSets puts an Expand below the aggregation and returns the group expressions
// over it. Keys that are in every set stay as they are, and keep their event time.
func (g *grouping) expandSets(k *block, items []value, by *sql.GroupBy) ([]value, error) {
	span := k.b.at(by.Span)
	if len(by.Sets) > setsMax {
		return nil, sqlerr.At(span, codeUnsupported, "%d grouping sets are more than %d", len(by.Sets), setsMax)
	}
	if i, j := equalSets(by.Sets); i >= 0 {
		return nil, sqlerr.At(span, codeUnsupported, "grouping sets %d and %d are the same", i+1, j+1)
	}
	in := g.rows.node
	ex := &Expand{Input: in, Cols: append([]Column(nil), in.Columns()...)}
	s := &groupingSets{position: map[string]int{}}
	var kept, expanded []value
	where := make([]int, len(items)) // item → key of the Expand, -1 if in every set
	for i, v := range items {
		where[i] = -1
		if inEverySet(by.Sets, i) {
			kept = append(kept, v)
			continue
		}
		if isWindowPart(v.mark) || v.mark.closes() {
			return nil, sqlerr.At(k.b.at(by.Items[i].Pos()), codeWindowNotInSets, "the event time must be in every grouping set: groups without it would never be final").
				WithHint("take it out of the brackets: GROUP BY window_start, window_end, ROLLUP (...)")
		}
		where[i] = len(ex.Keys)
		s.position[exprKey(v.Expr)] = len(ex.Keys)
		ex.Keys = append(ex.Keys, v.Expr)
		expanded = append(expanded, v)
	}
	for _, set := range by.Sets {
		var keep []int
		for _, i := range set {
			if where[i] >= 0 {
				keep = append(keep, where[i])
			}
		}
		ex.Sets = append(ex.Sets, keep)
	}
	out := kept
	for _, v := range expanded {
		name := columnName(v.Expr)
		col := &expr.Column{Index: len(ex.Cols), Name: name, T: v.Expr.Type(), Null: true}
		ex.Cols = append(ex.Cols, Column{Field: types.Field{Name: name, Type: v.Expr.Type(), Nullable: true}})
		g.standIn(v, col)
		out = append(out, value{Expr: col})
	}
	s.count = len(ex.Keys)
	s.id = &expr.Column{Index: len(ex.Cols), Name: groupingID, T: types.Of(types.BigInt)}
	ex.Cols = append(ex.Cols, Column{Field: types.Field{Name: groupingID, Type: types.Of(types.BigInt)}})
	g.sets = s
	g.rows = g.rows.over(ex)
	return out, nil
}

// standIn notes that above the aggregation v is the key made from col.
func (g *grouping) standIn(v value, col *expr.Column) {
	if g.expanded == nil {
		g.expanded = map[string]*expr.Column{}
	}
	g.expanded[exprKey(v.Expr)] = col
}

func inEverySet(sets [][]int, item int) bool {
	for _, set := range sets {
		found := false
		for _, i := range set {
			found = found || i == item
		}
		if !found {
			return false
		}
	}
	return true
}

// equalSets returns the first two sets with the same items, -1 if all differ.
func equalSets(sets [][]int) (int, int) {
	for j := range sets {
		for i := 0; i < j; i++ {
			if containsAll(sets[i], sets[j]) && containsAll(sets[j], sets[i]) {
				return i, j
			}
		}
	}
	return -1, -1
}

func containsAll(a, b []int) bool {
	for _, x := range b {
		found := false
		for _, y := range a {
			found = found || x == y
		}
		if !found {
			return false
		}
	}
	return true
}

// groupingCall binds grouping(k, ..) and grouping_id(): which keys the set of a row
// leaves out, the last one in the lowest bit.
func (x *exprBinder) groupingCall(e *sql.Call, name string) (expr.Expr, error) {
	span := x.b.at(e.Span)
	if x.group == nil || x.group.sets == nil {
		return nil, sqlerr.At(span, codeMisplaced, "%s(...) needs ROLLUP, CUBE or GROUPING SETS", name)
	}
	s := x.group.sets
	id, ok := x.group.result(value{Expr: s.id})
	if !ok {
		return nil, sqlerr.At(span, codeMisplaced, "%s(...) may not stand here", name)
	}
	if len(e.Args) == 0 {
		return id.Expr, nil
	}
	rows := &exprBinder{b: x.b, scope: x.group.rows, clause: name, rows: true}
	var sum expr.Expr
	for _, a := range e.Args {
		v, err := rows.bind(a)
		if err != nil {
			return nil, err
		}
		bit, err := x.groupingBit(s, id.Expr, v, a, span)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = bit
			continue
		}
		twice, err := expr.BindBinary("*", sum, expr.NewLiteral(types.Of(types.BigInt), int64(2)), span)
		if err != nil {
			return nil, err
		}
		if sum, err = expr.BindBinary("+", twice, bit, span); err != nil {
			return nil, err
		}
	}
	if name == "grouping" && len(e.Args) == 1 {
		return expr.BindCast(sum, types.Of(types.TinyInt), false, span)
	}
	return sum, nil
}

// groupingBit returns 1 where the set of a row leaves a key out, else 0.
func (x *exprBinder) groupingBit(s *groupingSets, id expr.Expr, v value, e sql.Expr, span Span) (expr.Expr, error) {
	at, ok := s.position[exprKey(v.Expr)]
	if !ok {
		if _, grouped := x.group.result(v); !grouped {
			return nil, sqlerr.At(x.b.at(e.Pos()), codeMissingAggregate, "grouping(...) needs an expression of GROUP BY")
		}
		return expr.NewLiteral(types.Of(types.BigInt), int64(0)), nil
	}
	shift := expr.NewLiteral(types.Of(types.BigInt), int64(s.count-1-at))
	moved, err := expr.BindBinary(">>", id, shift, span)
	if err != nil {
		return nil, err
	}
	return expr.BindBinary("&", moved, expr.NewLiteral(types.Of(types.BigInt), int64(1)), span)
}
