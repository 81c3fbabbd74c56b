CREATE TABLE devices AS SELECT i AS id, 'region-' || (i % 50) AS region FROM range(100000) t(i);
CREATE TABLE result AS
SELECT time_bucket(INTERVAL '1 minute', ts) AS window_start, time_bucket(INTERVAL '1 minute', ts) + INTERVAL '1 minute' AS window_end,
       region, count(*) AS n, CAST(sum(v) AS BIGINT) AS total
FROM read_ndjson('{data}/*.json', columns = {device: 'BIGINT', ts: 'TIMESTAMP', v: 'BIGINT'}) JOIN devices ON device = id
GROUP BY ALL;
