package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Aggregate is a bound aggregate call without its FILTER and DISTINCT, which the
// operator applies.
type Aggregate struct {
	Name     string // canonical function name; part of the fingerprint
	Args     []Expr // evaluated by the operator, after casts that Bind added
	Params   []Expr // arguments behind Args that New has taken in: constants, part of the fingerprint
	Type     types.Type
	Nullable bool
	Ordered  bool // the result depends on the order of rows (first, last, collect_list)
	// New returns the accumulator. It holds no per-group data and is safe for
	// concurrent use on different Cells.
	New func() Accumulator
}

// Heap keeps byte strings for accumulators whose values have no fixed size.
// state.Heap is one.
type Heap interface {
	// Blob returns the bytes of a handle; handle 0 is the empty string. They may be
	// changed in place, not grown, and are valid until the next change of the heap.
	Blob(handle uint64) []byte
	// SetBlob stores b, copied, under a handle of an earlier SetBlob or, for
	// handle 0, under a new one, and returns the handle.
	SetBlob(handle uint64, b []byte) uint64
	// Extend appends b to the bytes of a handle as SetBlob would store them. Its
	// cost does not grow with what is there.
	Extend(handle uint64, b []byte) uint64
}

// Cells is where the values of one accumulator live for a set of groups: a fixed
// number of 64-bit words per group inside a slab that other accumulators and the
// keys share. It is a plain struct so that kernels index the slab themselves.
//
// The slab moves when groups are added: the owner sets Slab anew before every call.
type Cells struct {
	Slab   []uint64
	Stride int // words from one group to the next
	Offset int // of the accumulator's first word in a group
	Heap   Heap

	rows []int32 // scratch of present
	buf  []byte  // scratch of encoded values
}

// Words returns the words of one group, to read and write.
func (c *Cells) Words(group int32) []uint64 {
	return c.Slab[int(group)*c.Stride+c.Offset:]
}

// Accumulator folds rows into groups. The words it keeps are on disk: their
// meaning may only change together with the format version of the state.
type Accumulator interface {
	// WordCount returns how many words one group takes. A new group is all zeros,
	// which must be the state before any row.
	WordCount() int
	// Update folds rows into groups: row i belongs to groups[i], rows with a
	// negative group are left out (late, filtered, duplicate). Rows are taken in
	// order. An error that belongs to one group is a *GroupError.
	Update(c *Cells, groups []int32, args []arrow.Array) error
	// Merge folds group src[i] of from into group dst[i] of c, in order. The rows
	// behind dst came before those behind src.
	Merge(c *Cells, dst []int32, from *Cells, src []int32) error
	// Result returns one value per listed group.
	Result(c *Cells, groups []int32, alloc memory.Allocator) (arrow.Array, error)
	// Blobs reports which words hold heap handles, so that state can write, copy
	// and free the bytes behind them. Nil for most.
	Blobs() []int
}

// GroupError is an error of one group, such as an overflow. The operator says
// which group it was.
type GroupError struct {
	Group int32
	Err   *sqlerr.Error
}

// Error returns the text of the error.
func (e *GroupError) Error() string { return e.Err.Error() }

// Unwrap returns the user-facing error.
func (e *GroupError) Unwrap() error { return e.Err }

// present returns groups with -1 for the rows where one of the arguments is NULL.
// The result is valid until the next call.
func (c *Cells) present(groups []int32, args ...arrow.Array) []int32 {
	owned := false
	for _, a := range args {
		if a.NullN() == 0 {
			continue
		}
		if !owned {
			c.rows = append(c.rows[:0], groups...)
			groups, owned = c.rows, true
		}
		bits, offset := a.NullBitmapBytes(), a.Data().Offset()
		_, allNull := a.(*array.Null)
		for i := range groups {
			if allNull || !bitutil.BitIsSet(bits, offset+i) {
				groups[i] = -1
			}
		}
	}
	return groups
}

// results collects which values of a result are NULL.
func (c *Cells) results(groups []int32, has func(words []uint64) bool) *validity {
	valid := newValidity(len(groups))
	for i, g := range groups {
		if !has(c.Words(g)) {
			valid.clear(i)
		}
	}
	return valid
}

// plainWords is the part of an accumulator without blobs.
type plainWords int

// WordCount returns the number of words.
func (n plainWords) WordCount() int { return int(n) }

// Blobs returns nil.
func (plainWords) Blobs() []int { return nil }
