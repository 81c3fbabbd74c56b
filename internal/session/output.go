package session

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/exec"
	"ssql/internal/duck"
)

// Output takes what one statement answers. A session calls it from the goroutine
// that called Execute.
type Output interface {
	// Table starts a table; its rows follow through the writer, at once or, for a
	// SELECT on a stream, as batches complete. A field with metadata types.NameKey has a type
	// of that name.
	Table(schema *arrow.Schema) (TableWriter, error)
	// Message is the answer of a statement without rows, such as EXPLAIN.
	Message(text string)
	// Notice is something worth knowing beside the answer.
	Notice(text string)
}

// Follower is an Output that wants to see the batches of a SELECT on a stream as they
// complete. It is called from the goroutine that called Execute.
type Follower interface {
	Batch(b BatchInfo)
}

// BatchInfo is what a batch of a SELECT did.
type BatchInfo struct {
	Batch                       int64
	RowsRead, RowsLate, RowsBad int64
	RowsPerSecond               float64
	Open                        int64 // groups or rows that are held
	WatermarkMicros             int64
	HasWatermark                bool // the watermark has moved
}

func batchInfo(p *exec.Progress) BatchInfo {
	b := BatchInfo{
		Batch: p.BatchID, RowsRead: p.NumInputRows, RowsLate: p.RowsLate, RowsBad: p.RowsBad, RowsPerSecond: p.ProcessedRowsPerSecond,
		WatermarkMicros: p.WatermarkMicros, HasWatermark: p.HasWatermark && p.WatermarkMicros > 0, // 1970 is where it starts
	}
	for _, o := range p.StateOperators {
		b.Open += o.NumRowsTotal
	}
	return b
}

// TableWriter takes the rows of one table. A record is valid during the call. A table of which
// nothing came but an error is not closed: it is no table without rows.
type TableWriter interface {
	Write(rec arrow.Record) error
	Close() error
}

// send runs a query of ours and gives its rows to out.
func (s *Session) send(ctx context.Context, statement string, args []any, out Output) error {
	return s.withConn(ctx, func(c *duck.Conn) error {
		reader, err := c.QueryArrow(ctx, statement, args...)
		if err != nil {
			return err
		}
		defer reader.Release()
		return sendReader(reader, reader.Schema(), out)
	})
}

// sendReader gives the rows of a result to out, under a schema that may name types
// better than the records do.
func sendReader(reader array.RecordReader, schema *arrow.Schema, out Output) error {
	table, err := out.Table(schema)
	if err != nil {
		return err
	}
	rows := int64(0)
	for reader.Next() {
		rec := retyped(reader.Record(), schema)
		rows += rec.NumRows()
		err := table.Write(rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
	if err := reader.Err(); err != nil && rows == 0 {
		return err
	}
	return joinErrors(reader.Err(), table.Close())
}
