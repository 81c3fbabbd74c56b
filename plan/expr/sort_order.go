package expr

import (
	"github.com/apache/arrow/go/v17/arrow"

	"ssql/sql/types"
)

// Order returns the order of two rows of a column of type t: -1, 0 or 1. Strings are
// ordered by bytes, NaN is above every number and equal to itself, NULL is above
// all and equal to NULL.
func Order(t types.Type, a arrow.Array) func(x, y int) int { return comparer(t, a, a, false) }
