-- The lab of orders and payments: which orders are paid within 30 minutes?
--
--     ssql orders.duckdb examples/orders.sql
--
-- Two streams are joined: orders, and payments that come in their own time. The files
-- orders-1 and payments-1 arrive together, then orders-2 and payments-2, and so on. We
-- wait ten minutes for stragglers of either kind. All times are on the same morning.

CREATE STREAM orders (
  order_id   VARCHAR,
  ordered_at TIMESTAMP,
  amount     DECIMAL(8, 2),
  WATERMARK FOR ordered_at AS ordered_at - INTERVAL '10' MINUTE
) WITH (connector = 'files', path = 'orders/orders-*.json', format = 'json', order = 'name', max_files_per_batch = 1);

CREATE STREAM payments (
  order_id VARCHAR,
  paid_at  TIMESTAMP,
  method   VARCHAR,
  WATERMARK FOR paid_at AS paid_at - INTERVAL '10' MINUTE
) WITH (connector = 'files', path = 'orders/payments-*.json', format = 'json', order = 'name', max_files_per_batch = 1);

-- Every order comes out once: with its payment as soon as both are there, or with
-- NULLs when no payment can come any more. The range of times in ON makes that moment
-- known: the query's watermark has passed ordered_at + 30 minutes. Without the range
-- an order could be paid at any time, and ssql would refuse the join.
INSERT INTO order_status
SELECT o.order_id, o.ordered_at, o.amount, p.paid_at, p.method
FROM orders o
LEFT JOIN payments p
  ON o.order_id = p.order_id
 AND p.paid_at BETWEEN o.ordered_at AND o.ordered_at + INTERVAL '30' MINUTE;

-- What is kept, and until when:
EXPLAIN STATE QUERY order_status;

-- Experiment 1: in time.
-- anna ordered at 10:00 and paid at 10:14: fourteen minutes are within thirty.
-- Experiment 2: never, or too slow.
-- dora ordered at 10:30 and paid at 11:04, four minutes too slow. The payment came on
-- time, but it is none for this order: dora is emitted with NULLs, as an order
-- without any payment would be.
SELECT order_id, strftime(ordered_at, '%H:%M') AS ordered, amount, strftime(paid_at, '%H:%M') AS paid, method
FROM order_status
ORDER BY order_id;

-- Experiment 3: paid in time, but we heard of it too late.
-- bert ordered at 10:05 and paid at 10:12. That payment came with payments-4, after we had
-- waited for it: payments up to 10:20 were final by then, and bert was written without
-- one. What is written stays; the payment is not lost, it is kept aside with the
-- watermark that it missed.
SELECT "row"->>'order_id' AS order_id, strftime(event_time, '%H:%M') AS paid, strftime(watermark, '%H:%M') AS watermark, late_by
FROM ssql.late_rows
WHERE query = 'order_status';

-- So an accountant can still find them: orders that look unpaid and are not.
SELECT s.order_id, s.amount, l.event_time AS paid_at
FROM order_status s
JOIN ssql.late_rows l ON l."row"->>'order_id' = s.order_id
 AND l.event_time BETWEEN s.ordered_at AND s.ordered_at + INTERVAL '30' MINUTE
WHERE s.paid_at IS NULL AND l.query = 'order_status';

-- What became of every row: read = used + late + bad + filtered.
SELECT sum(rows_in) AS read, sum(rows_late) AS late, sum(rows_bad) AS bad, sum(rows_filtered) AS filtered, sum(rows_out) AS written
FROM ssql.commits
WHERE query = 'order_status';

-- hugo, who ordered at 12:05, is not in the table yet: a payment can still come. fred,
-- who ordered at 11:10 and did not pay either, is there, since the watermark is at 11:50.
-- Try it: which events make hugo come out without a payment? The watermark must pass
-- 12:35, so both streams need a row later than 12:45. Write them to orders-6.json and
-- payments-6.json and run the script again: only the new files are read.
