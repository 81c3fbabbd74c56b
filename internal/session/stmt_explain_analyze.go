package session

import (
	"context"
	"strings"

	"ssql/internal/catalog"
	"ssql/plan"
)

// analyzedParts lists what the kept batches of a query did, from their progress: what they
// read, what operators keep and wrote, and what took how long. A part has the same place
// and name in every batch.
const analyzedParts = `
WITH kept AS (SELECT batch, progress AS p FROM ssql.progress WHERE query_id = ?),
parts AS (
  SELECT 10 AS place, i, batch, 'read' AS part, x->>'description' AS name, (x->>'numInputRows')::BIGINT AS rows,
    NULL::BIGINT AS held, NULL::BIGINT AS ms
  FROM (SELECT batch, i, p->'sources'->i::INTEGER AS x FROM kept, LATERAL (SELECT unnest(range(json_array_length(p->'sources')::BIGINT)) AS i))
  UNION ALL
  SELECT 20, -i, batch, 'keep', coalesce((x->>'output') || ': ', '') || (x->>'operatorName'), (x->>'numRowsUpdated')::BIGINT, (x->>'numRowsTotal')::BIGINT,
    (x->>'allUpdatesTimeMs')::BIGINT + (x->>'allRemovalsTimeMs')::BIGINT + (x->>'commitTimeMs')::BIGINT
  FROM (SELECT batch, i, p->'stateOperators'->i::INTEGER AS x FROM kept, LATERAL (SELECT unnest(range(json_array_length(p->'stateOperators')::BIGINT)) AS i))
  UNION ALL
  SELECT 30, i, batch, 'write', x->>'description', (x->>'numOutputRows')::BIGINT, NULL, NULL
  FROM (SELECT batch, i, outs->i::INTEGER AS x FROM (SELECT batch, coalesce(p->'outputs', json_array(p->'sink')) AS outs FROM kept),
    LATERAL (SELECT unnest(range(json_array_length(outs)::BIGINT)) AS i))
  UNION ALL
  SELECT 40, CASE name WHEN 'latestOffset' THEN 0 WHEN 'walCommit' THEN 1 WHEN 'getBatch' THEN 2 WHEN 'addBatch' THEN 3 WHEN 'commitOffsets' THEN 4 ELSE 5 END,
    batch, 'time', name, NULL, NULL, (p->'durationMs'->>name)::BIGINT
  FROM (SELECT batch, p, unnest(json_keys(p->'durationMs')) AS name FROM kept)
)
SELECT part, name, sum(rows)::BIGINT AS "rows", (sum(rows) FILTER (WHERE newest))::BIGINT AS "rows of last batch",
  max(held) FILTER (WHERE newest) AS "rows held", sum(ms)::BIGINT AS "ms", (sum(ms) FILTER (WHERE newest))::BIGINT AS "ms of last batch"
FROM (SELECT *, batch = max(batch) OVER () AS newest FROM parts)
GROUP BY place, i, part, name ORDER BY place, i, name`

// explainAnalyze is EXPLAIN ANALYZE QUERY name: the steps of a batch, and what they did in
// the batches whose progress is kept (progress_rows). Nothing is run.
func (s *Session) explainAnalyze(ctx context.Context, row *catalog.QueryRow, d *catalog.Definition, cat *catalog.Snapshot, out Output) error {
	b, err := s.bind(d, cat)
	if err != nil {
		return err
	}
	if err := s.progress.flush(ctx); err != nil {
		return err
	}
	how := howOf(b)
	out.Message(strings.TrimRight(plan.ExplainPhysical(b.plan, how.sinks, how.lines(b.plan)), "\n"))
	return s.send(ctx, analyzedParts, []any{row.ID}, out)
}
