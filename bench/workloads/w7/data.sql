COPY (
  SELECT (k * 7919) AS id, strftime(TIMESTAMP '2026-01-01' + to_milliseconds(k), '%Y-%m-%dT%H:%M:%S.%gZ') AS ts, k % 100 AS v
  FROM (SELECT CASE WHEN i % 10 = 9 THEN i - 1 - (hash(i) % 1000)::BIGINT // 10 * 10 ELSE i END AS k FROM range({from}, {to}) t(i))
  WHERE k >= 0
) TO '{data}/part-{part}.json';
