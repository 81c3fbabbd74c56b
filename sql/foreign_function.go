package sql

import (
	"slices"
	"sort"
	"strings"
)

// functionRule is a function of another engine and what becomes of a call of it.
type functionRule struct {
	name, engine string
	to           string             // DuckDB's function with the same arguments; "" with rewrite
	rewrite      func(c *Call) Expr // a call of another shape; nil if the arguments do not fit
	hint         string             // what to write where there is no equal, or arguments do not fit
}

// functionRules is the table of functions that other engines name differently, sorted by
// name. Those with a hint only are left alone, since a macro of the user may be called
// so; see ForeignFunction.
var functionRules = []functionRule{
	{name: "array_except", engine: "Spark, Flink", hint: "write list_filter(a, x -> NOT list_contains(b, x))"},
	{name: "array_remove", engine: "Spark, Flink", hint: "write list_filter(xs, x -> x <> value)"},
	{name: "array_repeat", engine: "Spark", hint: "write list_transform(range(n), i -> value)"},
	{name: "array_union", engine: "Spark, Flink", hint: "write list_distinct(list_concat(a, b))"},
	{name: "as_value", engine: "ksqlDB", rewrite: itsArgument},
	{name: "bround", engine: "Spark", hint: "write round_even(x, 0)"},
	{name: "charindex", engine: "Spark", hint: "write strpos(text, part)"},
	{name: "convert_tz", engine: "Flink", hint: "write ts AT TIME ZONE 'Europe/Berlin'"},
	{name: "count", rewrite: countRows}, // DuckDB has it too, so it is nobody's spelling
	{name: "current_watermark", engine: "Flink", hint: "SHOW WATERMARKS shows it; rows behind it are in ssql.late_rows"},
	{name: "date_add", rewrite: laterBy}, // with a unit, as TIMESTAMPADD
	{name: "date_diff", rewrite: unitAsText},
	{name: "date_format", engine: "Flink, Spark", rewrite: formattedTime, hint: "write strftime(ts, '%Y-%m-%d')"},
	{name: "date_sub", rewrite: daysBefore}, // DuckDB's has three arguments
	{name: "dateadd", rewrite: laterBy},
	{name: "datediff", rewrite: unitAsText},
	{name: "div", engine: "RisingWave", hint: "write a // b"},
	{name: "earliest", engine: "Proton", rewrite: valueAtEnd},
	{name: "earliest_by_offset", engine: "ksqlDB", rewrite: valueAtEnd, hint: "write first(x) IGNORE NULLS; for the first n: list_slice(collect_list(x), 1, n)"},
	{name: "extractjsonfield", engine: "ksqlDB", to: "json_extract_string"},
	{name: "format_string", engine: "Spark", hint: "write printf('%s', x)"},
	{name: "format_timestamp", engine: "ksqlDB", rewrite: formattedTime, hint: "write strftime(ts, '%Y-%m-%d')"},
	{name: "from_json", engine: "Spark", hint: "declare the column as STRUCT(..), or read fields of JSON as payload->>'$.user.id'"},
	{name: "from_unixtime", engine: "Flink, Spark", rewrite: formattedSeconds, hint: "write strftime(to_timestamp(n), '%Y-%m-%d')"},
	{name: "iif", engine: "Spark", to: "if"},
	{name: "isnotnull", engine: "Spark", hint: "write x IS NOT NULL"},
	{name: "isnull", engine: "Spark", hint: "write x IS NULL"},
	{name: "json_query", engine: "Flink", to: "json_extract"},
	{name: "jsonb_array_length", engine: "RisingWave", to: "json_array_length"},
	{name: "jsonb_typeof", engine: "RisingWave", hint: "write json_type(j), whose words are DuckDB's: VARCHAR, BIGINT, ARRAY"},
	{name: "latest", engine: "Proton", rewrite: valueAtEnd},
	{name: "latest_by_offset", engine: "ksqlDB", rewrite: valueAtEnd, hint: "write last(x) IGNORE NULLS; for the last n: list_slice(collect_list(x), -n, -1)"},
	{name: "log1p", engine: "Spark", hint: "write ln(1 + x)"},
	{name: "months_between", engine: "Spark", hint: "write date_sub('month', earlier, later), which counts full months"},
	{name: "nanvl", engine: "Spark", hint: "write CASE WHEN isnan(x) THEN y ELSE x END"},
	{name: "parse_timestamp", engine: "ksqlDB", rewrite: parsedTime, hint: "write strptime(text, '%Y-%m-%d %H:%M:%S')"},
	{name: "percentile_cont", engine: "SQL:2003", hint: "write percentile_cont(0.5) WITHIN GROUP (ORDER BY x)"},
	{name: "percentile_disc", engine: "SQL:2003", hint: "write percentile_disc(0.5) WITHIN GROUP (ORDER BY x)"},
	{name: "pmod", engine: "Spark", hint: "write (a % b + b) % b"},
	{name: "proctime", engine: "Flink", hint: "windows and joins are over event time: name a TIMESTAMP column with a watermark"},
	{name: "regexp_count", engine: "Spark, Flink, RisingWave", hint: "write len(regexp_extract_all(text, pattern))"},
	{name: "sha2", engine: "Spark, Flink", hint: "write sha256(text)"},
	{name: "shiftleft", engine: "Spark", hint: "write x << n"},
	{name: "shiftright", engine: "Spark", hint: "write x >> n"},
	{name: "slice", engine: "Spark", hint: "write list_slice(xs, start, start + length - 1)"},
	{name: "space", engine: "Spark", hint: "write repeat(' ', n)"},
	{name: "split_index", engine: "Flink", rewrite: partFromZero, hint: "write split_part(text, ',', n), which counts from 1"},
	{name: "stringtotimestamp", engine: "ksqlDB", rewrite: millisOfText, hint: "write epoch_ms(strptime(text, '%Y-%m-%d %H:%M:%S'))"},
	{name: "struct_pack", rewrite: structOfNames}, // DuckDB's own
	{name: "substring_index", engine: "Spark", hint: "write array_to_string(list_slice(string_split(text, '.'), 1, n), '.')"},
	{name: "timestampadd", engine: "Flink", rewrite: laterBy, hint: "write ts + INTERVAL '5' MINUTE"},
	{name: "timestampdiff", engine: "Flink", rewrite: fullUnitsBetween, hint: "write date_sub('minute', a, b)"},
	{name: "timestamptostring", engine: "ksqlDB", rewrite: formattedTime, hint: "write strftime(ts, '%Y-%m-%d %H:%M:%S')"},
	{name: "to_char", engine: "RisingWave", rewrite: formattedTime, hint: "write strftime(ts, '%Y-%m-%d')"},
	{name: "to_date", rewrite: parsedDate}, // DuckDB's date has one argument
	{name: "to_float", engine: "Proton", hint: "write x::DOUBLE"},
	{name: "to_int", engine: "Proton", hint: "write x::INTEGER"},
	{name: "to_start_of_day", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_hour", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_minute", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_month", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_second", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_week", engine: "Proton", rewrite: truncatedTo},
	{name: "to_start_of_year", engine: "Proton", rewrite: truncatedTo},
	{name: "to_timestamp", rewrite: parsedTime}, // DuckDB's has one argument
	{name: "to_timestamp_ltz", engine: "Flink", rewrite: instantOfCount, hint: "write epoch_ms(n), or to_timestamp(n) of seconds"},
	{name: "to_timestamp_micros", engine: "Arroyo", to: "make_timestamp"},
	{name: "to_timestamp_millis", engine: "Arroyo", to: "epoch_ms"},
	{name: "to_timestamp_seconds", engine: "Arroyo", to: "to_timestamp"},
	{name: "topk", engine: "ksqlDB", hint: "rank the rows in a sub-query: QUALIFY row_number() OVER (PARTITION BY k ORDER BY x DESC) <= 3"},
	{name: "uniq", engine: "Proton", to: "approx_count_distinct"},
	{name: "unix_timestamp", engine: "Flink, Spark", rewrite: secondsOfTime, hint: "write epoch(ts)::BIGINT"},
	{name: "zeroifnull", engine: "Spark", hint: "write coalesce(x, 0)"},
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
	case r == nil || r.to == "" && r.rewrite == nil || c.Name.Quoted:
		return nil, nil
	case r.rewrite != nil:
		return r.rewrite(c), r
	}
	out := *c
	out.Name.Name = r.to
	return &out, r
}

