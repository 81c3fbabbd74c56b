SET end_of_input = 'flush';
CREATE TABLE devices AS SELECT i AS id, 'region-' || (i % 50) AS region FROM range(100000) t(i);
CREATE STREAM events (
  device BIGINT, ts TIMESTAMP, v BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '10' SECOND
) WITH (connector = 'files', path = '{data}/*.json', format = 'json', max_files_per_batch = 1);
INSERT INTO result
SELECT window_start, window_end, d.region, count(*) AS n, sum(e.v) AS total
FROM TUMBLE(events, ts, INTERVAL '1' MINUTE) e JOIN devices d ON e.device = d.id
GROUP BY window_start, window_end, d.region;
