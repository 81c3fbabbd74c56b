package exec

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"ssql/checkpoint"
	"ssql/internal/invariant"
	"ssql/sinks"
)

// commitJob is a commit that runs beside the next execution.
type commitJob struct {
	p    *planned
	res  *result
	done chan error
}

// executePlanned makes the PLAN record durable, unless it rides in the commit of
// the batch before, and executes the batch (invariant I1: no effect of a batch
// outside memory precedes its PLAN record).
func (q *Query) executePlanned(ctx context.Context, p *planned) (*result, error) {
	if q.log != nil && !p.durable {
		start := time.Now()
		write := q.log.AppendPlan
		if p.again {
			write = q.log.ReplacePlan
		}
		digest, err := write(p.plan)
		if err != nil {
			return nil, fmt.Errorf("planning batch %d: %w", p.plan.Batch, err)
		}
		p.digest, p.durable = digest, true
		p.walCommit = time.Since(start)
	}
	q.activity.Store(&Activity{Batch: p.plan.Batch, Since: time.Now()})
	res, err := q.execute(ctx, p)
	if err != nil {
		return nil, err
	}
	q.wm.observe(res.event, p.plan.Idle)
	res.watermark, res.nodes = q.wm.global, q.wm.snapshot()
	res.nextClose, res.closes = q.NextClose()
	if q.snapshotDue(p.plan.Batch) {
		if res.snapshot, err = q.appendSnapshot(res); err != nil {
			return nil, err
		}
		q.snapshotAt = p.plan.Batch
	}
	return res, nil
}

// snapshotBytesMin is how much log is worth a snapshot however small the state is:
// reading it back takes a restart a few milliseconds.
const snapshotBytesMin = 16 << 20

// snapshotDue reports whether a snapshot belongs to this batch: after so many
// batches, or when a restart would read more than twice the state (docs/FORMAT.md, Trimming).
func (q *Query) snapshotDue(batch int64) bool {
	if q.log == nil {
		return false
	}
	if batch-q.snapshotAt >= int64(q.cfg.SnapshotEvery) {
		return true
	}
	held := int64(0)
	for _, b := range q.states {
		held += b.state.Stats().MemoryBytes
	}
	return q.log.BytesSinceSnapshot() > max(snapshotBytesMin, 2*held)
}

// startCommit stores the rows of a batch and makes it final, in the background.
// following, if not nil, is the next batch: its PLAN rides in the same write.
func (q *Query) startCommit(ctx context.Context, p *planned, res *result, following *planned) *commitJob {
	if following != nil {
		following.durable = true
	}
	job := &commitJob{p: p, res: res, done: make(chan error, 1)}
	go func() { job.done <- q.store(ctx, p, res, following) }()
	return job
}

// store is the steps sink, STATE and COMMIT of a batch (docs/ARCHITECTURE.md, One batch): first the sink has rows and marker, then the
// log has STATE and COMMIT (invariant I2). A crash between the two replays the batch, and the
// marker says that the sink is to be skipped.
func (q *Query) store(ctx context.Context, p *planned, res *result, following *planned) error {
	start := time.Now()
	if invariant.Enabled {
		invariant.Holds(q.log == nil || p.durable, "I1", "batch %d goes to its sink before its PLAN is durable", p.plan.Batch)
	}
	if !p.skip {
		if q.log != nil {
			// PLAN came with the commit of the batch before, which may be long ago.
			if err := q.log.StillHeld(); err != nil {
				return fmt.Errorf("writing batch %d: %w", p.plan.Batch, err)
			}
		}
		if err := q.cfg.Sink.Write(ctx, q.sinkBatch(p, res)); err != nil {
			return fmt.Errorf("writing batch %d: %w", p.plan.Batch, err)
		}
	}
	res.durations["addBatch"] = time.Since(start) + res.durations["execute"]
	delete(res.durations, "execute")
	if q.log == nil {
		return nil
	}
	start = time.Now()
	if invariant.Enabled {
		if err := q.checkStored(ctx, p.plan); err != nil {
			return err
		}
	}
	c := &checkpoint.Commit{
		Batch: p.plan.Batch, WatermarkMicros: res.watermark, NodeMicros: res.nodes,
		RowsIn: res.counts.read, RowsOut: res.rowsOut, RowsLate: res.counts.late, RowsBad: res.counts.bad,
		Names: q.names,
	}
	var next *checkpoint.Plan
	if following != nil {
		next = following.plan
	}
	digest, err := q.log.AppendCommit(c, res.states, next)
	if err != nil {
		return fmt.Errorf("committing batch %d: %w", p.plan.Batch, err)
	}
	if following != nil {
		following.digest = digest
	}
	res.durations["commitOffsets"] = time.Since(start)
	if res.snapshot != nil {
		if err := q.log.WriteSnapshot(p.plan.Batch, res.snapshot); err != nil {
			// The log still holds everything; only a restart takes longer.
			q.notice(fmt.Sprintf("the snapshot of batch %d was not written, the log is kept instead: %v", p.plan.Batch, err))
		}
	}
	return nil
}

