package session

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sources"
	"ssql/sql"
)

// scope says where a setting may stand.
type scope uint8

const (
	inSession scope = 1 << iota // SET key = value
	inQuery                     // CREATE QUERY q WITH (key = value)
)

// setting is a row of the table of settings.
type setting struct {
	sources.Option
	scope scope
}

// settingTable lists every setting, sorted by name. CREATE QUERY stores those of
// its WITH clause with the query; SET changes those of the session, which hold for
// queries that are started later.
var settingTable = []setting{
	{sources.Option{Name: "ansi", Type: sources.BooleanOption, Default: "false",
		Summary: "a division by zero is an error, as in Spark, instead of infinity or NULL"}, inSession | inQuery},
	{sources.Option{Name: "bad_records", Type: sources.StringOption, Default: "table", Values: []string{"table", "drop", "fail"},
		Summary: "what happens to rows that cannot be read: kept in ssql.bad_rows, only counted, or the query fails"}, inSession | inQuery},
	{sources.Option{Name: "bad_rows_max", Type: sources.IntegerOption, Default: "10000",
		Summary: "bad rows of a batch that ssql.bad_rows keeps; all are counted"}, inSession | inQuery},
	{sources.Option{Name: "checkpoint", Type: sources.StringOption, Default: "",
		Summary: "folder of the checkpoint; with SET the folder that holds one per query"}, inSession | inQuery},
	{sources.Option{Name: "chunk_bytes_max", Type: sources.BytesOption, Default: "32 MiB",
		Summary: "bytes that operators pass on at a time, about: chunks with more are cut; unless set, at most 1/32 of what the process may use"}, inSession | inQuery},
	{sources.Option{Name: "chunk_rows", Type: sources.IntegerOption, Default: "8192", Max: 1 << 20,
		Summary: "rows that operators pass on at a time"}, inSession | inQuery},
	{sources.Option{Name: "dialect_notes", Type: sources.StringOption, Default: "on", Values: []string{"on", "off"},
		Summary: "say how ssql writes what a statement spells as another engine does"}, inSession},
	{sources.Option{Name: "end_of_input", Type: sources.StringOption, Default: "auto", Values: []string{"auto", "flush", "hold"},
		Summary: "open windows at the end of the input: held for a query that stays, flushed for a SELECT"}, inSession | inQuery},
	{sources.Option{Name: "failed_rows", Type: sources.StringOption, Default: "fail", Values: []string{"fail", "bad"},
		Summary: "what happens to rows for which an expression of the query fails, such as a cast: the query fails, or they are bad rows"}, inSession | inQuery},
	{sources.Option{Name: "idle_timeout", Type: sources.DurationOption, Default: "0 seconds",
		Summary: "how long a stream may deliver nothing before the watermark no longer waits for it; 0 is for ever"}, inSession | inQuery},
	{sources.Option{Name: "late_rows", Type: sources.StringOption, Default: "table", Values: []string{"table", "drop", "fail"},
		Summary: "what happens to rows behind the watermark: kept in ssql.late_rows, only counted, or the query fails"}, inSession | inQuery},
	{sources.Option{Name: "late_rows_max", Type: sources.IntegerOption, Default: "1000000",
		Summary: "late rows of a batch that ssql.late_rows keeps; all are counted"}, inSession | inQuery},
	{sources.Option{Name: "max_bytes_per_batch", Type: sources.IntegerOption, Default: "0",
		Summary: "bytes that a batch reads at most of each stream; 0 is no limit"}, inSession | inQuery},
	{sources.Option{Name: "max_files_per_batch", Type: sources.IntegerOption, Default: "0",
		Summary: "files that a batch reads at most of each stream; 0 is no limit"}, inSession | inQuery},
	{sources.Option{Name: "max_rows_per_batch", Type: sources.IntegerOption, Default: "0",
		Summary: "rows that a batch reads at most of each stream; 0 is no limit"}, inSession | inQuery},
	{sources.Option{Name: "memory_bytes_max", Type: sources.BytesOption, Default: "0",
		Summary: "memory of the process, of which statements and queries are ended before they use it up; 0 is what GOMEMLIMIT, control group, ulimit and machine leave"}, inSession},
	{sources.Option{Name: "no_data_batches", Type: sources.BooleanOption, Default: "true",
		Summary: "run a batch without rows when the watermark closes a window"}, inSession | inQuery},
	{sources.Option{Name: "output_mode", Type: sources.StringOption, Default: "auto", Values: []string{"auto", "append", "update", "complete"},
		Summary: "what a batch sends on; auto is append, or update where a SELECT cannot append"}, inSession | inQuery},
	{sources.Option{Name: "plan_nodes_max", Type: sources.IntegerOption, Default: "10000", Min: 1, Max: 1 << 24,
		Summary: "queries and relations that a statement comes to when its views and WITH entries are put in their places; also AND and OR in a statement for DuckDB"}, inSession | inQuery},
	{sources.Option{Name: "progress_rows", Type: sources.IntegerOption, Default: "1000",
		Summary: "rows of ssql.progress that are kept per query"}, inSession},
	{sources.Option{Name: "retraction", Type: sources.BooleanOption, Default: "false",
		Summary: "let an aggregation or ROW_NUMBER() stand over one whose rows change, by taking the old rows back, and delete what HAVING leaves out; Spark does neither"}, inSession | inQuery},
	{sources.Option{Name: "rows_per_row_max", Type: sources.IntegerOption, Default: "10000000", Min: 1, Max: 1 << 40,
		Summary: "rows that unnest, windows and joins with a table may make of one row of the input"}, inSession | inQuery},
	{sources.Option{Name: "snapshot_every", Type: sources.IntegerOption, Default: "100",
		Summary: "batches between two snapshots of the state, at least"}, inSession | inQuery},
	{sources.Option{Name: "start", Type: sources.BooleanOption, Default: "true",
		Summary: "start the query at once"}, inQuery},
	{sources.Option{Name: "state_bytes_max", Type: sources.BytesOption, Default: "0",
		Summary: "memory that the state of an operator may take; 0 is an eighth of what the process may use"}, inSession | inQuery},
	{sources.Option{Name: "state_rows_max", Type: sources.IntegerOption, Default: "0",
		Summary: "rows or groups that an operator may hold; 0 is no limit"}, inSession | inQuery},
	{sources.Option{Name: "statement_bytes_max", Type: sources.IntegerOption, Default: "1048576", Min: 1024, Max: int64(sql.WidestLimits().StatementBytes),
		Summary: "length of a statement"}, inSession},
	{sources.Option{Name: "statement_chain_max", Type: sources.IntegerOption, Default: "2000", Min: 1, Max: int64(sql.WidestLimits().ChainLength),
		Summary: "operators, joins or set operations in one row of a statement"}, inSession},
	{sources.Option{Name: "statement_depth_max", Type: sources.IntegerOption, Default: "200", Min: 1, Max: int64(sql.WidestLimits().Depth),
		Summary: "nesting of brackets, CASE, types and sub-queries in a statement"}, inSession},
	{sources.Option{Name: "trigger", Type: sources.StringOption, Default: "auto",
		Summary: "when batches run: available_now, once, an interval such as '5 seconds', or auto"}, inSession | inQuery},
	{sources.Option{Name: "value_bytes_max", Type: sources.BytesOption, Default: "64 MiB",
		Summary: "bytes that an expression may make of one value; unless set, at most 1/16 of what the process may use"}, inSession | inQuery},
	{sources.Option{Name: "watermark_policy", Type: sources.StringOption, Default: "min", Values: []string{"min", "max"},
		Summary: "how the watermarks of several inputs make one"}, inSession | inQuery},
	{sources.Option{Name: "windows_per_row_max", Type: sources.IntegerOption, Default: "100000", Min: 1, Max: 1 << 40,
		Summary: "windows of HOP or CUMULATE that one row may fall in"}, inSession | inQuery},
	{sources.Option{Name: "workers", Type: sources.IntegerOption, Default: "0", Max: 1024,
		Summary: "parts of a batch that are read at once; 0 is one per core"}, inSession | inQuery},
}

