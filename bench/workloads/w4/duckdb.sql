CREATE TABLE result AS
SELECT window_start, window_start + INTERVAL '10 minutes' AS window_end, device, count(*) AS n, CAST(sum(seq) AS BIGINT) AS total
FROM (
  SELECT device, seq, unnest(generate_series(time_bucket(INTERVAL '10 seconds', ts) - INTERVAL '590 seconds', time_bucket(INTERVAL '10 seconds', ts), INTERVAL '10 seconds')) AS window_start
  FROM read_ndjson('{data}/*.json', columns = {device: 'VARCHAR', ts: 'TIMESTAMP', temp: 'DOUBLE', seq: 'BIGINT'})
)
GROUP BY ALL;
