-- A week of earthquakes in the order in which a reader of the feed saw their latest
-- version: what all of it says, in one batch.
SET end_of_input = 'flush';

CREATE STREAM quakes (
  id VARCHAR,
  properties STRUCT(mag DOUBLE, place VARCHAR, time TIMESTAMP, "type" VARCHAR),
  geometry STRUCT(coordinates DOUBLE[]),
  ts AS properties.time,
  WATERMARK FOR ts AS ts - INTERVAL '7' DAY
) WITH (connector = 'files', path = '../../../shared/data/quakes', order = 'name', epoch_unit = 'ms');

INSERT INTO "quakes-q1-all-rows"
SELECT window_start, count(*) AS n, max(properties.mag) AS max_mag
FROM TUMBLE(quakes, ts, INTERVAL '1' HOUR)
GROUP BY window_start;

-- Depths beyond 50 km are deep here; a region is what stands behind the last comma.
INSERT INTO "quakes-q2"
SELECT window_start AS day, list_last(string_split(properties.place, ', ')) AS region, count(*) AS n,
       max(properties.mag) AS max_mag, count(*) FILTER (geometry.coordinates[3] > 50) AS deep
FROM TUMBLE(quakes, ts, INTERVAL '1' DAY)
WHERE properties."type" = 'earthquake'
GROUP BY window_start, region
HAVING count(*) >= 5;
