package session

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// showing is a row of the table of SHOW statements.
type showing struct {
	what string
	run  func(s *Session, ctx context.Context, st *sql.Show, out Output) error
}

// showings lists what SHOW can show, sorted by name.
func showings() []showing {
	return []showing{
		{"ALL TABLES", (*Session).showAllTables},
		{"BAD ROWS", (*Session).showBadRows},
		{"CHECKPOINTS", (*Session).showCheckpoints},
		{"CONNECTORS", (*Session).showConnectors},
		{"CREATE", (*Session).showCreate},
		{"ERRORS", (*Session).showErrors},
		{"FORMATS", (*Session).showFormats},
		{"FUNCTIONS", (*Session).showFunctions},
		{"LATE ROWS", (*Session).showLateRows},
		{"PROGRESS", (*Session).showProgress},
		{"QUERIES", (*Session).showQueries},
		{"SETTINGS", func(s *Session, ctx context.Context, st *sql.Show, out Output) error {
			return s.showSettings(ctx, st.Like, out)
		}},
		{"SINKS", (*Session).showSinks},
		{"STATE", (*Session).showState},
		{"STREAMS", (*Session).showStreams},
		{"TABLES", (*Session).showTables},
		{"VIEWS", (*Session).showViews},
		{"WATERMARKS", (*Session).showWatermarks},
	}
}

// show is SHOW what [FOR query] [LIKE pattern].
func (s *Session) show(ctx context.Context, st *sql.Show, _ *Request, out Output) error {
	var names []string
	for _, row := range showings() {
		// SHOW CREATE may say what it shows: SHOW CREATE STREAM s.
		if row.what == st.What || row.what == "CREATE" && strings.HasPrefix(st.What, "CREATE ") {
			return row.run(s, ctx, st, out)
		}
		names = append(names, row.what)
	}
	if st.What == "" && st.For != nil {
		return s.showWord(ctx, st, names, out)
	}
	return sqlerr.At(st.Span, "UNSUPPORTED_STATEMENT", "SHOW %s is not supported", st.What).
		WithHint("SHOW %s", strings.Join(names, ", SHOW "))
}

// showWord is SHOW setting, or what DuckDB makes of SHOW word.
func (s *Session) showWord(ctx context.Context, st *sql.Show, names []string, out Output) error {
	if setting, err := settings.Find(*st.For, settings.InSession); err == nil {
		t := newTextTable(setting.Name)
		t.add(s.settings.Get(setting.Name))
		return t.send(out)
	}
	err := s.passthrough(ctx, st.Node, "SHOW", "", out)
	if sqlerr.Code(err) != "DUCKDB_CATALOG" {
		return err
	}
	missing := sqlerr.At(st.For.Span, "UNSUPPORTED_STATEMENT", "there is nothing to show called %q, and no table of that name", st.For.Name)
	near := sqlerr.Nearest(st.For.Name, names)
	for _, name := range names { // QUERY is QUERIES
		if singular := strings.TrimSuffix(strings.TrimSuffix(name, "S"), "IE"); near == "" && strings.EqualFold(strings.TrimSuffix(strings.ToUpper(st.For.Name), "Y"), singular) {
			near = name
		}
	}
	if near != "" {
		return missing.WithHint("did you mean SHOW %s?", near)
	}
	return missing.WithHint("SHOW %s", strings.Join(names, ", SHOW "))
}

func (s *Session) showStreams(ctx context.Context, st *sql.Show, out Output) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(cat.Rows))
	for key := range cat.Rows {
		names = append(names, key)
	}
	sort.Strings(names)
	t := newTextTable("name", "connector", "columns", "watermark")
	for _, key := range names {
		row := cat.Rows[key]
		if row.View || !likeMatches(st.Like, row.Name) {
			continue
		}
		stream, err := cat.Stream(key)
		if err != nil {
			t.add(row.Name, "", brokenText(err), "")
			continue
		}
		t.add(stream.Row.Name, stream.Spec.Name, strings.Join(stream.Plan.Order, ", "), watermarkText(stream))
	}
	return t.send(out)
}

// brokenText is the cell of a listing for a definition that cannot be read. The others are
// listed all the same.
func brokenText(err error) string { return "ERROR " + err.Error() }

