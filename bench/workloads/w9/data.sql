COPY (
  SELECT i AS id, strftime(TIMESTAMP '2026-01-01' + to_milliseconds(i * 30), '%Y-%m-%dT%H:%M:%S.%gZ') AS ordered, i % 977 AS amount
  FROM range({from} // 2, {to} // 2) t(i)
) TO '{data}/orders-{part}.json';
COPY (
  SELECT greatest(0, i - (hash(i) % 50000)::BIGINT) AS order_id, strftime(TIMESTAMP '2026-01-01' + to_milliseconds(i * 30), '%Y-%m-%dT%H:%M:%S.%gZ') AS paid, i AS payment
  FROM range({from} // 2, {to} // 2) t(i)
) TO '{data}/payments-{part}.json';
