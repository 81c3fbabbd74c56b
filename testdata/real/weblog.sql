-- The access log of a web site, 40 files: what all of it says, in one batch.
-- ../shared/data/README.md describes the data, ../shared/data/expected has the answers.
SET end_of_input = 'flush';

CREATE STREAM weblog (
  time VARCHAR, client VARCHAR, response INTEGER, bytes VARCHAR,
  ts AS strptime(time, '%d/%b/%Y:%H:%M:%S %z'),
  WATERMARK FOR ts AS ts - INTERVAL '1' HOUR
) WITH (connector = 'files', path = '../../../shared/data/weblog', order = 'name');

INSERT INTO "weblog-q1"
SELECT window_start, response // 100 AS class, count(*) AS n, count(*) FILTER (bytes = '-') AS no_body,
       sum(TRY_CAST(bytes AS BIGINT)) AS bytes
FROM TUMBLE(weblog, ts, INTERVAL '1' HOUR)
GROUP BY window_start, class;

INSERT INTO "weblog-q3"
SELECT client, window_start AS session_start, window_end AS session_end, count(*) AS n
FROM SESSION(weblog, ts, INTERVAL '30' MINUTE)
GROUP BY window_start, window_end, client;
