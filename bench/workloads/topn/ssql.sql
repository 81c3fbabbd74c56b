SET end_of_input = 'flush';
CREATE STREAM events (
  device VARCHAR, ts TIMESTAMP, temp DOUBLE, seq BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '10' SECOND
) WITH (connector = 'files', path = '{data}/*.json', format = 'json', max_files_per_batch = 1);
INSERT INTO result
SELECT window_start, window_end, device, temp, seq, rn FROM (
  SELECT *, row_number() OVER (PARTITION BY window_start, window_end, device ORDER BY temp DESC, seq) AS rn
  FROM TUMBLE(events, ts, INTERVAL '1' MINUTE)
) WHERE rn <= 10;
