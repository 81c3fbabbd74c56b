-- A small lab: what happens to events that arrive late?
--
--     ssql lab.duckdb examples/lab.sql
--
-- Two sensors, "attic" and "cellar", send events. Every row says when the event
-- happened (event_time) and when it reached us (arrival_time); the files part-1 to
-- part-5 arrived one after the other. We count events per device in windows of five
-- minutes and wait ten minutes for stragglers. All times are on the same morning.

CREATE STREAM events (
  device_id    VARCHAR,
  event_id     VARCHAR,
  event_time   TIMESTAMP,
  arrival_time TIMESTAMP,
  WATERMARK FOR event_time AS event_time - INTERVAL '10' MINUTE
) WITH (connector = 'files', path = 'lab/*.json', format = 'json', order = 'name', max_files_per_batch = 1);

-- The watermark is the newest event_time seen so far, less ten minutes. A window is
-- final when the watermark has passed its end.
INSERT INTO device_counts
SELECT window_start, window_end, device_id, count(*) AS n
FROM TUMBLE(events, event_time, INTERVAL '5' MINUTE)
GROUP BY window_start, window_end, device_id;

SELECT strftime(window_start, '%H:%M') AS "from", strftime(window_end, '%H:%M') AS "to", device_id, n
FROM device_counts
ORDER BY window_start, device_id;

-- Experiment 1: late, but not too late.
-- Event c2 happened at 10:01 and came in part-2, after c3 of 10:11. Its window,
-- 10:00 to 10:05, was still open: the watermark stood at 10:04 less ten minutes. So c2
-- is counted: cellar has two events in the first window, c1 and c2.
SELECT n AS "cellar, 10:00 to 10:05"
FROM device_counts
WHERE device_id = 'cellar' AND window_start = TIMESTAMP '2026-03-01 10:00:00';

-- Experiment 2: too late.
-- Event c6 happened at 10:03 and came in part-5, half an hour later. By then the window
-- was final and had been written. The row is not counted, not even in a second row
-- for the same window: it is kept aside, with the watermark that it missed.
-- Event a6, in the same file and fourteen minutes late, was counted: its window,
-- 10:20 to 10:25, had not been closed yet.
SELECT "row"->>'device_id' AS device_id, strftime(event_time, '%H:%M') AS happened, strftime(watermark, '%H:%M') AS watermark
FROM ssql.late_rows
WHERE query = 'device_counts';

-- Experiment 3: more patience.
-- The same files, but we wait half an hour. Now nothing is too late: c6 is counted.
-- The price is that results come later, too: fewer windows are final.
CREATE STREAM events_patient (
  device_id    VARCHAR,
  event_id     VARCHAR,
  event_time   TIMESTAMP,
  arrival_time TIMESTAMP,
  WATERMARK FOR event_time AS event_time - INTERVAL '30' MINUTE
) WITH (connector = 'files', path = 'lab/*.json', format = 'json', order = 'name', max_files_per_batch = 1);

INSERT INTO patient_counts
SELECT window_start, window_end, device_id, count(*) AS n
FROM TUMBLE(events_patient, event_time, INTERVAL '5' MINUTE)
GROUP BY window_start, window_end, device_id;

SELECT strftime(window_start, '%H:%M') AS "from", strftime(window_end, '%H:%M') AS "to", device_id, n
FROM patient_counts
ORDER BY window_start, device_id;

-- What became of every row, in both runs: read = used + late + bad + filtered.
SELECT query, sum(rows_in) AS read, sum(rows_late) AS late, sum(rows_bad) AS bad, sum(rows_out) AS "final windows"
FROM ssql.commits
GROUP BY query
ORDER BY query;

-- Try it: add a line to a file examples/lab/part-6.json, with an event of 10:50, and
-- run the script again. Only the new file is read. Which windows does it close?
