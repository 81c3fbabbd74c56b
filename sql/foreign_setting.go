package sql

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"ssql/sql/types"
)

// settingRule is a setting of another engine and what becomes of it in SET and RESET.
type settingRule struct {
	key, engine string
	to          string // ssql's setting; "" where there is none
	holds       string // the values that say what is so anyway, divided by blanks; "*": all
	reason      string // why they change nothing
	refused     string // what to write instead of other values
}

// Reasons of more than one row.
const (
	fromFirstRow     = "a query reads its streams from their first row"
	startLatest      = "a query reads its streams from their first row; filter by the time: WHERE ts >= TIMESTAMP '..'"
	wholeBatches     = "rows are always read in batches"
	alwaysExactly    = "every query is exactly once"
	timesAreUTC      = "times are UTC"
	sourceTimezone   = "times are UTC; source_timezone in WITH (..) of CREATE STREAM says what naive text means"
	exactlyOnceNames = "exactly_once exactly_once_v2 exactly_once_beta"
)

// settingRules is the table of settings that people set out of habit, sorted by key.
// Keys that are in no row are the session's to know.
var settingRules = []settingRule{
	{key: "auto.offset.reset", engine: "ksqlDB", holds: "earliest", reason: fromFirstRow, refused: startLatest},
	{key: "dml_rate_limit", engine: "RisingWave", to: "max_rows_per_batch"},
	{key: "execution.checkpointing.interval", engine: "Flink", to: "trigger"},
	{key: "execution.checkpointing.mode", engine: "Flink", holds: exactlyOnceNames, reason: alwaysExactly, refused: alwaysExactly},
	{key: "execution.runtime-mode", engine: "Flink", holds: "streaming", reason: "a query on a stream is nothing else", refused: "SET trigger = 'available_now' reads what is there and ends, as batch mode does"},
	{key: "ksql.streams.auto.offset.reset", engine: "ksqlDB", holds: "earliest", reason: fromFirstRow, refused: startLatest},
	{key: "parallelism.default", engine: "Flink", to: "workers"},
	{key: "pipeline.name", engine: "Flink", holds: "*", reason: "CREATE QUERY name AS INSERT INTO .. names a query"},
	{key: "processing.guarantee", engine: "ksqlDB", holds: exactlyOnceNames, reason: alwaysExactly, refused: alwaysExactly},
	{key: "spark.sql.ansi.enabled", engine: "Spark", to: "ansi"},
	{key: "spark.sql.session.timezone", engine: "Spark", holds: "utc", reason: timesAreUTC, refused: sourceTimezone},
	{key: "spark.sql.shuffle.partitions", engine: "Spark", holds: "*", reason: "state has one part per core, and SET workers says how many cores read"},
	{key: "spark.sql.streaming.checkpointlocation", engine: "Spark", to: "checkpoint"},
	{key: "spark.sql.streaming.multiplewatermarkpolicy", engine: "Spark", to: "watermark_policy"},
	{key: "spark.sql.streaming.nodatamicrobatches.enabled", engine: "Spark", to: "no_data_batches"},
	{key: "sql-client.execution.result-mode", engine: "Flink", holds: "*", reason: "the shell's .mode says how rows are shown"},
	{key: "state.checkpoints.dir", engine: "Flink", to: "checkpoint"},
	{key: "streaming_parallelism", engine: "RisingWave", to: "workers"},
	{key: "table.exec.emit.early-fire.enabled", engine: "Flink", refused: "EMIT ON UPDATE shows windows before they close"},
	{key: "table.exec.mini-batch.allow-latency", engine: "Flink", holds: "*", reason: wholeBatches},
	{key: "table.exec.mini-batch.enabled", engine: "Flink", holds: "*", reason: wholeBatches},
	{key: "table.exec.mini-batch.size", engine: "Flink", holds: "*", reason: wholeBatches},
	{key: "table.exec.source.idle-timeout", engine: "Flink", to: "idle_timeout"},
	{key: "table.exec.state.ttl", engine: "Flink", refused: "state leaves with the watermark: declare one, and group by a window"},
	{key: "table.local-time-zone", engine: "Flink", holds: "utc", reason: timesAreUTC, refused: sourceTimezone},
	{key: "timezone", engine: "DuckDB, PostgreSQL", holds: "utc etc/utc gmt z", reason: timesAreUTC, refused: "times are UTC; ts AT TIME ZONE 'Europe/Berlin' is the wall time in a zone, and source_timezone in WITH (..) of CREATE STREAM says what naive text means"},
}

func findSettingRule(key string) *settingRule {
	key = strings.ToLower(key)
	i := sort.Search(len(settingRules), func(i int) bool { return settingRules[i].key >= key })
	if i < len(settingRules) && settingRules[i].key == key {
		return &settingRules[i]
	}
	return nil
}

// holdsAnyway reports whether value is one of those that change nothing.
func holdsAnyway(holds string, value any) bool {
	return holds == "*" || slices.Contains(strings.Fields(holds), strings.ToLower(fmt.Sprint(value)))
}

// translateSetting gives the key of another engine ssql's name; nothing says that the
// statement sets what is so anyway. value is nil in RESET.
func (p *parser) translateSetting(key *Ident, value any) (nothing bool, err error) {
	r := findSettingRule(key.Name)
	if r == nil {
		return false, nil
	}
	written := "setting " + types.QuoteText(key.Name)
	switch {
	case r.to != "":
		p.noteAlias(Alias{Engine: r.engine, Written: written, Canonical: "setting " + r.to}, key.Span)
		key.Name, key.Quoted = r.to, false
		return false, nil
	case r.reason != "" && (value == nil || holdsAnyway(r.holds, value)):
		p.noteAlias(Alias{Engine: r.engine, Written: written, Canonical: "nothing: " + r.reason}, key.Span)
		return true, nil
	}
	return false, unsupported(key.Span, "setting %q (%s) is not supported", key.Name, r.engine).WithHint("%s", r.refused)
}
