package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// mapArg returns an argument that has to be a map.
func (b *binding) mapArg(i int) (Expr, error) {
	if b.args[i].Type().Kind != types.Map {
		return nil, b.mismatch(i, "a map")
	}
	return b.args[i], nil
}

// bindMap binds map(keys, values), two lists.
func bindMap(b *binding) (Expr, error) {
	if b.args[0].Type().Kind != types.List && len(b.args)%2 == 0 { // Spark's map(key, value, ..)
		var keys, values []Expr
		for i := 0; i < len(b.args); i += 2 {
			keys, values = append(keys, b.args[i]), append(values, b.args[i+1])
		}
		return BindMap(keys, values, b.span)
	}
	if len(b.args) != 2 {
		return nil, sqlerr.At(b.span, codeArgCount, "function %q takes a list of keys and one of values, found %s", b.name, countText(len(b.args), len(b.args)))
	}
	keys, err := b.list(0)
	if err != nil {
		return nil, err
	}
	values, err := b.list(1)
	if err != nil {
		return nil, err
	}
	key := *keys.Type().Elem
	return b.call(types.MapOf(key, *values.Type().Elem), func(f *frame, args []vec) (arrow.Array, error) {
		return makeMaps(f, args, key)
	}, keys, values), nil
}

func makeMaps(f *frame, args []vec, key types.Type) (arrow.Array, error) {
	keys, values := args[0].arr.(*array.List), args[1].arr.(*array.List)
	compare := comparer(key, keys.ListValues(), keys.ListValues(), false)
	k, v := newListBuilder(f.rows), newListBuilder(f.rows)
	for i := range f.rows {
		if f.valid.has(i) {
			start, end := keys.ValueOffsets(args[0].row(i))
			from, to := values.ValueOffsets(args[1].row(i))
			if err := checkKeys(keys.ListValues(), start, end, compare); err != nil {
				return nil, f.fail(i, err)
			}
			if end-start != to-from {
				return nil, f.fail(i, sqlerr.New(codeParameter, "expected as many values as keys in a map, found %s and %s", sqlerr.CountOf(int(end-start), "key"), sqlerr.CountOf(int(to-from), "value")))
			}
			for j := range end - start {
				k.add(start + j)
				v.add(from + j)
			}
		}
		k.end()
		v.end()
	}
	keyColumn, valueColumn := Take(keys.ListValues(), k.rows), Take(values.ListValues(), v.rows)
	defer keyColumn.Release()
	defer valueColumn.Release()
	return newMap(f, k.ends, keyColumn, valueColumn), nil
}

// newMap returns a map column of f's type.
func newMap(f *frame, ends []int32, keys, values arrow.Array) arrow.Array {
	entries := newArray(f.arrow.(*arrow.MapType).Elem(), newValidity(keys.Len()), nil, []arrow.ArrayData{keys.Data(), values.Data()})
	defer entries.Release()
	return newArray(f.arrow, f.valid, []*memory.Buffer{memory.NewBufferBytes(rawBytes(ends))}, []arrow.ArrayData{entries.Data()})
}

// mapArray returns maps of the listed entries.
func (l *listBuilder) mapArray(f *frame, keys, values arrow.Array) arrow.Array {
	k, v := Take(keys, l.rows), Take(values, l.rows)
	defer k.Release()
	defer v.Release()
	return newMap(f, l.ends, k, v)
}

// checkKeys refuses NULL and repeated keys.
func checkKeys(keys arrow.Array, start, end int64, compare func(x, y int) int) *sqlerr.Error {
	for i := start; i < end; i++ {
		if keys.IsNull(int(i)) {
			return sqlerr.New("NULL_MAP_KEY", "the key of a map cannot be NULL")
		}
		for j := start; j < i; j++ {
			if compare(int(i), int(j)) == 0 {
				return sqlerr.New("DUPLICATED_MAP_KEY", "key %s appears twice in a map", types.Text(keys, int(i)))
			}
		}
	}
	return nil
}

// bindMapSide binds map_keys(m), or map_values(m).
func bindMapSide(values bool) binder {
	return func(b *binding) (Expr, error) {
		m, err := b.mapArg(0)
		if err != nil {
			return nil, err
		}
		elem := *m.Type().Key
		if values {
			elem = *m.Type().Elem
		}
		return b.harmless(types.ListOf(elem), func(f *frame, args []vec) (arrow.Array, error) {
			m := args[0].arr.(*array.Map)
			side := m.Keys()
			if values {
				side = m.Items()
			}
			out := newListBuilder(f.rows)
			for i := range f.rows {
				if f.valid.has(i) {
					start, end := m.ValueOffsets(args[0].row(i))
					for k := start; k < end; k++ {
						out.add(k)
					}
				}
				out.end()
			}
			return out.array(f, side), nil
		}, m), nil
	}
}

// bindElementAt binds element_at of a map or list.
func bindElementAt(b *binding) (Expr, error) { return BindIndex(b.args[0], b.args[1], b.span) }

// bindMapContains binds map_contains(m, key).
func bindMapContains(b *binding) (Expr, error) {
	m, err := b.mapArg(0)
	if err != nil {
		return nil, err
	}
	keys, err := bindMapSide(false)(&binding{name: "map_keys", args: []Expr{m}, span: b.span})
	if err != nil {
		return nil, err
	}
	return bindListContains(&binding{name: b.name, args: []Expr{keys, b.args[1]}, span: b.span})
}

