package exec

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"ssql/checkpoint"
	"ssql/internal/sqlerr"
	"ssql/sinks"
)

// Open opens the checkpoint of a query, brings its state back and compares it with
// the sink. The query then runs from where it stopped.
//
// Recovery, from the newest snapshot S and the log (C = newest COMMIT, O = newest
// PLAN, M = the newest batch in the sink: of several places, the newest that all of them
// have, and a place that has more skips it when it comes again):
//
//	no PLAN                 start at batch 0
//	restore S, replay STATE(S+1) .. STATE(C), move the sources behind PLAN(S+1) .. PLAN(C)
//	O = C,   M = C          go on with batch C+1
//	O = C+1, M = C          run O again: same input, watermark and time; the sink gets it.
//	                        If no place has it and the limits of a batch were lowered: the
//	                        beginning of that input (resumePlanned)
//	O = C+1, M = O          run O again for the state only; the sink has it already
//	                        by another plan: refuse (E_REPLAY_MISMATCH)
//	M < C                   refuse: the sink has lost batches (E_SINK_BEHIND_CKPT)
//	no M, and there is a C  refuse: it has lost all of them (E_SINK_MARKER_MISSING)
//	M > O                   refuse: the checkpoint is older than the sink (E_CKPT_BEHIND_SINK)
//
// A sink that is not transactional has no M: after a crash it gets O again.
func Open(ctx context.Context, cfg Config) (*Query, error) {
	cfg.setDefaults()
	q := &Query{cfg: cfg, stop: make(chan struct{}), snapshotAt: -1, lookouts: lookouts{wake: make(chan struct{}, 1)}}
	roots, statics, err := lower(&q.cfg)
	if err != nil {
		return nil, err
	}
	q.roots, q.statics, q.states = roots, statics, statefuls(roots)
	q.routing = connect(roots, len(cfg.Sources))
	for i, b := range q.states {
		b.index = i
	}
	for _, out := range cfg.Plan.Outputs {
		q.schemas = append(q.schemas, schemaOf(out.Columns))
	}
	q.arrived = newArrivals(len(cfg.Sources))
	q.nodeSources = watermarkSources(roots, len(cfg.Plan.Watermarks))
	q.wm = watermarks{defs: cfg.Plan.Watermarks, policy: cfg.Plan.Policy, nodes: make([]*int64, len(cfg.Plan.Watermarks))}
	q.names = namesOf(cfg.Plan)
	q.tellUseless()
	if cfg.Dir == "" {
		q.resume = Resume{New: true}
		return q, q.restorePositions(nil)
	}
	log, rec, err := checkpoint.Open(cfg.FS, cfg.Dir, checkpoint.Options{CreatedBy: cfg.CreatedBy, Owner: cfg.Owner, DropPlan: cfg.DropPlan})
	if err != nil {
		return nil, err
	}
	q.log, q.id, q.run = log, rec.QueryID, rec.Generation
	q.resume = Resume{New: rec.New}
	for _, n := range rec.Notices {
		q.notice(n)
	}
	if err := q.recover(ctx, rec); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return q, nil
}

// AcceptDefinition stores the fingerprint of the plan that runs from now on. The
// caller has compared it with the one of checkpoint.ReadIdentity, before Open.
func (q *Query) AcceptDefinition() error {
	if q.log == nil {
		return nil
	}
	return q.log.SetPrint(q.cfg.Print)
}