// valueAtEnd is ksqlDB's LATEST_BY_OFFSET(x [, ignoreNulls]) and EARLIEST_BY_OFFSET, and
// Proton's latest(x) and earliest(x): last and first, which there leave NULLs out unless
// told otherwise.
func valueAtEnd(c *Call) Expr {
	name, nulls := "last", IgnoreNulls
	if strings.HasPrefix(strings.ToLower(c.Name.Name), "earliest") {
		name = "first"
	}
	if len(c.Args) == 2 {
		ignore, ok := c.Args[1].(*Literal)
		if !ok || ignore.Value != any(true) && ignore.Value != any(false) {
			return nil
		}
		if ignore.Value == any(false) {
			nulls = RespectNulls
		}
	}
	if len(c.Args) == 0 || len(c.Args) > 2 || c.ArgNames != nil {
		return nil
	}
	out := renamed(c, name, c.Args[0])
	if out.Nulls == NullsAsUsual {
		out.Nulls = nulls
	}
	return out
}

// itsArgument is AS_VALUE(x): x.
func itsArgument(c *Call) Expr {
	if len(c.Args) != 1 {
		return nil
	}
	return c.Args[0]
}

// structOfNames is struct_pack(a := x): {'a': x}.
func structOfNames(c *Call) Expr {
	if len(c.Args) == 0 || len(c.ArgNames) != len(c.Args) || slices.Contains(c.ArgNames, "") {
		return nil
	}
	return &StructLit{Names: c.ArgNames, Items: c.Args, Span: c.Span}
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

// partFromZero is SPLIT_INDEX(text, ',', n) that counts from 0: split_part counts from 1.
func partFromZero(c *Call) Expr {
	if len(c.Args) != 3 {
		return nil
	}
	n, ok := c.Args[2].(*Literal)
	if !ok {
		return nil
	}
	index, ok := n.Value.(int64)
	if !ok || index < 0 {
		return nil
	}
	return renamed(c, "split_part", c.Args[0], c.Args[1], &Literal{Value: index + 1, Span: n.Span})
}

// renamed returns a call of another function in the place of c.
func renamed(c *Call, name string, args ...Expr) *Call {
	out := *c
	out.Name.Name, out.Args = name, args
	return &out
}
