CREATE TABLE result AS
SELECT time_bucket(INTERVAL '1 day', ts) AS window_start, k, count(*) AS n, CAST(sum(v) AS BIGINT) AS total
FROM read_ndjson('{data}/*.json', columns = {k: 'VARCHAR', ts: 'TIMESTAMP', v: 'BIGINT'})
GROUP BY ALL;
