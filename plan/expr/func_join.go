package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

// bindArrayToString binds array_to_string(list, separator [, null text]): NULL
// elements are left out without a null text. Of no elements it is NULL.
func bindArrayToString(b *binding) (Expr, error) {
	args, err := b.joinArgs()
	if err != nil {
		return nil, err
	}
	return b.partial(tVarchar, joinList(errNull), args...), nil
}

// bindArrayJoin binds Spark's array_join: array_to_string, but empty of no elements.
func bindArrayJoin(b *binding) (Expr, error) {
	args, err := b.joinArgs()
	if err != nil {
		return nil, err
	}
	return b.harmless(tVarchar, joinList(nil), args...), nil
}

// joinArgs returns a list of texts and the texts behind it.
func (b *binding) joinArgs() ([]Expr, error) {
	list, err := b.list(0)
	if err != nil {
		return nil, err
	}
	if list, err = BindCast(list, types.ListOf(tVarchar), false, b.span); err != nil {
		return nil, err
	}
	args := []Expr{list}
	for i := 1; i < len(b.args); i++ {
		e, err := b.arg(i, tVarchar)
		if err != nil {
			return nil, err
		}
		args = append(args, e)
	}
	return args, nil
}

// joinList returns the kernel of both; empty is the error for no elements.
func joinList(empty error) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		list := args[0].arr.(*array.List)
		values := list.ListValues()
		items, separators := stringValues(values), read[string](args[1])
		var nulls operand[string]
		if len(args) > 2 {
			nulls = read[string](args[2])
		}
		return growing(f, func(dst []byte, i, endMax int) ([]byte, error) {
			start, end := list.ValueOffsets(args[0].row(i))
			first := true
			for k := start; k < end; k++ {
				item := items[k]
				if values.IsNull(int(k)) {
					if len(args) < 3 {
						continue
					}
					item = nulls.at(i)
				}
				if !first {
					dst = append(dst, separators.at(i)...)
				}
				if dst, first = append(dst, item...), false; len(dst) > endMax {
					return dst, errTooLong
				}
			}
			if first {
				return dst, empty
			}
			return dst, nil
		})
	}
}
