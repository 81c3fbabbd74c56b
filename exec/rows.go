package exec

import (
	"github.com/apache/arrow/go/v17/arrow"

	"ssql/exec/op"
)

// Rows are what a batch gives to one output.
type Rows struct {
	Records []arrow.Record
	Deletes []arrow.Record // rows that are in the result no more, as they were
}

// take keeps a chunk of the result and returns how many of its rows are in it, and how many
// are no more: with deletes, the last column says which.
func (r *Rows) take(rec arrow.Record, deletes bool) (rows, deleted int64) {
	var gone arrow.Record
	if deletes {
		rec, gone = op.SplitChanges(rec)
	} else {
		rec.Retain()
	}
	if rec != nil {
		r.Records, rows = append(r.Records, rec), rec.NumRows()
	}
	if gone != nil {
		r.Deletes, deleted = append(r.Deletes, gone), gone.NumRows()
	}
	return rows, deleted
}

// release gives the rows of a batch back.
func (res *result) release() {
	for _, r := range res.rows {
		for _, rec := range r.Records {
			rec.Release()
		}
		for _, rec := range r.Deletes {
			rec.Release()
		}
	}
}
