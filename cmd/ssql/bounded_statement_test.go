//go:build linux

package main

import (
	"fmt"
	"regexp"
	"strings"
)

// statement draws a statement over a case's stream or its table.
func (d *drawer) statement(in drawnInput, number int) string {
	src := fmt.Sprintf("s%d", number)
	if d.one(4) {
		src = fmt.Sprintf("t%d", number)
	} else if in.wild || in.format == "text" && d.one(3) {
		return d.plain(src, in.name, number)
	}
	if in.format == "text" && src[0] == 's' {
		src = fmt.Sprintf("(SELECT s, s AS k, length(s) AS n, TIMESTAMP '2024-01-01' AS ts, [1, 2] AS l FROM %s)", src)
	}
	q := d.query(src, 2)
	switch d.r.IntN(10) {
	case 0, 1, 2:
		return fmt.Sprintf("INSERT INTO o%d %s", number, q)
	case 3:
		return fmt.Sprintf("COPY (%s) TO 'out%d.%s'", q, number, d.of("csv", "json", "parquet"))
	case 4:
		return fmt.Sprintf("CREATE TABLE o%d AS %s", number, q)
	case 5:
		return q + d.of(" EMIT CHANGES", " EMIT ON WINDOW CLOSE")
	case 6:
		return d.of("SUMMARIZE ", "EXPLAIN ", "EXPLAIN ANALYZE ", "DESCRIBE ") + q
	}
	return q
}

// plain draws a statement that needs no names of columns.
func (d *drawer) plain(src, file string, number int) string {
	switch d.r.IntN(6) {
	case 0:
		return "SELECT * FROM '" + file + "'"
	case 1:
		return "SUMMARIZE SELECT * FROM " + src
	case 2:
		return fmt.Sprintf("INSERT INTO o%d SELECT * FROM %s", number, src)
	case 3:
		return "SELECT count(*) FROM " + src + " a JOIN " + src + " b ON true"
	case 4:
		return fmt.Sprintf("COPY (SELECT * FROM %s ORDER BY ALL) TO 'out%d.%s'", src, number, d.of("csv", "json", "parquet"))
	}
	return "SELECT DISTINCT * FROM " + src
}

// query draws a query of the columns k, n, ts, s, l.
func (d *drawer) query(src string, depth int) string {
	if depth > 0 && d.one(6) {
		return d.doubled(src)
	}
	from := src
	if depth > 0 && d.one(6) {
		from = fmt.Sprintf("(SELECT %s AS k, %s AS n, ts, %s AS s, %s AS l FROM %s)", d.text(1), d.number(1), d.text(1), d.list(1), src)
	}
	where := d.of("", "", " WHERE "+d.number(1)+" > 0")
	switch d.r.IntN(9) {
	case 0:
		return fmt.Sprintf("SELECT %s, %s FROM %s%s", d.text(3), d.number(2), from, where)
	case 1:
		return fmt.Sprintf("SELECT k, x, %s FROM %s CROSS JOIN LATERAL unnest(%s) AS u(x)%s", d.text(1), from, d.list(2), where)
	case 2:
		return fmt.Sprintf("SELECT %s, %s FROM %s%s%s", d.aggregate(), d.aggregate(), from, where, d.of("", " GROUP BY k", " GROUP BY "+d.text(1)))
	case 3:
		window := d.of("TUMBLE(%s, ts, INTERVAL %[2]s)", "HOP(%s, ts, INTERVAL %[2]s, INTERVAL '1' DAY)", "HOP(%s, ts, INTERVAL %[2]s, INTERVAL '10' MINUTE)", "CUMULATE(%s, ts, INTERVAL %[2]s, INTERVAL '1' HOUR)", "SESSION(%s, ts, INTERVAL %[2]s)")
		if strings.HasPrefix(src, "(") {
			src = strings.TrimSpace(src) + " q"
		}
		window = fmt.Sprintf(window, src, d.of("'1' MICROSECOND", "'1' SECOND", "'1' MINUTE", "'1' MILLISECOND"))
		return fmt.Sprintf("SELECT window_start, k, %s FROM %s GROUP BY window_start, window_end, k", d.aggregate(), window)
	case 4:
		return fmt.Sprintf("SELECT a.k, %s, b.s FROM %s a JOIN %s b ON %s", d.of("a.n", "a.s || b.s", "b.l", "a.l"), src, src, d.of("a.k = b.k", "a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL 1 HOUR AND b.ts", "a.n = b.n", "a.s = b.s", "a.n % 2 = b.n % 2"))
	case 5:
		return fmt.Sprintf("SELECT *, %s OVER (PARTITION BY %s ORDER BY ts) FROM %s", d.of("row_number()", "lag(s)", "sum(n)", "string_agg(s, '')", "list(s)", "first_value(l)"), d.text(1), from)
	case 6:
		return fmt.Sprintf("SELECT k, s, %s AS y FROM %s%s ORDER BY %s LIMIT %s", d.text(2), from, where, d.of("y", "n", "s, y", "l"), d.of("3", "1000000", "10"))
	case 7:
		return fmt.Sprintf("SELECT DISTINCT %s, %s FROM %s", d.text(2), d.list(1), from)
	}
	return fmt.Sprintf("SELECT %s, %s, %s FROM %s", d.list(3), d.list(2), d.text(1), from)
}