// limits returns what a statement may cost to parse.
func (v settings) limits() sql.Limits {
	return sql.Limits{
		StatementBytes: int(v.integer("statement_bytes_max")),
		Depth:          int(v.integer("statement_depth_max")),
		ChainLength:    int(v.integer("statement_chain_max")),
	}
}

// planLimits returns what a statement may come to when it is planned.
func (v settings) planLimits() plan.Limits {
	return plan.Limits{NodesMax: v.integer("plan_nodes_max"), WindowsMax: v.integer("windows_per_row_max")}
}

// viewSettings are those that a view is planned with by itself: the query that reads it has its
// own, but what planning may cost is the session's.
func (s *Session) viewSettings() settings {
	v := settings{}
	for _, name := range []string{"plan_nodes_max", "windows_per_row_max"} {
		if text, set := s.settings[name]; set {
			v[name] = text
		}
	}
	return v
}

// findSetting returns the row of a name, compared without case, or an error that
// names the nearest one.
func findSetting(key sql.Ident, where scope) (*setting, error) {
	var names []string
	for i := range settingTable {
		s := &settingTable[i]
		if s.scope&where == 0 {
			continue
		}
		if strings.EqualFold(s.Name, key.Name) {
			return s, nil
		}
		names = append(names, s.Name)
	}
	what := "setting"
	if where == inQuery {
		what = "option of a query"
	}
	return nil, sqlerr.At(key.Span, "UNKNOWN_SETTING", "%s %q does not exist", what, key.Name).
		WithNearest(key.Name, names, "there are: %s", strings.Join(names, ", "))
}

