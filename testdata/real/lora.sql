-- Messages of two weather sensors: what all of them say, in one batch.
SET end_of_input = 'flush';

CREATE STREAM lora (
  devEUI VARCHAR, _timestamp TIMESTAMP,
  rxInfo STRUCT(gatewayID VARCHAR, rssi INTEGER)[],
  object STRUCT(temperature DOUBLE, pressure DOUBLE),
  WATERMARK FOR _timestamp AS _timestamp - INTERVAL '1' HOUR
) WITH (connector = 'files', path = '../../../shared/data/lora', order = 'name', epoch_unit = 'ms');

INSERT INTO "lora-q1"
SELECT window_start AS day, devEUI, count(*) AS n, count(object.temperature) AS n_temp,
       round(avg(object.temperature), 6) AS avg_temp, min(object.pressure) AS min_p, max(object.pressure) AS max_p
FROM TUMBLE(lora, _timestamp, INTERVAL '1' DAY)
GROUP BY window_start, devEUI;

INSERT INTO "lora-q2"
SELECT window_start AS day, rx.gatewayID AS gateway, count(*) AS n, max(rx.rssi) AS best_rssi
FROM TUMBLE(lora, _timestamp, INTERVAL '1' DAY), UNNEST(rxInfo) AS u(rx)
GROUP BY window_start, rx.gatewayID;

INSERT INTO "lora-q3"
SELECT devEUI, window_start AS session_start, window_end AS session_end, count(*) AS n
FROM SESSION(lora, _timestamp, INTERVAL '30' MINUTE)
GROUP BY window_start, window_end, devEUI;
