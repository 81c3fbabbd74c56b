// Package checkpoint is the log of one query: a directory with a lock, an identity, one
// preallocated append-only log in segments, and immutable snapshots. It holds
// bytes and numbers and knows neither SQL nor rows. docs/FORMAT.md draws the bytes.
//
// The order of a batch n, which exec keeps (docs/ARCHITECTURE.md, One batch):
//
//	AppendPlan(n)          durable before anything of n happens
//	  ... the sink stores rows and marker ...
//	AppendCommit(n)        STATE and COMMIT in one write, durable; n is final
//
// A batch that was planned and never reached a sink may be planned anew by a later run
// (ReplacePlan), and then has the newer plan alone.
//
// AppendCommit can carry PLAN(n+1) in the same write when the next batch is
// already known.
//
// What a restart may rely on: after a crash at any moment Open finds every batch whose
// AppendCommit returned, in order and without a gap, and at most the one more whose
// AppendCommit was running. A write that was cut by the crash is removed; anything else
// that is not as it was written is an error that names the file (errors.go), and then
// nothing in the directory is changed.
package checkpoint

import (
	"encoding/json"

	"ssql/internal/owner"
)

// Plan is the PLAN record: everything that running a batch depends on.
type Plan struct {
	Batch           int64             `json:"batch"`
	Generation      int64             `json:"generation"` // the run that planned it
	NowMicros       int64             `json:"now"`        // the batch's time
	WatermarkMicros int64             `json:"watermark"`  // global watermark the batch evicts with
	LateMicros      int64             `json:"late"`       // global watermark of the batch before: the late filter
	Seed            int64             `json:"seed"`
	Ranges          []json.RawMessage `json:"ranges"`     // per source; null: nothing
	Definition      string            `json:"definition"` // digest of the query text that planned it
	// Idle lists the watermark nodes, by ID, whose input was idle: the watermark does
	// not wait for them.
	Idle []int `json:"idle,omitempty"`
	// Forced is why the watermark is ahead of what the event times give: ForcedTimeout
	// or ForcedEnd. "" when it is not.
	Forced string `json:"forced,omitempty"`
	// Names are those of the sources and watermark nodes by which Ranges and Idle count.
	Names *Names `json:"names,omitempty"`
}

// Names are what a query calls its sources and watermark nodes, in the order in which records
// list them. A query that gives its sources no names has none, and the order alone counts.
type Names struct {
	Sources []string `json:"sources"`
	Nodes   []string `json:"nodes,omitempty"`
}

// Values of Plan.Forced.
const (
	ForcedTimeout = "timeout"      // EMIT ... TIMEOUT: no input for so long
	ForcedEnd     = "end of input" // end_of_input = 'flush'
)

// Commit is the COMMIT record.
type Commit struct {
	Batch           int64 `json:"batch"`
	WatermarkMicros int64 `json:"watermark"` // global watermark for the next batch
	// NodeMicros are the watermarks of the watermark nodes, by ID; nil entries have
	// never seen a row. Spark forgets them at a restart (D1), ssql does not.
	NodeMicros []*int64 `json:"nodes"`
	RowsIn     int64    `json:"in"`
	RowsOut    int64    `json:"out"`
	RowsLate   int64    `json:"lateRows"`
	RowsBad    int64    `json:"badRows"`
	// Names are those of the run that committed: a range of the PLAN whose source is not among
	// them was not read.
	Names *Names `json:"names,omitempty"`
}

// Options change how a checkpoint is kept. The zero value takes the defaults.
type Options struct {
	// SegmentBytes is the size of a log segment; default 4 MiB. A write that is
	// larger gets a segment of its own size.
	SegmentBytes int64
	// CreatedBy names the program, for `ssql checkpoint show`; kept in metadata.
	CreatedBy string
	// Holder is what a second process is told about this one; default vfs.Holder.
	Holder []byte
	// DropPlan forgets the planned batch of a checkpoint without a committed one: the caller
	// knows that nothing of it was stored, and plans it anew.
	DropPlan bool
	// Owner is the database that the query belongs to; nil: none.
	Owner *owner.Claim
	// NewID makes the identity of a new checkpoint; default random.
	NewID func() [16]byte
}

// Recovered is what Open found.
type Recovered struct {
	QueryID    string // identity of the query, a UUID; never changes
	Generation int64  // number of this run, from 1; larger than that of every earlier one
	New        bool   // the checkpoint was made by this Open
	Print      []byte // what SetPrint stored last; empty when it never was called

	Snapshot      []byte // payload of the newest intact snapshot; nil without one
	SnapshotBatch int64  // its batch; -1 without one
	// Batches are the committed batches behind the snapshot, in order.
	Batches []Batch
	// Pending is the batch that was planned and not committed; nil if there is none.
	// It must run again before any other; with the same plan, if a sink may have got it.
	Pending       *Plan
	PendingDigest uint64
	// Notices tell the user what was repaired, such as a damaged snapshot that an
	// older one and the log replaced.
	Notices []string
}

// NextBatch returns the number of the first batch that is not committed.
func (r *Recovered) NextBatch() int64 { return r.SnapshotBatch + int64(len(r.Batches)) + 1 }

// Batch is one committed batch.
type Batch struct {
	Plan   *Plan
	State  []byte
	Commit *Commit
}