// doubled draws WITH entries that each read the one before twice.
func (d *drawer) doubled(src string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "WITH w0 AS (%s)", "SELECT k, n, ts, s, l FROM "+src)
	deep := 1 + d.r.IntN(20)
	for i := range deep {
		fmt.Fprintf(&b, ", w%d AS (%s)", i+1, fmt.Sprintf(d.of(
			"SELECT * FROM w%[1]d UNION ALL SELECT * FROM w%[1]d",
			"SELECT k || k AS k, n, ts, s || s AS s, l FROM w%[1]d",
			"SELECT k, n, ts, s || s AS s, list_concat(l, l) AS l FROM w%[1]d",
			"SELECT a.* FROM w%[1]d a JOIN w%[1]d b USING (k)"), i))
	}
	return fmt.Sprintf("%s SELECT %s FROM w%d", b.String(), d.of("count(*)", "k, n, s", "string_agg(s, '')"), deep)
}

// bound draws a number as a literal.
func (d *drawer) bound() string {
	return d.of("0", "1", "-1", "7", "100", "1000", "65536", "1000000", "10000000", "100000000", "1000000000", "2147483647", "4294967296", "9223372036854775807")
}

// text draws an expression of a text.
func (d *drawer) text(depth int) string {
	if depth == 0 {
		return d.of("k", "s", "'ab'", "s")
	}
	t, n, l := d.text(depth-1), d.number(depth-1), d.list(depth-1)
	return fmt.Sprintf(d.of(
		"%[1]s", "repeat(%[1]s, %[4]s)", "lpad(%[1]s, %[4]s, 'ab')", "rpad(%[1]s, %[4]s, %[1]s)", "format('{:%[4]s}', %[2]s)", "printf('%%%[4]sd', n)",
		"%[1]s || %[1]s", "concat(%[1]s, s, %[1]s)", "replace(%[1]s, 'x', %[1]s)", "regexp_replace(%[1]s, '', %[1]s, 'g')", "array_to_string(%[3]s, %[1]s)",
		"%[3]s::VARCHAR", "to_json(%[3]s)::VARCHAR", "upper(%[1]s)", "substr(%[1]s, %[4]s)", "hex(%[1]s)", "to_base64(encode(%[1]s))", "bar(n, 0, 10, %[4]s)",
		"translate(%[1]s, 'x', %[1]s)", "reverse(%[1]s)", "concat_ws(%[1]s, %[1]s, %[1]s)", "CASE WHEN n > 3 THEN %[1]s ELSE k END", "space(%[4]s)", "repeat(%[1]s, n::INT)",
		"json_object('a', %[1]s, 'b', %[3]s)::VARCHAR", "%[1]s || %[2]s::VARCHAR", "list_aggregate(%[3]s, 'string_agg', %[1]s)", "strftime(ts, %[1]s)"), t, n, l, d.bound())
}

