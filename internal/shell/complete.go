package shell

import (
	"context"
	"sort"
	"strings"
	"time"

	"ssql/internal/session"
	"ssql/internal/shell/render"
	"ssql/sql"
)

// completeWait is how long a key press may wait for the database, which another
// process may hold.
const completeWait = 300 * time.Millisecond

// namer gives names to complete; *session.Session is one.
type namer interface {
	Names(ctx context.Context, kind session.NameKind, of string) []string
}

// complete returns what could follow the text up to the cursor, as the rest of the
// word that is being typed, and how much of that word is there.
func (s *Shell) complete(text string) (suffixes []string, length int) {
	ctx, cancel := context.WithTimeout(context.Background(), completeWait)
	defer cancel()
	return completions(ctx, s.cfg.Session, text)
}

func completions(ctx context.Context, names namer, text string) (suffixes []string, length int) {
	if trimmed := strings.TrimLeft(text, " \t"); isDotCommand(trimmed) || trimmed == "." {
		return dotCompletions(trimmed)
	}
	words, open := sql.Words(text)
	if open || inComment(text, words) {
		return nil, 0
	}
	for i := len(words) - 1; i >= 0; i-- {
		if words[i].Text == ";" {
			words = words[i+1:]
			break
		}
	}
	prefix := ""
	if n := len(words); n > 0 && words[n-1].Kind == sql.BareWord && words[n-1].Span.End == len(text) {
		prefix = words[n-1].Text
		words = words[:n-1]
	}
	return suffixesOf(candidates(ctx, names, words), prefix), len([]rune(prefix))
}

// inComment reports whether a text ends within a comment of one line.
func inComment(text string, words []sql.Word) bool {
	end := 0
	if len(words) > 0 {
		end = words[len(words)-1].Span.End
	}
	lastLine := text[max(end, strings.LastIndexByte(text, '\n')+1):]
	return strings.Contains(lastLine, "--")
}

// suffixesOf returns the rest of every candidate that begins with prefix, without
// case. What is typed cannot be changed, so keywords continue in its case.
func suffixesOf(all []string, prefix string) []string {
	sort.Strings(all)
	var out []string
	for i, c := range all {
		if i > 0 && c == all[i-1] || len(c) <= len(prefix) || !strings.EqualFold(c[:len(prefix)], prefix) {
			continue
		}
		rest := c[len(prefix):]
		if c == strings.ToUpper(c) && prefix != "" && prefix == strings.ToLower(prefix) {
			rest = strings.ToLower(rest)
		}
		out = append(out, rest)
	}
	return out
}

// starters begin statements.
var starters = []string{
	"ALTER MATERIALIZED VIEW", "ALTER QUERY", "ALTER SINK", "ALTER STREAM", "ASSERT", "ATTACH", "AWAIT QUERY", "COPY", "CREATE MATERIALIZED VIEW", "CREATE QUERY", "CREATE SINK", "CREATE STREAM",
	"CREATE TABLE", "CREATE VIEW", "DELETE FROM", "DESCRIBE", "DIAGNOSE QUERY", "DROP QUERY", "DROP SINK", "DROP STREAM", "DROP TABLE", "DROP VIEW",
	"EXECUTE STATEMENT SET BEGIN", "EXPLAIN", "FROM", "INSERT INTO", "PEEK", "REFRESH MATERIALIZED VIEW", "RESET", "RESET QUERY", "RESTART QUERY", "RUN SCRIPT",
	"SELECT", "SET", "SHOW", "START QUERY", "STOP QUERY", "SUMMARIZE", "UPDATE", "WITH",
}

// inner are keywords within statements.
var inner = []string{
	"AND", "AS", "BETWEEN", "CASE", "CAST", "COUNT", "CUMULATE", "DAY", "DESC", "DISTINCT", "ELSE", "EMIT ON UPDATE", "EMIT ON WINDOW CLOSE",
	"END", "FROM", "GROUP BY", "HAVING", "HOP", "HOUR", "INTERVAL", "IS NULL", "JOIN", "LEFT JOIN", "LIMIT", "MINUTE", "NOT", "NULL", "ON", "OR",
	"ORDER BY", "SECOND", "SELECT", "SESSION", "THEN", "TIMESTAMP", "TUMBLE", "UNION ALL", "USING", "VALUES", "VARCHAR", "WATERMARK FOR",
	"WHEN", "WHERE", "WINDOW_END", "WINDOW_START", "WITH",
}

