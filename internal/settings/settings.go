// Package settings has the settings of a session and of a query: their names, types and defaults in one
// table, and the values that were set.
package settings

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sources"
	"ssql/sql"
)

// Scope says where a setting may stand.
type Scope uint8

// The scopes.
const (
	InSession Scope = 1 << iota // SET key = value
	InQuery                     // CREATE QUERY q WITH (key = value)
)

// Setting is a row of the table of settings.
type Setting struct {
	sources.Option
	Scope Scope
}

// Table lists every setting, sorted by name. CREATE QUERY stores those of
// its WITH clause with the query; SET changes those of the session, which hold for
// queries that are started later.
var Table = []Setting{
	{sources.Option{Name: "ansi", Type: sources.BooleanOption, Default: "false",
		Summary: "a division by zero is an error, as in Spark, instead of infinity or NULL"}, InSession | InQuery},
	{sources.Option{Name: "bad_records", Type: sources.StringOption, Default: "table", Values: []string{"table", "drop", "fail"},
		Summary: "what happens to rows that cannot be read: kept in ssql.bad_rows, only counted, or the query fails"}, InSession | InQuery},
	{sources.Option{Name: "bad_rows_max", Type: sources.IntegerOption, Default: "10000",
		Summary: "bad rows of a batch that ssql.bad_rows keeps; all are counted"}, InSession | InQuery},
	{sources.Option{Name: "checkpoint", Type: sources.StringOption, Default: "",
		Summary: "folder of the checkpoint; with SET the folder that holds one per query"}, InSession | InQuery},
	{sources.Option{Name: "chunk_bytes_max", Type: sources.BytesOption, Default: "32 MiB",
		Summary: "bytes that operators pass on at a time, about: chunks with more are cut; unless set, at most 1/32 of what the process may use"}, InSession | InQuery},
	{sources.Option{Name: "chunk_rows", Type: sources.IntegerOption, Default: "8192", Max: 1 << 20,
		Summary: "rows that operators pass on at a time"}, InSession | InQuery},
	{sources.Option{Name: "columns_max", Type: sources.IntegerOption, Default: "1000", Min: 1, Max: math.MaxInt32,
		Summary: "columns, members of STRUCTs included, that a sample of files may give"}, InSession},
	{sources.Option{Name: "dialect_notes", Type: sources.StringOption, Default: "on", Values: []string{"on", "off"},
		Summary: "say how ssql writes what a statement spells as another engine does"}, InSession},
	{sources.Option{Name: "end_of_input", Type: sources.StringOption, Default: "auto", Values: []string{"auto", "flush", "hold"},
		Summary: "open windows at the end of the input: held for a query that stays, flushed for a SELECT"}, InSession | InQuery},
	{sources.Option{Name: "failed_rows", Type: sources.StringOption, Default: "fail", Values: []string{"fail", "bad"},
		Summary: "what happens to rows for which an expression of the query fails, such as a cast: the query fails, or they are bad rows"}, InSession | InQuery},
	{sources.Option{Name: "idle_timeout", Type: sources.DurationOption, Default: "0 seconds",
		Summary: "how long a stream may deliver nothing before the watermark no longer waits for it; 0 is for ever"}, InSession | InQuery},
	{sources.Option{Name: "late_rows", Type: sources.StringOption, Default: "table", Values: []string{"table", "drop", "fail"},
		Summary: "what happens to rows behind the watermark: kept in ssql.late_rows, only counted, or the query fails"}, InSession | InQuery},
	{sources.Option{Name: "late_rows_max", Type: sources.IntegerOption, Default: "1000000",
		Summary: "late rows of a batch that ssql.late_rows keeps; all are counted"}, InSession | InQuery},
	{sources.Option{Name: "max_bytes_per_batch", Type: sources.IntegerOption, Default: "0",
		Summary: "bytes that a batch reads at most of each stream; 0 is no limit"}, InSession | InQuery},
	{sources.Option{Name: "max_files_per_batch", Type: sources.IntegerOption, Default: "0",
		Summary: "files that a batch reads at most of each stream; 0 is no limit"}, InSession | InQuery},
	{sources.Option{Name: "max_rows_per_batch", Type: sources.IntegerOption, Default: "0",
		Summary: "rows that a batch reads at most of each stream; 0 is no limit"}, InSession | InQuery},
	{sources.Option{Name: "memory_bytes_max", Type: sources.BytesOption, Default: "0",
		Summary: "memory of the process, of which statements and queries are ended before they use it up; 0 is what GOMEMLIMIT, control group, ulimit and machine leave"}, InSession},
	{sources.Option{Name: "no_data_batches", Type: sources.BooleanOption, Default: "true",
		Summary: "run a batch without rows when the watermark closes a window"}, InSession | InQuery},
	{sources.Option{Name: "output_mode", Type: sources.StringOption, Default: "auto", Values: []string{"auto", "append", "update", "complete"},
		Summary: "what a batch sends on; auto is append, or update where a SELECT cannot append"}, InSession | InQuery},
	{sources.Option{Name: "plan_nodes_max", Type: sources.IntegerOption, Default: "10000", Min: 1, Max: 1 << 24,
		Summary: "queries and relations that a statement comes to when its views and WITH entries are put in their places; also AND and OR in a statement for DuckDB"}, InSession | InQuery},
	{sources.Option{Name: "progress_rows", Type: sources.IntegerOption, Default: "1000",
		Summary: "rows of ssql.progress that are kept per query"}, InSession},
	{sources.Option{Name: "retraction", Type: sources.BooleanOption, Default: "false",
		Summary: "let an aggregation or ROW_NUMBER() stand over one whose rows change, by taking the old rows back, and delete what HAVING leaves out; Spark does neither"}, InSession | InQuery},
	{sources.Option{Name: "rows_per_row_max", Type: sources.IntegerOption, Default: "10000000", Min: 1, Max: 1 << 40,
		Summary: "rows that unnest, windows and joins with a table may make of one row of the input"}, InSession | InQuery},
	{sources.Option{Name: "snapshot_every", Type: sources.IntegerOption, Default: "100",
		Summary: "batches between two snapshots of the state, at least"}, InSession | InQuery},
	{sources.Option{Name: "start", Type: sources.BooleanOption, Default: "true",
		Summary: "start the query at once"}, InQuery},
	{sources.Option{Name: "state_bytes_max", Type: sources.BytesOption, Default: "0",
		Summary: "memory that the state of an operator may take; 0 is an eighth of what the process may use"}, InSession | InQuery},
	{sources.Option{Name: "state_rows_max", Type: sources.IntegerOption, Default: "0",
		Summary: "rows or groups that an operator may hold; 0 is no limit"}, InSession | InQuery},
	{sources.Option{Name: "statement_bytes_max", Type: sources.IntegerOption, Default: "1048576", Min: 1024, Max: int64(sql.WidestLimits().StatementBytes),
		Summary: "length of a statement"}, InSession},
	{sources.Option{Name: "statement_chain_max", Type: sources.IntegerOption, Default: "2000", Min: 1, Max: int64(sql.WidestLimits().ChainLength),
		Summary: "operators, joins or set operations in one row of a statement"}, InSession},
	{sources.Option{Name: "statement_depth_max", Type: sources.IntegerOption, Default: "200", Min: 1, Max: int64(sql.WidestLimits().Depth),
		Summary: "nesting of brackets, CASE, types and sub-queries in a statement"}, InSession},
	{sources.Option{Name: "trigger", Type: sources.StringOption, Default: "auto",
		Summary: "when batches run: available_now, once, an interval such as '5 seconds', or auto"}, InSession | InQuery},
	{sources.Option{Name: "value_bytes_max", Type: sources.BytesOption, Default: "64 MiB",
		Summary: "bytes that an expression may make of one value; unless set, at most 1/16 of what the process may use"}, InSession | InQuery},
	{sources.Option{Name: "watermark_policy", Type: sources.StringOption, Default: "min", Values: []string{"min", "max"},
		Summary: "how the watermarks of several inputs make one"}, InSession | InQuery},
	{sources.Option{Name: "windows_per_row_max", Type: sources.IntegerOption, Default: "100000", Min: 1, Max: 1 << 40,
		Summary: "windows of HOP or CUMULATE that one row may fall in"}, InSession | InQuery},
	{sources.Option{Name: "workers", Type: sources.IntegerOption, Default: "0", Max: 1024,
		Summary: "parts of a batch that are read at once; 0 is one per core"}, InSession | InQuery},
}

