// Package column builds Arrow columns in memory that is used again and again. A
// decoder writes values straight into the slots of a Builder; Finish wraps them as
// an Arrow array without copying, and when the last reference to the array is
// released its memory goes back to the Pool it came from.
//
// Decoders of internal/format use it, one Builder per column and goroutine.
package column

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Slack is how many bytes behind the end of its input a decoder may read, and
// behind the end of a value it may write, so that loops can move whole words.
const Slack = 64

const (
	classMin = 6  // 64 bytes: the alignment Arrow asks for
	classMax = 30 // 1 GiB; larger buffers are left to the garbage collector
)

// Pool keeps released buffers for the next chunk, by power-of-two size. The zero
// value is ready; it is safe for concurrent use and implements memory.Allocator.
type Pool struct {
	// Scribble overwrites every buffer that comes back, so that a test finds who
	// reads a chunk after its release.
	Scribble bool
	classes  [classMax + 1]sync.Pool
}

var _ memory.Allocator = (*Pool)(nil)

func class(size int) int { return max(classMin, bits.Len(uint(max(size, 1)-1))) }

// Allocate returns size bytes, 64-byte aligned, with undefined content. The
// capacity is what the buffer really has room for.
func (p *Pool) Allocate(size int) []byte {
	c := class(size)
	if c > classMax {
		return make([]byte, size)
	}
	// Only the address is kept: the class says the rest, and a pointer goes into a
	// sync.Pool without allocating.
	if first, ok := p.classes[c].Get().(*byte); ok {
		return unsafe.Slice(first, 1<<c)[:size]
	}
	return make([]byte, size, 1<<c)
}

// Reallocate moves b into a buffer of the given size.
func (p *Pool) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	out := p.Allocate(size)
	copy(out, b)
	p.Free(b)
	return out
}

// Free takes a buffer back. Only buffers of Allocate are kept.
func (p *Pool) Free(b []byte) {
	n := cap(b)
	if n < 1<<classMin || n > 1<<classMax || n&(n-1) != 0 {
		return
	}
	b = b[:n]
	if p.Scribble {
		for i := range b {
			b[i] = 0xDB
		}
	}
	p.classes[bits.Len(uint(n))-1].Put(unsafe.SliceData(b))
}
