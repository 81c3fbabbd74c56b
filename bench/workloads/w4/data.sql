COPY (
  SELECT format('device-{:04d}', (hash(i) % 100)::INT) AS device,
         strftime(TIMESTAMP '2026-01-01' + to_microseconds(i * 36000 - (hash(i + 7) % 2000000)::BIGINT), '%Y-%m-%dT%H:%M:%S.%gZ') AS ts,
         15 + (hash(i + 13) % 2000)::INT / 100 AS temp, i AS seq
  FROM range({from}, {to}) t(i)
) TO '{data}/part-{part}.json';
