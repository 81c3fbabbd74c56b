package expr

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// listAggregate returns the binder of list_NAME(list), which folds the elements of each
// list with an aggregate. Types are those of the aggregate: a sum of integers is BIGINT.
func listAggregate(name string) binder {
	return func(b *binding) (Expr, error) { return b.foldList(name) }
}

// bindListAnyValue binds list_any_value(list): the first element that is not NULL.
func bindListAnyValue(b *binding) (Expr, error) {
	return b.foldWith("first", NewLiteral(tBool, true))
}

// bindListAggregate binds list_aggregate(list, 'name').
func bindListAggregate(b *binding) (Expr, error) {
	name, ok := literalText(b.args[1])
	if !ok || !IsAggregate(name) {
		return nil, sqlerr.At(b.span, codeParameter, "argument 2 of %s is expected to be the constant name of an aggregate, such as 'sum', found %s", b.name, b.args[1])
	}
	b.args = append(b.args[:1:1], b.args[2:]...)
	return b.foldList(strings.ToLower(name))
}

func (b *binding) foldWith(name string, constant Expr) (Expr, error) {
	b.args = append(b.args[:1:1], constant)
	return b.foldList(name)
}

// foldList binds an aggregate over the elements of the first argument. Arguments behind
// it are those of the aggregate and must be constants.
func (b *binding) foldList(name string) (Expr, error) {
	list, err := b.list(0)
	if err != nil {
		return nil, err
	}
	element := &Column{Name: "element", T: *list.Type().Elem, Null: true}
	agg, err := BindAggregate(name, append([]Expr{element}, b.args[1:]...), false, b.span)
	if err != nil {
		return nil, err
	}
	inputs := agg.Args
	texts := make([]string, 0, len(b.args))
	for _, a := range b.args[1:] {
		if _, ok := a.(*Literal); !ok {
			return nil, sqlerr.At(b.span, codeParameter, "the arguments of %s behind the list must be constants, found %s", b.name, a)
		}
		texts = append(texts, ", "+a.String())
	}
	canonical := "list_" + agg.Name
	return newCall(spec{name: canonical, t: agg.Type, nullable: list.Nullable() || agg.Nullable, span: b.span,
		form: func(a []string) string { return canonical + "(" + a[0] + strings.Join(texts, "") + ")" },
		kern: func(f *frame, args []vec) (arrow.Array, error) { return foldLists(f, args[0], agg.New(), inputs) }}, list), nil
}

// foldLists runs an aggregate with a group for every row.
func foldLists(f *frame, lists vec, acc Accumulator, inputs []Expr) (arrow.Array, error) {
	list := lists.arr.(*array.List)
	e, err := elementsOf(f.ctx, list)
	if err != nil {
		return nil, err
	}
	values := Take(list.ListValues(), e.places)
	defer values.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "element", Type: values.DataType(), Nullable: true}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{values}, int64(len(e.rows)))
	defer rec.Release()
	args := make([]arrow.Array, len(inputs))
	for i, in := range inputs {
		a, err := in.Eval(f.ctx, rec)
		if err != nil {
			return nil, err
		}
		args[i] = plain(a)
		defer args[i].Release()
	}
	n := list.Len()
	cells := &Cells{Slab: make([]uint64, n*acc.WordCount()), Stride: acc.WordCount(), Heap: &blobs{nil}}
	if err := acc.Update(cells, e.rows, args); err != nil {
		if of, ok := err.(*GroupError); ok {
			return nil, f.fail(int(of.Group), of.Err)
		}
		return nil, err
	}
	groups, rows := make([]int32, f.rows), make([]int32, f.rows)
	for i := range groups {
		groups[i] = int32(lists.row(i))
		rows[i] = int32(i)
		if !f.valid.has(i) {
			rows[i] = -1
		}
	}
	out, err := acc.Result(cells, groups, f.ctx.allocator())
	if err != nil || f.valid.nulls() == 0 {
		return out, err
	}
	defer out.Release()
	return Take(out, rows), nil // a NULL list has no count either
}

// blobs is the Heap of one evaluation. Handle 0 is the empty string.
type blobs [][]byte

// Blob returns the bytes of a handle.
func (h *blobs) Blob(handle uint64) []byte { return (*h)[handle] }

// SetBlob stores a copy of b.
func (h *blobs) SetBlob(handle uint64, b []byte) uint64 {
	return h.store(handle, append([]byte(nil), b...))
}

// Extend appends b.
func (h *blobs) Extend(handle uint64, b []byte) uint64 {
	return h.store(handle, append((*h)[handle], b...))
}

func (h *blobs) store(handle uint64, b []byte) uint64 {
	if handle == 0 {
		handle = uint64(len(*h))
		*h = append(*h, nil)
	}
	(*h)[handle] = b
	return handle
}

// bindListUnique binds list_unique(list): how many different elements there are, NULL not
// counted.
func bindListUnique(b *binding) (Expr, error) {
	unique, err := listFunction(distinct)(b)
	if err != nil {
		return nil, err
	}
	return BindCast(newCall(spec{name: "len", t: tBigInt, nullable: unique.Nullable(), span: b.span, total: true, kern: listLength}, unique),
		types.Of(types.UBigInt), false, b.span)
}

// bindListHas binds list_has_any(a, b) and, with every, list_has_all(a, b): whether one
// or every element of b is in a.
func bindListHas(every bool) binder {
	return func(b *binding) (Expr, error) {
		lists, t, err := unify(b.args, b.span)
		if err != nil {
			return nil, err
		}
		if t.Kind != types.List {
			return nil, b.mismatch(0, "a list")
		}
		return b.harmless(tBool, func(f *frame, args []vec) (arrow.Array, error) {
			of, in := args[1].arr.(*array.List), args[0].arr.(*array.List)
			compare := comparer(*t.Elem, in.ListValues(), of.ListValues(), true)
			out := make([]bool, f.rows)
			for i := range out {
				if !f.valid.has(i) {
					continue
				}
				out[i] = every
				start, end := of.ValueOffsets(args[1].row(i))
				first, last := in.ValueOffsets(args[0].row(i))
				for k := start; k < end; k++ {
					if of.ListValues().IsNull(int(k)) {
						continue
					}
					found := false
					for m := first; m < last && !found; m++ {
						found = compare(int(m), int(k)) == 0
					}
					if found != every {
						out[i] = found
						break
					}
				}
			}
			return newBools(out, f.valid), nil
		}, lists...), nil
	}
}
