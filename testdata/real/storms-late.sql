-- Hail and floods read a file at a time, in the order of their ends.
CREATE STREAM storms_0 (
  begin_ms TIMESTAMP, EVENT_TYPE VARCHAR,
  WATERMARK FOR begin_ms AS begin_ms - INTERVAL '0' SECOND
) WITH (connector = 'files', path = '../../../shared/data/storms', order = 'name', format = 'csv', epoch_unit = 'ms', max_files_per_batch = 1);

CREATE STREAM storms_1day (
  begin_ms TIMESTAMP, EVENT_TYPE VARCHAR,
  WATERMARK FOR begin_ms AS begin_ms - INTERVAL '1' DAY
) WITH (connector = 'files', path = '../../../shared/data/storms', order = 'name', format = 'csv', epoch_unit = 'ms', max_files_per_batch = 1);

INSERT INTO "storms-q1-wm-0"
SELECT window_start, EVENT_TYPE AS key, count(*) AS n FROM TUMBLE(storms_0, begin_ms, INTERVAL '1' DAY) GROUP BY window_start, EVENT_TYPE;

INSERT INTO "storms-q1-wm-1day"
SELECT window_start, EVENT_TYPE AS key, count(*) AS n FROM TUMBLE(storms_1day, begin_ms, INTERVAL '1' DAY) GROUP BY window_start, EVENT_TYPE;
