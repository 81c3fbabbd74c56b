CREATE TABLE result AS
SELECT time_bucket(INTERVAL '1 minute', ts) AS window_start, time_bucket(INTERVAL '1 minute', ts) + INTERVAL '1 minute' AS window_end,
       device, count(*) AS n, CAST(sum(seq) AS BIGINT) AS total
FROM read_csv('{data}/*.csv', columns = {device: 'VARCHAR', ts: 'TIMESTAMP', temp: 'DOUBLE', seq: 'BIGINT'})
GROUP BY ALL;
