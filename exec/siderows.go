package exec

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

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
	for _, l := range res.late {
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
			b.Field(6).(*array.StringBuilder).Append(rowJSON(l.rec, i))
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
	var b strings.Builder
	b.WriteByte('{')
	for i, a := range rec.Columns() {
		if i > 0 {
			b.WriteByte(',')
		}
		writeMember(&b, rec.Schema().Field(i), a, row)
	}
	b.WriteByte('}')
	return b.String()
}

// writeMember writes the key of a field and its value in row i of a.
func writeMember(b *strings.Builder, f arrow.Field, a arrow.Array, i int) {
	name, _ := json.Marshal(f.Name)
	b.Write(name)
	b.WriteByte(':')
	writeJSON(b, f, a, i)
}

// writeJSON writes value i of a field: as the sinks of JSON files do, but for times, which
// are as DuckDB shows them.
func writeJSON(b *strings.Builder, f arrow.Field, a arrow.Array, i int) {
	if a.IsNull(i) {
		b.WriteString("null")
		return
	}
	switch a := a.(type) {
	case *array.Binary:
		b.WriteString(`"` + base64.StdEncoding.EncodeToString(a.Value(i)) + `"`)
		return
	case *array.Map:
		item := a.DataType().(*arrow.MapType).ItemField()
		start, end := a.ValueOffsets(i)
		b.WriteByte('{')
		for j := start; j < end; j++ {
			if j > start {
				b.WriteByte(',')
			}
			item.Name = plainText(a.Keys(), int(j))
			writeMember(b, item, a.Items(), int(j))
		}
		b.WriteByte('}')
		return
	case *array.Boolean, *array.Int8, *array.Int16, *array.Int32, *array.Int64,
		*array.Uint8, *array.Uint16, *array.Uint32, *array.Uint64:
		b.WriteString(a.ValueStr(i))
		return
	case *array.Struct:
		fields := a.DataType().(*arrow.StructType).Fields()
		b.WriteByte('{')
		for j, f := range fields {
			if j > 0 {
				b.WriteByte(',')
			}
			writeMember(b, f, a.Field(j), i)
		}
		b.WriteByte('}')
		return
	case *array.List:
		item := a.DataType().(*arrow.ListType).ElemField()
		start, end := a.ValueOffsets(i)
		b.WriteByte('[')
		for j := start; j < end; j++ {
			if j > start {
				b.WriteByte(',')
			}
			writeJSON(b, item, a.ListValues(), int(j))
		}
		b.WriteByte(']')
		return
	}
	// Doubles that JSON knows, and decimals, are numbers; all else but JSON is text.
	text := plainText(a, i)
	if types.IsJSONField(f) && json.Valid([]byte(text)) {
		b.WriteString(text)
		return
	}
	switch a.(type) {
	case *array.Float32, *array.Float64, *array.Decimal128:
		if json.Valid([]byte(text)) {
			b.WriteString(text)
			return
		}
	}
	quoted, _ := json.Marshal(text)
	b.Write(quoted)
}

// plainText is the text of a value without the quoting of stream scripts.
func plainText(a arrow.Array, i int) string {
	if s, ok := types.StringsOf(a); ok {
		return s.Value(i)
	}
	return types.Text(a, i)
}
