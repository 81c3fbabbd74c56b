package expr

import (
	"sort"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// list returns an argument that has to be a list.
func (b *binding) list(i int) (Expr, error) {
	e := b.args[i]
	if e.Type().Kind == types.Null {
		return BindCast(e, types.ListOf(tInt), false, b.span)
	}
	if e.Type().Kind != types.List {
		return nil, b.mismatch(i, "a list")
	}
	return e, nil
}

// listAndItem returns a list and a value of its elements' type; when that needs a
// wider type, both get it.
func (b *binding) listAndItem(listAt, itemAt int) (list, item Expr, err error) {
	if list, err = b.list(listAt); err != nil {
		return nil, nil, err
	}
	elem := *list.Type().Elem
	item = b.args[itemAt]
	t, ok := commonType(elem, item.Type())
	if l, isLiteral := item.(*Literal); isLiteral && l.untyped {
		t, ok = literalType(l, elem)
	}
	if !ok {
		return nil, nil, b.mismatch(itemAt, "a value of type "+elem.String())
	}
	if list, err = implicit(list, types.ListOf(t), b.span); err != nil {
		return nil, nil, err
	}
	item, err = implicit(item, t, b.span)
	return list, item, err
}

// listBuilder collects the elements of a list column as places in one array.
type listBuilder struct {
	ends []int32
	rows []int32
}

func newListBuilder(rows int) *listBuilder {
	return &listBuilder{ends: make([]int32, 1, rows+1)}
}

func (l *listBuilder) add(row int64) { l.rows = append(l.rows, int32(row)) }

// end closes the list of a row. Rows whose lists come to too many places for a chunk are evaluated in
// parts (Guarded).
func (l *listBuilder) end() {
	l.ends = append(l.ends, int32(len(l.rows)))
	checkTaken(cap(l.ends)-1, 4*int64(len(l.rows)))
}

// array returns the lists; values is where the places are, -1 being NULL.
func (l *listBuilder) array(f *frame, values arrow.Array) arrow.Array {
	elems := Take(values, l.rows)
	defer elems.Release()
	return newArray(f.arrow, f.valid, []*memory.Buffer{memory.NewBufferBytes(rawBytes(l.ends))}, []arrow.ArrayData{elems.Data()})
}

// eachList returns the kernel of a function of one list to a list of some of its
// elements; pick gets the places of the elements of a row.
func eachList(pick func(l *listBuilder, values arrow.Array, start, end int64)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		list := args[0].arr.(*array.List)
		out := newListBuilder(f.rows)
		for i := range f.rows {
			if f.valid.has(i) {
				start, end := list.ValueOffsets(args[0].row(i))
				pick(out, list.ListValues(), start, end)
			}
			out.end()
		}
		return out.array(f, list.ListValues()), nil
	}
}

// listLength counts the elements of a list or the entries of a map.
func listLength(f *frame, args []vec) (arrow.Array, error) {
	lists := args[0].arr.(interface{ ValueOffsets(int) (int64, int64) })
	out := make([]int64, f.rows)
	for i := range out {
		if f.valid.has(i) {
			start, end := lists.ValueOffsets(args[0].row(i))
			out[i] = end - start
		}
	}
	return newValues(f.arrow, out, f.valid), nil
}

// bindListConcat joins two lists by ||, as list_concat does.
func bindListConcat(l, r Expr, span sqlerr.Span) (Expr, error) {
	for _, t := range []types.Type{l.Type(), r.Type()} {
		if t.Kind != types.List && t.Kind != types.Null {
			return nil, sqlerr.At(span, codeMismatch, "expected two lists to join, found %s and %s", l.Type(), r.Type()).
				WithHint("write [item] || list")
		}
	}
	return bindListConcats(&binding{name: "list_concat", args: []Expr{l, r}, span: span})
}

// bindListConcats binds list_concat(a, b, ...), in which a NULL list is empty.
func bindListConcats(b *binding) (Expr, error) {
	lists, t, err := unify(b.args, b.span)
	if err != nil {
		return nil, err
	}
	if t.Kind != types.List {
		return nil, b.mismatch(0, "a list")
	}
	nullable := true
	for _, l := range lists {
		nullable = nullable && l.Nullable()
	}
	return newCall(spec{name: "list_concat", t: t, nullable: nullable, span: b.span, lenient: true, total: true,
		kern: concatLists}, lists...), nil
}

