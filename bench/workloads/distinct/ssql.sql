SET end_of_input = 'flush';
CREATE STREAM events (
  device BIGINT, ts TIMESTAMP, v BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '10' SECOND
) WITH (connector = 'files', path = '{data}/*.json', format = 'json', max_files_per_batch = 1);
INSERT INTO result
SELECT window_start, window_end, count(DISTINCT device) AS users, count(*) AS n
FROM TUMBLE(events, ts, INTERVAL '1' MINUTE)
GROUP BY window_start, window_end;
