-- Messages of two weather sensors, read a file at a time.
CREATE STREAM lora_1h (
  devEUI VARCHAR, _timestamp TIMESTAMP,
  WATERMARK FOR _timestamp AS _timestamp - INTERVAL '1' HOUR
) WITH (connector = 'files', path = '../../../shared/data/lora', order = 'name', epoch_unit = 'ms', max_files_per_batch = 1);

INSERT INTO "lora-q1-wm-1h"
SELECT window_start, devEUI AS key, count(*) AS n
FROM TUMBLE(lora_1h, _timestamp, INTERVAL '1' DAY)
GROUP BY window_start, devEUI;
