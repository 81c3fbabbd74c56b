CREATE STREAM first_files (
  properties STRUCT(mag DOUBLE, "time" BIGINT),
  event_time TIMESTAMP AS epoch_ms(properties.time)
) WITH (connector = 'files', path = '../../../examples/quakes/part-000*', format = 'json', order = 'name', max_files_per_batch = 1);
CREATE STREAM other_files (
  properties STRUCT(mag DOUBLE, "time" BIGINT),
  event_time TIMESTAMP AS epoch_ms(properties.time)
) WITH (connector = 'files', path = '../../../examples/quakes/part-00[12]*', format = 'json', order = 'name', max_files_per_batch = 1);

-- Each statement is one that a run after a kill can say again: what the query is by then is
-- "the same", or goes on.
SET trigger = '1 millisecond';
CREATE QUERY IF NOT EXISTS hours AS INSERT INTO per_hour
SELECT date_trunc('hour', event_time) AS hour, floor(properties.mag) AS mag, count(*) AS n
FROM (SELECT event_time, properties FROM first_files IDENTIFIED BY a) GROUP BY 1, 2 EMIT ON UPDATE;
AWAIT QUERY hours UNTIL IDLE;
STOP QUERY hours;
ALTER QUERY hours AS INSERT INTO per_hour
SELECT date_trunc('hour', event_time) AS hour, floor(properties.mag) AS mag, count(*) AS n
FROM (SELECT event_time, properties FROM other_files IDENTIFIED BY b UNION ALL SELECT event_time, properties FROM first_files IDENTIFIED BY a)
GROUP BY 1, 2 EMIT ON UPDATE;
START QUERY hours;
AWAIT QUERY hours UNTIL IDLE;
STOP QUERY hours;
ALTER QUERY hours AS INSERT INTO per_hour
SELECT date_trunc('hour', event_time) AS hour, floor(properties.mag) AS mag, count(*) AS n
FROM (SELECT event_time, properties FROM first_files IDENTIFIED BY a UNION ALL SELECT event_time, properties FROM other_files IDENTIFIED BY b)
GROUP BY 1, 2 EMIT ON UPDATE;
START QUERY hours;
AWAIT QUERY hours UNTIL IDLE;
STOP QUERY hours;
