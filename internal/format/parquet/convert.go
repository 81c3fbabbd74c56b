package parquet

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// converter makes an array of the declared type. Values that it cannot hold are faults.
// The caller releases the result.
type converter func(a arrow.Array, f *faults) arrow.Array

// mismatch is a column whose type in the file cannot become the declared one.
type mismatch struct {
	path     string
	is       arrow.DataType
	declared types.Type
}

func (m *mismatch) Error() string { return fmt.Sprintf("column %q is %s", m.path, m.is) }

// mismatch returns the error for the user.
func (f *File) mismatch(err error) error {
	m, ok := err.(*mismatch)
	if !ok {
		return err
	}
	return sqlerr.New("E_DECODE", "column %q of file %q is %s, and the stream declares it %s", m.path, f.name, typeOf(m.is), m.declared).
		WithHint("declare it %s and convert it in a computed column", typeOf(m.is))
}

// typeOf returns the type of a column that was not declared.
func typeOf(t arrow.DataType) types.Type {
	switch t := t.(type) {
	case *arrow.StructType:
		var fields []types.Field
		for _, f := range t.Fields() {
			fields = append(fields, types.Field{Name: f.Name, Type: typeOf(f.Type), Nullable: true})
		}
		return types.StructOf(fields...)
	case *arrow.MapType:
		return types.MapOf(typeOf(t.KeyType()), typeOf(t.ItemType()))
	case *arrow.ListType:
		return types.ListOf(typeOf(t.Elem()))
	case *arrow.DictionaryType:
		return typeOf(t.ValueType)
	case *arrow.Decimal128Type:
		return types.DecimalOf(t.Precision, t.Scale)
	case *arrow.TimestampType:
		return types.Of(types.Timestamp)
	}
	kinds := map[arrow.Type]types.Kind{
		arrow.BOOL: types.Boolean, arrow.INT8: types.TinyInt, arrow.INT16: types.SmallInt, arrow.INT32: types.Int, arrow.INT64: types.BigInt,
		arrow.UINT8: types.UTinyInt, arrow.UINT16: types.USmallInt, arrow.UINT32: types.UInt, arrow.UINT64: types.UBigInt,
		arrow.FLOAT32: types.Float, arrow.FLOAT64: types.Double, arrow.DATE32: types.Date, arrow.DATE64: types.Date,
		arrow.BINARY: types.Blob, arrow.LARGE_BINARY: types.Blob, arrow.FIXED_SIZE_BINARY: types.Blob,
	}
	if k, ok := kinds[t.ID()]; ok {
		return types.Of(k)
	}
	return types.Of(types.Varchar)
}

// converter returns how a column of type from becomes one of type to:
//
//	any type    NULL from the null type, which a writer gives to a column without a value
//	integers    from numbers; out of range, and one with a fraction, is a bad row
//	DOUBLE, FLOAT  from numbers
//	DECIMAL     from numbers, rounded to its scale; out of range is a bad row
//	TIMESTAMP   from timestamps of any unit and INT96, cut to microseconds; dates; and
//	            integers with an EpochUnit. One that is not adjusted to UTC is in Zone
//	DATE        from dates
//	VARCHAR     from text and any other value by itself
//	BLOB        from bytes
//	STRUCT, LIST, MAP  part by part
func (s *Shape) converter(path string, from arrow.DataType, to types.Type) (converter, error) {
	none := &mismatch{path, from, to}
	switch {
	case from.ID() == arrow.NULL:
		return func(a arrow.Array, _ *faults) arrow.Array { return s.nulls(types.Field{Name: path, Type: to}, a.Len()) }, nil
	case to.IsNested():
		return s.nested(path, from, to)
	case to.Kind == types.Varchar && (from.ID() == arrow.STRING || arrow.TypeEqual(from, types.ArrowDictionary)):
		each := s.byValue(path, to, setText)
		return func(a arrow.Array, f *faults) arrow.Array {
			if !isUTF8(a) {
				return each(a, f)
			}
			a.Retain()
			return a
		}, nil
	case arrow.TypeEqual(from, to.Arrow()) && (to.Kind != types.Timestamp || s.Zone == nil):
		return func(a arrow.Array, _ *faults) arrow.Array { a.Retain(); return a }, nil
	}
	var set setter
	switch id := from.ID(); {
	case to.IsInteger() && isNumber(id):
		set = setInt
	case to.IsFloat() && isNumber(id):
		set = setFloat
	case to.Kind == types.Decimal && isNumber(id):
		set = setDecimal
	case to.Kind == types.Timestamp:
		set = s.timestamp(from)
	case to.Kind == types.Date && id == arrow.DATE64:
		set = func(b *column.Builder, i int, a arrow.Array) bool {
			b.I32[i] = int32(a.(*array.Date64).Value(i) / 86_400_000)
			return true
		}
	case to.Kind == types.Varchar && !arrow.IsNested(id) && !isOddDictionary(from):
		set = setText
	case to.Kind == types.Blob:
		set = setBytes(id)
	}
	if set == nil {
		return nil, none
	}
	return s.byValue(path, to, set), nil
}

