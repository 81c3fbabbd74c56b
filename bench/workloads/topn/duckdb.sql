CREATE TABLE result AS
SELECT window_start, window_start + INTERVAL '1 minute' AS window_end, device, temp, seq, rn FROM (
  SELECT *, row_number() OVER (PARTITION BY window_start, device ORDER BY temp DESC, seq) AS rn
  FROM (SELECT *, time_bucket(INTERVAL '1 minute', ts) AS window_start FROM read_ndjson('{data}/*.json', columns = {device: 'VARCHAR', ts: 'TIMESTAMP', temp: 'DOUBLE', seq: 'BIGINT'}))
) WHERE rn <= 10;
