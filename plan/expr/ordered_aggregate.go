package expr

import (
	"sort"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// ElementOrder is how one key of ORDER BY inside an aggregate orders.
type ElementOrder struct{ Desc, NullsFirst bool }

// OrderedElement returns what an aggregate with ORDER BY collects of each row: a struct of
// the keys and the value, for BindOrdered.
func OrderedElement(keys []Expr, value Expr) (Expr, error) {
	names := make([]string, len(keys), len(keys)+1)
	for i := range keys {
		names[i] = "k" + strconv.Itoa(i+1)
	}
	return BindStruct(append(names, "value"), append(keys[:len(keys):len(keys)], value))
}

// BindOrdered binds name(value, constants ORDER BY keys) over the list of the elements
// that OrderedElement has made: it sorts them and folds their values. Elements of equal
// keys stay in the order of arrival.
func BindOrdered(name string, list Expr, order []ElementOrder, constants []Expr, span sqlerr.Span) (Expr, error) {
	element := *list.Type().Elem
	value := element.Fields[len(element.Fields)-1].Type
	words := ""
	for i, o := range order {
		if i > 0 {
			words += ","
		}
		words += map[bool]string{false: " asc", true: " desc"}[o.Desc]
		if o.NullsFirst {
			words += " nulls first"
		}
	}
	sorted := newCall(spec{name: "sorted", t: types.ListOf(value), nullable: list.Nullable(), span: span, total: true,
		form: func(a []string) string { return "sorted" + words + "(" + a[0] + ")" },
		kern: func(f *frame, args []vec) (arrow.Array, error) { return sortElements(f, args[0], element, order), nil }}, list)
	b := &binding{name: name, args: append([]Expr{sorted}, constants...), span: span}
	return b.foldList(name)
}

// sortElements orders the structs of each list and returns their last fields.
func sortElements(f *frame, lists vec, element types.Type, order []ElementOrder) arrow.Array {
	list := lists.arr.(*array.List)
	structs := list.ListValues().(*array.Struct)
	compare := make([]func(x, y int) int, len(order))
	for i := range order {
		key := structs.Field(i)
		compare[i] = valueComparer(element.Fields[i].Type, key, key, false)
	}
	out := newListBuilder(f.rows)
	for row := range f.rows {
		if f.valid.has(row) {
			start, end := list.ValueOffsets(lists.row(row))
			from := len(out.rows)
			for k := start; k < end; k++ {
				out.add(k)
			}
			rows := out.rows[from:]
			sort.SliceStable(rows, func(i, j int) bool {
				x, y := int(rows[i]), int(rows[j])
				for k, o := range order {
					if c := o.compare(structs.Field(k), compare[k], x, y); c != 0 {
						return c < 0
					}
				}
				return false
			})
		}
		out.end()
	}
	return out.array(f, structs.Field(len(order)))
}

// compare is the order of two elements by one key.
func (o ElementOrder) compare(key arrow.Array, values func(x, y int) int, x, y int) int {
	switch xNull, yNull := key.IsNull(x), key.IsNull(y); {
	case xNull && yNull:
		return 0
	case xNull != yNull:
		if xNull == o.NullsFirst {
			return -1
		}
		return 1
	}
	if o.Desc {
		return values(y, x)
	}
	return values(x, y)
}
