package expr

import (
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// BindField binds x.name: a field of a struct, its name compared without case.
func BindField(x Expr, name string, span sqlerr.Span) (Expr, error) {
	t := x.Type()
	if t.Kind == types.Map {
		return BindIndex(x, NewLiteral(tVarchar, name), span)
	}
	if t.Kind != types.Struct {
		return nil, sqlerr.At(span, "INVALID_EXTRACT_BASE_FIELD_TYPE", "expected a struct before %q, found %s", "."+name, t)
	}
	at, f, ok := t.Field(name)
	if !ok {
		e := sqlerr.At(span, codeField, "field %q does not exist in %s", name, t)
		names := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			names[i] = f.Name
		}
		if near := sqlerr.Nearest(name, names); near != "" {
			e.WithHint("did you mean %q?", near)
		}
		return nil, e
	}
	return newCall(spec{name: "field", t: f.Type, nullable: x.Nullable() || f.Nullable, span: span, total: true,
		form: func(a []string) string { return a[0] + "." + types.QuoteIdent(f.Name) },
		kern: func(fr *frame, args []vec) (arrow.Array, error) { return structField(fr, args[0], at), nil }}, x), nil
}

// structField returns a field, NULL where the struct is.
func structField(f *frame, x vec, at int) arrow.Array {
	s := x.arr.(*array.Struct)
	field := s.Field(at)
	if x.konst {
		return repeat(field, f.rows)
	}
	if s.NullN() == 0 {
		field.Retain()
		return field
	}
	f.valid.and(vec{arr: field})
	return withValidity(field, f.valid)
}

// withValidity returns the values of a with other NULL rows, sharing its buffers.
func withValidity(a arrow.Array, valid *validity) arrow.Array {
	data := a.Data()
	if data.Offset() != 0 {
		// The bitmap of an array has the offset of its values.
		rows := make([]int32, a.Len())
		for i := range rows {
			rows[i] = int32(i)
			if !valid.has(i) {
				rows[i] = -1
			}
		}
		return Take(a, rows)
	}
	bufs := append([]*memory.Buffer(nil), data.Buffers()...)
	if len(bufs) == 0 {
		a.Retain()
		return a
	}
	bufs[0] = valid.buffer()
	var out *array.Data
	if d, ok := data.Dictionary().(*array.Data); ok && d != nil {
		out = array.NewDataWithDictionary(data.DataType(), a.Len(), bufs, valid.nulls(), 0, d)
	} else {
		out = array.NewData(data.DataType(), a.Len(), bufs, data.Children(), valid.nulls(), 0)
	}
	defer out.Release()
	return array.MakeFromData(out)
}

// BindIndex binds x[index]: an element of a list, counted from 1 or, negative,
// from the end; the value of a map's key; a character of a text; a field of a
// struct by a constant name. What is not there is NULL.
func BindIndex(x, index Expr, span sqlerr.Span) (Expr, error) {
	t := x.Type()
	switch t.Kind {
	case types.Struct:
		if name, ok := literalText(index); ok {
			return BindField(x, name, span)
		}
		if i, ok := literalInt(index); ok && i >= 1 && int(i) <= len(t.Fields) {
			return BindField(x, t.Fields[i-1].Name, span)
		}
		return nil, sqlerr.At(span, codeMismatch, "expected the constant name of a field of %s", t)
	case types.Map:
		key, err := implicit(index, *t.Key, span)
		if err != nil {
			return nil, err
		}
		return newCall(spec{name: "element_at", t: *t.Elem, nullable: true, span: span, total: true,
			form: subscript, kern: mapLookup(*t.Key)}, x, key), nil
	case types.List:
		i, err := implicit(index, tBigInt, span)
		if err != nil {
			return nil, err
		}
		return newCall(spec{name: "list_extract", t: *t.Elem, nullable: true, span: span, total: true,
			form: subscript, kern: listElement}, x, i), nil
	case types.Varchar:
		return charAt(x, index, span)
	}
	return nil, sqlerr.At(span, "INVALID_EXTRACT_BASE_FIELD_TYPE", "expected a list, map or struct before [...], found %s", t)
}

func subscript(a []string) string { return a[0] + "[" + a[1] + "]" }

func listElement(f *frame, args []vec) (arrow.Array, error) {
	list := args[0].arr.(*array.List)
	index := read[int64](args[1])
	rows := make([]int32, f.rows)
	for i := range rows {
		rows[i] = -1
		if !f.valid.has(i) {
			continue
		}
		start, end := list.ValueOffsets(args[0].row(i))
		if at, ok := position(index.at(i), end-start); ok {
			rows[i] = int32(start + at)
		}
	}
	return Take(list.ListValues(), rows), nil
}