func (q *Query) recover(ctx context.Context, rec *checkpoint.Recovered) error {
	if err := q.rename(rec); err != nil {
		return err
	}
	if err := q.restoreSnapshot(rec); err != nil {
		return err
	}
	committed := rec.SnapshotBatch
	for _, b := range rec.Batches {
		if err := q.replayCommitted(&b); err != nil {
			return fmt.Errorf("replaying batch %d from the checkpoint: %w", b.Plan.Batch, err)
		}
		committed = b.Plan.Batch
	}
	q.arriveLater(rec.Batches)
	q.next = committed + 1
	if rec.Pending != nil {
		p := &planned{plan: rec.Pending, digest: rec.PendingDigest, durable: true, replay: true}
		dropped, err := q.renamePlan(p.plan, nil)
		if err != nil {
			return err
		}
		p.dropped = dropped
		q.resume.WatermarkMicros = q.wm.global
		q.entered(p.plan)
		q.pending = p // the sources are moved behind it by resumePlanned
	} else {
		q.resume.WatermarkMicros = q.wm.global
	}
	q.resume.NextBatch, q.resume.DefinedFrom = committed+1, committed+1
	q.resume.Pending = q.pending != nil
	if err := q.reconcile(ctx, committed); err != nil {
		return err
	}
	q.tellRedefined()
	return nil
}

// tellRedefined says what becomes of a planned batch when the definition has changed
// since: it keeps its rows, its time and its watermark, and is run by the new one. That
// is how a user gets past a batch that fails.
func (q *Query) tellRedefined() {
	p := q.pending
	switch {
	case p == nil || p.plan.Definition == q.cfg.Definition:
	case p.skip:
		q.resume.DefinedFrom++
		q.notice(fmt.Sprintf("batch %d was written by the old definition before the stop; the new one brings the state up to it and holds from batch %d on", p.plan.Batch, p.plan.Batch+1))
	default:
		q.notice(fmt.Sprintf("batch %d was planned by the old definition and is run by the new one, on the same rows", p.plan.Batch))
	}
}

// reconcile compares checkpoint and sink, in both directions. A contradiction is
// never resolved by a guess.
func (q *Query) reconcile(ctx context.Context, committed int64) error {
	if !q.cfg.Sink.Transactional() {
		return nil
	}
	head, ok, err := q.cfg.Sink.Head(ctx, q.id)
	if err != nil {
		return fmt.Errorf("reading the newest batch of query %q from its sink: %w", q.cfg.Name, err)
	}
	newest := int64(-1)
	if ok {
		newest = head.Batch
	}
	planned := committed
	if q.pending != nil {
		planned = q.pending.plan.Batch
	}
	switch {
	case newest > planned:
		return sqlerr.New("E_CKPT_BEHIND_SINK", "the sink of query %q has batch %d, the checkpoint %s ends at batch %d", q.cfg.Name, newest, q.cfg.Dir, planned).
			WithDetail("The checkpoint is older than the result: it was restored from a copy, or belongs to another database.").
			WithHint("put the newer checkpoint back, or give the query a new name and target")
	case newest < committed && !ok:
		return sqlerr.New("E_SINK_MARKER_MISSING", "query %q has committed batch %d, but its sink knows nothing of the query", q.cfg.Name, committed).
			WithDetail("The database was replaced, or the tables of the schema ssql were dropped.").
			WithHint("put the database back, or DROP QUERY %s and start it anew", q.cfg.Name)
	case newest < committed:
		return sqlerr.New("E_SINK_BEHIND_CKPT", "the sink of query %q ends at batch %d, the checkpoint has committed batch %d", q.cfg.Name, newest, committed).
			WithDetail("The database was restored from an older copy or lost its write-ahead log.").
			WithHint("put the newer database back, or DROP QUERY %s and start it anew", q.cfg.Name)
	}
	if q.pending != nil && newest < planned {
		q.pending.unsent = true
		if places, ok := q.cfg.Sink.(sinks.Spread); ok {
			held, err := places.Holds(ctx, q.id, planned)
			if err != nil {
				return fmt.Errorf("looking for batch %d of query %q in its sink: %w", planned, q.cfg.Name, err)
			}
			q.pending.unsent = !held
		}
	}
	if q.pending != nil && newest == planned {
		if head.Digest != q.pending.digest {
			return sqlerr.New("E_REPLAY_MISMATCH", "batch %d of query %q is in the sink with another plan than in the checkpoint", newest, q.cfg.Name).
				WithDetail("Checkpoint and sink were written by different runs.").
				WithHint("put back the checkpoint that belongs to this database")
		}
		if q.pending.dropped != "" && len(q.states) > 0 {
			return sqlerr.New("E_CKPT_INCOMPATIBLE", "batch %d of query %q is in its sink with rows of source %q, and not in its state yet", newest, q.cfg.Name, q.pending.dropped).
				WithHint("start the query once with this source, then without it")
		}
		q.pending.skip = true
		q.resume.InSink = true
	}
	return nil
}

