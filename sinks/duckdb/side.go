package duckdb

import (
	"context"
	"fmt"
	"time"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sinks"
)

// sideSQL are the statements of the side tables; %s is the view of the records. A closed
// set: the tables of sinks.SideRows.
var sideSQL = map[string]string{
	"late_rows": `INSERT INTO ssql.late_rows (query, batch, operator, watermark, event_time, late_by, "row", batch_time)
SELECT $1, $2::BIGINT, operator, watermark, event_time, watermark - event_time, "row", $3::TIMESTAMP FROM %s`,
	"bad_rows": `INSERT INTO ssql.bad_rows (query, batch, stream, file, line, "column", reason, raw, batch_time)
SELECT $1, $2::BIGINT, stream, file, line, "column", reason, raw, $3::TIMESTAMP FROM %s`,
}

// writeSide stores late or bad rows of a batch.
func writeSide(ctx context.Context, c *duck.Conn, b *sinks.Batch, table string, stage *duck.Stage) error {
	text, ok := sideSQL[table]
	if !ok {
		return sqlerr.New(sqlerr.Internal, "no side table %q", table)
	}
	stmt, err := c.Prepare(ctx, fmt.Sprintf(text, stage.View()))
	if err != nil {
		return err
	}
	_, err = stmt.Exec(ctx, b.Query, b.Batch, time.UnixMicro(b.Info.BatchMicros))
	return err
}
