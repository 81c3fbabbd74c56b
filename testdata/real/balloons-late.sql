-- The sensors of the balloons read a file at a time: their clocks are apart by up to a
-- minute.
CREATE STREAM sensors_2min (
  balloon INTEGER, gps_ts TIMESTAMP,
  WATERMARK FOR gps_ts AS gps_ts - INTERVAL '2' MINUTE
) WITH (connector = 'files', path = '../../../shared/data/balloons/sensors', order = 'name', format = 'csv', delimiter = ';', max_files_per_batch = 1);

CREATE STREAM sensors_10s (
  balloon INTEGER, gps_ts TIMESTAMP,
  WATERMARK FOR gps_ts AS gps_ts - INTERVAL '10' SECOND
) WITH (connector = 'files', path = '../../../shared/data/balloons/sensors', order = 'name', format = 'csv', delimiter = ';', max_files_per_batch = 1);

INSERT INTO "balloons-q1-wm-2min"
SELECT window_start, balloon AS key, count(*) AS n FROM TUMBLE(sensors_2min, gps_ts, INTERVAL '5' MINUTE) GROUP BY window_start, balloon;

INSERT INTO "balloons-q2-wm-10s"
SELECT window_start, balloon AS key, count(*) AS n FROM TUMBLE(sensors_10s, gps_ts, INTERVAL '1' MINUTE) GROUP BY window_start, balloon;
