COPY (
  SELECT (hash(i) % 100000)::BIGINT AS u,
         strftime(TIMESTAMP '2026-01-01' + to_microseconds(i * 400 - (hash(i + 7) % 2000000)::BIGINT), '%Y-%m-%dT%H:%M:%S.%gZ') AS ts, i AS v
  FROM range({from}, {to}) t(i)
) TO '{data}/part-{part}.json';