func concatLists(f *frame, args []vec) (arrow.Array, error) {
	parts := make([]arrow.Array, len(args))
	for i, v := range args {
		parts[i] = v.arr.(*array.List).ListValues()
	}
	all, starts, err := joined(f.arrow.(*arrow.ListType).Elem(), parts)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	out := newListBuilder(f.rows)
	for i := range f.rows {
		known := false
		for j, v := range args {
			row := v.row(i)
			if v.arr.IsNull(row) {
				continue
			}
			known = true
			start, end := v.arr.(*array.List).ValueOffsets(row)
			for k := start; k < end; k++ {
				out.add(int64(starts[j]) + k)
			}
		}
		if !known {
			f.valid.clear(i)
		}
		out.end()
	}
	return out.array(f, all), nil
}

// bindListResize binds list_resize(list, size [, value]): a list of another length, with NULL or value at
// its end. DuckDB has it, too, and makes the lists of a whole chunk before anybody can say that
// they are too long.
func bindListResize(b *binding) (Expr, error) {
	list, err := b.list(0)
	if err != nil {
		return nil, err
	}
	size, err := b.arg(1, tBigInt)
	if err != nil {
		return nil, err
	}
	args := []Expr{list, size}
	if len(b.args) == 3 {
		wider, item, err := b.listAndItem(0, 2)
		if err != nil {
			return nil, err
		}
		if !wider.Type().Equal(list.Type()) {
			return nil, b.mismatch(2, "a value of the type of the elements")
		}
		args = append(args, item)
	}
	return newCall(spec{name: b.name, t: list.Type(), nullable: list.Nullable(), span: b.span, lenient: true, kern: resizeLists}, args...), nil
}

func resizeLists(f *frame, args []vec) (arrow.Array, error) {
	list, sizes := args[0].arr.(*array.List), args[1]
	parts := []arrow.Array{list.ListValues()}
	if len(args) == 3 {
		parts = append(parts, args[2].arr)
	}
	all, starts, err := joined(f.arrow.(*arrow.ListType).Elem(), parts)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	n, out := read[int64](sizes), newListBuilder(f.rows)
	for i := range f.rows {
		row, size := args[0].row(i), int64(0)
		if sizes.arr.IsValid(sizes.row(i)) {
			size = n.at(i)
		}
		switch {
		case list.IsNull(row):
			f.valid.clear(i)
			size = 0
		case size < 0:
			return nil, f.fail(i, sqlerr.New(codeParameter, "%s expects a size from 0 up, found %d", f.spec.name, size))
		case size > f.ctx.valueBytesMax()/8:
			return nil, f.fail(i, valueLimit(f.spec.name, f.ctx.valueBytesMax()))
		}
		start, end := list.ValueOffsets(row)
		for k := range size {
			switch {
			case start+k < end:
				out.add(start + k)
			case len(args) == 3:
				out.add(int64(starts[1]) + int64(args[2].row(i)))
			default:
				out.add(-1)
			}
		}
		out.end()
	}
	return out.array(f, all), nil
}

// bindListAppend binds list_append(list, item), or list_prepend(item, list).
func bindListAppend(prepend bool) binder {
	return func(b *binding) (Expr, error) {
		listAt, itemAt := 0, 1
		if prepend {
			listAt, itemAt = 1, 0
		}
		list, item, err := b.listAndItem(listAt, itemAt)
		if err != nil {
			return nil, err
		}
		one, err := BindList([]Expr{item}, b.span)
		if err != nil {
			return nil, err
		}
		lists := []Expr{list, one}
		if prepend {
			lists = []Expr{one, list}
		}
		return bindListConcats(&binding{name: b.name, args: lists, span: b.span})
	}
}

// find binds a search for a value in a list; k makes the kernel for the type of the
// elements.
func (b *binding) find(t types.Type, nullable bool, k func(elem types.Type) kernel) (Expr, error) {
	list, item, err := b.listAndItem(0, 1)
	if err != nil {
		return nil, err
	}
	return newCall(spec{name: b.name, t: t, nullable: nullable || anyNullable(list, item), span: b.span, total: true,
		kern: k(*list.Type().Elem)}, list, item), nil
}

