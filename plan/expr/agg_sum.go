package expr

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// bindSum binds sum(x): BIGINT for integers, DOUBLE for FLOAT and DOUBLE,
// DECIMAL(p+10,s) for decimals, NULL without values. What leaves the range is
// ARITHMETIC_OVERFLOW. Of a BOOLEAN it is how often it is true. UBIGINT, which Spark does not have, sums as DECIMAL(20,0).
func bindSum(c aggregateCall) (*Aggregate, error) { return bindSumOf(c, false) }

// bindTrySum binds try_sum(x): sum, but NULL for good once it has left the range.
func bindTrySum(c aggregateCall) (*Aggregate, error) { return bindSumOf(c, true) }

func bindSumOf(c aggregateCall, try bool) (*Aggregate, error) {
	if err := c.countTruth(); err != nil {
		return nil, err
	}
	in := c.args[0].Type()
	agg := &Aggregate{Args: c.args, Nullable: true}
	switch {
	case in.Kind == types.UBigInt || in.Kind == types.Decimal:
		agg.Type = sumDecimalType(in)
		agg.New = func() Accumulator { return decimalSum{plainWords(3), agg.Type, try} }
	case in.IsInteger():
		agg.Type = tBigInt
		agg.New = func() Accumulator { return integerSum{plainWords(2), try} }
	case in.IsFloat() || in.Kind == types.Null:
		agg.Type = tDouble
		agg.New = func() Accumulator { return doubleSum{plainWords(2)} }
	default:
		return nil, c.mismatch(0, "a number")
	}
	return agg, nil
}

// countTruth makes an argument of type BOOLEAN an integer: true is 1, so that a sum counts
// and an average is a share, as in DuckDB from 1.2 on.
func (c *aggregateCall) countTruth() error {
	if c.args[0].Type().Kind != types.Boolean {
		return nil
	}
	number, err := BindCast(c.args[0], tInt, false, c.span)
	c.args = append([]Expr{number}, c.args[1:]...)
	return err
}

// sumDecimalType is Spark's type of a sum of decimals: ten more digits, 38 at most.
func sumDecimalType(in types.Type) types.Type {
	in = asDecimal(in)
	return types.DecimalOf(min(in.Precision+10, types.DigitsMax), in.Scale)
}

// The second word of a sum, or the third of a decimal one.
const (
	sumNone     = 0 // no value yet
	sumSome     = 1
	sumOverflow = 2 // try_sum has left the range: NULL for good
)

func sumOverflowError(group int32, t types.Type) error {
	return &GroupError{group, sqlerr.New(codeOverflow, "the sum does not fit %s", t).
		WithHint("use try_sum to get NULL instead, or sum a wider type: sum(CAST(... AS DECIMAL(38,0)))")}
}

// integerSum holds the sum and its state.
type integerSum struct {
	plainWords
	try bool
}

// Update adds the values of an integer column.
func (s integerSum) Update(c *Cells, groups []int32, args []arrow.Array) error {
	groups = c.present(groups, args[0])
	switch a := args[0].(type) {
	case *array.Int64:
		return addIntegers(c, groups, a.Int64Values(), s.try)
	case *array.Int32:
		return addIntegers(c, groups, a.Int32Values(), s.try)
	case *array.Int16:
		return addIntegers(c, groups, a.Int16Values(), s.try)
	case *array.Int8:
		return addIntegers(c, groups, a.Int8Values(), s.try)
	case *array.Uint32:
		return addIntegers(c, groups, a.Uint32Values(), s.try)
	case *array.Uint16:
		return addIntegers(c, groups, a.Uint16Values(), s.try)
	case *array.Uint8:
		return addIntegers(c, groups, a.Uint8Values(), s.try)
	}
	return nil
}

func addIntegers[T integer](c *Cells, groups []int32, vals []T, try bool) error {
	slab, stride, at := c.Slab, c.Stride, c.Offset
	vals = vals[:len(groups)]
	for i, g := range groups {
		if g < 0 {
			continue
		}
		w := slab[int(g)*stride+at:]
		w = w[:2]
		x, v := int64(w[0]), int64(vals[i])
		sum := x + v
		if (x^sum)&(v^sum) < 0 || w[1] == sumOverflow {
			if !try {
				return sumOverflowError(g, tBigInt)
			}
			w[1] = sumOverflow
			continue
		}
		w[0], w[1] = uint64(sum), sumSome
	}
	return nil
}

// Merge adds the sums.
func (s integerSum) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		to, w := c.Words(g), from.Words(src[i])
		if w[1] == sumNone || to[1] == sumOverflow {
			continue
		}
		x, v := int64(to[0]), int64(w[0])
		sum := x + v
		if (x^sum)&(v^sum) < 0 || w[1] == sumOverflow {
			if !s.try {
				return sumOverflowError(g, tBigInt)
			}
			to[1] = sumOverflow
			continue
		}
		to[0], to[1] = uint64(sum), sumSome
	}
	return nil
}

// Result returns the sums.
func (s integerSum) Result(c *Cells, groups []int32, _ memory.Allocator) (arrow.Array, error) {
	vals := make([]int64, len(groups))
	for i, g := range groups {
		vals[i] = int64(c.Words(g)[0])
	}
	valid := c.results(groups, func(w []uint64) bool { return w[1] == sumSome })
	return newValues(arrow.PrimitiveTypes.Int64, vals, valid), nil
}

// doubleSum holds the sum and whether there was a value.
type doubleSum struct{ plainWords }

