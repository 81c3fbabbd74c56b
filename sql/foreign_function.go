package sql

import (
	"sort"
	"strings"
)

// functionRule is a function of another engine and what becomes of a call of it.
type functionRule struct {
	name, engine string
	to           string             // DuckDB's function with the same arguments; "" with rewrite
	rewrite      func(c *Call) Expr // a call of another shape; nil if the arguments do not fit
	hint         string             // for a function that has no equal: what to write
}

// functionRules is the table of functions that other engines name differently, sorted by
// name. Those with a hint only are left alone, since a macro of the user may be called
// so; see ForeignFunction.
var functionRules = []functionRule{
	{name: "as_value", engine: "ksqlDB", rewrite: itsArgument},
	{name: "convert_tz", engine: "Flink", hint: "write ts AT TIME ZONE 'Europe/Berlin'"},
	{name: "count", rewrite: countRows}, // DuckDB has it too, so it is nobody's spelling
	{name: "current_watermark", engine: "Flink", hint: "SHOW WATERMARKS shows it; rows behind it are in ssql.late_rows"},
	{name: "date_format", engine: "Spark", hint: "write strftime(ts, '%Y-%m-%d')"},
	{name: "earliest", engine: "Proton", to: "first"},
	{name: "earliest_by_offset", engine: "ksqlDB", to: "first"},
	{name: "extractjsonfield", engine: "ksqlDB", to: "json_extract_string"},
	{name: "from_unixtime", engine: "Spark", hint: "write to_timestamp(n)"},
	{name: "iif", engine: "Spark", to: "if"},
	{name: "json_query", engine: "Flink", to: "json_extract"},
	{name: "latest", engine: "Proton", to: "last"},
	{name: "latest_by_offset", engine: "ksqlDB", to: "last"},
	{name: "proctime", engine: "Flink", hint: "windows and joins are over event time: name a TIMESTAMP column with a watermark"},
	{name: "split_index", engine: "Flink", hint: "write split_part(text, ',', n), which counts from 1"},
	{name: "stringtotimestamp", engine: "ksqlDB", hint: "write strptime(text, '%Y-%m-%d %H:%M:%S')"},
	{name: "timestampadd", engine: "Flink", hint: "write ts + INTERVAL '5' MINUTE"},
	{name: "timestampdiff", engine: "Flink", rewrite: fullUnitsBetween},
	{name: "timestamptostring", engine: "ksqlDB", hint: "write strftime(ts, '%Y-%m-%d %H:%M:%S')"},
	{name: "to_float", engine: "Proton", hint: "write x::DOUBLE"},
	{name: "to_int", engine: "Proton", hint: "write x::INTEGER"},
	{name: "to_start_of_day", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_hour", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_minute", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_month", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_second", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_week", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_year", engine: "Proton", rewrite: truncatedTo},
	{name: "to_timestamp_ltz", engine: "Flink", rewrite: instantOfCount},
	{name: "to_timestamp_micros", engine: "Arroyo", to: "make_timestamp"},
	{name: "to_timestamp_millis", engine: "Arroyo", to: "epoch_ms"},
	{name: "to_timestamp_seconds", engine: "Arroyo", to: "to_timestamp"},
	{name: "topk", engine: "ksqlDB", hint: "rank the rows in a sub-query: QUALIFY row_number() OVER (PARTITION BY k ORDER BY x DESC) <= 3"},
	{name: "uniq", engine: "Proton", to: "approx_count_distinct"},
	{name: "unix_timestamp", engine: "Spark", hint: "write epoch(ts)::BIGINT"},
}

func findFunctionRule(name string) *functionRule {
	name = strings.ToLower(name)
	i := sort.Search(len(functionRules), func(i int) bool { return functionRules[i].name >= name })
	if i < len(functionRules) && functionRules[i].name == name {
		return &functionRules[i]
	}
	return nil
}

// ForeignFunction returns whose function an unknown name is, and what to write for it;
// ok is false for a name that no engine is known for.
func ForeignFunction(name string) (engine, hint string, ok bool) {
	r := findFunctionRule(name)
	if r == nil || r.hint == "" {
		return "", "", false
	}
	return r.engine, r.hint, true
}

// foreignCall returns what a call of a function of another engine stands for; nil for
// any other call.
func foreignCall(c *Call) (Expr, *functionRule) {
	r := findFunctionRule(c.Name.Name)
	switch {
	case r == nil || r.hint != "" || c.Name.Quoted:
		return nil, nil
	case r.rewrite != nil:
		return r.rewrite(c), r
	}
	out := *c
	out.Name.Name = r.to
	return &out, r
}

// itsArgument is AS_VALUE(x): x.
func itsArgument(c *Call) Expr {
	if len(c.Args) != 1 {
		return nil
	}
	return c.Args[0]
}

// countRows is count(): count(*).
func countRows(c *Call) Expr {
	if len(c.Args) > 0 || c.Star || c.Distinct {
		return nil
	}
	out := *c
	out.Star = true
	return &out
}

// instantOfCount is TO_TIMESTAMP_LTZ(n, 3) of milliseconds and TO_TIMESTAMP_LTZ(n, 0) of
// seconds since 1970.
func instantOfCount(c *Call) Expr {
	if len(c.Args) != 2 {
		return nil
	}
	digits, ok := c.Args[1].(*Literal)
	if !ok {
		return nil
	}
	out := *c
	out.Args = c.Args[:1]
	switch digits.Value {
	case int64(0):
		out.Name.Name = "to_timestamp"
	case int64(3):
		out.Name.Name = "epoch_ms"
	default:
		return nil
	}
	return &out
}

// fullUnitsBetween is TIMESTAMPDIFF(MINUTE, a, b), which counts full units as date_sub
// does; date_diff counts the boundaries between.
func fullUnitsBetween(c *Call) Expr {
	if len(c.Args) != 3 {
		return nil
	}
	unit, ok := c.Args[0].(*ColumnRef)
	if !ok || len(unit.Parts) != 1 {
		return nil
	}
	if _, isUnit := unitOf(unit.Parts[0].Name); !isUnit {
		return nil
	}
	out := *c
	out.Name.Name = "date_sub"
	out.Args = append([]Expr{&Literal{Value: strings.ToLower(unit.Parts[0].Name), Span: unit.Span}}, c.Args[1:]...)
	return &out
}

// truncatedTo is to_start_of_hour(ts): date_trunc('hour', ts).
func truncatedTo(c *Call) Expr {
	if len(c.Args) != 1 {
		return nil
	}
	out := *c
	unit := strings.TrimPrefix(strings.ToLower(c.Name.Name), "to_start_of_")
	out.Name.Name = "date_trunc"
	out.Args = []Expr{&Literal{Value: unit, Span: c.Name.Span}, c.Args[0]}
	return &out
}