// replayCommitted brings the state to the end of a committed batch.
func (q *Query) replayCommitted(b *checkpoint.Batch) error {
	p := &planned{plan: b.Plan}
	if err := q.advance(p); err != nil {
		return err
	}
	rest := b.State
	for _, s := range q.states {
		part, tail, err := cutPart(rest)
		if err != nil {
			return err
		}
		if err := s.state.ApplyChanges(part); err != nil {
			return sqlerr.New("E_CKPT_CORRUPT", "the state of %s in batch %d cannot be read", s.state.Name(), b.Plan.Batch).Because(err)
		}
		rest = tail
	}
	q.entered(b.Plan)
	return q.restoreWatermark(b.Commit.WatermarkMicros, b.Commit.NodeMicros)
}

func (q *Query) restoreWatermark(global int64, nodes []*int64) error {
	if len(nodes) != len(q.wm.nodes) {
		return sqlerr.New("E_CKPT_INCOMPATIBLE", "the checkpoint has %d watermarks and the query %d", len(nodes), len(q.wm.nodes))
	}
	q.wm.global = global
	copy(q.wm.nodes, nodes)
	return nil
}

func (q *Query) restoreSnapshot(rec *checkpoint.Recovered) error {
	if rec.Snapshot == nil {
		return q.restorePositions(nil)
	}
	q.snapshotAt = rec.SnapshotBatch
	text, rest, err := cutPart(rec.Snapshot)
	if err != nil {
		return err
	}
	head, err := readHead(text, rec.SnapshotBatch)
	if err != nil {
		return err
	}
	if err := q.renameHead(head, rec.Batches); err != nil {
		return err
	}
	if err := q.restorePositions(head.Positions); err != nil {
		return err
	}
	for _, b := range q.states {
		part, tail, err := cutPart(rest)
		if err != nil {
			return err
		}
		if err := b.state.Restore(part); err != nil {
			return sqlerr.New("E_CKPT_CORRUPT", "the state of %s in the snapshot of batch %d cannot be read", b.state.Name(), rec.SnapshotBatch).Because(err)
		}
		rest = tail
	}
	if len(head.Arrivals.Newest) != len(q.cfg.Sources) {
		return sqlerr.New("E_CKPT_CORRUPT", "the head of the snapshot of batch %d cannot be read", rec.SnapshotBatch)
	}
	q.late, q.nowMicros, q.idle, q.arrived = head.Late, head.Now, head.Idle, head.Arrivals
	return q.restoreWatermark(head.Watermark, head.Nodes)
}

// restorePositions sets the sources; nil starts them at the beginning.
func (q *Query) restorePositions(positions []json.RawMessage) error {
	for i, s := range q.cfg.Sources {
		var pos []byte
		if positions != nil && positions[i] != nil {
			if err := json.Unmarshal(positions[i], &pos); err != nil {
				return sqlerr.New("E_CKPT_CORRUPT", "the position of %s in the snapshot cannot be read", s.Description()).Because(err)
			}
		}
		if err := s.Restore(pos); err != nil {
			return fmt.Errorf("setting %s to where the query stopped: %w", s.Description(), err)
		}
	}
	return nil
}

// cutPart cuts one length-prefixed part off b.
func cutPart(b []byte) (part, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, sqlerr.New("E_CKPT_CORRUPT", "a part of the state is cut short")
	}
	return b[size : size+int(n)], b[size+int(n):], nil
}
