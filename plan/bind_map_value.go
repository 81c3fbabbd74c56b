package plan

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// elementCalls are the spellings of list[index] as a call.
var elementCalls = map[string]bool{"array_element": true, "array_extract": true, "list_element": true, "list_extract": true}

// listOfValue reports whether v[index] is DuckDB's way to take the value of a key out of a
// map, which is v here: element_at(m, key) is a list of the value there, and so is m[key]
// before DuckDB 1.3. Of a text v[1] would be its first character. e is what v was written
// as; what could mean both is refused.
func (x *exprBinder) listOfValue(e sql.Expr, v expr.Expr, index sql.Expr, span Span) (bool, error) {
	first := false
	if lit, ok := index.(*sql.Literal); ok {
		_, whole := lit.Value.(int64)
		first = lit.Value == any(int64(1))
		if !whole {
			return false, nil
		}
	}
	text := sql.ExprText(e)
	nested := v.Type().Kind == types.List || v.Type().Kind == types.Map || v.Type().Kind == types.Struct
	switch e := e.(type) {
	case *sql.Call:
		if !strings.EqualFold(e.Name.Name, "element_at") || len(e.Args) != 2 || !x.isMap(e.Args[0]) {
			return false, nil
		}
		if first && !nested {
			return true, nil
		}
		m := sql.ExprText(&sql.Access{X: e.Args[0], Index: e.Args[1]})
		return false, sqlerr.At(span, codeCall, "%s[...] could mean two things: element_at of a map is the value here, and a list of it in DuckDB", text).
			WithHint("the value is %s, and a part of it %s[...]", m, m)
	case *sql.Access:
		if e.Index == nil || nested || !x.isMap(e.X) {
			return false, nil
		}
		refused := sqlerr.At(span, codeCall, "%s[...] could mean two things: m[key] is the value here, and a list of it in DuckDB before 1.3", text)
		if v.Type().Kind == types.Varchar {
			return false, refused.WithHint("the value is %s, and its first character left(%s, 1)", text, text)
		}
		return false, refused.WithHint("the value is %s", text)
	}
	return false, nil
}

// isMap reports whether an expression is a map.
func (x *exprBinder) isMap(e sql.Expr) bool {
	v, err := x.scalar(e)
	return err == nil && v.Type().Kind == types.Map
}

// isNow reports whether an expression is the time of the batch, which every engine takes as
// an instant.
func isNow(e sql.Expr) bool {
	switch e := e.(type) {
	case *sql.Call:
		return len(e.Args) == 0
	case *sql.ColumnRef:
		return len(e.Parts) == 1 && strings.EqualFold(e.Parts[0].Name, "current_timestamp")
	}
	return false
}
