// Package oracle tests the whole engine with random queries over random streams: what
// the engine puts into its sink is compared with two independent answers and with
// itself under changes that must make no difference.
//
//   - DuckDB answers the same query in batch over all rows (duck.go), for cases in which
//     no row can be late.
//   - A model computes Spark's rules a row at a time (model.go), batch by batch, late
//     rows included. It shares no code with exec or plan.
//   - Relations of the engine with itself (relations.go): other chunk sizes and numbers
//     of workers, restarts, crashes, other cuts into batches, late rows added, all times
//     shifted.
//   - Spark itself answers the cases that it takes (spark.go), when somebody runs it: the
//     cases are written as stream scripts, which its recorder fills in and `ssql test` runs.
//
// A case follows from its seed alone. A failing one is made smaller and printed with its
// seed, SQL and rows.
//
//	go test ./internal/oracle                         300 cases
//	go test ./internal/oracle -cases 20000 -seed 7    as many as you like, from a seed on
//	go test ./internal/oracle -cases 1 -seed 1234     one case again
//	go test ./internal/oracle -only hop               rows of the grammar whose name contains a text
//	go test ./internal/oracle -run Spark -scripts DIR -cases 200   scripts for Spark
//
// A new operator is one row of the table in grammar.go, a new aggregate one of the table
// in aggregates.go, a new kind of value one of the table in domains.go.
package oracle
