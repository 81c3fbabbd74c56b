// Package checkpoint is the log of one query: a directory with a lock, an identity, one
// preallocated append-only log in segments, and immutable snapshots. It holds
// bytes and numbers and knows neither SQL nor rows. docs/FORMAT.md draws the bytes.
//
// The order of a batch n, which exec keeps (design §3):
//
//	AppendPlan(n)          durable before anything of n happens
//	  ... the sink stores rows and marker ...
//	AppendCommit(n)        STATE and COMMIT in one write, durable; n is final
//
// AppendCommit can carry PLAN(n+1) in the same write when the next batch is
// already known.
package checkpoint

import "encoding/json"

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
}

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
	// RowsTotal of the life of the query, for AWAIT ... ROWS and the summary.
	OutTotal int64 `json:"outTotal"`
}