// checkStored checks invariant I2: what is committed is in the sink.
func (q *Query) checkStored(ctx context.Context, p *checkpoint.Plan) error {
	if !q.cfg.Sink.Transactional() {
		return nil
	}
	head, ok, err := q.cfg.Sink.Head(ctx, q.id)
	if err != nil {
		return fmt.Errorf("checking that batch %d is stored: %w", p.Batch, err)
	}
	invariant.Holds(ok && head.Batch >= p.Batch, "I2", "batch %d is to be committed, and the sink has %d (%v)", p.Batch, head.Batch, ok)
	return nil
}

// await waits for a commit and publishes the batch.
func (q *Query) await(job *commitJob) error {
	if job == nil {
		return nil
	}
	if err := <-job.done; err != nil {
		return err
	}
	for i, s := range q.cfg.Sources {
		if r := job.p.plan.Ranges[i]; reads(r) {
			if err := s.Commit(r); err != nil {
				return fmt.Errorf("telling %s that batch %d is committed: %w", s.Description(), job.p.plan.Batch, err)
			}
		}
	}
	q.tell(job.res)
	p := q.describe(job.res)
	q.progress.Store(p)
	if a := q.activity.Load(); a != nil && a.Batch == p.BatchID {
		q.activity.Store(nil) // no later one is under way
	}
	if q.cfg.OnBatch != nil {
		q.cfg.OnBatch(p, job.res.rows)
	}
	job.res.release()
	return nil
}

// tell gives the notices about a committed batch.
func (q *Query) tell(res *result) {
	q.tellForced(res)
	if kept := int64(len(res.bad)); res.counts.bad-res.counts.badDropped > kept {
		q.cfg.OnNotice(fmt.Sprintf("batch %d had %d bad rows, of which the first %d are kept in ssql.bad_rows (bad_rows_max)", res.plan.Batch, res.counts.bad, kept))
	}
	if q.cfg.LateRows == LateToTable && res.lateSeen > res.lateKept {
		q.cfg.OnNotice(fmt.Sprintf("batch %d had %d late rows, of which the first %d are kept in ssql.late_rows (late_rows_max)", res.plan.Batch, res.lateSeen, res.lateKept))
	}
}

func (q *Query) sinkBatch(p *planned, res *result) *sinks.Batch {
	c := res.counts
	outputs := make([]sinks.Output, len(q.roots))
	for i, out := range q.cfg.Plan.Outputs {
		outputs[i] = sinks.Output{
			Mode: out.Mode, Keys: out.KeyColumns, WindowColumn: out.WindowColumn,
			Schema: q.schemas[i], Records: res.rows[i].Records, Rows: c.outputs[i].rowsOut, Deletes: res.rows[i].Deletes,
		}
	}
	return &sinks.Batch{
		Marker: sinks.Marker{QueryID: q.id, Generation: q.run, Batch: p.plan.Batch, Digest: p.digest},
		Query:  q.cfg.Name, Outputs: outputs, Side: q.sideRows(res),
		Info: sinks.CommitInfo{
			BatchMicros: p.plan.NowMicros, WatermarkMicros: p.plan.WatermarkMicros,
			RowsIn: c.read, RowsOut: res.rowsOut, RowsDeleted: res.deleted, RowsLate: c.late, RowsBad: c.bad, RowsFiltered: c.filtered,
		},
	}
}

// snapshotHead precedes the operators in a snapshot; docs/FORMAT.md draws it.
type snapshotHead struct {
	Watermark int64             `json:"watermark"` // global, for the next batch
	Late      int64             `json:"late"`      // eviction watermark of the batch
	Nodes     []*int64          `json:"nodes"`
	Now       int64             `json:"now"`
	Idle      []int             `json:"idle,omitempty"`
	Arrivals  arrivals          `json:"arrivals"`
	Positions []json.RawMessage `json:"positions"`
	Names     *checkpoint.Names `json:"names,omitempty"`
}

// appendSnapshot returns the state after the batch that was just executed. It is
// taken before the next batch is planned, so the sources stand where it ends.
func (q *Query) appendSnapshot(res *result) ([]byte, error) {
	head := snapshotHead{
		Watermark: res.watermark, Late: q.late, Nodes: res.nodes,
		Now: q.nowMicros, Idle: q.idle, Arrivals: q.arrived, Names: q.names,
	}
	for _, s := range q.cfg.Sources {
		pos, err := s.Position()
		if err != nil {
			return nil, fmt.Errorf("taking the position of %s: %w", s.Description(), err)
		}
		text, err := json.Marshal(pos)
		if err != nil {
			return nil, fmt.Errorf("writing the position of %s: %w", s.Description(), err)
		}
		head.Positions = append(head.Positions, text)
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("writing the head of a snapshot: %w", err)
	}
	dst := binary.AppendUvarint(nil, uint64(len(text)))
	dst = append(dst, text...)
	for _, b := range q.states {
		part := b.state.AppendSnapshot(nil)
		dst = binary.AppendUvarint(dst, uint64(len(part)))
		dst = append(dst, part...)
	}
	return dst, nil
}