// number draws an expression of a number.
func (d *drawer) number(depth int) string {
	if depth == 0 {
		return d.of("n", "n", d.bound())
	}
	return fmt.Sprintf(d.of("%[2]s", "length(%[1]s)", "len(%[3]s)", "%[2]s * n", "list_sum(%[3]s)", "hash(%[1]s)", "levenshtein(%[1]s, %[1]s)", "(%[2]s)::DECIMAL(38, 0)", "factorial(n::INT)", "n ** 2", "list_position(%[3]s, 3)"),
		d.text(depth-1), d.number(depth-1), d.list(depth-1))
}

// list draws an expression of a list.
func (d *drawer) list(depth int) string {
	if depth == 0 {
		return d.of("l", "l", "[n, n]")
	}
	t, n, l := d.text(depth-1), d.number(depth-1), d.list(depth-1)
	return fmt.Sprintf(d.of("%[3]s", "range(%[4]s)", "range(n, %[4]s)", "generate_series(1, %[4]s)", "sequence(1, %[4]s)", "list_concat(%[3]s, %[3]s)", "list_transform(%[3]s, x -> repeat('y', %[4]s))",
		"string_split(%[1]s, '')", "flatten([%[3]s, %[3]s])", "list_sort(%[3]s)", "list_resize(%[3]s, %[4]s)", "regexp_extract_all(%[1]s, '.')", "list_distinct(%[3]s)", "list_transform(%[3]s, x -> %[3]s)",
		"[%[1]s, %[1]s]", "list_filter(%[3]s, x -> x > 0)", "list_zip(%[3]s, %[3]s)", "array_agg_dummy(%[3]s)", "list_slice(%[3]s, 1, %[4]s)", "split(%[1]s, 'x')", "array_repeat(%[1]s, %[4]s)", "list_reverse(%[3]s)", "[x FOR x IN %[3]s IF x > 0]", "[%[2]s, 1]"), t, n, l, d.bound())
}

// aggregate draws an aggregate.
func (d *drawer) aggregate() string {
	return fmt.Sprintf(d.of("count(*)", "string_agg(%[1]s, ',')", "string_agg(%[1]s, s)", "array_agg(%[1]s)", "list(%[3]s)", "min(%[1]s)", "max(%[1]s)", "first(%[1]s)", "last(%[3]s)", "sum(%[2]s)",
		"histogram(%[2]s)", "count(DISTINCT %[1]s)", "mode(%[1]s)", "median(%[2]s)", "arg_max(%[1]s, n)", "max_by(%[3]s, n)", "group_concat(%[1]s)", "string_agg(DISTINCT %[1]s, '')",
		"array_agg(%[1]s ORDER BY n DESC)", "list(%[3]s ORDER BY s)", "collect_list(%[1]s)", "collect_set(%[1]s)", "quantile(n, 0.5)", "list(DISTINCT %[1]s)", "approx_count_distinct(%[1]s)", "string_agg(repeat('x', 1000000), '')", "string_agg(%[1]s, ',') FILTER (WHERE n > 1)"),
		d.text(2), d.number(1), d.list(1))
}

var boundedTokens = regexp.MustCompile(`[A-Za-z_]\w*|\d+|'[^']*'|\s+|.`)

// mutateText changes a statement at a few tokens.
func (d *drawer) mutateText(text string) string {
	tokens := boundedTokens.FindAllString(text, -1)
	for range 1 + d.r.IntN(3) {
		at := d.r.IntN(len(tokens))
		end := min(len(tokens), at+1+d.r.IntN(8))
		switch d.r.IntN(5) {
		case 0:
			tokens = append(tokens[:at:at], tokens[end:]...)
		case 1:
			tokens = append(tokens[:end:end], tokens[at:]...)
		case 2:
			tokens[at] = d.of(d.bound(), "NULL", "''", "(", ")", ",", "k", "s", "l", "*", "SELECT", "'", "\"")
		case 3:
			other := d.r.IntN(len(tokens))
			tokens[at], tokens[other] = tokens[other], tokens[at]
		case 4:
			var inner []string
			for range d.size(200) {
				inner = append(inner, tokens[at:end]...)
			}
			tokens = append(append(tokens[:at:at], inner...), tokens[at:]...)
		}
		if len(tokens) == 0 {
			return text
		}
	}
	return strings.Join(tokens, "")
}
