CREATE STREAM quakes (
  properties STRUCT(mag DOUBLE, "time" BIGINT),
  event_time TIMESTAMP AS epoch_ms(properties.time),
  WATERMARK FOR event_time AS event_time - INTERVAL '1' DAY
) WITH (connector = 'files', path = '../../../examples/quakes', format = 'json', order = 'name', max_files_per_batch = 1);
CREATE SINK hours WITH (connector = 'files', path = 'hours', format = 'parquet', partition_by = 'day');
CREATE SINK strongest WITH (connector = 'files', path = 'strongest', format = 'csv');

CREATE QUERY all_of_it AS EXECUTE STATEMENT SET BEGIN
  INSERT INTO quakes_per_hour
  SELECT window_start, window_end, count(*) AS quakes, max(properties.mag) AS strongest
  FROM TUMBLE(quakes, event_time, INTERVAL '1' HOUR)
  GROUP BY window_start, window_end;
  INSERT INTO magnitudes SELECT floor(properties.mag) AS magnitude, count(*) AS n FROM quakes GROUP BY floor(properties.mag) EMIT ON UPDATE;
  INSERT INTO hours
  SELECT CAST(window_start AS DATE) AS day, window_start, count(*) AS quakes FROM TUMBLE(quakes, event_time, INTERVAL '1' HOUR) GROUP BY window_start;
  INSERT INTO strongest SELECT floor(properties.mag) AS magnitude, count(*) AS n FROM quakes GROUP BY floor(properties.mag) EMIT COMPLETE;
END;
