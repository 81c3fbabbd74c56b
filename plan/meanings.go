package plan

import (
	"fmt"
	"sort"
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// Meaning is a name in a query that means different things in two engines, in the form in
// which it does.
type Meaning struct {
	Name  string // the function or the operator
	Text  string // what it means here, and who means what by it
	Write string // how that is written on streams; "" where nothing does it
}

// meaningRule is a name that two engines use for different things.
type meaningRule struct {
	name  string
	when  func(args []expr.Expr) bool // the forms in which they differ; nil: all
	here  string                      // what it means here, and as in which engine
	there string                      // what it means elsewhere
	write string                      // how that is written here; "" where nothing does it
}

// meaningRules is the table of names that mean different things in two engines, sorted by
// name. Scalar functions mean what they mean in DuckDB, aggregates what they mean in Spark,
// but for those that say so.
var meaningRules = []meaningRule{
	{"/", both(types.Type.IsInteger), "of integers is a DOUBLE, as in DuckDB and Spark", "Flink, ksqlDB and RisingWave cut it to an integer", "a // b"},
	{"[n]", nil, "of a list counts from 1, as in DuckDB and Flink", "Spark counts from 0", "xs[n + 1]"},
	{"^", nil, "is a power, as in DuckDB and RisingWave", "in Spark it is the bits that differ", "xor(a, b)"},
	{"any_value", unlessTreated, "keeps NULLs, as in Spark", "DuckDB and RisingWave leave them out", "any_value(x) IGNORE NULLS"},
	{"array_agg", nil, "keeps NULLs, as in DuckDB and RisingWave", "Spark leaves them out", "collect_list(x)"},
	{"array_append", firstNullable, "to NULL gives a list of the element, as in DuckDB and RisingWave", "in Spark and Flink it is NULL", "CASE WHEN xs IS NOT NULL THEN array_append(xs, x) END"},
	{"array_concat", nil, "leaves NULL lists out, as in DuckDB", "in Flink one NULL makes all NULL", "CASE WHEN xs IS NOT NULL AND ys IS NOT NULL THEN array_concat(xs, ys) END"},
	{"array_contains", nil, "is false where the list has a NULL and not the value, as in DuckDB and Flink", "Spark gives NULL", "CASE WHEN array_contains(xs, x) THEN true WHEN list_count(xs) = len(xs) THEN false END"},
	{"array_distinct", nil, "leaves NULL out, as in DuckDB", "Spark and Flink keep one", ""},
	{"array_position", nil, "is NULL for what is not in the list, as in DuckDB and RisingWave", "Spark and Flink give 0", "coalesce(array_position(xs, x), 0)"},
	{"array_prepend", nil, "takes the element first, and gives a list of it for a NULL list, as in DuckDB and RisingWave", "Spark and Flink take the list first, and give NULL", "CASE WHEN xs IS NOT NULL THEN array_prepend(x, xs) END"},
	{"array_sort", count(1), "puts NULL last, as in DuckDB and Spark", "Flink puts it first", "list_sort(xs, 'ASC', 'NULLS FIRST')"},
	{"arrays_overlap", nil, "is false where the lists have NULLs and no value in common, as DuckDB's list_has_any", "Spark gives NULL", ""},
	{"at time zone", nil, "of a TIMESTAMP, which is in UTC, is the wall time in the zone", "DuckDB with ICU and RisingWave take it as a time of that zone", "to_utc_timestamp(ts, zone)"},
	{"avg", both(types.Type.IsInteger), "of integers is a DOUBLE, as in Spark, DuckDB and ksqlDB", "Flink cuts it to an integer", "CAST(trunc(avg(x)) AS BIGINT)"},
	{"cast", nil, "of a fraction to an integer rounds, as in DuckDB and RisingWave", "Spark and Flink cut", "CAST(trunc(x) AS BIGINT)"},
	{"concat", nil, "leaves NULLs out, as in DuckDB and RisingWave", "in Spark and Flink one NULL makes all NULL", "a || b"},
	{"date_diff", count(3), "counts the borders of hours, days, .. between the two, as in DuckDB", "Spark counts full ones", "date_sub('hour', a, b)"},
	{"datediff", count(3), "counts the borders of hours, days, .. between the two, as in DuckDB", "Spark counts full ones", "date_sub('hour', a, b)"},
	{"dayname", nil, "is the whole name, as in DuckDB", "in Spark it is the first three letters", "strftime(ts, '%a')"},
	{"dayofweek", nil, "is 0 on Sunday, as in DuckDB", "in Spark and Flink it is 1", "dayofweek(d) + 1"},
	{"dow", nil, "is 0 on Sunday, as in DuckDB and RisingWave", "in Spark and Flink it is 1", "dayofweek(d) + 1"},
	{"element_at", firstIs(types.Map), "of a map is the value, as in Spark and Flink", "in DuckDB it is a list of it", "[element_at(m, key)]"},
	{"first_value", unlessTreated, "keeps NULLs, as in Spark", "Flink leaves them out", "first_value(x) IGNORE NULLS"},
	{"format", patternHas("%"), "fills {}, as in DuckDB", "RisingWave and Spark's format_string fill %s", "printf('%s', x)"},
	{"greatest", nil, "leaves NULLs out, as in DuckDB, Spark and RisingWave", "in Flink one NULL makes it NULL", "CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN greatest(a, b) END"},
	{"hash", nil, "is DuckDB's", "Spark's has other values", ""},
	{"initcap", nil, "begins a word behind a blank, as in Spark", "Flink and RisingWave begin one behind any character that is neither a letter nor a digit", ""},
	{"json_value", nil, "is JSON, a text in its quotes, as in DuckDB", "in Flink it is the text without", "json_extract_string(j, path)"},
	{"kurtosis", nil, "is that of a population, as in Spark", "DuckDB's is that of a sample", ""},
	{"last_value", unlessTreated, "keeps NULLs, as in Spark", "Flink leaves them out", "last_value(x) IGNORE NULLS"},
	{"least", nil, "leaves NULLs out, as in DuckDB, Spark and RisingWave", "in Flink one NULL makes it NULL", "CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN least(a, b) END"},
	{"left", negative(1), "with a negative length leaves so many characters off, as in DuckDB and RisingWave", "in Spark and Flink it is empty", ""},
	{"like", patternEscapes, "knows no escape without ESCAPE, as in DuckDB and Flink", `in Spark and RisingWave a backslash is one`, `x LIKE p ESCAPE '\'`},
	{"listagg", count(1), "has no separator of its own, as in Spark", "in DuckDB it is a comma", "listagg(x, ',')"},
	{"log", count(1), "is the logarithm to base 10, as in DuckDB and RisingWave", "in Spark and Flink it is the natural one", "ln(x)"},
	{"ltrim", count(2), "takes the text first, as in DuckDB, Flink and RisingWave", "Spark takes the characters first", "ltrim(text, characters)"},
	{"map", firstIs(types.List), "of two lists is a map of keys to values, as in DuckDB", "in Spark it has one entry, whose key is a list", "MAP {k: v}"},
	{"monthname", nil, "is the whole name, as in DuckDB", "in Spark it is the first three letters", "strftime(ts, '%b')"},
	{"regexp_extract", groupOf(2), "without a group is the whole match, as in DuckDB and Flink", "in Spark it is the first group", "regexp_extract(text, pattern, 1)"},
	{"regexp_extract_all", groupOf(2), "without a group is the whole matches, as in DuckDB and Flink", "in Spark it is the first groups", "regexp_extract_all(text, pattern, 1)"},
	{"regexp_replace", count(3), "replaces the first match, as in DuckDB and RisingWave", "Spark and Flink replace all", "regexp_replace(text, pattern, new, 'g')"},
	{"regr_r2", nil, "of a constant x is 1 and of a constant y NULL, as in Spark", "in DuckDB it is the other way round", ""},
	{"right", negative(1), "with a negative length leaves so many characters off, as in DuckDB and RisingWave", "in Spark and Flink it is empty", ""},
	{"rtrim", count(2), "takes the text first, as in DuckDB, Flink and RisingWave", "Spark takes the characters first", "rtrim(text, characters)"},
	{"skewness", nil, "is that of a population, as in Spark", "DuckDB's is that of a sample", ""},
	{"split", patternHas(`.[]{}()*+?^$|\`), "takes a text as the separator, as in DuckDB", "Spark takes a regular expression", "string_split_regex(text, pattern)"},
	{"string_agg", count(1), "has no separator of its own, as in Spark", "in DuckDB it is a comma", "string_agg(x, ',')"},
	{"substr", notAbove(1), "counts from 1, or from the end where the start is negative, and 0 stands before the first character, as in DuckDB", "Spark and Flink take 0 as 1, and in RisingWave a negative start stands before the text", "substr(text, 1)"},
	{"substring", notAbove(1), "counts from 1, or from the end where the start is negative, and 0 stands before the first character, as in DuckDB", "Spark and Flink take 0 as 1, and in RisingWave a negative start stands before the text", "substring(text, 1)"},
	{"weekday", nil, "is 0 on Sunday, as in DuckDB", "in Spark it is 0 on Monday", "isodow(d) - 1"},
}

// meaningAliases are other names of a function whose row stands under the first.
var meaningAliases = map[string]string{"list_distinct": "array_distinct", "list_position": "array_position"}

// findMeaning returns the row of a name, nil for one that all engines agree on.
func findMeaning(name string) *meaningRule {
	if a, ok := meaningAliases[name]; ok {
		name = a
	}
	i := sort.Search(len(meaningRules), func(i int) bool { return meaningRules[i].name >= name })
	if i < len(meaningRules) && meaningRules[i].name == name {
		return &meaningRules[i]
	}
	return nil
}

// MeaningOf returns what is to be said of a name; ok is false for one that all engines agree
// on.
func MeaningOf(name string) (m Meaning, ok bool) {
	r := findMeaning(strings.ToLower(name))
	if r == nil {
		return Meaning{}, false
	}
	return r.meaning(), true
}

func (r *meaningRule) meaning() Meaning {
	return Meaning{r.name, fmt.Sprintf("%s %s; %s", strings.ReplaceAll(strings.ToUpper(r.name), "[N]", "[n]"), r.here, r.there), r.write}
}

// means notes a name over bound arguments.
func (b *binder) means(name string, args ...expr.Expr) {
	r := findMeaning(strings.ToLower(name))
	if r == nil || r.when != nil && !r.when(args) {
		return
	}
	for _, m := range b.meanings {
		if m.Name == r.name {
			return
		}
	}
	b.meanings = append(b.meanings, r.meaning())
}

// meansCast notes a cast of fractions to an integer.
func (b *binder) meansCast(v expr.Expr, to types.Type) {
	from := v.Type()
	_, constant := v.(*expr.Literal)
	if !constant && to.IsInteger() && (from.IsFloat() || from.Kind == types.Decimal && from.Scale > 0) && !isWhole(v) {
		b.means("cast", v)
	}
}

// isWhole reports whether a number comes from a function that leaves no fraction.
func isWhole(v expr.Expr) bool {
	name, _, _ := strings.Cut(v.String(), "(")
	switch name {
	case "ceil", "floor", "round", "trunc":
		return true
	}
	return false
}

// The forms of calls in which engines differ.

func both(is func(types.Type) bool) func([]expr.Expr) bool {
	return func(args []expr.Expr) bool {
		for _, a := range args {
			if !is(a.Type()) {
				return false
			}
		}
		return len(args) > 0
	}
}

func count(n int) func([]expr.Expr) bool {
	return func(args []expr.Expr) bool { return len(args) == n }
}

// unlessTreated is a call without IGNORE NULLS and without the argument that says the same.
func unlessTreated(args []expr.Expr) bool { return len(args) == 1 && args[0].Nullable() }

func firstIs(kind types.Kind) func([]expr.Expr) bool {
	return func(args []expr.Expr) bool { return len(args) > 0 && args[0].Type().Kind == kind }
}

// constantText returns the text of a constant argument as SQL writes it.
func constantText(args []expr.Expr, i int) string {
	if i < len(args) {
		if lit, ok := args[i].(*expr.Literal); ok {
			return lit.String()
		}
	}
	return ""
}

// patternHas is a call with a constant text in which one of some characters stands.
func patternHas(chars string) func([]expr.Expr) bool {
	return func(args []expr.Expr) bool {
		for i := range args {
			if text := constantText(args, i); strings.HasPrefix(text, "'") && strings.ContainsAny(text, chars) {
				return true
			}
		}
		return false
	}
}

// groupOf is a call with so many arguments whose pattern has a group, as far as one can see.
func groupOf(n int) func([]expr.Expr) bool {
	return func(args []expr.Expr) bool {
		pattern := constantText(args, 1)
		return len(args) == n && (pattern == "" || strings.Contains(strings.ReplaceAll(pattern, "(?:", ""), "("))
	}
}

// patternEscapes is a LIKE without ESCAPE whose pattern has a backslash.
func patternEscapes(args []expr.Expr) bool {
	return len(args) == 2 && strings.Contains(constantText(args, 1), `\`)
}

func negative(i int) func([]expr.Expr) bool {
	return func(args []expr.Expr) bool { return strings.HasPrefix(constantText(args, i), "-") }
}

// notAbove is a call with a constant argument of 0 or less.
func notAbove(i int) func([]expr.Expr) bool {
	return func(args []expr.Expr) bool { return constantText(args, i) == "0" || negative(i)(args) }
}

func firstNullable(args []expr.Expr) bool { return len(args) > 0 && args[0].Nullable() }
