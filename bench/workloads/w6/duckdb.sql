CREATE TABLE result AS
SELECT min(ts) AS window_start, max(ts) + INTERVAL '30 seconds' AS window_end, u, count(*) AS n, CAST(sum(v) AS BIGINT) AS total
FROM (
  SELECT u, ts, v, sum(first) OVER (PARTITION BY u ORDER BY ts ROWS UNBOUNDED PRECEDING) AS session
  FROM (
    SELECT u, ts, v, CASE WHEN ts - lag(ts) OVER (PARTITION BY u ORDER BY ts) <= INTERVAL '30 seconds' THEN 0 ELSE 1 END AS first
    FROM read_ndjson('{data}/*.json', columns = {u: 'BIGINT', ts: 'TIMESTAMP', v: 'BIGINT'})
  )
)
GROUP BY u, session;
