package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// history puts records together to writes and batches, and checks that nothing is
// missing between them. For one batch the order is PLAN, STATE, COMMIT.
type history struct {
	from       int64 // batch of the snapshot: batches up to it are checked and not kept
	generation int64 // of the generation file: no record can be newer

	write   uint64   // number of the last whole write
	end     int64    // where it ends in its segment
	lastRun int64    // generation of the last record
	group   []record // of a write that is not whole yet

	started    bool
	batch      int64 // of the last record
	stage      stage
	plan       *Plan
	planRun    int64 // generation of the record of plan
	digest     uint64
	state      []byte
	stateBytes int64
	batches    []Batch

	// For Inspect: every committed batch seen, and no state kept.
	reporting bool
	reports   []BatchReport
}

// stage is how far the last batch has come.
type stage uint8

const (
	committed stage = iota // or nothing seen yet
	planned
	stated
)

// skip says whose payload nobody needs: the state of batches in the snapshot.
func (h *history) skip(r recordHeader) bool { return r.kind == recordState && r.batch <= h.from }

// add takes the next record. A write counts when all its records are there: a crash
// can leave any part of the last one.
func (h *history) add(r *record) error {
	want, more := h.write+1, r.more
	if n := len(h.group); n > 0 {
		more = h.group[n-1].more - 1
	}
	if r.write != want || r.more != more {
		return corrupt(r.path, r.offset, "expected write %d of the log with %d records to follow, found write %d with %d",
			want, more, r.write, r.more)
	}
	if r.generation < h.lastRun || r.generation > h.generation {
		return corrupt(r.path, r.offset, "the record is of run %d, after run %d and in a checkpoint whose file %q says run %d",
			r.generation, h.lastRun, generationName, h.generation)
	}
	h.lastRun = r.generation
	h.group = append(h.group, *r)
	if r.more > 0 {
		return nil
	}
	for i := range h.group {
		if err := h.apply(&h.group[i]); err != nil {
			return err
		}
	}
	h.group = h.group[:0]
	h.write, h.end = r.write, r.end
	return nil
}

func (h *history) apply(r *record) error {
	if err := h.checkOrder(r); err != nil {
		return err
	}
	h.started, h.batch = true, r.batch
	switch r.kind {
	case recordPlan:
		p := new(Plan)
		if err := decodeJSON(r, p); err != nil {
			return err
		}
		if p.Batch != r.batch {
			return corrupt(r.path, r.offset, "the PLAN of batch %d says batch %d", r.batch, p.Batch)
		}
		for i, source := range p.Ranges {
			if string(source) == "null" {
				p.Ranges[i] = nil // as it was before it was written
			}
		}
		h.stage, h.plan, h.planRun, h.digest, h.state, h.stateBytes = planned, p, r.generation, planDigest(r.payload), nil, 0
	case recordState:
		h.stage, h.state, h.stateBytes = stated, r.payload, int64(r.length)
	case recordCommit:
		c := new(Commit)
		if err := decodeJSON(r, c); err != nil {
			return err
		}
		if c.Batch != r.batch {
			return corrupt(r.path, r.offset, "the COMMIT of batch %d says batch %d", r.batch, c.Batch)
		}
		h.commit(c)
	}
	return nil
}

func (h *history) commit(c *Commit) {
	h.stage = committed
	switch {
	case h.reporting:
		h.reports = append(h.reports, BatchReport{Batch: c.Batch, Generation: h.lastRun, Plan: h.plan, Commit: c, StateBytes: h.stateBytes})
	case c.Batch > h.from:
		h.batches = append(h.batches, Batch{Plan: h.plan, State: h.state, Commit: c})
	}
	h.plan, h.state = nil, nil
}

// checkOrder finds batches that are gone, and records out of order.
func (h *history) checkOrder(r *record) error {
	kind, batch := recordPlan, h.batch+1
	switch {
	case !h.started && r.kind != recordPlan && r.batch <= h.from:
		return nil // its PLAN was in a segment that the snapshot made superfluous
	case !h.started:
		batch = min(r.batch, h.from+1)
	case h.stage == planned && r.kind == recordPlan && r.batch == h.batch && r.generation > h.planRun:
		return nil // a later run has planned the batch anew
	case h.stage == planned:
		kind, batch = recordState, h.batch
	case h.stage == stated:
		kind, batch = recordCommit, h.batch
	}
	if r.kind != kind || r.batch != batch {
		return corrupt(r.path, r.offset, "expected the %s of batch %d, found the %s of batch %d", kind, batch, r.kind, r.batch)
	}
	return nil
}

// provesDamage returns the lowest number of a write that shows, if a record of it
// stands behind bytes that are no record, that those are damage and not the torn end
// of the log: nothing of a write is on disk before the one before it was synced.
func (h *history) provesDamage() uint64 { return h.write + 2 }

func decodeJSON(r *record, into any) error {
	if err := json.Unmarshal(r.payload, into); err != nil {
		return corrupt(r.path, r.offset, "the %s of batch %d cannot be read: %v", r.kind, r.batch, err)
	}
	return nil
}

// encodeJSON keeps the JSON of sources as it is: no escapes for HTML.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding a log record: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// planDigest identifies a PLAN in the marker of the sink.
func planDigest(payload []byte) uint64 {
	sum := sha256.Sum256(payload)
	return binary.LittleEndian.Uint64(sum[:])
}