// watermarkText shows the watermarks of a stream as they were declared.
func watermarkText(st *catalog.Stream) string {
	var parts []string
	for _, w := range st.Plan.Watermarks {
		delay := sql.IntervalText(types.Interval{Micros: w.DelayMicros})
		parts = append(parts, fmt.Sprintf("%s - %s", w.Column, delay))
	}
	return strings.Join(parts, ", ")
}

func (s *Session) showConnectors(_ context.Context, st *sql.Show, out Output) error {
	t := newTextTable("name", "kind", "description")
	for _, spec := range s.cfg.Sources {
		if likeMatches(st.Like, spec.Name) {
			t.add(spec.Name, "source", spec.Summary)
		}
	}
	for _, spec := range s.cfg.Sinks(s.db, nil) {
		if likeMatches(st.Like, spec.Name) {
			t.add(spec.Name, "sink", spec.Summary)
		}
	}
	return t.send(out)
}

func (s *Session) showQueries(ctx context.Context, st *sql.Show, out Output) error {
	where, args := "", []any(nil)
	if st.Like != "" {
		where, args = "WHERE name ILIKE ?", []any{st.Like}
	}
	return s.send(ctx, `SELECT name, state, target, output_mode AS "mode", batches, watermark, "rows read", "rows late", "rows bad", "rows written"
		FROM ssql.queries LEFT JOIN (`+lifeOfQueries+`) USING (query_id) `+where+` ORDER BY lower(name)`, args, out)
}

// lifeOfQueries is what the batches of each query add up to over all its runs. A watermark that
// never was is stored as 1970, as in Spark.
const lifeOfQueries = `SELECT query_id, count(*) AS batches, nullif(max(watermark), TIMESTAMP '1970-01-01') AS watermark, sum(rows_in)::BIGINT AS "rows read",
	sum(rows_late)::BIGINT AS "rows late", sum(rows_bad)::BIGINT AS "rows bad", sum(rows_out)::BIGINT AS "rows written"
	FROM ssql.commits GROUP BY query_id`

func (s *Session) showErrors(ctx context.Context, st *sql.Show, out Output) error {
	return s.sendFor(ctx, st, `SELECT occurred_at, query, batch, code, message FROM ssql.errors`, `ORDER BY occurred_at`, out)
}

// showProgress shows the newest batches of a query, the newest last. The names are
// those of Spark's StreamingQueryProgress; ssql.progress has all of its fields.
func (s *Session) showProgress(ctx context.Context, st *sql.Show, out Output) error {
	if st.Follow {
		return s.followProgress(ctx, st, out)
	}
	if err := s.progress.flush(ctx); err != nil {
		return err
	}
	return s.sendFor(ctx, st, `SELECT query, batch AS "batchId", (progress->>'numInputRows')::BIGINT AS "numInputRows",
		(progress->>'rowsUsed')::BIGINT AS "rowsUsed", (progress->>'rowsFiltered')::BIGINT AS "rowsFiltered",
		(progress->>'rowsLate')::BIGINT AS "rowsLate", (progress->>'rowsBad')::BIGINT AS "rowsBad",
		(progress->'sink'->>'numOutputRows')::BIGINT AS "numOutputRows", coalesce((progress->'sink'->>'numDeletedRows')::BIGINT, 0) AS "numDeletedRows",
		(progress->'stateOperators'->0->>'numRowsTotal')::BIGINT AS "numRowsTotal", (progress->>'batchDuration')::BIGINT AS "batchDuration",
		progress->'eventTime'->>'watermark' AS watermark FROM ssql.progress`, `ORDER BY query, batch`, out)
}

// sendFor runs a query of ours over a table of the catalog, for one query of the
// user if the statement says so.
func (s *Session) sendFor(ctx context.Context, st *sql.Show, text, order string, out Output) error {
	if st.For == nil {
		return s.send(ctx, text+" "+order, nil, out)
	}
	q, err := s.queryNamed(ctx, *st.For)
	if err != nil {
		return err
	}
	return s.send(ctx, text+" WHERE query_id = ? "+order, []any{q.ID}, out)
}
