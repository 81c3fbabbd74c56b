package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Take returns the listed values of an array, in the order of the list; -1 gives
// NULL. The caller releases the result.
func Take(a arrow.Array, rows []int32) arrow.Array {
	valid := takeValidity(a, rows)
	switch a := a.(type) {
	case *array.Null:
		return array.NewNull(len(rows))
	case *array.Boolean:
		bits := make([]byte, (len(rows)+7)/8)
		for i, r := range rows {
			if r >= 0 && a.Value(int(r)) {
				bits[i>>3] |= 1 << (i & 7)
			}
		}
		return newBitmap(bits, valid)
	case *array.String, *array.Binary:
		return takeStrings(a, rows, valid)
	case *array.Dictionary:
		indices := Take(a.Indices(), rows)
		defer indices.Release()
		return array.NewDictionaryArray(a.DataType(), indices, a.Dictionary())
	case *array.Struct:
		children := make([]arrow.ArrayData, a.NumField())
		for i := range children {
			c := Take(a.Field(i), rows)
			defer c.Release()
			children[i] = c.Data()
		}
		return newArray(a.DataType(), valid, nil, children)
	case *array.Map:
		return takeList(a.List, a.DataType(), rows, valid)
	case *array.List:
		return takeList(a, a.DataType(), rows, valid)
	}
	width := a.DataType().(arrow.FixedWidthDataType).BitWidth() / 8
	return newArray(a.DataType(), valid, []*memory.Buffer{takeFixed(a.Data(), width, rows)}, nil)
}

func takeValidity(a arrow.Array, rows []int32) *validity {
	valid := newValidity(len(rows))
	hasNulls := a.NullN() > 0
	for i, r := range rows {
		if r < 0 || hasNulls && a.IsNull(int(r)) {
			valid.clear(i)
		}
	}
	return valid
}

func takeFixed(data arrow.ArrayData, width int, rows []int32) *memory.Buffer {
	switch width {
	case 4:
		return memory.NewBufferBytes(rawBytes(takeRaw(rawValues[uint32](data), rows)))
	case 8:
		return memory.NewBufferBytes(rawBytes(takeRaw(rawValues[uint64](data), rows)))
	case 16:
		return memory.NewBufferBytes(rawBytes(takeRaw(rawValues[arrow.MonthDayNanoInterval](data), rows)))
	}
	// What remains is one or two bytes wide.
	if width == 1 {
		return memory.NewBufferBytes(takeRaw(rawValues[uint8](data), rows))
	}
	return memory.NewBufferBytes(rawBytes(takeRaw(rawValues[uint16](data), rows)))
}

func takeRaw[T slot](from []T, rows []int32) []T {
	to := make([]T, len(rows))
	for i, r := range rows {
		if r >= 0 {
			to[i] = from[r]
		}
	}
	return to
}

func takeStrings(a arrow.Array, rows []int32, valid *validity) arrow.Array {
	// Only the listed values are looked at: a may be a table of millions of rows.
	from, vals := newTextColumn(a), make([]string, len(rows))
	bytes := int64(0)
	for i, r := range rows {
		if r >= 0 {
			vals[i] = from.value(int(r))
			bytes += int64(len(vals[i]))
		}
	}
	checkTaken(len(rows), bytes)
	return newStrings(a.DataType(), vals, valid)
}

func takeList(a *array.List, dt arrow.DataType, rows []int32, valid *validity) arrow.Array {
	ends := make([]int32, len(rows)+1)
	var elems []int32
	for i, r := range rows {
		if valid.has(i) {
			start, end := a.ValueOffsets(int(r))
			checkTaken(len(rows), 8*(int64(len(elems))+end-start))
			for j := start; j < end; j++ {
				elems = append(elems, int32(j))
			}
		}
		ends[i+1] = int32(len(elems))
	}
	values := Take(a.ListValues(), elems)
	defer values.Release()
	return newArray(dt, valid, []*memory.Buffer{memory.NewBufferBytes(rawBytes(ends))}, []arrow.ArrayData{values.Data()})
}

// takeRecord returns the listed rows of a record, of the columns that e refers to;
// the other columns are there, without values.
func takeRecord(rec arrow.Record, rows []int32, e Expr) arrow.Record {
	used := make([]bool, rec.NumCols())
	Walk(e, func(e Expr) bool {
		if c, ok := e.(*Column); ok {
			used[c.Index] = true
		}
		return true
	})
	cols := make([]arrow.Array, len(used))
	fields := make([]arrow.Field, len(used))
	for i := range cols {
		if used[i] {
			cols[i] = Take(rec.Column(i), rows)
		} else {
			cols[i] = array.NewNull(len(rows))
		}
		defer cols[i].Release()
		fields[i] = arrow.Field{Name: rec.ColumnName(i), Type: cols[i].DataType(), Nullable: true}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(len(rows)))
}

// repeat returns the first value of a, rows times.
func repeat(a arrow.Array, rows int) arrow.Array {
	return Take(a, make([]int32, rows))
}

// joined returns arrays of one SQL type one behind the other, as t, and where each
// begins. The caller releases the array.
func joined(t arrow.DataType, parts []arrow.Array) (all arrow.Array, starts []int32, err error) {
	forms := make([]arrow.Array, len(parts))
	starts = make([]int32, len(parts))
	next := 0
	for i, p := range parts {
		p.Retain()
		forms[i] = conform(plain(p), t)
		defer forms[i].Release()
		starts[i] = int32(next)
		next += p.Len()
	}
	if len(parts) == 0 {
		return nullColumn(t, 0), starts, nil
	}
	all, err = array.Concatenate(forms, memory.DefaultAllocator)
	return all, starts, err
}

// joinedVecs is joined for operands.
func joinedVecs(t arrow.DataType, args []vec) (all arrow.Array, starts []int32, err error) {
	parts := make([]arrow.Array, len(args))
	for i, v := range args {
		parts[i] = v.arr
	}
	return joined(t, parts)
}

// conform returns a with t as its type. The layouts are the same already: what
// differs between arrays of one SQL type is the names and flags that a producer gave
// to the parts of nested types. It takes over the reference and returns one.
func conform(a arrow.Array, t arrow.DataType) arrow.Array {
	if arrow.TypeEqual(a.DataType(), t) {
		return a
	}
	defer a.Release()
	data := conformData(a.Data(), t)
	defer data.Release()
	return array.MakeFromData(data)
}

func conformData(data arrow.ArrayData, t arrow.DataType) arrow.ArrayData {
	var inner []arrow.DataType
	switch t := t.(type) {
	case *arrow.StructType:
		for _, f := range t.Fields() {
			inner = append(inner, f.Type)
		}
	case *arrow.MapType:
		inner = []arrow.DataType{t.Elem()}
	case *arrow.ListType:
		inner = []arrow.DataType{t.Elem()}
	}
	children := make([]arrow.ArrayData, len(inner))
	for i, c := range inner {
		children[i] = conformData(data.Children()[i], c)
		defer children[i].Release()
	}
	return array.NewData(t, data.Len(), data.Buffers(), children, data.NullN(), data.Offset())
}