// Limits returns what a statement may cost to parse.
func (v Values) Limits() sql.Limits {
	return sql.Limits{
		StatementBytes: int(v.Integer("statement_bytes_max")),
		Depth:          int(v.Integer("statement_depth_max")),
		ChainLength:    int(v.Integer("statement_chain_max")),
	}
}

// PlanLimits returns what a statement may come to when it is planned.
func (v Values) PlanLimits() plan.Limits {
	return plan.Limits{NodesMax: v.Integer("plan_nodes_max"), WindowsMax: v.Integer("windows_per_row_max")}
}

// OfViews are those that a view is planned with by itself: the query that reads it has its
// own, but what planning may cost is the session's.
func (v Values) OfViews() Values {
	out := Values{}
	for _, name := range []string{"plan_nodes_max", "windows_per_row_max"} {
		if text, set := v[name]; set {
			out[name] = text
		}
	}
	return out
}

// Find returns the row of a name, compared without case, or an error that
// names the nearest one.
func Find(key sql.Ident, where Scope) (*Setting, error) {
	var names []string
	for i := range Table {
		s := &Table[i]
		if s.Scope&where == 0 {
			continue
		}
		if strings.EqualFold(s.Name, key.Name) {
			return s, nil
		}
		names = append(names, s.Name)
	}
	what := "setting"
	if where == InQuery {
		what = "option of a query"
	}
	return nil, sqlerr.At(key.Span, "UNKNOWN_SETTING", "%s %q does not exist", what, key.Name).
		WithNearest(key.Name, names, "there are: %s", strings.Join(names, ", "))
}

