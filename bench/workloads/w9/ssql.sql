CREATE STREAM orders (
  id BIGINT, ordered TIMESTAMP, amount BIGINT, WATERMARK FOR ordered AS ordered - INTERVAL '10' SECOND
) WITH (connector = 'files', path = '{data}/orders-*.json', format = 'json', max_files_per_batch = 1);
CREATE STREAM payments (
  order_id BIGINT, paid TIMESTAMP, payment BIGINT, WATERMARK FOR paid AS paid - INTERVAL '10' SECOND
) WITH (connector = 'files', path = '{data}/payments-*.json', format = 'json', max_files_per_batch = 1);
INSERT INTO result
SELECT id, ordered, amount, paid, payment
FROM orders JOIN payments ON id = order_id AND paid BETWEEN ordered AND ordered + INTERVAL '1' HOUR;
