SET end_of_input = 'flush';
CREATE STREAM events (
  u BIGINT, ts TIMESTAMP, v BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '10' SECOND
) WITH (connector = 'files', path = '{data}/*.json', format = 'json', max_files_per_batch = 1);
INSERT INTO result
SELECT window_start, window_end, u, count(*) AS n, sum(v) AS total
FROM SESSION(events, ts, INTERVAL '30' SECOND)
GROUP BY window_start, window_end, u;
