package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// readers adds to the table of DESCRIBE EXTENDED what each query that reads a stream has
// made of it: how far it is, how fast, and why it failed last.
func (s *Session) readers(ctx context.Context, stream string, t *textTable) error {
	if err := s.progress.flush(ctx); err != nil {
		return err
	}
	rows, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		source, err := s.sourceOf(ctx, row, stream)
		if err != nil || source < 0 {
			continue // one that cannot be bound any more is for DIAGNOSE to tell
		}
		text, err := s.readerText(ctx, row, source)
		if err != nil {
			return err
		}
		t.add("read by "+row.Name, text)
	}
	return nil
}

// sourceOf returns the number of a stream among the sources of a query, -1 if the query
// does not read it.
func (s *Session) sourceOf(ctx context.Context, row *catalog.QueryRow, stream string) (int, error) {
	d, err := catalog.StoredDefinition(row)
	if err != nil {
		return -1, err
	}
	b, err := s.bindNow(ctx, d)
	if err != nil {
		return -1, err
	}
	for i, ref := range b.plan.Sources {
		if sql.Canonical(ref.Stream) == sql.Canonical(stream) {
			return i, nil
		}
	}
	return -1, nil
}

// readerText says how far a query is in one of its sources.
func (s *Session) readerText(ctx context.Context, row *catalog.QueryRow, source int) (string, error) {
	parts := []string{string(row.State)}
	err := s.withConn(ctx, func(c *duck.Conn) error {
		newest := fmt.Sprintf(`SELECT progress->'sources'->%d FROM ssql.progress WHERE query_id = ? AND (progress->>'numInputRows')::BIGINT > 0 ORDER BY batch DESC LIMIT 1`, source)
		err := c.Query(ctx, newest, []any{row.ID}, func(r []any) error {
			var p struct {
				EndOffset              json.RawMessage `json:"endOffset"`
				ProcessedRowsPerSecond float64         `json:"processedRowsPerSecond"`
			}
			if err := json.Unmarshal([]byte(jsonText(r[0])), &p); err != nil {
				return fmt.Errorf("reading stored progress: %w", err)
			}
			parts = append(parts, "read up to "+string(p.EndOffset), fmt.Sprintf("%s a second in the newest batch", sqlerr.CountOf(int64(p.ProcessedRowsPerSecond), "row")))
			return nil
		})
		if err != nil || row.State != catalog.Failed {
			return err
		}
		return c.Query(ctx, `SELECT code FROM ssql.errors WHERE lower(query) = lower(?) ORDER BY occurred_at DESC LIMIT 1`, []any{row.Name}, func(r []any) error {
			parts = append(parts, "newest error "+duck.Text(r[0]))
			return nil
		})
	})
	return strings.Join(parts, ", "), err
}

// jsonText returns a JSON value of the driver as text: it may have parsed it.
func jsonText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(out)
}
