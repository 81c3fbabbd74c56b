package session

import (
	"context"
	"strings"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
)

// refuseExpansion refuses a statement for DuckDB that comes to more queries and relations
// than plan_nodes_max allows when its WITH entries, views and macros are put in their places: DuckDB does
// that before it looks whether it is interrupted, and counts the memory for it nowhere.
func (s *Session) refuseExpansion(ctx context.Context, c *duck.Conn, node sql.Node) error {
	words, _ := sql.Words(node.Text)
	most := s.settings.Integer("plan_nodes_max")
	if err := refuseConditions(words, most, node); err != nil {
		return err
	}
	x := &expansion{named: map[string]int64{}}
	x.views.ask = func() (map[string]string, error) { return viewsOf(ctx, c) }
	x.macros.ask = func() (map[string]string, error) { return macrosOf(ctx, c) }
	n, err := x.weigh(words)
	switch {
	case err != nil:
		return err
	case n <= most:
		return nil
	}
	return sqlerr.At(node.Span, "E_LIMIT", "the statement comes to more than plan_nodes_max = %d queries and relations", most).
		WithDetail("Each use of a view, of a macro or of a WITH entry counts with all that stands in it.").
		WithHint("write AS MATERIALIZED ( behind the name of a WITH entry, or the rows of a view into a table; or raise plan_nodes_max")
}

// refuseConditions refuses a statement for DuckDB with more than so many AND and OR. DuckDB takes the
// square of their number in steps and cannot be interrupted in them: 30,000 take half a minute.
func refuseConditions(words []sql.Word, most int64, node sql.Node) error {
	n := int64(0)
	for _, w := range words {
		if w.Kind == sql.BareWord && (strings.EqualFold(w.Text, "AND") || strings.EqualFold(w.Text, "OR")) {
			n++
		}
	}
	if n <= most {
		return nil
	}
	return sqlerr.At(node.Span, "E_LIMIT", "the statement has more than plan_nodes_max = %d AND and OR", most).
		WithHint("write IN (...), or join with a table of the values; or raise plan_nodes_max")
}

// viewsOf returns the texts of the views of a user, by name in lower case.
func viewsOf(ctx context.Context, c *duck.Conn) (map[string]string, error) {
	views, err := textsOf(ctx, c, `SELECT view_name, "sql" FROM duckdb_views() WHERE NOT internal`)
	for name, view := range views {
		_, views[name], _ = strings.Cut(view, " AS ")
	}
	return views, err
}

// macrosOf returns the texts of the macros of a user. To find them DuckDB writes down all of its
// own functions, which takes 30 ms: longer than most statements.
func macrosOf(ctx context.Context, c *duck.Conn) (map[string]string, error) {
	return textsOf(ctx, c, `SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal AND macro_definition IS NOT NULL`)
}

func textsOf(ctx context.Context, c *duck.Conn, query string) (map[string]string, error) {
	all := map[string]string{}
	err := c.Query(ctx, query, nil, func(row []any) error {
		all[strings.ToLower(duck.Text(row[0]))] += duck.Text(row[1]) + "\n" // several of one name: of other schemas
		return nil
	})
	return all, err
}

// weightMax stands for all larger sizes.
const weightMax = 1 << 40

// expansion estimates what statements come to, from their words.
type expansion struct {
	named         map[string]int64 // WITH entries, views and, with a bracket, macros that were weighed
	views, macros definitions
}

// definitions are texts by name, asked for when they are needed.
type definitions struct {
	ask   func() (map[string]string, error)
	texts map[string]string // nil: not asked yet
}

func (d *definitions) of(name string) (body string, ok bool, err error) {
	if d.texts == nil {
		if d.texts, err = d.ask(); err != nil {
			return "", false, err
		}
	}
	body, ok = d.texts[name]
	return body, ok, nil
}

