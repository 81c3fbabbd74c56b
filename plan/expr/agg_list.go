package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// bindCollectList binds collect_list(x): the values in the order of arrival, NULLs left out,
// as in Spark; an empty list without any.
func bindCollectList(c aggregateCall) (*Aggregate, error) {
	return collected(c.args[0], listAcc{t: c.args[0].Type()}), nil
}

// bindList binds DuckDB's list(x), also array_agg(x): NULLs are kept; NULL without any row.
func bindList(c aggregateCall) (*Aggregate, error) {
	return collected(c.args[0], listAcc{t: c.args[0].Type(), nulls: true, missing: true}), nil
}

// CollectRows is list(row) for an aggregate that folds the rows of a group when it comes
// out: an empty list without any row.
func CollectRows(row Expr) *Aggregate {
	agg := collected(row, listAcc{t: row.Type(), nulls: true})
	agg.Name = "list"
	return agg
}

func collected(value Expr, acc listAcc) *Aggregate {
	return &Aggregate{
		Args: []Expr{value}, Type: types.ListOf(acc.t), Nullable: acc.missing, Ordered: true,
		New: func() Accumulator { return acc },
	}
}

// listAcc holds a handle of the encoded values, end to end.
type listAcc struct {
	t       types.Type
	nulls   bool // NULLs are kept
	missing bool // NULL without any value
}

// WordCount returns 1.
func (listAcc) WordCount() int { return 1 }

// Blobs returns the handle.
func (listAcc) Blobs() []int { return []int{0} }

// Update appends the values.
func (l listAcc) Update(c *Cells, groups []int32, args []arrow.Array) error {
	if !l.nulls {
		groups = c.present(groups, args[0])
	}
	for i, g := range groups {
		if g >= 0 {
			c.buf = appendEncoded(c.buf[:0], args[0], i)
			w := c.Words(g)
			w[0] = c.Heap.Extend(w[0], c.buf)
		}
	}
	return nil
}

// Merge appends the newer values.
func (listAcc) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	mergeBytes(c, dst, from, src)
	return nil
}

// mergeBytes appends the bytes behind the first words.
func mergeBytes(c *Cells, dst []int32, from *Cells, src []int32) {
	for i, g := range dst {
		if x := from.Words(src[i]); x[0] != 0 {
			w := c.Words(g)
			w[0] = c.Heap.Extend(w[0], from.Heap.Blob(x[0]))
		}
	}
}

// Result returns the lists.
func (l listAcc) Result(c *Cells, groups []int32, alloc memory.Allocator) (arrow.Array, error) {
	b := array.NewBuilder(alloc, types.ListOf(l.t).Arrow()).(*array.ListBuilder)
	defer b.Release()
	for _, g := range groups {
		if l.missing && c.Words(g)[0] == 0 {
			b.AppendNull()
			continue
		}
		b.Append(true)
		for rest := c.Heap.Blob(c.Words(g)[0]); len(rest) > 0; {
			var err error
			if rest, err = decodeInto(b.ValueBuilder(), l.t, rest); err != nil {
				return nil, err
			}
		}
	}
	return b.NewArray(), nil
}

// bindStringAgg binds string_agg(x [, separator]), also listagg: the texts in the order of
// arrival with the separator between them, by default nothing, as in Spark. NULLs are
// left out; NULL without any text.
func bindStringAgg(c aggregateCall) (*Aggregate, error) {
	if k := c.args[0].Type().Kind; k != types.Varchar && k != types.Null {
		return nil, c.mismatch(0, "a VARCHAR")
	}
	separator := ""
	if len(c.args) > 1 {
		l, err := c.constant(1)
		if err != nil {
			return nil, err
		}
		if k := l.Type().Kind; k != types.Varchar && k != types.Null {
			return nil, c.mismatch(1, "a VARCHAR")
		}
		separator, _ = literalText(l)
	}
	return &Aggregate{Args: c.args[:1], Type: tVarchar, Nullable: true, Ordered: true, New: func() Accumulator {
		return stringAgg{separator}
	}}, nil
}

// stringAgg holds a handle of the text and whether there was any.
type stringAgg struct{ separator string }

// WordCount returns 2.
func (stringAgg) WordCount() int { return 2 }

// Blobs returns the handle.
func (stringAgg) Blobs() []int { return []int{0} }

func (s stringAgg) add(c *Cells, w []uint64, text []byte) {
	if w[1] != 0 && s.separator != "" {
		w[0] = c.Heap.Extend(w[0], bytesOf(s.separator))
	}
	w[0], w[1] = c.Heap.Extend(w[0], text), 1
}

// Update appends the texts.
func (s stringAgg) Update(c *Cells, groups []int32, args []arrow.Array) error {
	texts := stringValues(args[0])
	for i, g := range c.present(groups, args[0]) {
		if g >= 0 {
			s.add(c, c.Words(g), bytesOf(texts[i]))
		}
	}
	return nil
}

// Merge appends the newer text.
func (s stringAgg) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		if x := from.Words(src[i]); x[1] != 0 {
			s.add(c, c.Words(g), from.Heap.Blob(x[0]))
		}
	}
	return nil
}

// Result returns the texts.
func (stringAgg) Result(c *Cells, groups []int32, alloc memory.Allocator) (arrow.Array, error) {
	valid := c.results(groups, func(w []uint64) bool { return w[1] != 0 })
	return cellOf(tVarchar).array(c, groups, 0, valid, alloc)
}
