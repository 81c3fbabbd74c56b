package op

import "github.com/apache/arrow/go/v17/arrow"

// Traced is a chunk that knows which rows of a source its rows came of. Where a stage makes
// several rows of one, or drops some, the rows that an operator finds late tell by it which
// rows of the source those are.
//
// Take and the stages keep the trace; an operator that makes rows of its own loses it.
type Traced struct {
	arrow.Record
	// Of is the account that From counts in; an operator passes it on.
	Of any
	// From is, for each row, the number of the row of the source.
	From []int32
}

// NewSlice returns some of the rows.
func (t *Traced) NewSlice(i, j int64) arrow.Record {
	return &Traced{t.Record.NewSlice(i, j), t.Of, t.From[i:j]}
}

// Untraced returns the chunk without its trace.
func Untraced(rec arrow.Record) arrow.Record {
	if t, ok := rec.(*Traced); ok {
		return t.Record
	}
	return rec
}

// tracedAs gives out, whose rows are those of rec one by one, the trace of rec.
func tracedAs(rec, out arrow.Record) arrow.Record {
	if t, ok := rec.(*Traced); ok {
		return &Traced{out, t.Of, t.From}
	}
	return out
}

// tracedTake gives out, which has the listed rows of rec, their trace.
func tracedTake(rec, out arrow.Record, rows []int32) arrow.Record {
	t, ok := rec.(*Traced)
	if !ok {
		return out
	}
	from := make([]int32, len(rows))
	for i, row := range rows {
		from[i] = -1
		if row >= 0 {
			from[i] = t.From[row]
		}
	}
	return &Traced{out, t.Of, from}
}
