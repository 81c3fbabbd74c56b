CREATE STREAM quakes (
  properties STRUCT(mag DOUBLE, "time" BIGINT),
  event_time TIMESTAMP AS epoch_ms(properties.time),
  WATERMARK FOR event_time AS event_time - INTERVAL '1' DAY
) WITH (connector = 'files', path = '../../../examples/quakes', format = 'json', order = 'name', max_files_per_batch = 1);
CREATE VIEW strengths AS SELECT floor(properties.mag * 4) AS strength, count(*) AS n FROM quakes GROUP BY floor(properties.mag * 4);
CREATE SINK changes WITH (connector = 'files', path = 'changes.json', format = 'debezium_json', single_file = true);
SET retraction = 'on';
SET output_mode = 'update';

INSERT INTO digits SELECT n % 10 AS digit, count(*) AS strengths, max(strength) AS strongest FROM strengths GROUP BY n % 10;
INSERT INTO changes SELECT n % 10 AS digit, count(*) AS strengths, max(strength) AS strongest FROM strengths GROUP BY n % 10;
INSERT INTO firsts SELECT n % 5 AS digit, strength, n FROM strengths QUALIFY ROW_NUMBER() OVER (PARTITION BY n % 5 ORDER BY n DESC, strength) <= 2;
INSERT INTO rare SELECT floor(properties.mag * 4) AS strength, count(*) AS n FROM quakes GROUP BY floor(properties.mag * 4) HAVING count(*) < 20;