// byValue converts value by value.
func (s *Shape) byValue(path string, to types.Type, set setter) converter {
	return func(a arrow.Array, f *faults) arrow.Array {
		b := column.NewBuilder(&s.pool, types.Field{Name: path, Type: to}, false)
		b.Start(a.Len())
		for i := range a.Len() {
			if a.IsNull(i) {
				b.SetNull(i)
			} else if !set(b, i, a) {
				f.add(i, whyNot(b, a, i))
				b.Reset(i)
				b.SetNull(i)
			}
		}
		return b.Finish(a.Len())
	}
}

// whyNot says why a column cannot hold value i of an array.
func whyNot(b *column.Builder, a arrow.Array, i int) *cell.Fault {
	if b.Type.Kind == types.Varchar {
		return &cell.Fault{Column: b.Path, Reason: format.NotUTF8}
	}
	return cell.WrongType(b, cell.Clip(a.ValueStr(i)))
}

// setter sets slot i from value i of an array; false if the type cannot hold it.
type setter func(b *column.Builder, i int, a arrow.Array) bool

func isInteger(id arrow.Type) bool { return id >= arrow.UINT8 && id <= arrow.INT64 }

func isNumber(id arrow.Type) bool {
	return isInteger(id) || id == arrow.FLOAT32 || id == arrow.FLOAT64 || id == arrow.DECIMAL128
}

// intOf returns a whole number; ok is false beyond BIGINT and for a fraction.
func intOf(a arrow.Array, i int) (v int64, ok bool) {
	switch a := a.(type) {
	case *array.Int8:
		return int64(a.Value(i)), true
	case *array.Int16:
		return int64(a.Value(i)), true
	case *array.Int32:
		return int64(a.Value(i)), true
	case *array.Int64:
		return a.Value(i), true
	case *array.Uint8:
		return int64(a.Value(i)), true
	case *array.Uint16:
		return int64(a.Value(i)), true
	case *array.Uint32:
		return int64(a.Value(i)), true
	case *array.Uint64:
		return int64(a.Value(i)), a.Value(i) <= math.MaxInt64
	case *array.Float32:
		return wholeOf(float64(a.Value(i)))
	case *array.Float64:
		return wholeOf(a.Value(i))
	case *array.Decimal128:
		whole, fraction := a.Value(i).Div(decimal128.GetScaleMultiplier(int(a.DataType().(*arrow.Decimal128Type).Scale)))
		v = int64(whole.LowBits())
		return v, fraction == decimal128.Num{} && whole == decimal128.FromI64(v)
	}
	return 0, false
}

// wholeOf returns a float that is a whole number of BIGINT.
func wholeOf(v float64) (int64, bool) {
	return int64(v), v == math.Trunc(v) && v >= math.MinInt64 && v < -math.MinInt64
}

func setInt(b *column.Builder, i int, a arrow.Array) bool {
	v, ok := intOf(a, i)
	return ok && cell.SetInt(b, i, v)
}

func setFloat(b *column.Builder, i int, a arrow.Array) bool {
	var v float64
	switch a := a.(type) {
	case *array.Float32:
		v = float64(a.Value(i))
	case *array.Float64:
		v = a.Value(i)
	case *array.Uint64:
		v = float64(a.Value(i))
	case *array.Decimal128:
		text := types.AppendDecimal(nil, a.Value(i), a.DataType().(*arrow.Decimal128Type).Scale)
		v, _ = strconv.ParseFloat(string(text), 64) // it is a number
	default:
		n, _ := intOf(a, i)
		v = float64(n)
	}
	if b.Type.Kind == types.Float {
		b.I32[i] = int32(math.Float32bits(float32(v)))
	} else {
		b.I64[i] = int64(math.Float64bits(v))
	}
	return true
}

func setDecimal(b *column.Builder, i int, a arrow.Array) bool {
	var v decimal128.Num
	scale := int32(0)
	switch a := a.(type) {
	case *array.Float32:
		return setDecimalText(b, i, strconv.AppendFloat(nil, float64(a.Value(i)), 'f', -1, 32))
	case *array.Float64:
		return setDecimalText(b, i, strconv.AppendFloat(nil, a.Value(i), 'f', -1, 64))
	case *array.Decimal128:
		v, scale = a.Value(i), a.DataType().(*arrow.Decimal128Type).Scale
	case *array.Uint64:
		v = decimal128.FromU64(a.Value(i))
	default:
		n, _ := intOf(a, i)
		v = decimal128.FromI64(n)
	}
	return setDecimalText(b, i, types.AppendDecimal(nil, v, scale))
}

