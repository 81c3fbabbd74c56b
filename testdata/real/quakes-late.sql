-- Earthquakes read a file at a time: they come minutes to days after they happened.
CREATE STREAM quakes_1day (
  properties STRUCT(mag DOUBLE, time TIMESTAMP),
  ts AS properties.time,
  WATERMARK FOR ts AS ts - INTERVAL '1' DAY
) WITH (connector = 'files', path = '../../../shared/data/quakes', order = 'name', epoch_unit = 'ms', max_files_per_batch = 1);

CREATE STREAM quakes_6hours (
  properties STRUCT(time TIMESTAMP),
  ts AS properties.time,
  WATERMARK FOR ts AS ts - INTERVAL '6' HOUR
) WITH (connector = 'files', path = '../../../shared/data/quakes', order = 'name', epoch_unit = 'ms', max_files_per_batch = 1);

INSERT INTO "quakes-q1-wm-1day"
SELECT window_start, NULL::VARCHAR AS key, count(*) AS n FROM TUMBLE(quakes_1day, ts, INTERVAL '1' HOUR) GROUP BY window_start;

INSERT INTO "quakes-q1-wm-6hours"
SELECT window_start, NULL::VARCHAR AS key, count(*) AS n FROM TUMBLE(quakes_6hours, ts, INTERVAL '1' HOUR) GROUP BY window_start;
