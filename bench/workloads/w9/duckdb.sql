CREATE TABLE result AS
SELECT id, ordered, amount, paid, payment
FROM read_ndjson('{data}/orders-*.json', columns = {id: 'BIGINT', ordered: 'TIMESTAMP', amount: 'BIGINT'}) o
JOIN read_ndjson('{data}/payments-*.json', columns = {order_id: 'BIGINT', paid: 'TIMESTAMP', payment: 'BIGINT'}) p
  ON id = order_id AND paid BETWEEN ordered AND ordered + INTERVAL '1' HOUR;
