CREATE STREAM quakes (
  properties STRUCT(mag DOUBLE, "time" BIGINT),
  event_time TIMESTAMP AS epoch_ms(properties.time),
  WATERMARK FOR event_time AS event_time - INTERVAL '1' DAY
) WITH (connector = 'files', path = '../../../examples/quakes', format = 'json', order = 'name', max_files_per_batch = 1);

INSERT INTO quakes_per_hour
SELECT window_start, window_end, count(*) AS quakes, max(properties.mag) AS strongest
FROM TUMBLE(quakes, event_time, INTERVAL '1' HOUR)
GROUP BY window_start, window_end;
