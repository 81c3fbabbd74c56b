COPY (
  SELECT device, ts, temp * 1.8 + 32 AS fahrenheit, seq
  FROM read_ndjson('{data}/*.json', columns = {device: 'VARCHAR', ts: 'TIMESTAMP', temp: 'DOUBLE', seq: 'BIGINT'}) WHERE temp > 25
) TO '{out}/oneshot.parquet';
CREATE VIEW result AS SELECT * FROM '{out}/oneshot.parquet';
