package session

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"time"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/plan/expr"
)

// Memory has two kinds of bounds. What one step makes (a value, a chunk, the state of an operator)
// is refused before it is made. What adds up over many steps, or is made by DuckDB, is watched: a
// statement or query is ended before the system ends the process, and with it all others.

// watchEvery is the time between two looks: at 2 GB a second, 20 MB.
const watchEvery = 10 * time.Millisecond

// memoryWatch ends what runs while the process has too much in memory, the newest first.
type memoryWatch struct {
	// look returns how much the heap of Go and the whole process have in memory.
	look func() (heapBytes, processBytes int64)

	mu       sync.Mutex
	bytesMax int64 // memory_bytes_max
	runs     []*watchedRun
	looking  bool
}

// watchedRun is a statement or a query.
type watchedRun struct {
	end   context.CancelCauseFunc
	ended time.Time // when it was told to end
}

// endedWithin is how long a run has to end before the next is ended too.
const endedWithin = 2 * time.Second

func newMemoryWatch() *memoryWatch { return &memoryWatch{look: memoryInUse} }

// setMax sets memory_bytes_max; 0 is what the process may use.
func (w *memoryWatch) setMax(bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bytesMax = bytes
}

// watch returns a context that ends with ctx, or with an error as its cause when there is too little
// memory left. The caller calls done when what runs has ended.
func (w *memoryWatch) watch(ctx context.Context) (watched context.Context, done func()) {
	watched, end := context.WithCancelCause(ctx)
	run := &watchedRun{end: end}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = append(w.runs, run)
	if !w.looking {
		w.looking = true
		go w.loop()
	}
	return watched, func() {
		w.mu.Lock()
		w.runs = slices.DeleteFunc(w.runs, func(r *watchedRun) bool { return r == run })
		w.mu.Unlock()
		end(nil)
		if !run.ended.IsZero() {
			debug.FreeOSMemory() // the next statement begins with what this one had
		}
	}
}

// loop looks while something runs.
func (w *memoryWatch) loop() {
	for {
		time.Sleep(watchEvery)
		heap, process := w.look()
		w.mu.Lock()
		if len(w.runs) == 0 {
			w.looking = false
			w.mu.Unlock()
			return
		}
		w.judge(heap, process)
		w.mu.Unlock()
	}
}

// judge ends the newest run if there is too much in memory: half of what may be for the heap, since
// what a step makes until it is ended comes on top, and thirteen sixteenths in all.
func (w *memoryWatch) judge(heap, process int64) {
	most := w.bytesMax
	if most <= 0 {
		most = duck.ProcessBytes()
	}
	if heap <= most/2 && process <= most/16*13 {
		return
	}
	for _, run := range slices.Backward(w.runs) {
		if run.ended.IsZero() {
			run.ended = time.Now()
			run.end(sqlerr.New("E_LIMIT", "it needs more memory than there is: %s are in use, and memory_bytes_max is %s", expr.BytesText(max(heap, process)>>20<<20), expr.BytesText(most)).
				WithHint("let it read or make less at once (WHERE, a narrower join, fewer and shorter values; for a query on streams also max_bytes_per_batch), or give the process more memory"))
			return
		}
		if time.Since(run.ended) < endedWithin {
			return
		}
	}
}

// causeOf returns why what ran with ctx was ended, if not by the user; else err.
func causeOf(ctx context.Context, err error) error {
	var known *sqlerr.Error
	if cause := context.Cause(ctx); err != nil && cause != nil && errors.As(cause, &known) {
		return cause
	}
	return err
}

// memoryInUse returns how much memory the heap of Go has, garbage included, and what of the process
// is in memory and no file. The second is 0 where the system has no /proc. What the heap has given back
// may be allocated by others.
func memoryInUse() (heapBytes, processBytes int64) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	unused := int64(samples[1].Value.Uint64())
	heapBytes = int64(samples[0].Value.Uint64()) - unused - int64(samples[2].Value.Uint64())
	duck.AllowUnused(unused)
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return heapBytes, 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 3 {
		return heapBytes, 0
	}
	resident, err := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, err2 := strconv.ParseInt(string(fields[2]), 10, 64)
	if err != nil || err2 != nil {
		return heapBytes, 0
	}
	return heapBytes, (resident - shared) * int64(os.Getpagesize())
}
