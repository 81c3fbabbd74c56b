CREATE TABLE result AS
SELECT time_bucket(INTERVAL '1 minute', ts) AS window_start, time_bucket(INTERVAL '1 minute', ts) + INTERVAL '1 minute' AS window_end,
       count(DISTINCT device) AS users, count(*) AS n
FROM read_ndjson('{data}/*.json', columns = {device: 'BIGINT', ts: 'TIMESTAMP', v: 'BIGINT'})
GROUP BY ALL;
