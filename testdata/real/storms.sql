-- Hail and floods, CSV with line breaks and quotes inside of texts, in one batch.
SET end_of_input = 'flush';

CREATE STREAM storms (
  begin_ms TIMESTAMP, EVENT_ID BIGINT, EVENT_TYPE VARCHAR, MAGNITUDE VARCHAR, DAMAGE_PROPERTY_NUM VARCHAR, EPISODE_NARRATIVE VARCHAR,
  WATERMARK FOR begin_ms AS begin_ms - INTERVAL '1' DAY
) WITH (connector = 'files', path = '../../../shared/data/storms', order = 'name', format = 'csv', epoch_unit = 'ms');

INSERT INTO "storms-q1"
SELECT window_start AS day, EVENT_TYPE, count(*) AS n, max(TRY_CAST(MAGNITUDE AS DECIMAL(4,2))) AS max_mag,
       sum(TRY_CAST(DAMAGE_PROPERTY_NUM AS BIGINT)) AS damage
FROM TUMBLE(storms, begin_ms, INTERVAL '1' DAY)
GROUP BY window_start, EVENT_TYPE;

INSERT INTO "storms-q2"
SELECT EVENT_ID, length(EPISODE_NARRATIVE) AS len, length(EPISODE_NARRATIVE) - length(replace(EPISODE_NARRATIVE, chr(10), '')) AS newlines,
       md5(EPISODE_NARRATIVE) AS md5
FROM storms
WHERE contains(EPISODE_NARRATIVE, chr(10)) OR contains(EPISODE_NARRATIVE, '"');
