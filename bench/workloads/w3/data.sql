COPY (
  SELECT device, strftime(at, '%Y-%m-%dT%H:%M:%S.%gZ') AS ts, temp, seq FROM (SELECT format('device-{:04d}', (hash(i) % 1000)::INT) AS device,
         TIMESTAMP '2026-01-01' + to_microseconds(i * 60000000 // 83000 - (hash(i + 7) % 2000000)::BIGINT) AS at,
         15 + (hash(i + 13) % 2000)::INT / 100 AS temp, i AS seq
  FROM range({from}, {to}) t(i))
) TO '{data}/part-{part}.json';
