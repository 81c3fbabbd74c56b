CREATE STREAM quakes (
  properties STRUCT(mag DOUBLE, "time" BIGINT),
  event_time TIMESTAMP AS epoch_ms(properties.time),
  WATERMARK FOR event_time AS event_time - INTERVAL '1' DAY
) WITH (connector = 'files', path = '../../../examples/quakes', format = 'json', order = 'name', max_files_per_batch = 1);

SET trigger = '1 millisecond';
CREATE QUERY weak AS INSERT INTO quakes_seen SELECT event_time, properties.mag AS mag FROM quakes WHERE properties.mag < 3;
CREATE QUERY strong AS INSERT INTO quakes_seen SELECT event_time, properties.mag AS mag FROM quakes WHERE properties.mag >= 3;
CREATE QUERY weak_hours AS INSERT INTO per_hour SELECT window_start, floor(properties.mag) AS mag, count(*) AS n
FROM TUMBLE(quakes, event_time, INTERVAL '1' HOUR) WHERE properties.mag < 3 GROUP BY window_start, floor(properties.mag) EMIT ON UPDATE;
CREATE QUERY strong_hours AS INSERT INTO per_hour SELECT window_start, floor(properties.mag) AS mag, count(*) AS n
FROM TUMBLE(quakes, event_time, INTERVAL '1' HOUR) WHERE properties.mag >= 3 GROUP BY window_start, floor(properties.mag) EMIT ON UPDATE;
AWAIT QUERY ALL UNTIL IDLE;
STOP QUERY weak;
STOP QUERY strong;
STOP QUERY weak_hours;
STOP QUERY strong_hours;
