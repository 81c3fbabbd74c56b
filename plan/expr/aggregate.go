package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// Aggregate is a bound aggregate call without its FILTER and DISTINCT, which the
// operator applies.
type Aggregate struct {
	Name     string // canonical function name; part of the fingerprint
	Args     []Expr // evaluated by the operator, after casts that Bind added
	Type     types.Type
	Nullable bool
	Ordered  bool // the result depends on the order of rows (first, last, collect_list)
	// New returns the accumulator. It holds no per-group data and is safe for
	// concurrent use on different Cells.
	New func() Accumulator
}

// Cells is where the accumulator values of a set of groups live: a fixed number of
// 64-bit words per group in one slab, without pointers, plus a heap of byte
// strings for values that have no fixed size. It is implemented by state.Table
// and by the partial tables of the aggregate operator.
type Cells interface {
	// Words returns the words of an accumulator in one group, to read and write.
	// The slice is valid until the next group is added.
	Words(group int32) []uint64
	// Blob returns the bytes of a handle; handle 0 is the empty string. The bytes
	// must not be changed.
	Blob(handle uint64) []byte
	// SetBlob stores b, copied, under a handle of an earlier SetBlob or, for
	// handle 0, under a new one, and returns the handle.
	SetBlob(handle uint64, b []byte) uint64
}

// Accumulator folds rows into groups. The words it keeps are on disk: their
// meaning may only change together with the format version of the state.
type Accumulator interface {
	// WordCount returns how many words one group takes. A new group is all zeros,
	// which must be the state before any row.
	WordCount() int
	// Update folds rows into groups: row i belongs to groups[i], rows with a
	// negative group are left out (late, filtered, duplicate). Rows are taken in
	// order.
	Update(c Cells, groups []int32, args []arrow.Array) error
	// Merge folds group src of from into group dst of c. The rows behind dst came
	// before those behind src.
	Merge(c Cells, dst int32, from Cells, src int32) error
	// Result returns one value per listed group.
	Result(c Cells, groups []int32, alloc memory.Allocator) (arrow.Array, error)
	// Blobs reports which words hold heap handles, so that state can write, copy
	// and free the bytes behind them. Nil for most.
	Blobs() []int
}
