package op

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/plan/expr"
	"ssql/state"
)

// Take returns the listed rows of a record, in the order of the list. An index of
// -1 gives a row of NULLs (the null side of an outer join).
func Take(rec arrow.Record, rows []int32) arrow.Record {
	cols := make([]arrow.Array, rec.NumCols())
	for i := range cols {
		cols[i] = expr.Take(rec.Column(i), rows)
	}
	out := array.NewRecord(rec.Schema(), cols, int64(len(rows)))
	for _, c := range cols {
		c.Release()
	}
	return tracedTake(rec, out, rows)
}

// rowBytes returns about how many bytes a copy of a row takes.
func rowBytes(rec arrow.Record, row int) int64 {
	n := int64(0)
	for _, a := range rec.Columns() {
		n += expr.RowBytes(a, row)
	}
	return n
}

// partBytesMax is how large the rows are, about, that an operator copies at once into keys and state.
const partBytesMax = 8 << 20

// inParts calls f with parts of a chunk that are not too large when each row has its own copy of
// texts that several share.
func inParts(rec arrow.Record, f func(part arrow.Record) error) error {
	n, start, bytes := rec.NumRows(), int64(0), int64(0)
	for row := range n {
		if bytes += rowBytes(rec, int(row)); bytes < partBytesMax || row+1 == n {
			continue
		}
		part := rec.NewSlice(start, row+1)
		err := f(part)
		part.Release()
		if err != nil {
			return err
		}
		start, bytes = row+1, 0
	}
	if start == 0 {
		return f(rec)
	}
	part := rec.NewSlice(start, n)
	defer part.Release()
	return f(part)
}

// shared is Take that keeps one copy of the texts of a column: a join makes many rows of one.
func shared(rec arrow.Record, rows []int32) arrow.Record {
	cols := make([]arrow.Array, rec.NumCols())
	for i := range cols {
		cols[i] = expr.Share(rec.Column(i), rows)
	}
	out := array.NewRecord(schemaOf(rec.Schema(), cols), cols, int64(len(rows)))
	for _, c := range cols {
		c.Release()
	}
	return tracedTake(rec, out, rows)
}

// splitLate divides a chunk by its event time: rows at or before the late watermark
// are late (docs/SEMANTICS.md, Late rows), rows without a time never are. Each part is nil
// when it has no rows; the caller releases both.
func splitLate(b *Batch, time expr.Expr, rec arrow.Record) (kept, late arrow.Record, err error) {
	a, err := time.Eval(b.Expr, rec)
	if err != nil {
		return nil, nil, err
	}
	defer a.Release()
	times, ok := a.(*array.Timestamp)
	if !ok {
		return nil, nil, errors.New("the event time is no timestamp")
	}
	var behind []int32
	limit := arrow.Timestamp(b.LateMicros)
	for i, t := range times.TimestampValues() {
		if t <= limit && times.IsValid(i) {
			behind = append(behind, int32(i))
		}
	}
	if len(behind) == 0 {
		if rec.NumRows() == 0 {
			return nil, nil, nil
		}
		rec.Retain()
		return rec, nil, nil
	}
	late = Take(rec, behind)
	rest := make([]int32, 0, int(rec.NumRows())-len(behind))
	next := 0
	for i := int32(0); i < int32(rec.NumRows()); i++ {
		if next < len(behind) && behind[next] == i {
			next++
			continue
		}
		rest = append(rest, i)
	}
	if len(rest) == 0 {
		return nil, late, nil
	}
	return Take(rec, rest), late, nil
}

// dropLate hands the late rows of a chunk to the batch and counts them, and returns the
// others, retained; nil for none. Without a time no row is late.
func dropLate(b *Batch, time expr.Expr, input int, rec arrow.Record, stats *Stats) (arrow.Record, error) {
	if time == nil {
		rec.Retain()
		return rec, nil
	}
	kept, late, err := splitLate(b, time, rec)
	if err != nil || late == nil {
		return kept, err
	}
	defer late.Release()
	stats.RowsLate += late.NumRows()
	return kept, b.Late(input, late)
}

// evalAll evaluates expressions over one chunk. The columns are not released: they
// live as long as the chunk's buffers.
func evalAll(c *expr.Ctx, exprs []expr.Expr, rec arrow.Record) ([]arrow.Array, error) {
	cols := make([]arrow.Array, len(exprs))
	for i, e := range exprs {
		a, err := e.Eval(c, rec)
		if err != nil {
			return nil, err
		}
		cols[i] = a
	}
	return cols, nil
}

// timesOf returns the time of each row of a record by an expression, NoTime where it is
// NULL or there is none.
func timesOf(c *expr.Ctx, time expr.Expr, rec arrow.Record) (func(row int) int64, error) {
	if time == nil {
		return func(int) int64 { return state.NoTime }, nil
	}
	a, err := time.Eval(c, rec)
	if err != nil {
		return nil, err
	}
	times, ok := a.(*array.Timestamp)
	if !ok {
		return nil, fmt.Errorf("a time is a %s", a.DataType())
	}
	return func(row int) int64 {
		if times.IsNull(row) {
			return state.NoTime
		}
		return int64(times.Value(row))
	}, nil
}

// evalMask evaluates a condition: true where it is true, false where it is false
// or NULL.
func evalMask(c *expr.Ctx, cond expr.Expr, rec arrow.Record) ([]bool, error) {
	a, err := cond.Eval(c, rec)
	if err != nil {
		return nil, err
	}
	defer a.Release()
	b, ok := a.(*array.Boolean)
	if !ok {
		return nil, errors.New("a condition is not boolean")
	}
	mask := make([]bool, b.Len())
	for i := range mask {
		mask[i] = b.IsValid(i) && b.Value(i)
	}
	return mask, nil
}

// sequence returns 0 to n-1.
func sequence(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// joinColumns puts the columns of an arrived chunk and of its partners side by
// side, the left side's first. input says which side arrived.
func joinColumns(input int, own, partner arrow.Record) arrow.Record {
	left, right := own, partner
	if input == 1 {
		left, right = partner, own
	}
	fields := append(append([]arrow.Field(nil), left.Schema().Fields()...), right.Schema().Fields()...)
	cols := append(append([]arrow.Array(nil), left.Columns()...), right.Columns()...)
	return tracedAs(own, array.NewRecord(arrow.NewSchema(fields, nil), cols, own.NumRows()))
}

// nullRow is a row of NULLs of a schema.
type nullRow struct{ rec arrow.Record }

func newNullRow(alloc memory.Allocator, schema *arrow.Schema) *nullRow {
	b := array.NewRecordBuilder(alloc, schema)
	defer b.Release()
	for _, f := range b.Fields() {
		f.AppendNull()
	}
	return &nullRow{b.NewRecord()}
}

// repeat returns n rows of NULLs.
func (r *nullRow) repeat(n int) arrow.Record {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = -1
	}
	return Take(r.rec, rows)
}