// parse returns the canonical text of a value or says what was expected.
func (s *setting) parse(o *sql.Option) (string, error) {
	text := optionText(o.Value)
	value, expected := s.Option.Parse(text)
	if expected == "" && s.Name == "trigger" {
		if _, err := parseTrigger(text); err != nil {
			expected = "'available_now', 'once', 'auto' or an interval such as '5 seconds'"
		}
	}
	if expected != "" {
		return "", sqlerr.At(o.ValueAt, "INVALID_SETTING", "expected %s for %q, found %q", expected, s.Name, text)
	}
	if _, isText := value.(bool); s.Type == sources.IntegerOption || isText || len(s.Values) > 0 {
		return fmt.Sprint(value), nil
	}
	return text, nil // as it was written: it is read again
}

func optionText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// settings are values that were set, by name; what is not set has the default.
type settings map[string]string

// get returns the value of a setting.
func (v settings) get(name string) string {
	if text, ok := v[name]; ok {
		return text
	}
	return settingTable[indexOfSetting(name)].Default
}

func (v settings) integer(name string) int64 {
	// The text was checked when it was set.
	n, _ := strconv.ParseInt(v.get(name), 10, 64)
	return n
}

func (v settings) boolean(name string) bool { return v.get(name) == "true" }

// quantity returns the value of a setting with a unit: bytes, or microseconds.
func (v settings) quantity(name string) int64 {
	value, _ := settingTable[indexOfSetting(name)].Parse(v.get(name))
	n, _ := value.(int64)
	return n
}

// boundedBytes is quantity, but unless it was set at most a part of what the process may use.
func (v settings) boundedBytes(name string, part int64) int64 {
	n := v.quantity(name)
	if _, set := v[name]; !set {
		n = min(n, duck.ProcessBytes()/part)
	}
	return n
}

func indexOfSetting(name string) int {
	return sort.Search(len(settingTable), func(i int) bool { return settingTable[i].Name >= name })
}

// over returns v with the values of more on top.
func (v settings) over(more settings) settings {
	out := make(settings, len(v)+len(more))
	for k, t := range v {
		out[k] = t
	}
	for k, t := range more {
		out[k] = t
	}
	return out
}

// querySettings checks the WITH clause of CREATE QUERY.
func querySettings(options []sql.Option) (settings, error) {
	out := settings{}
	for i := range options {
		o := &options[i]
		s, err := findSetting(o.Key, inQuery)
		if err != nil {
			return nil, err
		}
		if out[s.Name], err = s.parse(o); err != nil {
			return nil, err
		}
	}
	return out, nil
}
