package expr

import (
	"math"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// The codes of the errors of this package; Spark's names.
const (
	codeMismatch   = "DATATYPE_MISMATCH"
	codeCast       = "CAST_INVALID_INPUT"
	codeCastRange  = "CAST_OVERFLOW"
	codeOverflow   = "ARITHMETIC_OVERFLOW"
	codeRoutine    = "UNRESOLVED_ROUTINE"
	codeArgCount   = "WRONG_NUM_ARGS"
	codeField      = "FIELD_NOT_FOUND"
	codeParameter  = "INVALID_PARAMETER_VALUE"
	codeDatetime   = "CANNOT_PARSE_TIMESTAMP"
	codeOutOfRange = "DATETIME_OVERFLOW"
)

var (
	tBool      = types.Of(types.Boolean)
	tInt       = types.Of(types.Int)
	tBigInt    = types.Of(types.BigInt)
	tDouble    = types.Of(types.Double)
	tVarchar   = types.Of(types.Varchar)
	tDate      = types.Of(types.Date)
	tTimestamp = types.Of(types.Timestamp)
	tInterval  = types.Of(types.IntervalKind)
)

// commonType returns the type that values of both types can be brought to without
// asking, DuckDB's rule for CASE, lists and comparisons. Strings meet no other
// type, except as untyped literals; see unify.
func commonType(a, b types.Type) (types.Type, bool) {
	switch {
	case a.Same(b):
		return a, true
	case a.Equal(b):
		return a.Plain(), true
	case a.Kind == types.Null:
		return b, true
	case b.Kind == types.Null:
		return a, true
	case a.IsNumeric() && b.IsNumeric():
		return commonNumber(a, b), true
	case a.Kind == types.Boolean && b.IsNumeric():
		return b, true
	case b.Kind == types.Boolean && a.IsNumeric():
		return a, true
	case a.Kind == types.Date && b.Kind == types.Timestamp, a.Kind == types.Timestamp && b.Kind == types.Date:
		return tTimestamp, true
	case a.Kind == types.List && b.Kind == types.List:
		elem, ok := commonType(*a.Elem, *b.Elem)
		return types.ListOf(elem), ok
	case a.Kind == types.Map && b.Kind == types.Map:
		key, ok := commonType(*a.Key, *b.Key)
		value, ok2 := commonType(*a.Elem, *b.Elem)
		return types.MapOf(key, value), ok && ok2
	case a.Kind == types.Struct && b.Kind == types.Struct:
		return commonStruct(a, b)
	}
	return types.Type{}, false
}

func commonStruct(a, b types.Type) (types.Type, bool) {
	if len(a.Fields) != len(b.Fields) {
		return types.Type{}, false
	}
	fields := make([]types.Field, len(a.Fields))
	for i, f := range a.Fields {
		_, g, ok := b.Field(f.Name)
		if !ok {
			return types.Type{}, false
		}
		t, ok := commonType(f.Type, g.Type)
		if !ok {
			return types.Type{}, false
		}
		fields[i] = types.Field{Name: f.Name, Type: t, Nullable: f.Nullable || g.Nullable}
	}
	return types.StructOf(fields...), true
}

// commonNumber returns the numeric type of a pair. Of an unsigned and a signed
// integer it is the next signed type; beyond BIGINT, where DuckDB goes to HUGEINT,
// it is DECIMAL(20,0), which holds both.
func commonNumber(a, b types.Type) types.Type {
	switch {
	case a.Kind == types.Double || b.Kind == types.Double:
		return tDouble
	case a.Kind == types.Float || b.Kind == types.Float:
		return types.Of(types.Float)
	case a.Kind == types.Decimal || b.Kind == types.Decimal:
		x, y := asDecimal(a), asDecimal(b)
		scale := max(x.Scale, y.Scale)
		whole := max(x.Precision-x.Scale, y.Precision-y.Scale)
		return types.DecimalOf(min(whole+scale, types.DigitsMax), scale)
	case a.IsSigned() == b.IsSigned():
		return types.Of(max(a.Kind, b.Kind))
	case a.IsSigned():
		a, b = b, a
	}
	if a.Kind == types.UBigInt {
		return types.DecimalOf(20, 0)
	}
	return types.Of(max(b.Kind, a.Kind-types.UTinyInt+types.SmallInt))
}

// asDecimal returns the DECIMAL that holds every value of an integer type.
func asDecimal(t types.Type) types.Type {
	digits := map[types.Kind]int32{
		types.TinyInt: 3, types.SmallInt: 5, types.Int: 10, types.BigInt: 19,
		types.UTinyInt: 3, types.USmallInt: 5, types.UInt: 10, types.UBigInt: 20, types.Boolean: 1,
	}
	if d, ok := digits[t.Kind]; ok {
		return types.DecimalOf(d, 0)
	}
	return t
}

// unify brings expressions to one type, adding casts.
func unify(items []Expr, span sqlerr.Span) ([]Expr, types.Type, error) {
	t, err := unifiedType(items, span)
	if err != nil {
		return nil, types.Type{}, err
	}
	out := make([]Expr, len(items))
	for i, e := range items {
		if out[i], err = implicit(e, t, span); err != nil {
			return nil, types.Type{}, err
		}
	}
	return out, t, nil
}

func unifiedType(items []Expr, span sqlerr.Span) (types.Type, error) {
	var t types.Type
	first := true
	// Expressions with a type decide first; untyped literals then fit themselves in.
	for _, e := range items {
		if isUntyped(e) {
			continue
		}
		next, ok := commonType(t, e.Type())
		if first {
			next, ok = e.Type(), true
		}
		if !ok {
			return t, mixError(span, t, e.Type())
		}
		t, first = next, false
	}
	for _, literal := range []types.Kind{types.Int, types.Varchar} {
		for _, e := range items {
			isString := e.Type().Kind == types.Varchar
			if !isUntyped(e) || isString != (literal == types.Varchar) {
				continue
			}
			next, ok := literalType(e.(*Literal), t)
			if !ok {
				return t, mixError(span, t, e.Type())
			}
			t = next
		}
	}
	return t, nil
}

func mixError(span sqlerr.Span, a, b types.Type) error {
	e := sqlerr.At(span, codeMismatch, "expected values of one type, found %s and %s", a, b)
	return e.WithHint("write CAST(... AS %s) around one of them", b)
}

func isUntyped(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && l.untyped
}

// literalType returns the common type of an untyped literal and a type: a string
// takes any type, a whole number any integer type that holds it.
func literalType(l *Literal, t types.Type) (types.Type, bool) {
	switch {
	case t.Kind == types.Null:
		return l.t, true
	case l.t.Kind == types.Varchar:
		return t, true
	case t.IsInteger():
		if v, ok := literalInt(l); ok && integerHolds(t.Kind, v) {
			return t, true
		}
	}
	return commonType(t, l.t)
}

// integerHolds reports whether an integer type has a value.
func integerHolds(k types.Kind, v int64) bool {
	switch k {
	case types.TinyInt:
		return v == int64(int8(v))
	case types.SmallInt:
		return v == int64(int16(v))
	case types.Int:
		return v == int64(int32(v))
	case types.BigInt:
		return true
	case types.UTinyInt:
		return v >= 0 && v <= math.MaxUint8
	case types.USmallInt:
		return v >= 0 && v <= math.MaxUint16
	case types.UInt:
		return v >= 0 && v <= math.MaxUint32
	}
	return v >= 0
}

// implicit casts e to t if it has another type.
func implicit(e Expr, t types.Type, span sqlerr.Span) (Expr, error) {
	if e.Type().Equal(t) {
		return e, nil
	}
	return BindCast(e, t, false, span)
}

// literalInt returns the value of an integer literal.
func literalInt(e Expr) (int64, bool) {
	l, ok := e.(*Literal)
	if !ok || l.IsNull() {
		return 0, false
	}
	switch a := l.arr.(type) {
	case *array.Int8:
		return int64(a.Value(0)), true
	case *array.Int16:
		return int64(a.Value(0)), true
	case *array.Int32:
		return int64(a.Value(0)), true
	case *array.Int64:
		return a.Value(0), true
	}
	return 0, false
}

// literalText returns the value of a VARCHAR literal.
func literalText(e Expr) (string, bool) {
	l, ok := e.(*Literal)
	if !ok || l.IsNull() {
		return "", false
	}
	s, ok := l.arr.(*array.String)
	if !ok {
		return "", false
	}
	return strings.Clone(s.Value(0)), true
}
