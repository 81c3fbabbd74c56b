SET end_of_input = 'flush';
CREATE STREAM events (
  device VARCHAR, ts TIMESTAMP, temp DOUBLE, seq BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '10' SECOND
) WITH (connector = 'files', path = '{data}/*.parquet', format = 'parquet', max_files_per_batch = 1);
INSERT INTO result
SELECT window_start, window_end, device, count(*) AS n, sum(seq) AS total
FROM TUMBLE(events, ts, INTERVAL '1' MINUTE)
GROUP BY window_start, window_end, device;