// firstEqual calls found with the index of the first equal element per row, -1 if
// there is none. A NULL element equals nothing.
func firstEqual(f *frame, args []vec, elem types.Type, found func(row int, index int64)) {
	list := args[0].arr.(*array.List)
	item := args[1].arr
	if d, ok := item.(*array.Dictionary); ok {
		item = plainStrings(d)
		defer item.Release()
	}
	compare := comparer(elem, list.ListValues(), item, true)
	for i := range f.rows {
		if !f.valid.has(i) {
			continue
		}
		start, end := list.ValueOffsets(args[0].row(i))
		index := int64(-1)
		for k := start; k < end; k++ {
			if compare(int(k), args[1].row(i)) == 0 {
				index = k - start
				break
			}
		}
		found(i, index)
	}
}

// bindListContains binds list_contains(list, item).
func bindListContains(b *binding) (Expr, error) {
	return b.find(tBool, false, func(elem types.Type) kernel {
		return func(f *frame, args []vec) (arrow.Array, error) {
			out := make([]bool, f.rows)
			firstEqual(f, args, elem, func(row int, index int64) { out[row] = index >= 0 })
			return newBools(out, f.valid), nil
		}
	})
}

// bindListPosition binds list_position(list, item): NULL if the item is not there.
func bindListPosition(b *binding) (Expr, error) {
	return b.find(tInt, true, func(elem types.Type) kernel {
		return func(f *frame, args []vec) (arrow.Array, error) {
			out := make([]int32, f.rows)
			firstEqual(f, args, elem, func(row int, index int64) {
				if index < 0 {
					f.valid.clear(row)
				}
				out[row] = int32(index) + 1
			})
			return newValues(f.arrow, out, f.valid), nil
		}
	})
}

// bindArrayExtract binds list_extract(list, index), of a text its character.
func bindArrayExtract(b *binding) (Expr, error) {
	if k := b.args[0].Type().Kind; k == types.Varchar {
		return charAt(b.args[0], b.args[1], b.span)
	}
	return BindIndex(b.args[0], b.args[1], b.span)
}

// charAt returns the character at an index from 1, or from -1 at the end; the empty
// text if there is none.
func charAt(x, index Expr, span sqlerr.Span) (Expr, error) {
	b := &binding{name: "array_extract", args: []Expr{x, index}, span: span}
	return fixed(tVarchar, map2(func(s string, index int64) (string, error) {
		at, ok := position(index, chars(s))
		if !ok {
			return "", nil
		}
		return charSlice(s, at, at+1), nil
	}), tVarchar, tBigInt)(b)
}

// bindSlice binds list_slice(x, from, to), x[from:to]: both ends included, counted
// from 1 or, negative, from the end. A bound that is a constant NULL is open.
func bindSlice(b *binding) (Expr, error) {
	bounds := make([]Expr, 2)
	for i, open := range []int64{1, -1} {
		e := b.args[i+1]
		if l, ok := e.(*Literal); ok && l.IsNull() {
			e = NewLiteral(tBigInt, open)
		}
		b.args[i+1] = e
		var err error
		if bounds[i], err = b.arg(i+1, tBigInt); err != nil {
			return nil, err
		}
	}
	x := b.args[0]
	if x.Type().Kind == types.Varchar {
		return b.harmless(tVarchar, map3(func(s string, from, to int64) (string, error) {
			start, end := sliceBounds(from, to, chars(s))
			return charSlice(s, start, end), nil
		}), x, bounds[0], bounds[1]), nil
	}
	x, err := b.list(0)
	if err != nil {
		return nil, err
	}
	return b.harmless(x.Type(), sliceLists, x, bounds[0], bounds[1]), nil
}

// sliceBounds returns the half-open range of a slice of n elements.
func sliceBounds(from, to, n int64) (start, end int64) {
	if from < 0 {
		from += n + 1
	}
	if to < 0 {
		to += n + 1
	}
	start, end = min(max(from-1, 0), n), min(max(to, 0), n)
	return start, max(start, end)
}

func sliceLists(f *frame, args []vec) (arrow.Array, error) {
	list := args[0].arr.(*array.List)
	from, to := read[int64](args[1]), read[int64](args[2])
	out := newListBuilder(f.rows)
	for i := range f.rows {
		if f.valid.has(i) {
			first, last := list.ValueOffsets(args[0].row(i))
			start, end := sliceBounds(from.at(i), to.at(i), last-first)
			for k := start; k < end; k++ {
				out.add(first + k)
			}
		}
		out.end()
	}
	return out.array(f, list.ListValues()), nil
}

