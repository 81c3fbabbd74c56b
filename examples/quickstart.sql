-- Earthquakes per hour, from files that arrive in the order in which the world
-- learned about them.
--
--     ssql examples/quickstart.sql
--
-- The folder quakes holds a week of the public feed of the US Geological Survey
-- (2018-01-31 to 2018-02-07): one JSON object per line, one file per six hours in
-- which a quake was reported or corrected. A row tells when the earth shook
-- (properties.time) and when the row was last updated (properties.updated). The
-- second is the order of the files; between the two lie minutes or days. That is
-- what a watermark is for.

-- 1. A stream: where the rows come from, which columns they have, and how long to wait
--    for rows that come late. Nothing is read yet.
CREATE STREAM quakes (
  id         VARCHAR,
  properties STRUCT(mag DOUBLE, place VARCHAR, "time" BIGINT, updated BIGINT),
  geometry   STRUCT(coordinates DOUBLE[]),
  event_time TIMESTAMP AS epoch_ms(properties.time),
  WATERMARK FOR event_time AS event_time - INTERVAL '1' DAY
) WITH (
  connector = 'files',
  path = 'quakes',
  format = 'json',
  order = 'name',            -- a checkout of this project does not keep the times of files
  max_files_per_batch = 1    -- as if the files came one after the other
);

-- 2. A query: quakes and the strongest magnitude per hour. In a script the statement
--    waits until everything that is there has been read. A window is final, and its
--    row is written, when the watermark has passed its end: exactly once, whatever
--    happens in between. Run this script again and nothing is added.
INSERT INTO quakes_per_hour
SELECT window_start, window_end, count(*) AS quakes, max(properties.mag) AS strongest
FROM TUMBLE(quakes, event_time, INTERVAL '1' HOUR)
GROUP BY window_start, window_end;

-- 3. The result is an ordinary DuckDB table.
SELECT count(*) AS windows, sum(quakes) AS quakes, max(strongest) AS strongest
FROM quakes_per_hour;

SELECT strftime(window_start, '%d %b %H:%M') AS "hour from", quakes, strongest
FROM quakes_per_hour
ORDER BY strongest DESC, window_start
LIMIT 5;

-- 4. Nothing is dropped in silence. Rows whose hour was final already are kept aside:
SELECT count(*) AS "late rows", min(event_time) AS earliest, max(late_by) AS "latest by"
FROM ssql.late_rows
WHERE query = 'quakes_per_hour';

-- 5. and every batch says what it did: rows read = used + filtered + late + bad.
SELECT batch, rows_in, rows_late, rows_out, watermark
FROM ssql.commits
WHERE query = 'quakes_per_hour'
ORDER BY batch DESC
LIMIT 5;

-- 6. The last day is still open: its windows wait for the watermark.
SELECT max(window_end) AS "final until", max(window_end) + INTERVAL '1' HOUR AS "next window ends"
FROM quakes_per_hour;
