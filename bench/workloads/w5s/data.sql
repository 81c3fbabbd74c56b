COPY (
  SELECT format('user-{:011d}', i * 7919 % ({rows} * 4 // 5)) AS k,
         strftime(TIMESTAMP '2026-01-01' + to_milliseconds(i % 1000000), '%Y-%m-%dT%H:%M:%S.%gZ') AS ts, i AS v
  FROM range({from}, {to}) t(i)
) TO '{data}/part-{part}.json';
