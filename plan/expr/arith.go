package expr

import (
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// BindUnary binds -x, +x, ~x and NOT x.
func BindUnary(op string, x Expr, span sqlerr.Span) (Expr, error) {
	if op == "NOT" || op == "!" {
		return bindNot(x, span)
	}
	if isUntyped(x) && x.Type().Kind == types.Varchar {
		var err error
		if x, err = BindCast(x, tDouble, false, span); err != nil {
			return nil, err
		}
	}
	t := x.Type()
	if t.Kind == types.Null {
		return x, nil
	}
	switch {
	case op == "+" && t.IsNumeric():
		return x, nil
	case op == "-" && (t.IsNumeric() || t.Kind == types.IntervalKind):
		return negate(x, span), nil
	case op == "~" && t.IsInteger():
		return newCall(spec{name: "~", t: t, nullable: x.Nullable(), span: span, total: true,
			form: prefix("~"), kern: bitNotKernel(t)}, x), nil
	}
	return nil, sqlerr.At(span, codeMismatch, "operator %s expects a number, found %s", op, t)
}

func prefix(op string) func([]string) string {
	return func(a []string) string { return "(" + op + a[0] + ")" }
}

// negate returns -x. A negated literal stays as untyped as it was written.
func negate(x Expr, span sqlerr.Span) Expr {
	t := x.Type()
	n := newCall(spec{name: "-", t: t, nullable: x.Nullable(), span: span, form: prefix("-"), kern: negateKernel(t)}, x)
	if l, ok := n.(*Literal); ok {
		l.untyped = isUntyped(x)
	}
	return n
}

// BindBinary binds l op r: arithmetic, comparison, AND, OR, ||, bit operators.
func BindBinary(op string, l, r Expr, span sqlerr.Span) (Expr, error) {
	if _, ok := comparisonOf(op); ok {
		return bindComparison(op, l, r, span)
	}
	switch op {
	case "AND", "OR":
		return bindLogical(op, l, r, span)
	case "||":
		return bindConcatOperator(l, r, span)
	case "+", "-", "*", "/", "//", "%", "DIV":
		return bindArithmetic(op, l, r, span)
	case "&", "|", "<<", ">>":
		return bindBits(op, l, r, span)
	case "^", "**":
		return bindPower(&binding{name: "pow", args: []Expr{l, r}, span: span})
	case "~":
		return bindRegexpOperator(l, r, span)
	case "->", "->>":
		return bindJSONOperator(op, l, r, span)
	}
	return nil, sqlerr.At(span, "UNSUPPORTED_FEATURE", "operator %s has no meaning in a streaming query", op)
}

func bindArithmetic(op string, l, r Expr, span sqlerr.Span) (Expr, error) {
	l, r, err := typeStrings(op, l, r, span)
	if err != nil {
		return nil, err
	}
	lt, rt := l.Type(), r.Type()
	if lt.Kind == types.Null {
		lt = nullPartner(rt)
	}
	if rt.Kind == types.Null {
		rt = nullPartner(lt)
	}
	if lt.IsNumeric() && rt.IsNumeric() {
		return bindNumeric(op, l, r, lt, rt, span)
	}
	if e, err := bindTemporal(op, l, r, lt, rt, span); e != nil || err != nil {
		return e, err
	}
	e := sqlerr.At(span, codeMismatch, "operator %s is not defined for %s and %s", op, l.Type(), r.Type())
	switch {
	case lt.Kind == types.Varchar && rt.IsNumeric() || rt.Kind == types.Varchar && lt.IsNumeric():
		e.WithHint("write CAST(... AS DOUBLE) around the text, or || to join texts")
	case lt.Kind == types.Timestamp && rt.IsNumeric():
		e.WithHint("add an interval, such as INTERVAL '1' SECOND")
	}
	return nil, e
}

// nullPartner returns the type a bare NULL takes beside t.
func nullPartner(t types.Type) types.Type {
	if t.Kind == types.Null {
		return tInt
	}
	if t.Kind == types.Timestamp {
		return tInterval
	}
	return t
}

// typeStrings gives untyped string literals the type that the other side calls for.
func typeStrings(op string, l, r Expr, span sqlerr.Span) (Expr, Expr, error) {
	lText := isUntyped(l) && l.Type().Kind == types.Varchar
	rText := isUntyped(r) && r.Type().Kind == types.Varchar
	if lText == rText {
		return l, r, nil
	}
	var err error
	if lText {
		l, err = BindCast(l, stringPartner(op, r.Type()), false, span)
	} else {
		r, err = BindCast(r, stringPartner(op, l.Type()), false, span)
	}
	return l, r, err
}

func stringPartner(op string, t types.Type) types.Type {
	switch {
	case t.Kind == types.Decimal:
		return tDouble
	case (t.Kind == types.Timestamp || t.Kind == types.Date) && op == "+":
		return tInterval
	case t.Kind == types.Null:
		return tVarchar
	}
	return t
}

func bindNumeric(op string, l, r Expr, lt, rt types.Type, span sqlerr.Span) (Expr, error) {
	lt, rt = literalNumber(l, r, lt, rt)
	t := arithmeticType(lt, rt)
	switch {
	case op == "/" || op == "//" && !t.IsInteger():
		if t.Kind != types.Float {
			t = tDouble
		}
		return numericCall("/", l, r, t, t, span)
	case op == "DIV" && !t.IsInteger():
		q, err := numericCall("/", l, r, tDouble, tDouble, span)
		if err != nil {
			return nil, err
		}
		if q, err = bindTrunc(&binding{name: "trunc", args: []Expr{q}, span: span}); err != nil {
			return nil, err
		}
		return BindCast(q, tBigInt, false, span)
	case op == "DIV":
		op = "//"
	}
	if t.Kind != types.Decimal {
		return numericCall(op, l, r, t, t, span)
	}
	return bindDecimal(op, l, r, asDecimal(lt), asDecimal(rt), span)
}

// literalNumber lets an untyped whole number take the other side's integer type.
func literalNumber(l, r Expr, lt, rt types.Type) (types.Type, types.Type) {
	lu, ru := isUntyped(l), isUntyped(r)
	switch {
	case lu && !ru && rt.IsInteger():
		if v, ok := literalInt(l); ok && integerHolds(rt.Kind, v) {
			return rt, rt
		}
	case ru && !lu && lt.IsInteger():
		if v, ok := literalInt(r); ok && integerHolds(lt.Kind, v) {
			return lt, lt
		}
	}
	return lt, rt
}

// arithmeticType is commonNumber but for mixed signs: DuckDB then computes in the
// signed type if it is the wider one, else in BIGINT.
func arithmeticType(a, b types.Type) types.Type {
	if !a.IsInteger() || !b.IsInteger() || a.IsSigned() == b.IsSigned() {
		return commonNumber(a, b)
	}
	if b.IsSigned() {
		a, b = b, a
	}
	switch t := commonNumber(a, b); {
	case t.Equal(a), t.Kind == types.Decimal:
		return t
	}
	return tBigInt
}

// numericCall returns l op r computed in operand type in.
func numericCall(op string, l, r Expr, in, out types.Type, span sqlerr.Span) (Expr, error) {
	l, err := implicit(l, in, span)
	if err != nil {
		return nil, err
	}
	r, err = implicit(r, in, span)
	if err != nil {
		return nil, err
	}
	nullable := anyNullable(l, r)
	if op == "/" || op == "//" || op == "%" {
		nullable = true // Spark's rule: a division may be by zero
	}
	return newCall(spec{name: op, t: out, nullable: nullable, span: span, total: in.IsFloat(),
		form: infix(op), kern: arithmeticKernel(op, in)}, l, r), nil
}

// bindDecimal finds the precision and scale of a result as Spark does, which leaves
// room for every result up to 38 digits: p1+p2+1 for a product, one digit more than
// the wider operand for a sum. DuckDB has the same values in fewer digits. A value
// that does not fit 38 digits fails.
func bindDecimal(op string, l, r Expr, lt, rt types.Type, span sqlerr.Span) (Expr, error) {
	scale := max(lt.Scale, rt.Scale)
	wholes := [2]int32{lt.Precision - lt.Scale, rt.Precision - rt.Scale}
	switch op {
	case "*":
		scale = lt.Scale + rt.Scale
		if scale > types.DigitsMax {
			return nil, sqlerr.At(span, "NUMERIC_VALUE_OUT_OF_RANGE",
				"the product of %s and %s needs %d digits after the point, the most is %d", lt, rt, scale, types.DigitsMax).
				WithHint("cast one side to DOUBLE or to a DECIMAL of a smaller scale")
		}
		t := types.DecimalOf(min(lt.Precision+rt.Precision+1, types.DigitsMax), scale)
		return decimalCall(op, l, r, lt, rt, t, span)
	case "%":
		// The operands keep all their digits; the remainder is less than either.
		in := types.DecimalOf(min(max(wholes[0], wholes[1])+scale, types.DigitsMax), scale)
		t := types.DecimalOf(max(min(min(wholes[0], wholes[1])+scale, types.DigitsMax), 1), scale)
		return decimalCall(op, l, r, in, in, t, span)
	}
	t := types.DecimalOf(min(max(wholes[0], wholes[1])+scale+1, types.DigitsMax), scale)
	return decimalCall(op, l, r, t, t, t, span)
}

func decimalCall(op string, l, r Expr, lt, rt, t types.Type, span sqlerr.Span) (Expr, error) {
	l, err := implicit(l, lt, span)
	if err != nil {
		return nil, err
	}
	r, err = implicit(r, rt, span)
	if err != nil {
		return nil, err
	}
	return newCall(spec{name: op, t: t, nullable: anyNullable(l, r) || op == "%", span: span,
		form: infix(op), kern: decimalKernel(op, t)}, l, r), nil
}
