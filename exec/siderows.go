package exec

import (
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/arrowtext"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sources"
	"ssql/sql/types"
)

// lateRows are rows that one operator dropped as late in a batch.
type lateRows struct {
	operator        string
	watermarkMicros int64
	times           *array.Timestamp // event time per row; nil when it is not known
	rec             arrow.Record
}

// badRow is a refused line or row of a stream.
type badRow struct {
	stream string
	sources.BadRow
}

// How many late and bad rows of a batch are kept when nothing else is said: enough to
// see what is wrong, few enough to hold in memory.
const (
	lateRowsMaxDefault = 1_000_000
	badRowsMaxDefault  = 10_000
)

// keepBad keeps a bad row of the batch if it is among the first.
func (r *batchRun) keepBad(b badRow) {
	if int64(len(r.bad)) < r.q.cfg.BadRowsMax {
		r.bad = append(r.bad, b)
	}
}

// takeLate keeps or refuses what an operator dropped, as the query's policy says. An operator
// hands a late row over once and passes it on to nobody (invariant I5).
func (r *batchRun) takeLate(b *breaker, input int, watermarkMicros int64, rec arrow.Record) error {
	if rec.NumRows() == 0 {
		return nil
	}
	r.lateSeen += rec.NumRows()
	r.countLate(b, input, rec)
	switch r.q.cfg.LateRows {
	case LateDrop:
		return nil
	case LateFail:
		are := "rows are"
		if rec.NumRows() == 1 {
			are = "row is"
		}
		return sqlerr.New("E_LATE_ROWS", "%d %s behind the watermark %s of %s",
			rec.NumRows(), are, types.FormatTimestamp(watermarkMicros), r.q.operatorName(b)).
			WithDetail("The first of them is %s.", rowJSON(rec, 0)).
			WithHint("SET late_rows = 'table' keeps them in ssql.late_rows and goes on")
	}
	room := r.q.cfg.LateRowsMax - r.lateKept
	if room <= 0 {
		return nil
	}
	rec = rec.NewSlice(0, min(room, rec.NumRows()))
	r.lateKept += rec.NumRows()
	l := lateRows{operator: r.q.operatorName(b), watermarkMicros: watermarkMicros, rec: rec}
	if e := b.eventTime[input]; e != nil {
		a, err := e.Eval(r.expr, rec)
		if err != nil {
			return fmt.Errorf("finding the event time of late rows: %w", err)
		}
		l.times, _ = a.(*array.Timestamp)
	}
	r.late = append(r.late, l)
	return nil
}

// operatorName names a stateful operator, and its output where there are several.
func (q *Query) operatorName(b *breaker) string {
	if len(q.roots) == 1 {
		return b.state.Name()
	}
	return b.state.Name() + " of " + q.cfg.Plan.Outputs[b.output].Target
}

// lateRowsSchema is the schema of the rows for ssql.late_rows.
var lateRowsSchema = types.ArrowSchema([]types.Field{
	{Name: "query", Type: types.Of(types.Varchar)},
	{Name: "batch", Type: types.Of(types.BigInt)},
	{Name: "operator", Type: types.Of(types.Varchar)},
	{Name: "watermark", Type: types.Of(types.Timestamp)},
	{Name: "event_time", Type: types.Of(types.Timestamp)},
	{Name: "late_by", Type: types.Of(types.Varchar)},
	{Name: "row", Type: types.Of(types.Varchar)},
})

// badRowsSchema is the schema of the rows for ssql.bad_rows.
var badRowsSchema = types.ArrowSchema([]types.Field{
	{Name: "query", Type: types.Of(types.Varchar)},
	{Name: "batch", Type: types.Of(types.BigInt)},
	{Name: "stream", Type: types.Of(types.Varchar)},
	{Name: "file", Type: types.Of(types.Varchar)},
	{Name: "line", Type: types.Of(types.BigInt)},
	{Name: "column", Type: types.Of(types.Varchar)},
	{Name: "reason", Type: types.Of(types.Varchar)},
	{Name: "raw", Type: types.Of(types.Varchar)},
})

// sideRows builds what the sink stores besides the result.
func (q *Query) sideRows(res *result) []sinks.SideRows {
	var out []sinks.SideRows
	if rec := q.lateRecord(res); rec != nil {
		out = append(out, sinks.SideRows{Table: "late_rows", Record: rec})
	}
	if rec := q.badRecord(res); rec != nil {
		out = append(out, sinks.SideRows{Table: "bad_rows", Record: rec})
	}
	return out
}

func (q *Query) lateRecord(res *result) arrow.Record {
	if len(res.late) == 0 {
		return nil
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, lateRowsSchema)
	defer b.Release()
	var text []byte
	for _, l := range res.late {
		row := arrowtext.SideRows.Object(l.rec.Schema(), l.rec)
		for i := 0; i < int(l.rec.NumRows()); i++ {
			b.Field(0).(*array.StringBuilder).Append(q.cfg.Name)
			b.Field(1).(*array.Int64Builder).Append(res.plan.Batch)
			b.Field(2).(*array.StringBuilder).Append(l.operator)
			b.Field(3).(*array.TimestampBuilder).Append(arrow.Timestamp(l.watermarkMicros))
			if l.times != nil && l.times.IsValid(i) {
				at := int64(l.times.Value(i))
				b.Field(4).(*array.TimestampBuilder).Append(arrow.Timestamp(at))
				late := time.Duration(l.watermarkMicros-at) * time.Microsecond
				b.Field(5).(*array.StringBuilder).Append(late.String())
			} else {
				b.Field(4).AppendNull()
				b.Field(5).AppendNull()
			}
			text = row(text[:0], i)
			b.Field(6).(*array.StringBuilder).BinaryBuilder.Append(text)
		}
	}
	return b.NewRecord()
}

func (q *Query) badRecord(res *result) arrow.Record {
	if len(res.bad) == 0 {
		return nil
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, badRowsSchema)
	defer b.Release()
	text := func(field int, s string) {
		if s == "" {
			b.Field(field).AppendNull()
			return
		}
		b.Field(field).(*array.StringBuilder).Append(strings.ToValidUTF8(s, "\uFFFD"))
	}
	for _, r := range res.bad {
		text(0, q.cfg.Name)
		b.Field(1).(*array.Int64Builder).Append(res.plan.Batch)
		text(2, r.stream)
		text(3, r.File)
		if r.Line > 0 {
			b.Field(4).(*array.Int64Builder).Append(r.Line)
		} else {
			b.Field(4).AppendNull()
		}
		text(5, r.Column)
		text(6, r.Reason)
		text(7, r.Raw)
	}
	return b.NewRecord()
}

// rowJSON returns one row as a JSON object, columns in order: how late and bad rows
// are kept and shown.
func rowJSON(rec arrow.Record, row int) string {
	return string(arrowtext.SideRows.Object(rec.Schema(), rec)(nil, row))
}