// Update adds the values of a number column, in the order of the rows.
func (doubleSum) Update(c *Cells, groups []int32, args []arrow.Array) error {
	return addAsDoubles(c, groups, args[0], addDoubles)
}

func addDoubles(c *Cells, groups []int32, vals []float64) {
	slab, stride, at := c.Slab, c.Stride, c.Offset
	vals = vals[:len(groups)]
	for i, g := range groups {
		if g >= 0 {
			w := slab[int(g)*stride+at:]
			w = w[:2]
			w[0], w[1] = math.Float64bits(math.Float64frombits(w[0])+vals[i]), sumSome
		}
	}
}

// addAsDoubles calls add with the values of a number column as doubles. Rows that
// are NULL have a negative group.
func addAsDoubles(c *Cells, groups []int32, a arrow.Array, add func(c *Cells, groups []int32, vals []float64)) error {
	groups = c.present(groups, a)
	switch a := a.(type) {
	case *array.Float64:
		add(c, groups, a.Float64Values())
	case *array.Float32:
		add(c, groups, doublesOf(a.Float32Values()))
	case *array.Int64:
		add(c, groups, doublesOf(a.Int64Values()))
	case *array.Int32:
		add(c, groups, doublesOf(a.Int32Values()))
	case *array.Int16:
		add(c, groups, doublesOf(a.Int16Values()))
	case *array.Int8:
		add(c, groups, doublesOf(a.Int8Values()))
	case *array.Uint64:
		add(c, groups, doublesOf(a.Uint64Values()))
	case *array.Uint32:
		add(c, groups, doublesOf(a.Uint32Values()))
	case *array.Uint16:
		add(c, groups, doublesOf(a.Uint16Values()))
	case *array.Uint8:
		add(c, groups, doublesOf(a.Uint8Values()))
	case *array.Decimal128:
		vals := make([]float64, a.Len())
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		for i := range vals {
			vals[i] = a.Value(i).ToFloat64(scale)
		}
		add(c, groups, vals)
	}
	return nil
}

func doublesOf[T integer | float](vals []T) []float64 {
	out := make([]float64, len(vals))
	for i, v := range vals {
		out[i] = float64(v)
	}
	return out
}

// Merge adds the sums.
func (doubleSum) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		if w := from.Words(src[i]); w[1] != sumNone {
			to := c.Words(g)
			to[0] = math.Float64bits(math.Float64frombits(to[0]) + math.Float64frombits(w[0]))
			to[1] = sumSome
		}
	}
	return nil
}

// Result returns the sums.
func (doubleSum) Result(c *Cells, groups []int32, _ memory.Allocator) (arrow.Array, error) {
	vals := make([]float64, len(groups))
	for i, g := range groups {
		vals[i] = math.Float64frombits(c.Words(g)[0])
	}
	valid := c.results(groups, func(w []uint64) bool { return w[1] != sumNone })
	return newValues(arrow.PrimitiveTypes.Float64, vals, valid), nil
}

// decimalSum holds the sum in two words, low first, and its state.
type decimalSum struct {
	plainWords
	t   types.Type
	try bool
}

func decimalAt(w []uint64) decimal128.Num { return decimal128.New(int64(w[1]), w[0]) }

func putDecimal(w []uint64, v decimal128.Num) { w[0], w[1] = v.LowBits(), uint64(v.HighBits()) }

// add adds v to the sum in w; a sum of more digits than the type's leaves the range.
func (s decimalSum) add(w []uint64, v decimal128.Num, group int32) error {
	if w[2] == sumOverflow {
		return nil
	}
	sum := addDecimal(decimalAt(w), v)
	if !fitsPrecision(sum, s.t.Precision) {
		if !s.try {
			return sumOverflowError(group, s.t)
		}
		w[2] = sumOverflow
		return nil
	}
	putDecimal(w, sum)
	w[2] = sumSome
	return nil
}

// Update adds the values of a DECIMAL or UBIGINT column.
func (s decimalSum) Update(c *Cells, groups []int32, args []arrow.Array) error {
	vals := decimalsOf(args[0])
	for i, g := range c.present(groups, args[0]) {
		if g >= 0 {
			if err := s.add(c.Words(g), vals[i], g); err != nil {
				return err
			}
		}
	}
	return nil
}

func decimalsOf(a arrow.Array) []decimal128.Num {
	switch a := a.(type) {
	case *array.Decimal128:
		return a.Values()
	case *array.Uint64:
		vals := make([]decimal128.Num, a.Len())
		for i, v := range a.Uint64Values() {
			vals[i] = decimal128.FromU64(v)
		}
		return vals
	}
	return make([]decimal128.Num, a.Len())
}

// Merge adds the sums.
func (s decimalSum) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		to, w := c.Words(g), from.Words(src[i])
		switch w[2] {
		case sumOverflow:
			to[2] = sumOverflow
		case sumSome:
			if err := s.add(to, decimalAt(w), g); err != nil {
				return err
			}
		}
	}
	return nil
}

// Result returns the sums.
func (s decimalSum) Result(c *Cells, groups []int32, _ memory.Allocator) (arrow.Array, error) {
	vals := make([]decimal128.Num, len(groups))
	for i, g := range groups {
		vals[i] = decimalAt(c.Words(g))
	}
	valid := c.results(groups, func(w []uint64) bool { return w[2] == sumSome })
	return newValues(s.t.Arrow(), vals, valid), nil
}
