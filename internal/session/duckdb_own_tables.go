package session

import (
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql"
)

// sideTables are the tables of the schema ssql that a user may empty, to make room.
var sideTables = []string{"bad_rows", "errors", "late_rows"}

// refuseOwnTables refuses a statement for DuckDB that changes the schema ssql: a query would find
// no table at its next batch, or begin at another one than its sink has.
func (s *Session) refuseOwnTables(node sql.Node) error {
	words, _ := sql.Words(node.Text)
	verb, at := changed(words)
	name := []sql.Word{}
	for ; at < len(words) && (words[at].Kind == sql.BareWord || words[at].Kind == sql.QuotedWord); at += 2 {
		if name = append(name, words[at]); at+1 >= len(words) || words[at+1].Text != "." {
			break
		}
	}
	parts := 2
	if verb == "DROP SCHEMA" {
		parts = 1
	}
	if len(name) == parts+1 && nameOf(name[0]) == strings.ToLower(s.db.Catalog()) {
		name = name[1:]
	}
	if len(name) != parts || nameOf(name[0]) != "ssql" {
		return nil
	}
	span := sql.Span{Start: node.Span.Start + name[0].Span.Start, End: node.Span.Start + name[len(name)-1].Span.End}
	if verb == "DROP SCHEMA" {
		return sqlerr.At(span, "UNSUPPORTED_FEATURE", "the schema ssql is ssql's own: queries write to it and start from it").
			WithHint("DROP QUERY and DROP STREAM forget what is in it")
	}
	table := nameOf(name[1])
	if (verb == "DELETE" || verb == "TRUNCATE") && slices.Contains(sideTables, table) {
		return nil
	}
	if verb == "CREATE" {
		return sqlerr.At(span, "UNSUPPORTED_FEATURE", "the schema ssql is ssql's own: nothing of yours can be in it").
			WithHint("leave the schema out: %s", sql.IdentText(table))
	}
	return sqlerr.At(span, "UNSUPPORTED_FEATURE", "table ssql.%s is one of ssql's own, which queries write to and start from: %s does not change it", table, verb).
		WithHint("SELECT * FROM ssql.%s shows what it has; DROP QUERY q forgets what a query has left there; DELETE FROM empties late_rows, bad_rows and errors", table)
}

// changed returns the verb of a statement that changes a table, and where the name of that
// begins; len(words) for any other statement.
func changed(words []sql.Word) (verb string, at int) {
	is := func(i int, text string) bool {
		return i < len(words) && words[i].Kind == sql.BareWord && strings.EqualFold(words[i].Text, text)
	}
	skip := func(texts ...string) {
		for slices.ContainsFunc(texts, func(t string) bool { return is(at, t) }) {
			at++
		}
	}
	if len(words) == 0 {
		return "", 0
	}
	verb, at = strings.ToUpper(words[0].Text), 1
	switch verb {
	case "ALTER", "CREATE", "DROP":
		skip("OR", "REPLACE", "TEMP", "TEMPORARY")
		if is(at, "SCHEMA") {
			verb += " SCHEMA"
		} else if !is(at, "TABLE") && !is(at, "VIEW") && !is(at, "INDEX") {
			return "", len(words)
		}
		at++
		skip("IF", "NOT", "EXISTS")
	case "COPY", "UPDATE":
	case "DELETE":
		skip("FROM")
	case "INSERT":
		skip("OR", "REPLACE", "IGNORE", "INTO")
	case "TRUNCATE":
		skip("TABLE")
	default:
		return "", len(words)
	}
	if verb == "COPY" && !slices.ContainsFunc(words, func(w sql.Word) bool { return w.Kind == sql.BareWord && strings.EqualFold(w.Text, "FROM") }) {
		return "", len(words)
	}
	return verb, at
}
