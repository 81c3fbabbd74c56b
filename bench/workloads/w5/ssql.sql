SET end_of_input = 'flush';
CREATE STREAM events (
  k BIGINT, ts TIMESTAMP, v BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '1' DAY
) WITH (connector = 'files', path = '{data}/*.json', format = 'json', max_files_per_batch = 1);
INSERT INTO result
SELECT window_start, k, count(*) AS n, sum(v) AS total
FROM TUMBLE(events, ts, INTERVAL '1' DAY)
GROUP BY window_start, window_end, k;
