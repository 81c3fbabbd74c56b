package plan

import (
	"math"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// depthMax bounds the nesting of an expression, so that a hostile statement ends
// in an error instead of a stack overflow.
const depthMax = 2000

// exprBinder binds the expressions of one clause over one scope.
type exprBinder struct {
	b     *binder
	scope *scope
	// clause is the clause in the words of the user, for messages: "WHERE".
	clause string
	// group is set above an aggregation: columns are then group keys, and calls of
	// aggregates are its results.
	group *grouping
	// aliases are the select items that a name may stand for when no column has it.
	aliases map[string]*sql.SelectItem
	own     *sql.SelectItem // the one that is bound, which is no alias of itself
	// ranking is the ROW_NUMBER() of the block, above its rows and groups.
	ranking *ranking
	// names stand for values before columns do: the columns of a stream that a computed
	// column may use, and the parameters of lambdas.
	names map[string]value
	// lambdas is how many lambdas there are around the expression.
	lambdas int
	// rows is set where a call of an aggregate may not stand: inside another one and
	// in WHERE.
	rows  bool
	depth int
}

// bind returns the bound form of e with its event time.
func (x *exprBinder) bind(e sql.Expr) (value, error) {
	x.depth++
	defer func() { x.depth-- }()
	if x.depth > depthMax {
		return value{}, sqlerr.At(x.b.at(e.Pos()), codeTooDeep, "the expression is nested more than %d deep", depthMax)
	}
	if x.group != nil {
		if v, ok := x.group.match(x, e); ok {
			return v, nil
		}
	}
	switch e := e.(type) {
	case *sql.ColumnRef:
		return x.column(e)
	case *sql.Call:
		return x.call(e)
	case *sql.Access:
		return x.access(e)
	}
	v, err := x.plain(e)
	return value{Expr: v}, err
}

// scalar binds e where its event time does not matter.
func (x *exprBinder) scalar(e sql.Expr) (expr.Expr, error) {
	v, err := x.bind(e)
	return v.Expr, err
}

func (x *exprBinder) scalars(list []sql.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		v, err := x.scalar(e)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// condition binds e and checks that it is a truth value.
func (x *exprBinder) condition(e sql.Expr) (expr.Expr, error) {
	v, err := x.scalar(e)
	if err != nil {
		return nil, err
	}
	switch v.Type().Kind {
	case types.Boolean:
		return v, nil
	case types.Null:
		return expr.BindCast(v, types.Of(types.Boolean), false, x.b.at(e.Pos()))
	}
	return nil, sqlerr.At(x.b.at(e.Pos()), codeTypeMismatch, "%s needs a condition, found a value of type %s", x.clause, v.Type()).
		WithHint("compare it with something: %[1]s <> 0, or %[1]s IS NOT NULL", sql.ExprText(e))
}

// plain binds the kinds of expression that never carry event time.
func (x *exprBinder) plain(e sql.Expr) (expr.Expr, error) {
	span := x.b.at(e.Pos())
	switch e := e.(type) {
	case *sql.Literal:
		return literal(e.Value, span)
	case *sql.TypedLiteral:
		return expr.BindCast(expr.NewLiteral(types.Of(types.Varchar), e.Text), e.Type, false, span)
	case *sql.Interval:
		return expr.NewLiteral(types.Of(types.IntervalKind), e.Value), nil
	case *sql.Unary:
		return x.unary(e, span)
	case *sql.Binary:
		return x.binary(e, span)
	case *sql.IsTest:
		v, err := x.scalar(e.X)
		if err != nil {
			return nil, err
		}
		return expr.BindIsTest(v, e.What, e.Not, span)
	case *sql.Between:
		return x.between(e, span)
	case *sql.In:
		return x.in(e, span)
	case *sql.Like:
		return x.like(e, span)
	case *sql.Case:
		return x.caseOf(e, span)
	case *sql.Cast:
		v, err := x.scalar(e.X)
		if err != nil {
			return nil, err
		}
		x.b.meansCast(v, e.Type)
		return expr.BindCast(v, e.Type, e.Try, span)
	}
	return x.nested(e, span)
}

// nested binds constructors and parts of nested values, and what is sugar for a
// function.
func (x *exprBinder) nested(e sql.Expr, span Span) (expr.Expr, error) {
	switch e := e.(type) {
	case *sql.ListLit:
		items, err := x.scalars(e.Items)
		if err != nil {
			return nil, err
		}
		return expr.BindList(items, span)
	case *sql.StructLit:
		items, err := x.scalars(e.Items)
		if err != nil {
			return nil, err
		}
		return expr.BindStruct(e.Names, items)
	case *sql.MapLit:
		return x.mapOf(e, span)
	case *sql.Slice:
		return x.slice(e, span)
	case *sql.AtTimeZone:
		if !isNow(e.X) {
			x.b.means("at time zone")
		}
		return x.function("timezone", []sql.Expr{e.Zone, e.X}, span)
	case *sql.Extract:
		field := &sql.Literal{Value: e.Field, Span: e.Span}
		x.b.means(e.Field)
		return x.function("date_part", []sql.Expr{field, e.X}, span)
	case *sql.Star:
		return nil, sqlerr.At(span, codeMisplaced, "* stands alone in a select list or in count(*)")
	case *sql.Exists, *sql.ScalarQuery:
		return x.subqueryValue(e, span)
	case *sql.Lambda:
		return nil, sqlerr.At(span, codeUnsupported, "a lambda is only understood as the second argument of a list function").
			WithHint("list_transform(list, x -> ...) and list_filter(list, x -> ...)")
	}
	return nil, sqlerr.At(span, codeUnsupported, "this kind of expression is not supported in a streaming query")
}

func (x *exprBinder) function(name string, args []sql.Expr, span Span) (expr.Expr, error) {
	bound, err := x.scalars(args)
	if err != nil {
		return nil, err
	}
	return expr.BindFunction(name, bound, span)
}

// literal returns a constant with DuckDB's type for it: whole numbers are INTEGER
// where they fit, numbers with a point are DECIMAL.
func literal(v any, span Span) (expr.Expr, error) {
	switch v := v.(type) {
	case nil:
		return expr.NewLiteral(types.Of(types.Null), nil), nil
	case bool:
		return expr.NewLiteral(types.Of(types.Boolean), v), nil
	case int64:
		if v >= math.MinInt32 && v <= math.MaxInt32 {
			return expr.NewLiteral(types.Of(types.Int), v), nil
		}
		return expr.NewLiteral(types.Of(types.BigInt), v), nil
	case float64:
		return expr.NewLiteral(types.Of(types.Double), v), nil
	case string:
		return expr.NewLiteral(types.Of(types.Varchar), v), nil
	case []byte:
		return expr.NewLiteral(types.Of(types.Blob), v), nil
	case sql.Number:
		return decimalLiteral(string(v), span)
	}
	return nil, sqlerr.At(span, codeUnsupported, "this constant is not supported")
}

// decimalLiteral returns an exact number; one with more than 38 digits is a DOUBLE.
func decimalLiteral(text string, span Span) (expr.Expr, error) {
	whole, fraction, _ := strings.Cut(strings.TrimLeft(text, "+-"), ".")
	precision := len(strings.TrimLeft(whole, "0")) + len(fraction)
	if precision <= 38 {
		return expr.NewLiteral(types.DecimalOf(int32(max(precision, 1)), int32(len(fraction))), text), nil
	}
	return expr.BindCast(expr.NewLiteral(types.Of(types.Varchar), text), types.Of(types.Double), false, span)
}

func (x *exprBinder) unary(e *sql.Unary, span Span) (expr.Expr, error) {
	// A minus belongs to the constant behind it: -2147483648 is an INTEGER.
	if lit, ok := e.X.(*sql.Literal); ok && e.Op == "-" {
		switch v := lit.Value.(type) {
		case int64:
			if v != math.MinInt64 {
				return literal(-v, span)
			}
		case float64:
			return literal(-v, span)
		case sql.Number:
			return literal("-"+v, span)
		}
	}
	v, err := x.scalar(e.X)
	if err != nil {
		return nil, err
	}
	return expr.BindUnary(e.Op, v, span)
}

func (x *exprBinder) binary(e *sql.Binary, span Span) (expr.Expr, error) {
	l, err := x.scalar(e.L)
	if err != nil {
		return nil, err
	}
	if c, ok := e.R.(*sql.ColumnRef); ok && e.Op == "->" && len(c.Parts) == 1 && l.Type().Kind == types.Struct {
		return expr.BindField(l, c.Parts[0].Name, x.b.at(c.Span)) // ksqlDB's spelling of l.field
	}
	r, err := x.scalar(e.R)
	if err != nil {
		return nil, err
	}
	x.b.means(e.Op, l, r)
	return x.b.operator(e.Op, l, r, x.b.at(operatorSpan(e, span)))
}

// operator binds l op r by the rule for a division by zero that the query has.
func (b *binder) operator(op string, l, r expr.Expr, span Span) (expr.Expr, error) {
	if b.ansi {
		return expr.BindBinaryANSI(op, l, r, span)
	}
	return expr.BindBinary(op, l, r, span)
}

// divisionCalls are the functions that are spellings of a dividing operator.
var divisionCalls = map[string]string{"divide": "//", "fmod": "%", "mod": "%"}

// operatorSpan is where an error about an operator points: at the operator itself.
func operatorSpan(e *sql.Binary, whole Span) Span {
	if e.OpAt != (Span{}) {
		return e.OpAt
	}
	return whole
}

func (x *exprBinder) between(e *sql.Between, span Span) (expr.Expr, error) {
	vals, err := x.scalars([]sql.Expr{e.X, e.Low, e.High})
	if err != nil {
		return nil, err
	}
	low, err := expr.BindBinary(">=", vals[0], vals[1], span)
	if err != nil {
		return nil, err
	}
	high, err := expr.BindBinary("<=", vals[0], vals[2], span)
	if err != nil {
		return nil, err
	}
	both, err := expr.BindBinary("AND", low, high, span)
	if err != nil || !e.Not {
		return both, err
	}
	return expr.BindUnary("NOT", both, span)
}

func (x *exprBinder) in(e *sql.In, span Span) (expr.Expr, error) {
	if e.Query != nil {
		return x.subqueryValue(e, span)
	}
	v, err := x.scalar(e.X)
	if err != nil {
		return nil, err
	}
	list, err := x.scalars(e.List)
	if err != nil {
		return nil, err
	}
	return expr.BindIn(v, list, e.Not, span)
}

func (x *exprBinder) like(e *sql.Like, span Span) (expr.Expr, error) {
	vals, err := x.scalars([]sql.Expr{e.X, e.Pattern})
	if err != nil {
		return nil, err
	}
	var escape expr.Expr
	if e.Escape != nil {
		if escape, err = x.scalar(e.Escape); err != nil {
			return nil, err
		}
	}
	if e.Escape == nil && (e.Op == "LIKE" || e.Op == "ILIKE") {
		x.b.means("like", vals...)
	}
	return expr.BindLike(e.Op, vals[0], vals[1], escape, e.Not, span)
}

func (x *exprBinder) caseOf(e *sql.Case, span Span) (expr.Expr, error) {
	var operand, els expr.Expr
	var err error
	if e.X != nil {
		if operand, err = x.scalar(e.X); err != nil {
			return nil, err
		}
	}
	when, then := make([]expr.Expr, len(e.Whens)), make([]expr.Expr, len(e.Whens))
	for i, w := range e.Whens {
		if when[i], err = x.scalar(w.When); err != nil {
			return nil, err
		}
		if then[i], err = x.scalar(w.Then); err != nil {
			return nil, err
		}
	}
	if e.Else != nil {
		if els, err = x.scalar(e.Else); err != nil {
			return nil, err
		}
	}
	return expr.BindCase(operand, when, then, els, span)
}

func (x *exprBinder) mapOf(e *sql.MapLit, span Span) (expr.Expr, error) {
	keys, err := x.scalars(e.Keys)
	if err != nil {
		return nil, err
	}
	vals, err := x.scalars(e.Values)
	if err != nil {
		return nil, err
	}
	return expr.BindMap(keys, vals, span)
}

func (x *exprBinder) slice(e *sql.Slice, span Span) (expr.Expr, error) {
	low, high := e.Low, e.High
	if low == nil {
		low = &sql.Literal{Value: int64(1), Span: e.Span}
	}
	if high == nil {
		high = &sql.Literal{Value: int64(-1), Span: e.Span}
	}
	return x.function("list_slice", []sql.Expr{e.X, low, high}, span)
}

// column resolves a name: a column, `window` beside GROUP BY window(...), or the
// alias of a select item.
func (x *exprBinder) column(e *sql.ColumnRef) (value, error) {
	span := x.b.at(e.Span)
	if v, ok := x.names[strings.ToLower(e.Parts[0].Name)]; ok {
		return x.fields(v, e.Parts[1:])
	}
	found, used := x.scope.find(e.Parts)
	switch {
	case len(found) > 1:
		return value{}, ambiguous(e.Parts, found, span)
	case len(found) == 1 && x.group != nil:
		return value{}, notGrouped(dotted(e.Parts), span, len(x.group.agg.Keys) > 0)
	case len(found) == 1:
		return x.fields(found[0].value(), e.Parts[used:])
	}
	if w := x.scope.window(e.Parts[0].Name); w != nil {
		if x.group != nil {
			return value{}, notGrouped(e.Parts[0].Name, span, true)
		}
		v, err := x.windowStruct(w)
		if err != nil {
			return value{}, err
		}
		return x.fields(v, e.Parts[1:])
	}
	if item, ok := x.aliases[strings.ToLower(e.Parts[0].Name)]; ok && item != x.own {
		return x.alias(item, e.Parts[1:])
	}
	if v, err, ok := x.keyword(e, span); ok {
		return value{Expr: v}, err
	}
	return value{}, x.scope.unresolved(e.Parts, span)
}

// alias binds the select item that a name stands for. The item itself must not see
// the alias again.
func (x *exprBinder) alias(item *sql.SelectItem, fields []sql.Ident) (value, error) {
	inner := *x
	inner.aliases = nil
	v, err := inner.bind(item.Expr)
	if err != nil {
		return value{}, err
	}
	return x.fields(v, fields)
}

// keyword binds the functions that SQL writes without parentheses.
func (x *exprBinder) keyword(e *sql.ColumnRef, span Span) (expr.Expr, error, bool) {
	if len(e.Parts) != 1 || e.Parts[0].Quoted {
		return nil, nil, false
	}
	switch name := strings.ToLower(e.Parts[0].Name); name {
	case "current_date", "current_timestamp", "localtimestamp":
		v, err := expr.BindFunction(name, nil, span)
		return v, err, true
	}
	return nil, nil, false
}

// fields walks down the fields of a value.
func (x *exprBinder) fields(v value, parts []sql.Ident) (value, error) {
	for _, p := range parts {
		next, err := x.field(v, p)
		if err != nil {
			return value{}, err
		}
		v = next
	}
	return v, nil
}

func (x *exprBinder) field(v value, name sql.Ident) (value, error) {
	if v.window != nil && strings.EqualFold(name.Name, "start") {
		return x.windowPart(v.window, WindowStart), nil
	}
	if v.window != nil && strings.EqualFold(name.Name, "end") {
		return x.windowPart(v.window, WindowEnd), nil
	}
	f, err := structField(v.Expr, name.Name, x.b.at(name.Span))
	if err != nil {
		return value{}, err
	}
	if v.mark == nil || v.mark.Part != WindowStruct {
		return value{Expr: f}, nil
	}
	switch strings.ToLower(name.Name) {
	case "start":
		return value{Expr: f, mark: v.mark.part(WindowStart)}, nil
	case "end":
		return value{Expr: f, mark: v.mark.part(WindowEnd)}, nil
	}
	return value{Expr: f}, nil
}

// structField returns a field of a struct; of one that is made right here it is what the
// field is made of.
func structField(s expr.Expr, name string, span Span) (expr.Expr, error) {
	f, err := expr.BindField(s, name, span)
	if err != nil {
		return nil, err
	}
	parts := s.Children()
	if len(parts) != len(s.Type().Fields) {
		return f, nil
	}
	made, err := expr.BindStruct(fieldNames(s.Type()), parts)
	if err != nil || made.String() != s.String() {
		return f, nil
	}
	i, _, _ := s.Type().Field(name)
	return parts[i], nil
}

func fieldNames(t types.Type) []string {
	names := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		names[i] = f.Name
	}
	return names
}

func (x *exprBinder) access(e *sql.Access) (value, error) {
	v, err := x.bind(e.X)
	if err != nil {
		return value{}, err
	}
	if e.Field != nil {
		return x.field(v, *e.Field)
	}
	if list, err := x.listOfValue(e.X, v.Expr, e.Index, x.b.at(e.Span)); list || err != nil {
		return v, err
	}
	index, err := x.scalar(e.Index)
	if err != nil {
		return value{}, err
	}
	if v.Expr.Type().Kind == types.List {
		x.b.means("[n]")
	}
	out, err := expr.BindIndex(v.Expr, index, x.b.at(e.Span))
	return value{Expr: out}, err
}
