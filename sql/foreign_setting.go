package sql

import (
	"sort"
	"strings"
)

// settingRule is a setting of another engine and what becomes of it in SET and RESET.
type settingRule struct {
	key, engine string
	to          string // ssql's setting; "" where there is none
	refused     string // what to write instead
}

// settingRules is the table of settings that people set out of habit, sorted by key.
// Keys that are in no row are the session's to know.
var settingRules = []settingRule{
	{"auto.offset.reset", "ksqlDB", "", "a query reads its streams from their first row; start = 'latest' in WITH (..) of CREATE STREAM changes that"},
	{"dml_rate_limit", "RisingWave", "max_rows_per_batch", ""},
	{"execution.checkpointing.interval", "Flink", "trigger", ""},
	{"execution.runtime-mode", "Flink", "", "SET trigger = 'available_now' reads what is there and ends, as batch mode does"},
	{"ksql.streams.auto.offset.reset", "ksqlDB", "", "a query reads its streams from their first row; start = 'latest' in WITH (..) of CREATE STREAM changes that"},
	{"parallelism.default", "Flink", "workers", ""},
	{"pipeline.name", "Flink", "", "name the query: CREATE QUERY name AS INSERT INTO .."},
	{"processing.guarantee", "ksqlDB", "", "every query is exactly once"},
	{"spark.sql.shuffle.partitions", "Spark", "", "leave it out: state has one part per core, and SET workers says how many cores read"},
	{"spark.sql.streaming.multiplewatermarkpolicy", "Spark", "watermark_policy", ""},
	{"spark.sql.streaming.nodatamicrobatches.enabled", "Spark", "no_data_batches", ""},
	{"sql-client.execution.result-mode", "Flink", "", "the shell's .mode says how rows are shown"},
	{"state.checkpoints.dir", "Flink", "checkpoint", ""},
	{"streaming_parallelism", "RisingWave", "workers", ""},
	{"table.exec.emit.early-fire.enabled", "Flink", "", "EMIT ON UPDATE shows windows before they close"},
	{"table.exec.source.idle-timeout", "Flink", "idle_timeout", ""},
	{"table.exec.state.ttl", "Flink", "", "state leaves with the watermark: declare one, and group by a window"},
	{"table.local-time-zone", "Flink", "", "times are UTC; source_timezone in WITH (..) of CREATE STREAM says what naive text means"},
}

// translateSetting gives the key of another engine ssql's name.
func (p *parser) translateSetting(key *Ident) error {
	name := strings.ToLower(key.Name)
	i := sort.Search(len(settingRules), func(i int) bool { return settingRules[i].key >= name })
	if i == len(settingRules) || settingRules[i].key != name {
		return nil
	}
	r := settingRules[i]
	if r.to == "" {
		return unsupported(key.Span, "setting %q (%s) is not supported", key.Name, r.engine).WithHint("%s", r.refused)
	}
	p.noteAlias(Alias{Engine: r.engine, Written: "setting " + quoteString(key.Name), Canonical: "setting " + r.to}, key.Span)
	key.Name, key.Quoted = r.to, false
	return nil
}
