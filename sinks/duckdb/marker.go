package duckdb

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sinks"
)

const (
	// commitsKept are the newest rows of ssql.commits that a query keeps, and
	// commitsSlack how many more gather before the oldest are deleted.
	commitsKept  = 4096
	commitsSlack = 1024
)

// headSQL reads the newest marker. The batch of a query grows, so the newest is the
// greatest.
const headSQL = `SELECT generation, batch, digest FROM ssql.commits WHERE query_id = ? ORDER BY batch DESC, generation DESC LIMIT 1`

// markSQL stores a marker if the head is still what the sink has seen last: one
// statement both fences a stale writer and notices markers that went missing.
const markSQL = `INSERT INTO ssql.commits
(query, query_id, generation, batch, digest, batch_time, watermark, rows_in, rows_out, rows_deleted, rows_late, rows_bad, rows_filtered, committed_at)
SELECT $1, $2, $3::BIGINT, $4::BIGINT, $5::UBIGINT, $6::TIMESTAMP, $7::TIMESTAMP, $8::BIGINT, $9::BIGINT, $10::BIGINT, $11::BIGINT, $12::BIGINT, $13::BIGINT, $14::TIMESTAMP
FROM (SELECT coalesce(max(batch), -1) AS batch, coalesce(max(generation), 0) AS generation FROM ssql.commits WHERE query_id = $2) AS head
WHERE head.batch = $15::BIGINT AND head.generation <= $3::BIGINT`

const pruneSQL = `DELETE FROM ssql.commits WHERE query_id = ? AND batch <= ?`

// readHead returns the newest marker of a query; its Batch is noBatch if there is none,
// also when there is no schema ssql.
func readHead(ctx context.Context, c *duck.Conn, queryID string) (sinks.Marker, error) {
	m := sinks.Marker{QueryID: queryID, Batch: noBatch}
	stmt, err := c.Prepare(ctx, headSQL)
	if duck.Missing(err) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	err = stmt.Rows(ctx, []any{queryID}, func(rows *sql.Rows) error {
		for rows.Next() {
			if err := rows.Scan(&m.Generation, &m.Batch, &m.Digest); err != nil {
				return err
			}
		}
		return nil
	})
	if duck.Missing(err) {
		return m, nil
	}
	return m, err
}

// mark appends the marker of a batch to ssql.commits.
func (s *Sink) mark(ctx context.Context, c *duck.Conn, b *sinks.Batch) error {
	stmt, err := c.Prepare(ctx, markSQL)
	if err != nil {
		return err
	}
	seen := s.head.Batch
	if s.opts.Faults.Unguarded {
		m, err := readHead(ctx, c, b.QueryID)
		if err != nil {
			return err
		}
		seen = m.Batch
	}
	i := b.Info
	n, err := stmt.Exec(ctx, b.Query, b.QueryID, b.Generation, b.Batch, strconv.FormatUint(b.Digest, 10),
		time.UnixMicro(i.BatchMicros), time.UnixMicro(i.WatermarkMicros),
		i.RowsIn, i.RowsOut, i.RowsDeleted, i.RowsLate, i.RowsBad, i.RowsFiltered, s.opts.Now(), seen)
	if err != nil {
		return err
	}
	if n == 0 {
		return s.unseen(ctx, c, b)
	}
	if b.Batch >= commitsKept && b.Batch%commitsSlack == 0 {
		prune, err := c.Prepare(ctx, pruneSQL)
		if err != nil {
			return err
		}
		_, err = prune.Exec(ctx, b.QueryID, b.Batch-commitsKept)
		return err
	}
	return nil
}

// unseen explains a head that is not the one the sink has seen last.
func (s *Sink) unseen(ctx context.Context, c *duck.Conn, b *sinks.Batch) error {
	m, err := readHead(ctx, c, b.QueryID)
	if err != nil {
		return err
	}
	if m.Batch >= b.Batch || m.Generation > b.Generation {
		return s.fenced(b, m)
	}
	return sqlerr.New("E_SINK_BEHIND_CKPT", "the newest marker of query %q in ssql.commits is batch %d, but batch %d was stored", s.query, m.Batch, s.head.Batch).
		WithHint("the database was replaced or rows of ssql.commits were deleted while the query ran: restore the database, or drop the query and start it anew")
}

// fenced refuses a batch because of the head.
func (s *Sink) fenced(b *sinks.Batch, m sinks.Marker) error {
	if b.Generation < m.Generation {
		return sqlerr.New("E_FENCED", "batch %d of query %q comes from run %d, but run %d has stored rows already", b.Batch, s.query, b.Generation, m.Generation).
			WithHint("the query was started again elsewhere: this run must end")
	}
	return sqlerr.New("E_FENCED", "batch %d of query %q is not newer than batch %d, which is stored", b.Batch, s.query, m.Batch).
		WithHint("nothing was stored twice; start the query again and it goes on behind what is stored")
}

// mismatch refuses a batch that a place has with another plan.
func mismatch(b *sinks.Batch) error {
	return sqlerr.New("E_REPLAY_MISMATCH", "batch %d of query %q is stored with another plan than it has now", b.Batch, b.Query).
		WithDetail("The result and the database were written by different runs.").
		WithHint("put back the checkpoint, the database and the result that belong together")
}
