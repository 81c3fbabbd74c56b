CREATE STREAM quakes (
  properties STRUCT(mag DOUBLE, "time" BIGINT),
  event_time TIMESTAMP AS epoch_ms(properties.time),
  WATERMARK FOR event_time AS event_time - INTERVAL '1' DAY
) WITH (connector = 'files', path = '../../../examples/quakes', format = 'json', order = 'name', max_files_per_batch = 1);
CREATE SINK hours WITH (connector = 'files', path = 'hours', format = 'parquet', partition_by = 'day');
CREATE SINK log WITH (connector = 'files', path = 'log.json', format = 'json', single_file = true);
CREATE SINK strongest WITH (connector = 'files', path = 'strongest', format = 'csv');

INSERT INTO hours
SELECT CAST(window_start AS DATE) AS day, window_start, count(*) AS quakes, max(properties.mag) AS strongest
FROM TUMBLE(quakes, event_time, INTERVAL '1' HOUR)
GROUP BY window_start;
INSERT INTO log SELECT event_time, properties.mag AS mag FROM quakes WHERE properties.mag > 4;
CREATE QUERY strongest WITH (output_mode = 'complete') AS INSERT INTO strongest
SELECT floor(properties.mag) AS magnitude, count(*) AS n FROM quakes GROUP BY floor(properties.mag);
