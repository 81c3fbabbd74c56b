package sql

import "strings"

// foreignStatements are the statements of other engines that ssql has no form of, with
// the engine and what to do, sorted.
var foreignStatements = []struct{ words, engine, hint string }{
	{"ADD JAR", "Flink", "functions are DuckDB's: CREATE MACRO f(x) AS .."},
	{"ALTER FLOW", "Databricks", "ALTER QUERY f AS INSERT INTO t .."},
	{"ALTER MATERIALIZED TABLE", "Flink", "STOP QUERY t and START QUERY t suspend and resume it; ALTER MATERIALIZED VIEW t AS .. changes it"},
	{"ALTER STREAMING TABLE", "Databricks", "ALTER MATERIALIZED VIEW t AS .. changes the query of a table that was made with AS, ALTER QUERY f AS .. a flow"},
	{"ALTER SYSTEM", "RisingWave", "use SET key = value"},
	{"APPLY CHANGES", "Databricks", "keep the latest row of each key: CREATE MATERIALIZED VIEW t AS SELECT * FROM s QUALIFY row_number() OVER (PARTITION BY id ORDER BY ts DESC) = 1"},
	{"CREATE CATALOG", "Flink", "ATTACH 'file.duckdb' AS name gives another database"},
	{"CREATE CONNECTION", "Arroyo", "write the options into WITH (..) of each stream"},
	{"CREATE CONNECTOR", "ksqlDB", "a stream has its connector in WITH (connector = ..)"},
	{"CREATE DATABASE", "Flink", "CREATE SCHEMA name, or ATTACH 'file.duckdb' AS name"},
	{"CREATE DYNAMIC TABLE", "Snowflake", "CREATE MATERIALIZED VIEW t WITH (trigger = '5 minutes') AS .."},
	{"CREATE SUBSCRIPTION", "RisingWave", "SELECT .. FROM the stream shows rows as they come"},
	{"CREATE TASK", "Snowflake", "CREATE QUERY q WITH (trigger = '5 minutes') AS INSERT INTO .."},
	{"DECLARE", "RisingWave", "SELECT .. FROM the stream shows rows as they come"},
	{"DEFINE", "ksqlDB", "SET VARIABLE x = .. is DuckDB's"},
	{"DROP FLOW", "Databricks", "DROP QUERY f"},
	{"DROP MATERIALIZED TABLE", "Flink", "DROP MATERIALIZED VIEW t"},
	{"DROP STREAMING TABLE", "Databricks", "DROP TABLE t"},
	{"FLUSH", "RisingWave", "AWAIT QUERY ALL UNTIL IDLE waits until everything is written"},
	{"LATENESS", "Feldera", "write WATERMARK FOR ts AS ts - INTERVAL .. into CREATE STREAM"},
	{"LIST FLOWS", "Databricks", "SHOW QUERIES"},
	{"LIST TOPICS", "ksqlDB", "SHOW STREAMS lists what can be read"},
	{"LIST TYPES", "ksqlDB", "DESCRIBE s shows the types of a stream"},
	{"LIST VARIABLES", "ksqlDB", "SELECT * FROM duckdb_variables() lists DuckDB's"},
	{"LOAD MODULE", "Flink", "functions are DuckDB's: CREATE MACRO f(x) AS .."},
	{"RECOVER", "RisingWave", "START QUERY ALL goes on from the checkpoints"},
	{"REFRESH STREAMING TABLE", "Databricks", "START QUERY t reads on; RESET QUERY t TRUNCATE OUTPUT computes all rows again"},
	{"ROLLBACK QUERY", "Flink savepoints", "SHOW CHECKPOINTS FOR q lists the batches; RESET QUERY q TRUNCATE OUTPUT computes all of them again"},
	{"SHOW FLOWS", "Databricks", "SHOW QUERIES"},
	{"SHOW TOPICS", "ksqlDB", "SHOW STREAMS lists what can be read"},
	{"SPOOL", "ksqlDB", "the shell's .output writes results to a file"},
	{"SUBSCRIBE", "Materialize", "SELECT .. FROM the stream EMIT ON UPDATE"},
	{"UNDEFINE", "ksqlDB", "RESET VARIABLE x is DuckDB's"},
	{"USE CATALOG", "Flink", "USE name is DuckDB's"},
	{"USE MODULES", "Flink", "functions are DuckDB's: CREATE MACRO f(x) AS .."},
	{"WAIT", "RisingWave", "AWAIT QUERY ALL UNTIL IDLE waits until everything is written"},
}

// foreignStatement returns the refusal of a statement that ssql knows from another
// engine, nil for anything else. head are its first words.
func (p *parser) foreignStatement(head string) error {
	for _, f := range foreignStatements {
		if head != f.words && !strings.HasPrefix(head, f.words+" ") {
			continue
		}
		n := p.pos + len(strings.Fields(f.words))
		if p.peek(1).is("OR") { // CREATE OR REPLACE CONNECTOR
			n += 2
		}
		return unsupported(p.spanOf(p.pos, min(n, len(p.toks)-1)), "%s (%s) is not supported", f.words, f.engine).WithHint("%s", f.hint)
	}
	return nil
}
