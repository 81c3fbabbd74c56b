-- Three stratospheric balloons: sensors as CSV, positions as Parquet, radio frames as
-- JSON, and a table of devices. All of it in one batch.
SET end_of_input = 'flush';

CREATE STREAM sensors (
  balloon INTEGER, temperature DOUBLE, altitude DOUBLE, nb_sat INTEGER, gps_ts TIMESTAMP,
  WATERMARK FOR gps_ts AS gps_ts - INTERVAL '2' MINUTE
) WITH (connector = 'files', path = '../../../shared/data/balloons/sensors', order = 'name', format = 'csv', delimiter = ';');

CREATE STREAM positions (
  balloon_id INTEGER, gps_ts TIMESTAMP, alt_m FLOAT,
  WATERMARK FOR gps_ts AS gps_ts - INTERVAL '2' MINUTE
) WITH (connector = 'files', path = '../../../shared/data/balloons/positions', order = 'name');

CREATE STREAM frames (
  rx_timestamp_ms TIMESTAMP, dev_addr VARCHAR, balloon_id INTEGER, frame_counter BIGINT,
  coding_rate VARCHAR, data_rate VARCHAR, rssi_dbm BIGINT,
  WATERMARK FOR rx_timestamp_ms AS rx_timestamp_ms - INTERVAL '2' MINUTE
) WITH (connector = 'files', path = '../../../shared/data/balloons/frames', order = 'name', epoch_unit = 'ms');

CREATE OR REPLACE TABLE devices AS SELECT * FROM '../../../shared/data/balloons/devices.csv';

INSERT INTO "balloons-q1"
SELECT window_start, balloon, count(*) AS n, max(altitude) AS max_alt, round(avg(temperature), 6) AS avg_temp, min(nb_sat) AS min_sat
FROM TUMBLE(sensors, gps_ts, INTERVAL '5' MINUTE)
GROUP BY window_start, balloon;

-- Where was the balloon when a frame came? The last position within a second.
INSERT INTO frame_positions
SELECT f.data_rate, f.coding_rate, f.rssi_dbm, p.alt_m
FROM frames f JOIN positions p
  ON f.balloon_id = p.balloon_id AND p.gps_ts > f.rx_timestamp_ms - INTERVAL '1' SECOND AND p.gps_ts <= f.rx_timestamp_ms;

CREATE OR REPLACE TABLE "balloons-q3" AS
SELECT data_rate, coding_rate, count(*) AS n, min(alt_m) AS min_alt, max(alt_m) AS max_alt, round(avg(rssi_dbm), 6) AS avg_rssi
FROM frame_positions GROUP BY ALL;

INSERT INTO "balloons-q4"
SELECT window_start, d.device_id, count(*) AS n, max(rssi_dbm) AS best_rssi, min(frame_counter) AS fc_min, max(frame_counter) AS fc_max
FROM TUMBLE(frames, rx_timestamp_ms, INTERVAL '10' MINUTE) f JOIN devices d ON f.dev_addr = d.dev_addr
GROUP BY window_start, d.device_id;
