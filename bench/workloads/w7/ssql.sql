CREATE STREAM events (
  id BIGINT, ts TIMESTAMP, v BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH (connector = 'files', path = '{data}/*.json', format = 'json', max_files_per_batch = 1);
INSERT INTO result
SELECT id, ts, v FROM DEDUP(events, KEY (id) WITHIN WATERMARK);
