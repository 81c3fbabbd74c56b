CREATE STREAM events (
  device VARCHAR, ts TIMESTAMP, temp DOUBLE, seq BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '10' SECOND
) WITH (connector = 'files', path = '{data}/*.json', format = 'json', max_files_per_batch = 1);
CREATE SINK result WITH (connector = 'files', path = '{out}/ssql', format = 'parquet') AS
SELECT device, ts, temp * 1.8 + 32 AS fahrenheit, seq FROM events WHERE temp > 25;