// Parse returns the canonical text of a value or says what was expected.
func (s *Setting) Parse(o *sql.Option) (string, error) {
	text := OptionText(o.Value)
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

// OptionText returns the value of an option as text.
func OptionText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// Values are those that were set, by name; what is not set has the default.
type Values map[string]string

// Get returns the value of a setting.
func (v Values) Get(name string) string {
	if text, ok := v[name]; ok {
		return text
	}
	return Table[indexOfSetting(name)].Default
}

// Integer returns the value of a setting that is a number.
func (v Values) Integer(name string) int64 {
	// The text was checked when it was set.
	n, _ := strconv.ParseInt(v.Get(name), 10, 64)
	return n
}

// Boolean returns the value of a setting that is true or false.
func (v Values) Boolean(name string) bool { return v.Get(name) == "true" }

// Quantity returns the value of a setting with a unit: bytes, or microseconds.
func (v Values) Quantity(name string) int64 {
	value, _ := Table[indexOfSetting(name)].Option.Parse(v.Get(name))
	n, _ := value.(int64)
	return n
}

// BoundedBytes is Quantity, but unless it was set at most a part of what the process may use.
func (v Values) BoundedBytes(name string, part int64) int64 {
	n := v.Quantity(name)
	if _, set := v[name]; !set {
		n = min(n, duck.ProcessBytes()/part)
	}
	return n
}

func indexOfSetting(name string) int {
	return sort.Search(len(Table), func(i int) bool { return Table[i].Name >= name })
}

// Over returns v with the values of more on top.
func (v Values) Over(more Values) Values {
	out := make(Values, len(v)+len(more))
	for k, t := range v {
		out[k] = t
	}
	for k, t := range more {
		out[k] = t
	}
	return out
}

// OfQuery checks the WITH clause of CREATE QUERY.
func OfQuery(options []sql.Option) (Values, error) {
	out := Values{}
	for i := range options {
		o := &options[i]
		s, err := Find(o.Key, InQuery)
		if err != nil {
			return nil, err
		}
		if out[s.Name], err = s.Parse(o); err != nil {
			return nil, err
		}
	}
	return out, nil
}
