package sql

import "strings"

// connectorNames are the names that other engines have for connectors.
var connectorNames = map[string]struct{ engine, name string }{
	"filesystem":  {"Flink", "files"},
	"posix_fs":    {"RisingWave", "files"},
	"print":       {"Flink", "console"},
	"single_file": {"Arroyo", "files"},
	"stdout":      {"Arroyo", "console"},
}

// sinkConnectors are the connectors that rows can only be written to.
var sinkConnectors = []string{"blackhole", "console"}

// foreignConnectors is the table of connectors of other engines that ssql may lack,
// sorted by name, with what to do in place of reading and of writing there.
var foreignConnectors = []struct{ name, engine, read, write string }{
	{"blackhole", "Flink", "", "INSERT INTO a table, and DROP TABLE when it is not needed"},
	{"confluent", "Arroyo", readRecords, writeRecords},
	{"datagen", "Flink", readGenerated, ""},
	{"deltalake", "RisingWave", readFolder, writeFolder},
	{"elasticsearch", "RisingWave", "", writeTable},
	{"elasticsearch-7", "Flink", "", writeTable},
	{"faker", "Flink", readGenerated, ""},
	{"fluvio", "Arroyo", readRecords, writeRecords},
	{"gcs", "RisingWave", readFolder, writeFolder},
	{"google_pubsub", "RisingWave", readRecords, writeRecords},
	{"iceberg", "RisingWave, Flink, Arroyo", readFolder, writeFolder},
	{"impulse", "Arroyo", readGenerated, ""},
	{"jdbc", "Flink, RisingWave", readTable, writeTable},
	{"kafka", "Flink, RisingWave, ksqlDB, Arroyo, Proton", readRecords, writeRecords},
	{"kinesis", "Flink, RisingWave, Arroyo", readRecords, writeRecords},
	{"mqtt", "RisingWave, Arroyo", readRecords, writeRecords},
	{"mysql", "Arroyo", readTable, writeTable},
	{"mysql-cdc", "Flink, RisingWave", readTable, ""},
	{"nats", "RisingWave, Arroyo", readRecords, writeRecords},
	{"nexmark", "Arroyo, RisingWave", readGenerated, ""},
	{"polling_http", "Arroyo", readRecords, ""},
	{"postgres", "Arroyo", readTable, writeTable},
	{"postgres-cdc", "Flink, RisingWave", readTable, ""},
	{"pulsar", "Flink, RisingWave, Proton", readRecords, writeRecords},
	{"rabbitmq", "Arroyo", readRecords, writeRecords},
	{"redis", "RisingWave, Arroyo", readRecords, writeTable},
	{"s3", "RisingWave", readFolder, writeFolder},
	{"s3_v2", "RisingWave", readFolder, writeFolder},
	{"sse", "Arroyo", readRecords, ""},
	{"upsert-kafka", "Flink", readRecords, writeRecords},
	{"webhook", "Arroyo", "", writeRecords},
	{"websocket", "Arroyo", readRecords, writeRecords},
}

// What to do without a connector.
const (
	readRecords   = "read the records from files, connector = 'files', or from a pipe, connector = 'stdin': kcat -C -t topic | ssql script.sql"
	readGenerated = "connector = 'rate' makes rows with a timestamp and a value; INSERT INTO a stream WITH (connector = 'memory') gives it rows"
	readFolder    = "copy the files into a folder: connector = 'files', path = 'dir'"
	readTable     = "export the table to files, connector = 'files'; a stream is joined with tables of the database"
	writeRecords  = "write files and send them on: connector = 'files', path = 'dir', format = 'json'"
	writeFolder   = "write files and copy them: connector = 'files', path = 'dir', format = 'parquet'"
	writeTable    = "INSERT INTO a table; COPY t TO 'file' or another DuckDB process reads it"
)

// ForeignConnector returns whose connector a name is, and what to write in place of it
// to read or to write; ok is false for a name that no engine is known for.
func ForeignConnector(name string, write bool) (engine, hint string, ok bool) {
	for _, c := range foreignConnectors {
		if strings.EqualFold(c.name, name) {
			hint = c.read
			if write || hint == "" {
				hint = c.write
			}
			return c.engine, hint, hint != ""
		}
	}
	return "", "", false
}
