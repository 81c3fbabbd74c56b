package exec

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/checkpoint"
	"ssql/exec/op"
	"ssql/sources"
)

// Query is one query with its checkpoint open. Run, Flush and Close belong to one
// goroutine; Stop and Progress may be called from any.
type Query struct {
	cfg     Config
	roots   []*breaker // by output
	routing *routing
	states  []*breaker // by index
	statics []static   // tables that joins read
	log     *checkpoint.Log
	id      string // identity, for ever
	run     int64  // generation: number of this start
	resume  Resume
	names   *checkpoint.Names // of sources and watermark nodes; nil where their order counts

	wm        watermarks
	late      int64 // eviction watermark of the newest executed batch: L of the next
	next      int64 // id of the next batch
	nowMicros int64 // time of the newest planned batch
	// idle lists the watermark nodes that are left out of the watermark; arrived is what
	// that follows from, with the sources below each node.
	idle        []int
	arrived     arrivals
	nodeSources [][]int
	pending     *planned
	snapshotAt  int64 // batch of the newest snapshot, -1 for none
	broken      error // set by the first failure: state and log no longer agree in memory

	schemas []*arrow.Schema // by output

	stop     chan struct{}
	stopOnce sync.Once
	progress atomic.Pointer[Progress]
	activity atomic.Pointer[Activity]
	started  time.Time // of the trigger before, for input rows per second
	noticed  sync.Map  // texts said already
	lookouts lookouts
	pipes    []sources.Pipe // that have not ended, of trigger available_now
	behind   bool           // it was said that batches take longer than the trigger's interval
}

// planned is a batch whose PLAN record is durable, or will be with the next write.
type planned struct {
	plan    *checkpoint.Plan
	digest  uint64
	durable bool         // the PLAN record is in the log, or rides with the commit before
	replay  bool         // planned before this start
	again   bool         // the log has another plan of it, which this one replaces
	unsent  bool         // planned before this start, and no place of the sink has any of it
	skip    bool         // the sink has it already
	dropped string       // the name of a source that it reads and the query has no more; "" without
	offsets []offsetPair // per source, for progress

	started      time.Time     // when the trigger looked for it
	latestOffset time.Duration // how long looking took; 0 for a batch of the log
	walCommit    time.Duration // how long its PLAN took; 0 if it rode with a commit
}

// Resume says what Open found.
type Resume struct {
	New       bool
	NextBatch int64
	Pending   bool // NextBatch was planned but not committed
	InSink    bool // and the sink has it
	// DefinedFrom is the first batch that the present definition runs.
	DefinedFrom     int64
	WatermarkMicros int64
}

// systemClock is the wall clock.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (c *Config) setDefaults() {
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.ChunkRows <= 0 {
		c.ChunkRows = 8192
	}
	if c.Clock == nil {
		c.Clock = systemClock{}
	}
	if c.SnapshotEvery <= 0 {
		c.SnapshotEvery = 100
	}
	if c.OnNotice == nil {
		c.OnNotice = func(string) {}
	}
	switch {
	case c.LateRowsMax == 0:
		c.LateRowsMax = lateRowsMaxDefault
	case c.LateRowsMax < 0:
		c.LateRowsMax = 0
	}
	switch {
	case c.BadRowsMax == 0:
		c.BadRowsMax = badRowsMaxDefault
	case c.BadRowsMax < 0:
		c.BadRowsMax = 0
	}
	if c.Poll <= 0 {
		c.Poll = 100 * time.Millisecond
	}
}

// sizes are those of the chunks that stages make.
func (c *Config) sizes() op.Sizes {
	return op.Sizes{ChunkRows: c.ChunkRows, ChunkBytes: c.ChunkBytesMax, RowsPerRowMax: c.RowsPerRowMax}
}

// notice passes a message on, once per text.
func (q *Query) notice(text string) {
	if _, said := q.noticed.LoadOrStore(text, true); !said {
		q.cfg.OnNotice(text)
	}
}

// Resumed says what Open found.
func (q *Query) Resumed() Resume { return q.resume }

// ID returns the identity of the query.
func (q *Query) ID() string { return q.id }

// Progress returns the progress of the newest committed batch, nil before one.
func (q *Query) Progress() *Progress { return q.progress.Load() }

// Activity is a batch that runs.
type Activity struct {
	Batch int64
	Since time.Time // when its execution began, by the wall clock
}

// Activity returns the newest batch that is executed or committed now, nil when the query
// waits for its trigger or for input. It may be called from any goroutine.
func (q *Query) Activity() *Activity { return q.activity.Load() }

// Stop asks Run to finish and commit the batch that runs, and to return.
func (q *Query) Stop() { q.stopOnce.Do(func() { close(q.stop) }) }

func (q *Query) stopping() bool {
	select {
	case <-q.stop:
		return true
	default:
		return false
	}
}

// Close releases the checkpoint, the sources and the sink.
func (q *Query) Close() error {
	var errs []error
	for _, s := range q.cfg.Sources {
		errs = append(errs, s.Close())
	}
	errs = append(errs, q.cfg.Sink.Close())
	if q.log != nil {
		errs = append(errs, q.log.Close())
	}
	return errors.Join(errs...)
}