// weigh returns how many queries and relations words come to.
func (x *expansion) weigh(words []sql.Word) (int64, error) {
	total := int64(1)
	clauses := []string{""}
	reference := false // a relation comes next
	for i := 0; i < len(words); i++ {
		w, top := words[i], len(clauses)-1
		upper := ""
		if w.Kind != sql.QuotedWord && w.Kind != sql.StringWord {
			upper = strings.ToUpper(w.Text)
		}
		switch upper {
		case "(":
			clauses = append(clauses, clauses[top])
			continue
		case ")":
			clauses, reference = clauses[:max(top, 1)], false
			continue
		case ",":
			reference = clauses[top] == "FROM"
			continue
		case "SELECT", "WITH", "WHERE", "GROUP", "ORDER", "HAVING", "ON", "USING", "LIMIT", "UNION", "VALUES":
			clauses[top], reference = upper, false
			if upper == "SELECT" {
				total = min(total+1, weightMax)
			}
			continue
		case "FROM", "JOIN":
			clauses[top], reference = "FROM", true
			continue
		}
		if w.Kind != sql.BareWord && w.Kind != sql.QuotedWord {
			continue
		}
		if clauses[top] == "WITH" {
			if from, to, materialized := entryOf(words, i); to > 0 {
				n, err := x.weigh(words[from:to])
				if err != nil {
					return 0, err
				}
				if materialized {
					total, n = min(total+n, weightMax), 1
				}
				x.named[nameOf(w)] = n
				i = to
				continue
			}
		}
		next := ""
		if i+1 < len(words) {
			next = words[i+1].Text
		}
		if next == "." || !reference && next != "(" {
			continue // the name comes last
		}
		n, err := x.of(nameOf(w), next == "(")
		if err != nil {
			return 0, err
		}
		total, reference = min(total+n, weightMax), false
	}
	return total, nil
}

// of is the weight of a name: of a relation, or of what is called.
func (x *expansion) of(name string, called bool) (int64, error) {
	if n, known := x.named[name]; known {
		return n, nil
	}
	from := &x.views
	if called {
		if isOwnCall(name) {
			return 1, nil
		}
		from, name = &x.macros, name+"("
		if n, known := x.named[name]; known {
			return n, nil
		}
	}
	body, ok, err := from.of(strings.TrimSuffix(name, "("))
	if err != nil || !ok {
		return 1, err
	}
	x.named[name] = 1 // where it reads itself
	words, _ := sql.Words(body)
	n, err := x.weigh(words)
	x.named[name] = n
	return n, err
}

// isOwnCall reports whether a name in front of a bracket is no macro of a user: a word of SQL or
// one of the functions that are the same everywhere.
func isOwnCall(name string) bool {
	switch name {
	case "all", "and", "any", "as", "between", "by", "case", "cast", "columns", "distinct", "else", "except", "exclude", "exists", "filter",
		"in", "insert", "intersect", "like", "not", "or", "over", "partition", "range", "read_csv", "read_csv_auto", "read_json",
		"read_json_auto", "read_parquet", "replace", "set", "some", "then", "try_cast", "unnest", "when":
		return true
	}
	return expr.IsFunction(name) || expr.IsAggregate(name) || strings.HasPrefix(name, "duckdb_")
}

func nameOf(w sql.Word) string { return strings.ToLower(strings.Trim(w.Text, `"`)) }

// entryOf finds the query of the WITH entry whose name stands at i: the words from from up to
// to, where its bracket closes; to is 0 where there is none.
func entryOf(words []sql.Word, i int) (from, to int, materialized bool) {
	at := func(text string) bool { return i < len(words) && strings.EqualFold(words[i].Text, text) }
	i++
	if at("(") {
		i = closingWord(words, i) + 1
	}
	if !at("AS") {
		return 0, 0, false
	}
	i++
	inlined := at("NOT")
	if inlined {
		i++
	}
	if at("MATERIALIZED") {
		materialized = !inlined
		i++
	}
	if !at("(") {
		return 0, 0, false
	}
	return i + 1, closingWord(words, i), materialized
}

// closingWord returns where the bracket at i closes, or the last word.
func closingWord(words []sql.Word, i int) int {
	depth := 0
	for ; i < len(words)-1; i++ {
		switch words[i].Text {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}