// bindStructExtract binds struct_extract(s, name).
func bindStructExtract(b *binding) (Expr, error) {
	if b.args[0].Type().Kind != types.Struct {
		return nil, b.mismatch(0, "a struct")
	}
	return BindIndex(b.args[0], b.args[1], b.span)
}

// bindNamedStruct binds Spark's named_struct(name, value, ...).
func bindNamedStruct(b *binding) (Expr, error) {
	if len(b.args)%2 != 0 {
		return nil, sqlerr.At(b.span, codeArgCount, "function %q takes pairs of a name and a value, found %s", b.name, sqlerr.CountOf(len(b.args), "argument"))
	}
	var names []string
	var items []Expr
	for i := 0; i < len(b.args); i += 2 {
		name, ok := literalText(b.args[i])
		if !ok {
			return nil, sqlerr.At(b.span, codeParameter, "argument %d of %s is expected to be the constant name of a field", i+1, b.name)
		}
		names, items = append(names, name), append(items, b.args[i+1])
	}
	return BindStruct(names, items)
}

// bindRow binds row(...) and struct(...): fields named after their columns, else v1,
// v2 and so on.
func bindRow(b *binding) (Expr, error) {
	names := make([]string, len(b.args))
	for i, e := range b.args {
		if c, ok := e.(*Column); ok {
			names[i] = c.Name
		}
	}
	return BindStruct(names, b.args)
}

func bindListValue(b *binding) (Expr, error) { return BindList(b.args, b.span) }

// bindFlatten binds flatten(list of lists); NULL lists count as empty.
func bindFlatten(b *binding) (Expr, error) {
	list, err := b.list(0)
	if err != nil {
		return nil, err
	}
	inner := *list.Type().Elem
	if inner.Kind != types.List {
		return nil, b.mismatch(0, "a list of lists")
	}
	return b.harmless(inner, func(f *frame, args []vec) (arrow.Array, error) {
		outer := args[0].arr.(*array.List)
		lists := outer.ListValues().(*array.List)
		out := newListBuilder(f.rows)
		for i := range f.rows {
			if f.valid.has(i) {
				start, end := outer.ValueOffsets(args[0].row(i))
				for j := start; j < end; j++ {
					if lists.IsNull(int(j)) {
						continue
					}
					from, to := lists.ValueOffsets(int(j))
					for k := from; k < to; k++ {
						out.add(k)
					}
				}
			}
			out.end()
		}
		return out.array(f, lists.ListValues()), nil
	}, list), nil
}

// bindRange binds range(n), range(start, stop [, step]) and, with closed,
// generate_series, which includes the end.
func bindRange(closed bool) binder {
	return func(b *binding) (Expr, error) {
		args := append([]Expr(nil), b.args...)
		if len(args) == 1 {
			args = []Expr{NewLiteral(tBigInt, int64(0)), args[0]}
		}
		if len(args) == 2 {
			args = append(args, NewLiteral(tBigInt, int64(1)))
		}
		typed, err := (&binding{name: b.name, args: args, span: b.span}).cast(tBigInt)
		if err != nil {
			return nil, err
		}
		return b.call(types.ListOf(tBigInt), func(f *frame, args []vec) (arrow.Array, error) {
			return makeRanges(f, args, closed)
		}, typed...), nil
	}
}

// rangeLen returns how many numbers there are from start on, by steps, up to stop.
func rangeLen(start, stop, step int64, closed bool) uint64 {
	var far, by uint64 // never negative: the difference of two BIGINTs may be larger than one
	switch {
	case step > 0 && start <= stop:
		far, by = uint64(stop)-uint64(start), uint64(step)
	case step < 0 && start >= stop:
		far, by = uint64(start)-uint64(stop), -uint64(step)
	default:
		return 0
	}
	n := far / by
	if closed || far%by > 0 {
		n++
	}
	return n
}

func makeRanges(f *frame, args []vec, closed bool) (arrow.Array, error) {
	most := uint64(f.ctx.valueBytesMax() / 8)
	starts, stops, steps := read[int64](args[0]), read[int64](args[1]), read[int64](args[2])
	counts, all := make([]int, f.rows), 0
	for i := range counts {
		if !f.valid.has(i) {
			continue
		}
		n := rangeLen(starts.at(i), stops.at(i), steps.at(i), closed)
		if n > most {
			return nil, f.fail(i, valueLimit(f.spec.name, f.ctx.valueBytesMax()))
		}
		counts[i], all = int(n), all+int(n)
		if err := f.goesOn(8 * all); err != nil {
			return nil, err
		}
	}
	items, ends := make([]int64, 0, all), make([]int32, 1, f.rows+1)
	for i, n := range counts {
		v := starts.at(i)
		for range n {
			items = append(items, v)
			v += steps.at(i)
		}
		ends = append(ends, int32(len(items)))
	}
	values := newValues(arrow.PrimitiveTypes.Int64, items, newValidity(len(items)))
	defer values.Release()
	return newArray(f.arrow, f.valid, []*memory.Buffer{memory.NewBufferBytes(rawBytes(ends))}, []arrow.ArrayData{values.Data()}), nil
}
