package duck

import (
	"math"
	"runtime"
	"sync"
	"syscall"
)

// allocationBound is the limit of allocations that BoundAllocations has set.
var allocationBound struct {
	mu    sync.Mutex
	bytes uint64 // without what is mapped and not used; 0: none is set
	limit syscall.Rlimit
}

// BoundAllocations lets allocations fail that would come to more than ProcessBytes, where the system can.
// DuckDB knows only of what its buffers take: the texts of a vector, as of repeat or format, are
// not among them. An allocation that fails ends the statement in an error; without, the system would
// end the process.
func BoundAllocations() {
	most := processBytes()
	if most == math.MaxInt64 {
		return
	}
	b := &allocationBound
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &b.limit); err != nil {
		return // there is none to be had
	}
	if bound := uint64(most/8*7 + stackBytes); bound < uint64(b.limit.Cur) {
		b.bytes, b.limit.Cur = bound, bound
		_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &b.limit) // without, the process is as it was
	}
	reserveHeap(min(most/4, reservedHeapMax))
}

// AllowUnused raises the bound by what the heap of Go has mapped and does not use: the system counts what
// is mapped, and the bound is for what is in memory. After a statement that took much DuckDB could not get it otherwise,
// and where it cannot say so (a COMMIT) ends the process.
func AllowUnused(bytes int64) {
	b := &allocationBound
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes == 0 {
		return
	}
	most := min(b.bytes+uint64(bytes), uint64(b.limit.Max))
	if most > b.limit.Cur-min(b.limit.Cur, boundStep) && most < b.limit.Cur+boundStep {
		return
	}
	b.limit.Cur = most
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &b.limit) // without, the bound is the narrower one
}

// boundStep is the difference for which the bound is set anew.
const boundStep = 8 << 20

// reserveHeap maps memory for the heap of Go, which touches none of it: an allocation of DuckDB that
// fails is an error of the statement, one of Go's ends the process, and the bound is of both.
func reserveHeap(bytes int64) {
	reserved := make([]byte, bytes)
	runtime.KeepAlive(reserved)
	runtime.GC() // the heap keeps the addresses
}

// reservedHeapMax is what DuckDB leaves to Go at any rate: half of what the process may have, where it is
// 512 MiB; with more, a heap grows to that before DuckDB has the rest.
const reservedHeapMax = 256 << 20

// stackBytes is what stacks and arenas reserve and do not use.
const stackBytes = 192 << 20
