package session

import (
	"context"

	"ssql/sql"
)

// The SHOW statements of this file say what became of rows and what queries hold. Their
// tables are ordinary ones, which a SELECT can ask for more.

func (s *Session) showLateRows(ctx context.Context, st *sql.Show, out Output) error {
	return s.sendNamed(ctx, st, `SELECT query, batch, operator, event_time, watermark, late_by, "row" FROM ssql.late_rows`, `ORDER BY query, batch, event_time`, out)
}

func (s *Session) showBadRows(ctx context.Context, st *sql.Show, out Output) error {
	return s.sendNamed(ctx, st, `SELECT query, batch, stream, file, line, "column", reason, raw FROM ssql.bad_rows`, `ORDER BY query, batch, file, line`, out)
}

// showCheckpoints lists the batches that are committed.
func (s *Session) showCheckpoints(ctx context.Context, st *sql.Show, out Output) error {
	return s.sendFor(ctx, st, `SELECT query, batch, generation AS run, watermark, rows_in, rows_out, rows_deleted, rows_late, rows_bad, committed_at FROM ssql.commits`, `ORDER BY query, batch`, out)
}

// newestProgress is the newest row of progress of each query.
const newestProgress = `(SELECT * FROM ssql.progress QUALIFY row_number() OVER (PARTITION BY query_id ORDER BY batch DESC) = 1) AS p`

// showState lists what the operators of each query hold after its newest batch.
func (s *Session) showState(ctx context.Context, st *sql.Show, out Output) error {
	if err := s.progress.flush(ctx); err != nil {
		return err
	}
	return s.sendFor(ctx, st, `SELECT query, batch, (o->>'operatorName') || coalesce(' of ' || (o->>'output'), '') AS operator, (o->>'numRowsTotal')::BIGINT AS "rows",
		(o->>'memoryUsedBytes')::BIGINT AS bytes, (o->>'numRowsDroppedByWatermark')::BIGINT AS "rows late"
		FROM (SELECT query, query_id, batch, unnest((progress->'stateOperators')::JSON[]) AS o FROM `+newestProgress+`)`, `ORDER BY query`, out)
}

// showWatermarks lists the watermark of each input of each query after its newest batch;
// that of the query is the least of them, or the greatest, by watermark_policy.
func (s *Session) showWatermarks(ctx context.Context, st *sql.Show, out Output) error {
	if err := s.progress.flush(ctx); err != nil {
		return err
	}
	return s.sendFor(ctx, st, `SELECT query, batch, w->>'column' AS "column", (w->>'watermark')::TIMESTAMP AS watermark,
		CASE WHEN (w->>'idle')::BOOLEAN THEN 'idle' WHEN w->>'watermark' IS NULL THEN 'no row yet' ELSE 'active' END AS state
		FROM (SELECT query, query_id, batch, unnest((progress->'watermarks')::JSON[]) AS w FROM `+newestProgress+`)`, `ORDER BY query, "column"`, out)
}

// sendNamed is sendFor for tables that know a query by its name only.
func (s *Session) sendNamed(ctx context.Context, st *sql.Show, text, order string, out Output) error {
	if st.For == nil {
		return s.send(ctx, text+" "+order, nil, out)
	}
	q, err := s.queryNamed(ctx, *st.For)
	if err != nil {
		return err
	}
	return s.send(ctx, text+" WHERE lower(query) = lower(?) "+order, []any{q.Name}, out)
}
