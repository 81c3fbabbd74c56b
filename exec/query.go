package exec

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/checkpoint"
	"ssql/internal/sqlerr"
	"ssql/sources"
)

// Query is one query with its checkpoint open. Run, Flush and Close belong to one
// goroutine; Stop and Progress may be called from any.
type Query struct {
	cfg     Config
	root    *breaker
	states  []*breaker // by index
	statics []static   // tables that joins read
	log     *checkpoint.Log
	id      string // identity, for ever
	run     int64  // generation: number of this start
	resume  Resume

	wm         watermarks
	late       int64 // eviction watermark of the newest executed batch: L of the next
	next       int64 // id of the next batch
	nowMicros  int64 // time of the newest planned batch
	pending    *planned
	outTotal   int64
	snapshotAt int64 // batch of the newest snapshot, -1 for none
	broken     error // set by the first failure: state and log no longer agree in memory

	schema    *arrow.Schema
	walCommit time.Duration // of the newest PLAN record

	stop     chan struct{}
	stopOnce sync.Once
	progress atomic.Pointer[Progress]
	started  time.Time // of the trigger before, for input rows per second
	noticed  sync.Map  // texts said already
}

// planned is a batch whose PLAN record is durable, or will be with the next write.
type planned struct {
	plan    *checkpoint.Plan
	digest  uint64
	durable bool         // the PLAN record is in the log, or rides with the commit before
	replay  bool         // planned before this start
	skip    bool         // the sink has it already
	offsets []offsetPair // per source, for progress
}

// Resume says what Open found.
type Resume struct {
	New             bool
	NextBatch       int64
	Pending         bool // NextBatch was planned but not committed
	InSink          bool // and the sink has it
	WatermarkMicros int64
	Previous        []byte // the fingerprint stored before this start
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
	if c.Poll <= 0 {
		c.Poll = 100 * time.Millisecond
	}
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

// Run runs batches until the trigger ends, Stop is called, ctx is done or a batch
// fails. After a failure the query must be closed and opened again: its state in
// memory may be ahead of the checkpoint.
func (q *Query) Run(ctx context.Context, t Trigger) error {
	if q.broken != nil {
		return q.broken
	}
	q.broken = q.loop(ctx, t)
	return q.broken
}

// loop drives the trigger. While batch n is being committed (the sink on one core,
// its fsync), batch n+1 is already executed on the others: an execution changes
// nothing outside memory, and is thrown away if the commit fails.
func (q *Query) loop(ctx context.Context, t Trigger) error {
	ahead := t.Kind == AvailableNow || t.Kind == ProcessingTime && t.Interval == 0
	for {
		p, err := q.due(ctx, t)
		if err != nil {
			return err
		}
		if p != nil {
			if err := q.runFrom(ctx, p, t, ahead); err != nil {
				return err
			}
		}
		if t.Kind == Once || q.stopping() {
			return nil
		}
		if p == nil || t.Interval > 0 {
			if done, err := q.idle(ctx, t); done || err != nil {
				return err
			}
		}
	}
}

// runFrom runs batch p and, with ahead, those that follow without a pause.
func (q *Query) runFrom(ctx context.Context, p *planned, t Trigger, ahead bool) error {
	var before *commitJob
	for p != nil {
		res, err := q.executePlanned(ctx, p)
		if e := q.await(before); err != nil || e != nil {
			return errors.Join(err, e)
		}
		var following *planned
		if ahead && !q.stopping() {
			if following, err = q.due(ctx, t); err != nil {
				// The batch is executed and nothing speaks against it.
				return errors.Join(err, q.await(q.startCommit(ctx, p, res, nil)))
			}
		}
		before = q.startCommit(ctx, p, res, following)
		p = following
	}
	return q.await(before)
}

// idle waits for the next trigger; done says that there is none.
func (q *Query) idle(ctx context.Context, t Trigger) (done bool, err error) {
	if t.Kind != ProcessingTime || q.stopping() {
		return true, nil
	}
	pause := q.cfg.Poll
	if t.Interval > 0 {
		// Boundaries are multiples of the interval since 1970, as in Spark.
		now := q.cfg.Clock.Now()
		pause = now.Truncate(t.Interval).Add(t.Interval).Sub(now)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return true, ctx.Err()
	case <-q.stop:
		return true, nil
	case <-timer.C:
		return false, nil
	}
}

// Flush closes every open window with one last batch without rows, as if the
// watermark had reached the end of time. Only a query without a checkpoint may
// be flushed: it never sees another row.
func (q *Query) Flush(ctx context.Context) error {
	if q.log != nil {
		return sqlerr.New(sqlerr.Internal, "query %q keeps a checkpoint and cannot be flushed", q.cfg.Name)
	}
	if len(q.wm.nodes) == 0 {
		return nil
	}
	p := q.newPlan(make([]sources.Range, len(q.cfg.Sources)), flushMicros)
	res, err := q.executePlanned(ctx, p)
	if err != nil {
		return err
	}
	return q.await(q.startCommit(ctx, p, res, nil))
}

// flushMicros is a watermark behind every time that can be stored, with room to
// add the bounds of joins.
const flushMicros = int64(1) << 61
