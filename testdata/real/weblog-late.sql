-- The access log read a file at a time: rows come up to a minute out of order.
CREATE STREAM weblog_10min (
  time VARCHAR, response INTEGER,
  ts AS strptime(time, '%d/%b/%Y:%H:%M:%S %z'),
  WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH (connector = 'files', path = '../../../shared/data/weblog', order = 'name', max_files_per_batch = 1);

CREATE STREAM weblog_5s (
  time VARCHAR,
  ts AS strptime(time, '%d/%b/%Y:%H:%M:%S %z'),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (connector = 'files', path = '../../../shared/data/weblog', order = 'name', max_files_per_batch = 1);

INSERT INTO "weblog-q1-wm-10min"
SELECT window_start, response // 100 AS key, count(*) AS n
FROM TUMBLE(weblog_10min, ts, INTERVAL '1' HOUR)
GROUP BY window_start, key;

INSERT INTO "weblog-q2-wm-5s"
SELECT window_start, NULL::VARCHAR AS key, count(*) AS n
FROM TUMBLE(weblog_5s, ts, INTERVAL '10' SECOND)
GROUP BY window_start;