// listSort binds list_sort(list [, order [, nulls]]). Order is ASC or DESC; Spark's
// sort_array has a boolean instead, true for ascending, and NULLs first then.
func listSort(descending bool) binder {
	return func(b *binding) (Expr, error) {
		list, err := b.list(0)
		if err != nil {
			return nil, err
		}
		desc, nullsFirst := descending, false
		for i := 1; i < len(b.args); i++ {
			word, ok := literalText(b.args[i])
			switch word = strings.ToUpper(word); {
			case ok && (word == "ASC" || word == "DESC") && i == 1:
				desc = word == "DESC"
			case ok && (word == "NULLS FIRST" || word == "NULLS LAST"):
				nullsFirst = word == "NULLS FIRST"
			default:
				return nil, sqlerr.At(b.span, codeParameter, "%s expects 'ASC' or 'DESC', then 'NULLS FIRST' or 'NULLS LAST'", b.name)
			}
		}
		name := b.name + map[bool]string{false: " asc", true: " desc"}[desc] + map[bool]string{false: "", true: " nulls first"}[nullsFirst]
		return newCall(spec{name: b.name, t: list.Type(), nullable: list.Nullable(), span: b.span, total: true,
			form: func(a []string) string { return name + "(" + a[0] + ")" },
			kern: eachList(sorter(*list.Type().Elem, desc, nullsFirst))}, list), nil
	}
}

// bindSortArray binds Spark's sort_array(list [, ascending]): NULLs come first when
// ascending, last when not.
func bindSortArray(b *binding) (Expr, error) {
	list, err := b.list(0)
	if err != nil {
		return nil, err
	}
	ascending := true
	if len(b.args) == 2 {
		l, ok := b.args[1].(*Literal)
		if !ok || l.t.Kind != types.Boolean || l.IsNull() {
			return listSort(false)(b)
		}
		ascending = valuesOf[bool](l.arr)[0]
	}
	name := b.name + map[bool]string{true: " asc", false: " desc"}[ascending]
	return newCall(spec{name: b.name, t: list.Type(), nullable: list.Nullable(), span: b.span, total: true,
		form: func(a []string) string { return name + "(" + a[0] + ")" },
		kern: eachList(sorter(*list.Type().Elem, !ascending, ascending))}, list), nil
}

func sorter(elem types.Type, desc, nullsFirst bool) func(l *listBuilder, values arrow.Array, start, end int64) {
	return func(l *listBuilder, values arrow.Array, start, end int64) {
		compare := valueComparer(elem, values, values, false)
		from := len(l.rows)
		for k := start; k < end; k++ {
			l.add(k)
		}
		rows := l.rows[from:]
		sort.SliceStable(rows, func(i, j int) bool {
			x, y := int(rows[i]), int(rows[j])
			if values.IsNull(x) || values.IsNull(y) {
				return values.IsNull(x) != values.IsNull(y) && values.IsNull(x) == nullsFirst
			}
			if desc {
				return compare(x, y) > 0
			}
			return compare(x, y) < 0
		})
	}
}

// listFunction binds a function of one list to a list of the same type.
func listFunction(pick func(elem types.Type) func(l *listBuilder, values arrow.Array, start, end int64)) binder {
	return func(b *binding) (Expr, error) {
		list, err := b.list(0)
		if err != nil {
			return nil, err
		}
		return b.harmless(list.Type(), eachList(pick(*list.Type().Elem)), list), nil
	}
}

// distinct keeps the first of equal elements and drops NULLs.
func distinct(elem types.Type) func(l *listBuilder, values arrow.Array, start, end int64) {
	return func(l *listBuilder, values arrow.Array, start, end int64) {
		compare := valueComparer(elem, values, values, false)
		from := len(l.rows)
	next:
		for k := start; k < end; k++ {
			if values.IsNull(int(k)) {
				continue
			}
			for _, seen := range l.rows[from:] {
				if compare(int(seen), int(k)) == 0 {
					continue next
				}
			}
			l.add(k)
		}
	}
}

func reversed(types.Type) func(l *listBuilder, values arrow.Array, start, end int64) {
	return func(l *listBuilder, _ arrow.Array, start, end int64) {
		for k := end - 1; k >= start; k-- {
			l.add(k)
		}
	}
}