// candidates returns what can stand after words.
func candidates(ctx context.Context, names namer, words []sql.Word) []string {
	if len(words) == 0 {
		return append([]string(nil), starters...)
	}
	last := strings.ToUpper(words[len(words)-1].Text)
	switch last {
	case "FROM", "JOIN", "INTO", "TABLE", "DESCRIBE", "SUMMARIZE", "UPDATE":
		out := names.Names(ctx, session.Relations, "")
		if last == "FROM" || last == "JOIN" {
			out = append(out, "TUMBLE(", "HOP(", "CUMULATE(", "SESSION(", "DEDUP(")
		}
		return out
	case "STREAM", "PEEK":
		return names.Names(ctx, session.Streams, "")
	case "SINK":
		return names.Names(ctx, session.Sinks, "")
	case "QUERY":
		return append(names.Names(ctx, session.Queries, ""), "ALL")
	case "FOR":
		if strings.EqualFold(words[0].Text, "SHOW") {
			return names.Names(ctx, session.Queries, "")
		}
	case "SET", "RESET":
		return names.Names(ctx, session.Settings, "")
	case "SHOW":
		return names.Names(ctx, session.Shows, "")
	case ".":
		if len(words) >= 2 {
			return names.Names(ctx, session.Columns, resolveAlias(words, words[len(words)-2].Text))
		}
	case "(", ",":
		if at := openParen(words); at > 0 && strings.EqualFold(words[at-1].Text, "WITH") {
			return optionKeys(ctx, names, words)
		}
		if at := openParen(words); at > 0 && isWindowFunction(words[at-1].Text) {
			if at == len(words)-1 {
				return names.Names(ctx, session.Streams, "")
			}
			return names.Names(ctx, session.Columns, words[at+1].Text)
		}
	}
	out := append([]string(nil), inner...)
	for i, w := range words[:len(words)-1] {
		if t := strings.ToUpper(w.Text); t == "FROM" || t == "JOIN" || t == "(" && i > 0 && isWindowFunction(words[i-1].Text) {
			out = append(out, names.Names(ctx, session.Columns, words[i+1].Text)...)
		}
	}
	return out
}

func isWindowFunction(word string) bool {
	switch strings.ToUpper(word) {
	case "TUMBLE", "HOP", "CUMULATE", "SESSION":
		return true
	}
	return false
}

// openParen returns the index of the innermost parenthesis that is open, -1 if none is.
func openParen(words []sql.Word) int {
	depth := 0
	for i := len(words) - 1; i >= 0; i-- {
		switch words[i].Text {
		case ")":
			depth++
		case "(":
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// optionKeys returns the keys that the WITH clause being typed can have.
func optionKeys(ctx context.Context, names namer, words []sql.Word) []string {
	kind := session.ConnectorOptions
	for _, w := range words[:min(len(words), 5)] { // CREATE OR REPLACE SINK s
		switch strings.ToUpper(w.Text) {
		case "QUERY":
			return names.Names(ctx, session.QueryOptions, "")
		case "SINK":
			kind = session.SinkOptions
		}
	}
	for i, w := range words {
		if strings.EqualFold(w.Text, "connector") && i+2 < len(words) {
			return names.Names(ctx, kind, strings.Trim(words[i+2].Text, "'"))
		}
	}
	return []string{"connector"}
}

// resolveAlias returns the relation that an alias stands for: FROM t alias, FROM t AS
// alias.
func resolveAlias(words []sql.Word, alias string) string {
	for i := 1; i+1 < len(words); i++ {
		if !strings.EqualFold(words[i+1].Text, alias) || words[i+1].Kind != sql.BareWord {
			continue
		}
		before := words[i]
		if strings.EqualFold(before.Text, "AS") {
			before = words[i-1]
		}
		if before.Kind == sql.BareWord && !strings.EqualFold(before.Text, "FROM") && !strings.EqualFold(before.Text, "JOIN") {
			return before.Text
		}
	}
	return alias
}

// dotCompletions completes the name of a dot command, and the argument of .mode.
func dotCompletions(line string) (suffixes []string, length int) {
	name, arg, hasArg := strings.Cut(line, " ")
	var all []string
	if !hasArg {
		for _, c := range dotCommands() {
			all = append(all, "."+c.name)
		}
		return suffixesOf(all, name), len([]rune(name))
	}
	if c, err := findDot(name); err != nil || c.name != "mode" {
		return nil, 0
	}
	for _, m := range render.Modes() {
		all = append(all, m.Name)
	}
	return suffixesOf(all, arg), len([]rune(arg))
}