func setDecimalText(b *column.Builder, i int, text []byte) bool {
	v, ok := types.ParseDecimal(text, b.Type.Precision, b.Type.Scale)
	b.I64[2*i], b.I64[2*i+1] = int64(v.LowBits()), v.HighBits()
	return ok
}

func setText(b *column.Builder, i int, a arrow.Array) bool {
	switch a := a.(type) {
	case *array.String:
		return setValidText(b, i, []byte(a.Value(i)))
	case *array.LargeString:
		return setValidText(b, i, []byte(a.Value(i)))
	case *array.Binary:
		// Old writers do not say that bytes are text.
		return setValidText(b, i, a.Value(i))
	case *array.Dictionary:
		return setValidText(b, i, []byte(a.Dictionary().(*array.String).Value(a.GetValueIndex(i))))
	case *array.Timestamp:
		if text := a.ValueStr(i); a.DataType().(*arrow.TimestampType).TimeZone == "" {
			b.SetText(i, []byte(strings.TrimSuffix(text, "Z"))) // a wall clock has no zone
			return true
		}
	}
	b.SetText(i, []byte(a.ValueStr(i)))
	return true
}

// setUUID writes 16 bytes in the usual groups.
func setUUID(b *column.Builder, i int, a arrow.Array) bool {
	v := a.(*array.FixedSizeBinary).Value(i)
	b.SetText(i, fmt.Appendf(nil, "%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:]))
	return true
}

func setValidText(b *column.Builder, i int, text []byte) bool {
	if !utf8.Valid(text) {
		return false
	}
	b.SetText(i, text)
	return true
}

// isUTF8 reports whether all values of a column of text, or all of its dictionary, are
// UTF-8, which a writer should see to and a reader cannot rely on.
func isUTF8(a arrow.Array) bool {
	if d, ok := a.(*array.Dictionary); ok {
		a = d.Dictionary()
	}
	text := a.(*array.String)
	if text.Len() == 0 || utf8.Valid(text.ValueBytes()) && !splitsRune(text) {
		return true
	}
	for i := range text.Len() {
		if text.IsValid(i) && !utf8.ValidString(text.Value(i)) {
			return false
		}
	}
	return true
}

// splitsRune reports whether a value begins in the middle of a character.
func splitsRune(text *array.String) bool {
	for i := range text.Len() {
		if v := text.Value(i); v != "" && !utf8.RuneStart(v[0]) {
			return true
		}
	}
	return false
}

// isOddDictionary reports a dictionary of anything but text, which only Arrow itself
// writes.
func isOddDictionary(t arrow.DataType) bool {
	d, ok := t.(*arrow.DictionaryType)
	return ok && d.ValueType.ID() != arrow.STRING
}

func setBytes(from arrow.Type) setter {
	switch from {
	case arrow.STRING:
		return func(b *column.Builder, i int, a arrow.Array) bool {
			b.SetText(i, []byte(a.(*array.String).Value(i)))
			return true
		}
	case arrow.FIXED_SIZE_BINARY:
		return func(b *column.Builder, i int, a arrow.Array) bool {
			b.SetText(i, a.(*array.FixedSizeBinary).Value(i))
			return true
		}
	case arrow.LARGE_BINARY:
		return func(b *column.Builder, i int, a arrow.Array) bool {
			b.SetText(i, a.(*array.LargeBinary).Value(i))
			return true
		}
	}
	return nil
}

// timestamp returns how a type becomes TIMESTAMP, nil if it does not.
func (s *Shape) timestamp(from arrow.DataType) setter {
	switch from := from.(type) {
	case *arrow.TimestampType:
		local := from.TimeZone == "" && s.Zone != nil
		return func(b *column.Builder, i int, a arrow.Array) (ok bool) {
			b.I64[i], ok = micros(int64(a.(*array.Timestamp).Value(i)), from.Unit)
			if local {
				b.I64[i] = types.InstantIn(s.Zone, b.I64[i])
			}
			return ok
		}
	case *arrow.Date64Type:
		return func(b *column.Builder, i int, a arrow.Array) (ok bool) {
			b.I64[i], ok = micros(int64(a.(*array.Date64).Value(i)), arrow.Millisecond)
			return ok
		}
	case *arrow.Date32Type:
		return func(b *column.Builder, i int, a arrow.Array) bool {
			b.I64[i] = int64(a.(*array.Date32).Value(i)) * types.DayMicros
			return true
		}
	}
	units := map[types.EpochUnit]arrow.TimeUnit{
		types.EpochSeconds: arrow.Second, types.EpochMillis: arrow.Millisecond, types.EpochMicros: arrow.Microsecond, types.EpochNanos: arrow.Nanosecond,
	}
	unit, known := units[s.EpochUnit]
	if !known || !isInteger(from.ID()) {
		return nil
	}
	return func(b *column.Builder, i int, a arrow.Array) bool {
		v, fits := intOf(a, i)
		at, ok := micros(v, unit)
		b.I64[i] = at
		return fits && ok
	}
}

// micros returns a time in microseconds, cut towards the past; ok is false if it is
// beyond what a TIMESTAMP can be.
func micros(v int64, unit arrow.TimeUnit) (at int64, ok bool) {
	factor := int64(1)
	switch unit {
	case arrow.Second:
		factor = 1_000_000
	case arrow.Millisecond:
		factor = 1_000
	case arrow.Nanosecond:
		at = v / 1000
		if v%1000 < 0 {
			at--
		}
		return at, true
	}
	return v * factor, v <= math.MaxInt64/factor && v >= math.MinInt64/factor
}

// nested converts part by part.
func (s *Shape) nested(path string, from arrow.DataType, to types.Type) (converter, error) {
	switch from := from.(type) {
	case *arrow.MapType:
		if to.Kind == types.Map {
			return s.mapping(path, from, to)
		}
	case *arrow.ListType:
		if to.Kind == types.List {
			elem, err := s.converter(path+"[]", from.Elem(), *to.Elem)
			return func(a arrow.Array, f *faults) arrow.Array {
				list := a.(*array.List)
				var values arrow.Array
				f.within(rowOf(list.Offsets()), func() { values = elem(list.ListValues(), f) })
				defer values.Release()
				return rewrap(a, to.Arrow(), values.Data())
			}, err
		}
	case *arrow.StructType:
		if to.Kind == types.Struct {
			return s.structure(path, from, to)
		}
	}
	return nil, &mismatch{path, from, to}
}

// rowOf maps the index of an element to its list.
func rowOf(offsets []int32) func(i int) int {
	return func(i int) int {
		return sort.Search(len(offsets), func(k int) bool { return int(offsets[k]) > i }) - 1
	}
}

// rewrap returns an array with the buffers of a, of another type and with other parts.
func rewrap(a arrow.Array, t arrow.DataType, children ...arrow.ArrayData) arrow.Array {
	data := array.NewData(t, a.Len(), a.Data().Buffers(), children, a.NullN(), a.Data().Offset())
	defer data.Release()
	return array.MakeFromData(data)
}

func (s *Shape) mapping(path string, from *arrow.MapType, to types.Type) (converter, error) {
	key, err := s.converter(path+" key", from.KeyType(), *to.Key)
	if err != nil {
		return nil, err
	}
	value, err := s.converter(path+"[]", from.ItemType(), *to.Elem)
	if err != nil {
		return nil, err
	}
	t := to.Arrow().(*arrow.MapType)
	return func(a arrow.Array, f *faults) arrow.Array {
		m := a.(*array.Map)
		var keys, values arrow.Array
		f.within(rowOf(m.Offsets()), func() { keys, values = key(m.Keys(), f), value(m.Items(), f) })
		defer keys.Release()
		defer values.Release()
		entries := array.NewData(t.Elem(), keys.Len(), []*memory.Buffer{nil}, []arrow.ArrayData{keys.Data(), values.Data()}, 0, 0)
		defer entries.Release()
		return rewrap(a, t, entries)
	}, nil
}

func (s *Shape) structure(path string, from *arrow.StructType, to types.Type) (converter, error) {
	members := make([]converter, len(to.Fields))
	at := make([]int, len(to.Fields))
	for i, f := range to.Fields {
		at[i] = -1
		for k, have := range from.Fields() {
			if have.Name == f.Name {
				at[i] = k
			}
		}
		if at[i] < 0 {
			continue
		}
		var err error
		if members[i], err = s.converter(path+"."+f.Name, from.Field(at[i]).Type, f.Type); err != nil {
			return nil, err
		}
	}
	return func(a arrow.Array, f *faults) arrow.Array {
		children := make([]arrow.ArrayData, len(members))
		// The members are those of the array that a is perhaps a slice of.
		offset := a.Data().Offset()
		f.within(func(i int) int { return i - offset }, func() {
			for i, convert := range members {
				part := s.member(a, at[i], to.Fields[i], convert, f)
				defer part.Release()
				children[i] = part.Data()
				children[i].Retain()
			}
		})
		made := rewrap(a, to.Arrow(), children...)
		for _, c := range children {
			c.Release()
		}
		return made
	}, nil
}

// member converts a member of a STRUCT, NULL if the file has it not.
func (s *Shape) member(a arrow.Array, at int, field types.Field, convert converter, f *faults) arrow.Array {
	if convert == nil {
		return s.nulls(field, a.Data().Offset()+a.Len())
	}
	part := array.MakeFromData(a.Data().Children()[at])
	defer part.Release()
	return convert(part, f)
}
