CREATE TABLE IF NOT EXISTS partials (window_start TIMESTAMP, window_end TIMESTAMP, device VARCHAR, n BIGINT, total BIGINT);
CREATE TABLE IF NOT EXISTS batches (part VARCHAR);
CREATE OR REPLACE VIEW result AS
SELECT window_start, window_end, device, CAST(sum(n) AS BIGINT) AS n, CAST(sum(total) AS BIGINT) AS total FROM partials GROUP BY ALL;
BEGIN;
INSERT INTO partials
SELECT time_bucket(INTERVAL '1 minute', ts) AS window_start, time_bucket(INTERVAL '1 minute', ts) + INTERVAL '1 minute' AS window_end,
       device, count(*) AS n, CAST(sum(seq) AS BIGINT) AS total
FROM read_ndjson('{data}/part-{part}.json', columns = {device: 'VARCHAR', ts: 'TIMESTAMP', temp: 'DOUBLE', seq: 'BIGINT'})
GROUP BY ALL;
INSERT INTO batches VALUES ('{part}');
COMMIT;
