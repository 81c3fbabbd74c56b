package expr

import (
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// Literal is a constant. Kernels take its one value as it is, see vec; only a
// literal that is a whole result makes a column.
type Literal struct {
	t   types.Type
	arr arrow.Array // one value, in Go memory: never released for good
	// untyped says that the text did not name the type: a whole number or a string
	// as it was written. Such a literal takes the type of what it is compared to.
	untyped bool
}

var _ Expr = (*Literal)(nil)

// NewLiteral returns a constant. The value is nil for NULL, or, by kind of t:
// bool; int64 or uint64 for integers; float64; string, also for BLOB (or []byte)
// and for the text of a DECIMAL (or decimal128.Num); int64 days for DATE and
// int64 UTC microseconds for TIMESTAMP; types.Interval. A value of another Go type,
// or one that t cannot hold, gives NULL.
//
// BOOLEAN, INTEGER, BIGINT and VARCHAR literals count as written without a type;
// casting one makes its type firm.
func NewLiteral(t types.Type, value any) Expr {
	b := array.NewBuilder(memory.DefaultAllocator, t.Arrow())
	defer b.Release()
	appendGo(b, t, value)
	if b.Len() == 0 {
		b.AppendNull()
	}
	untyped := t.Kind == types.Int || t.Kind == types.BigInt || t.Kind == types.Varchar
	return &Literal{t: t, arr: b.NewArray(), untyped: untyped && value != nil}
}

// appendGo appends a Go value; it appends nothing if b cannot hold it.
func appendGo(b array.Builder, t types.Type, value any) {
	switch v := value.(type) {
	case bool:
		if b, ok := b.(*array.BooleanBuilder); ok {
			b.Append(v)
		}
	case int64:
		appendInteger(b, t, v)
	case uint64:
		_ = types.AppendText(b, t, strconv.FormatUint(v, 10))
	case int:
		appendInteger(b, t, int64(v))
	case float64:
		switch b := b.(type) {
		case *array.Float64Builder:
			b.Append(v)
		case *array.Float32Builder:
			b.Append(float32(v))
		}
	case decimal128.Num:
		if b, ok := b.(*array.Decimal128Builder); ok {
			b.Append(v)
		}
	case types.Interval:
		if b, ok := b.(*array.MonthDayNanoIntervalBuilder); ok {
			if a, ok := v.Arrow(); ok {
				b.Append(a)
			}
		}
	case []byte:
		appendGo(b, t, string(v))
	case string:
		switch b := b.(type) {
		case *array.StringBuilder:
			b.Append(v)
		case *array.BinaryBuilder:
			b.Append([]byte(v))
		case *array.Decimal128Builder:
			if d, ok := types.ParseDecimal([]byte(v), t.Precision, t.Scale); ok {
				b.Append(d)
			}
		}
	}
}

func appendInteger(b array.Builder, t types.Type, v int64) {
	switch b := b.(type) {
	case *array.Date32Builder:
		b.Append(arrow.Date32(v))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v))
	case *array.Float64Builder:
		b.Append(float64(v))
	case *array.Float32Builder:
		b.Append(float32(v))
	default:
		// A literal is made once per query; the text form checks every range.
		_ = types.AppendText(b, t, strconv.FormatInt(v, 10))
	}
}

// Type returns the literal's type.
func (l *Literal) Type() types.Type { return l.t }

// Nullable reports whether the value is NULL.
func (l *Literal) Nullable() bool { return l.IsNull() }

// IsNull reports whether the value is NULL. (Array.IsNull does not know of the NULLs
// of the type NULL.)
func (l *Literal) IsNull() bool { return l.arr.NullN() > 0 }

// Value returns the value as an array of one.
func (l *Literal) Value() arrow.Array { return l.arr }

// Eval returns a column of the value.
func (l *Literal) Eval(_ *Ctx, rec arrow.Record) (arrow.Array, error) {
	return repeat(l.arr, int(rec.NumRows())), nil
}

// Children returns nil.
func (l *Literal) Children() []Expr { return nil }

// WithChildren returns l.
func (l *Literal) WithChildren([]Expr) Expr { return l }

// String returns the value as SQL with its type, so that 1 and 1::BIGINT differ.
func (l *Literal) String() string {
	if l.t.Kind == types.Null {
		return "NULL"
	}
	if l.IsNull() {
		return "NULL::" + l.t.String()
	}
	switch l.t.Kind {
	case types.Boolean, types.Int:
		return l.arr.ValueStr(0)
	case types.Varchar:
		return types.QuoteText(l.arr.(*array.String).Value(0))
	case types.Date, types.Timestamp, types.IntervalKind:
		return l.t.String() + " " + types.QuoteText(types.Text(l.arr, 0))
	}
	return types.Text(l.arr, 0) + "::" + l.t.String()
}

// SQL returns the value in a form that DuckDB reads, whatever its type.
func (l *Literal) SQL() string {
	if l.IsNull() || l.t.IsInteger() || l.t.Kind == types.Boolean || l.t.Kind == types.Varchar {
		return l.String()
	}
	return "CAST(" + types.QuoteText(types.Text(l.arr, 0)) + " AS " + l.t.String() + ")"
}