// position turns an index from 1, or from -1 at the end, into an offset.
func position(index, length int64) (at int64, ok bool) {
	if index > 0 {
		index--
	} else {
		index += length
		if index == length {
			return 0, false // index 0
		}
	}
	return index, index >= 0 && index < length
}

func mapLookup(key types.Type) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		m := args[0].arr.(*array.Map)
		compare := comparer(key, m.Keys(), args[1].arr, false)
		rows := make([]int32, f.rows)
		for i := range rows {
			rows[i] = -1
			if !f.valid.has(i) {
				continue
			}
			start, end := m.ValueOffsets(args[0].row(i))
			for j := start; j < end; j++ {
				if compare(int(j), args[1].row(i)) == 0 {
					rows[i] = int32(j)
					break
				}
			}
		}
		return Take(m.Items(), rows), nil
	}
}

// BindStruct binds {'a': x}; unnamed items, "", are called v1, v2 and so on.
func BindStruct(names []string, items []Expr) (Expr, error) {
	fields := make([]types.Field, len(items))
	for i, e := range items {
		name := names[i]
		if name == "" {
			name = "v" + strconv.Itoa(i+1)
		}
		for _, f := range fields[:i] {
			if strings.EqualFold(f.Name, name) {
				return nil, sqlerr.New("DUPLICATED_FIELD_NAME_IN_ARROW_STRUCT", "field %q appears twice in a struct", name)
			}
		}
		fields[i] = types.Field{Name: name, Type: e.Type(), Nullable: e.Nullable()}
	}
	t := types.StructOf(fields...)
	form := func(a []string) string {
		parts := make([]string, len(a))
		for i := range a {
			parts[i] = "'" + fields[i].Name + "': " + a[i]
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return newCall(spec{name: "struct_pack", t: t, lenient: true, total: true, form: form, kern: packStruct}, items...), nil
}

func packStruct(f *frame, args []vec) (arrow.Array, error) {
	children := make([]arrow.ArrayData, len(args))
	fields := f.arrow.(*arrow.StructType).Fields()
	for i, v := range args {
		a := conform(column(v, f.rows), fields[i].Type)
		defer a.Release()
		children[i] = a.Data()
	}
	return newArray(f.arrow, newValidity(f.rows), nil, children), nil
}

// column returns an operand as a column without offset, in the form that nested
// values hold it.
func column(v vec, rows int) arrow.Array {
	if v.konst {
		return repeat(v.arr, rows)
	}
	v.arr.Retain()
	a := plain(v.arr)
	if a.Data().Offset() == 0 {
		return a
	}
	defer a.Release()
	return compact(vec{arr: a}, rows)
}

// BindList binds [a, b] with items of one type.
func BindList(items []Expr, span sqlerr.Span) (Expr, error) {
	items, elem, err := unify(items, span)
	if err != nil {
		return nil, err
	}
	form := func(a []string) string { return "[" + strings.Join(a, ", ") + "]" }
	return newCall(spec{name: "list_value", t: types.ListOf(elem), lenient: true, total: true, span: span, form: form,
		kern: func(f *frame, args []vec) (arrow.Array, error) {
			values, err := interleave(f, args, elem.Arrow())
			if err != nil {
				return nil, err
			}
			ends := make([]int32, f.rows+1)
			for i := range ends {
				ends[i] = int32(i * len(args))
			}
			defer values.Release()
			return newArray(f.arrow, newValidity(f.rows), []*memory.Buffer{memory.NewBufferBytes(rawBytes(ends))},
				[]arrow.ArrayData{values.Data()}), nil
		}}, items...), nil
}

// interleave returns the operands row by row: a0, b0, a1, b1 and so on.
func interleave(f *frame, args []vec, t arrow.DataType) (arrow.Array, error) {
	all, starts, err := joinedVecs(t, args)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	rows := make([]int32, 0, f.rows*len(args))
	for i := range f.rows {
		for j, v := range args {
			rows = append(rows, starts[j]+int32(v.row(i)))
		}
	}
	return Take(all, rows), nil
}

// BindMap binds MAP {k: v}; a NULL key and a key that appears twice are errors of
// the row.
func BindMap(keys, values []Expr, span sqlerr.Span) (Expr, error) {
	k, err := BindList(keys, span)
	if err != nil {
		return nil, err
	}
	v, err := BindList(values, span)
	if err != nil {
		return nil, err
	}
	return bindMap(&binding{name: "map", args: []Expr{k, v}, span: span})
}
