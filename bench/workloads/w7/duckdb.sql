CREATE TABLE result AS
SELECT id, any_value(ts) AS ts, any_value(v) AS v
FROM read_ndjson('{data}/*.json', columns = {id: 'BIGINT', ts: 'TIMESTAMP', v: 'BIGINT'})
GROUP BY id;
