package session

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"ssql/internal/sqlerr"
)

// TestMemoryWatch: while too much is in memory the newest run is ended, with an error that says so;
// the one before goes on.
func TestMemoryWatch(t *testing.T) {
	var heap, process atomic.Int64
	w := newMemoryWatch()
	w.look = func() (int64, int64) { return heap.Load(), process.Load() }
	w.setMax(160)
	for _, c := range []struct {
		name          string
		heap, process int64
	}{{"heap", 81, 90}, {"process", 10, 131}} {
		heap.Store(80)
		process.Store(130)
		older, oldDone := w.watch(context.Background())
		newer, newDone := w.watch(context.Background())
		select {
		case <-newer.Done():
			t.Fatalf("%s: ended although there is room", c.name)
		case <-time.After(10 * watchEvery):
		}
		heap.Store(c.heap)
		process.Store(c.process)
		select {
		case <-newer.Done():
		case <-time.After(time.Minute):
			t.Fatalf("%s: nothing ends", c.name)
		}
		heap.Store(0)
		process.Store(0)
		err := causeOf(newer, newer.Err())
		if sqlerr.Code(err) != "E_LIMIT" || older.Err() != nil {
			t.Errorf("%s: the newer ended with %v, the older with %v", c.name, err, older.Err())
		}
		newDone()
		oldDone()
		if err := causeOf(older, older.Err()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: what was not ended by the watch: %v", c.name, err)
		}
	}
}
