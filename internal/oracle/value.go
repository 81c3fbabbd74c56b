package oracle

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// Value is one cell: nil, int64 (BIGINT, INTEGER, DATE in days, TIMESTAMP in
// microseconds), float64, string, bool, or *big.Int (a DECIMAL without its point).
type Value any

// Row is the cells of one row.
type Row []Value

// Column is a column of a stream or of a result.
type Column struct {
	Name   string
	Type   types.Type
	Domain *Domain // of a stream's column; nil for what is computed
	// Shifts says that the values are event times: they move with all times.
	Shifts bool
	// Approx says that the values are sums of doubles whose last bits depend on the order
	// of the rows.
	Approx bool
}

// compare orders two values of one type: NULL first, NaN last and equal to itself, -0 and
// 0 equal.
func compare(a, b Value) int {
	if a == nil || b == nil {
		return cmp.Compare(bit(a != nil), bit(b != nil))
	}
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case string:
		return strings.Compare(a, b.(string))
	case bool:
		return cmp.Compare(bit(a), bit(b.(bool)))
	case *big.Int:
		return a.Cmp(b.(*big.Int))
	case float64:
		x, y := a, b.(float64)
		if math.IsNaN(x) || math.IsNaN(y) {
			return cmp.Compare(bit(math.IsNaN(x)), bit(math.IsNaN(y)))
		}
		return cmp.Compare(x, y)
	}
	panic(fmt.Sprintf("a value of type %T", a))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// text writes a value so that equal values, and no others, have equal texts.
func text(v Value) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	case string:
		return strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case *big.Int:
		return v.String()
	case float64:
		if v == 0 {
			return "0" // -0 is 0
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	panic(fmt.Sprintf("a value of type %T", v))
}

// show writes a value for people: as stream scripts do.
func show(v Value, t types.Type) string {
	switch v := v.(type) {
	case int64:
		switch t.Kind {
		case types.Timestamp:
			return types.FormatTimestamp(v)
		case types.Date:
			return types.FormatDate(int32(v))
		}
	case *big.Int:
		return decimalText(v, t.Scale)
	case float64:
		if v == 0 && math.Signbit(v) {
			return "-0"
		}
	}
	return text(v)
}

func decimalText(v *big.Int, scale int32) string {
	digits := new(big.Int).Abs(v).String()
	for int32(len(digits)) <= scale {
		digits = "0" + digits
	}
	if scale > 0 {
		digits = digits[:len(digits)-int(scale)] + "." + digits[len(digits)-int(scale):]
	}
	if v.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// literal writes a value as SQL that both the engine and DuckDB read.
func literal(v Value, t types.Type) string {
	switch v := v.(type) {
	case nil:
		return "CAST(NULL AS " + t.String() + ")"
	case bool:
		return strings.ToUpper(strconv.FormatBool(v))
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return "CAST('" + strings.Trim(show(v, t), `"`) + "' AS " + t.String() + ")"
}

// record makes an Arrow record of rows.
func record(cols []Column, rows []Row) arrow.Record {
	fields := make([]types.Field, len(cols))
	for i, c := range cols {
		fields[i] = types.Field{Name: c.Name, Type: c.Type, Nullable: true}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, types.ArrowSchema(fields))
	defer b.Release()
	for _, r := range rows {
		for i, v := range r {
			appendValue(b.Field(i), v)
		}
	}
	return b.NewRecord()
}

func appendValue(b array.Builder, v Value) {
	if v == nil {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(v.(int64))
	case *array.Int32Builder:
		b.Append(int32(v.(int64)))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v.(int64)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.(int64)))
	case *array.Float64Builder:
		b.Append(v.(float64))
	case *array.StringBuilder:
		b.Append(v.(string))
	case *array.BooleanBuilder:
		b.Append(v.(bool))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromBigInt(v.(*big.Int)))
	default:
		panic(fmt.Sprintf("a column builder %T", b))
	}
}

// rowsOf reads the rows of a record.
func rowsOf(rec arrow.Record) ([]Row, error) {
	out := make([]Row, rec.NumRows())
	for i := range out {
		out[i] = make(Row, rec.NumCols())
		for c, a := range rec.Columns() {
			v, err := valueAt(a, i)
			if err != nil {
				return nil, fmt.Errorf("reading column %q: %w", rec.ColumnName(c), err)
			}
			out[i][c] = v
		}
	}
	return out, nil
}

func valueAt(a arrow.Array, i int) (Value, error) {
	if a.IsNull(i) {
		return nil, nil
	}
	switch a := a.(type) {
	case *array.Int64:
		return a.Value(i), nil
	case *array.Int32:
		return int64(a.Value(i)), nil
	case *array.Date32:
		return int64(a.Value(i)), nil
	case *array.Timestamp:
		return int64(a.Value(i)), nil
	case *array.Float64:
		return a.Value(i), nil
	case *array.Boolean:
		return a.Value(i), nil
	case *array.Decimal128:
		return a.Value(i).BigInt(), nil
	}
	if s, ok := types.StringsOf(a); ok {
		return strings.Clone(s.Value(i)), nil // DuckDB's memory is gone when its record is
	}
	return nil, fmt.Errorf("values of type %s are not known here", a.DataType())
}
