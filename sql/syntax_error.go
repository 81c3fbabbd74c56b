package sql

import (
	"slices"
	"strings"

	"ssql/internal/sqlerr"
)

// Codes of the errors of this package, beside E_LIMIT.
const (
	codeSyntax      = "PARSE_SYNTAX_ERROR"
	codeUnsupported = "UNSUPPORTED_FEATURE"
	codeInterval    = "CANNOT_PARSE_INTERVAL"
	codeType        = "UNSUPPORTED_DATATYPE"
)

// unexpected is the error for the token at the cursor. expected says what could
// have stood there, "" when that is too much to list.
func (p *parser) unexpected(expected string) error {
	return p.unexpectedAt(p.pos, expected)
}

func (p *parser) unexpectedAt(pos int, expected string) error {
	t := p.toks[pos]
	if expected != "" {
		expected = ", expected " + expected
	}
	if t.kind == tokEnd {
		// The caret belongs behind the last word, not behind the blanks after it.
		at := t.start
		if pos > 0 {
			at = p.toks[pos-1].end
		}
		return sqlerr.At(Span{Start: at, End: at}, codeSyntax, "syntax error at end of input%s", expected)
	}
	if err := p.foreignClause(pos); err != nil {
		return err
	}
	err := sqlerr.At(t.span(), codeSyntax, "syntax error at or near %q%s", t.text, expected)
	switch {
	case t.kind == tokDuration:
		return err.WithHint("a bare duration can only be an argument of a window; elsewhere write INTERVAL '%s'", t.text)
	case t.kind == tokParam:
		return err.WithHint("ssql has no parameters and no user variables")
	case t.isOp(":"):
		return err.WithHint("a field of JSON is read as payload->>'$.user.id', a field of a STRUCT as payload.user.id")
	case t.is("TO") && pos > 1:
		return err.WithHint("FLOOR(ts TO HOUR) of Flink is date_trunc('hour', ts)")
	case t.is("WATERMARK") && p.toks[0].is("CREATE"):
		return err.WithHint("it belongs into the brackets, behind the last column: (..., WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE)")
	case t.is("WATERMARK"):
		return err.WithHint("the clause WATERMARK must come before the alias: FROM s WATERMARK ts DELAY OF INTERVAL '10' MINUTE AS a")
	case t.is("ANY"), t.is("ALL"), t.is("SOME"):
		return err.WithHint("write x IN (..), or list_contains(list, x)")
	}
	if hint := p.misspelt(pos); hint != "" {
		return err.WithHint("%s", hint)
	}
	return err
}

// misspelt looks for a mistyped keyword at pos or before it: in SELECT a FORM s the
// word FORM is an alias and the error comes one token later.
func (p *parser) misspelt(pos int) string {
	if t := p.toks[pos]; t.kind == tokIdent {
		if near := sqlerr.Nearest(t.text, clauseWords); near != "" && !strings.EqualFold(near, t.text) {
			return "did you mean " + near + "?"
		}
	}
	if pos == 0 || p.toks[pos-1].kind != tokIdent {
		return ""
	}
	before := p.toks[pos-1]
	if before.is("WATERMARK") {
		return "write WATERMARK ts DELAY OF INTERVAL '10' MINUTE"
	}
	if before.is("EMIT") {
		return "behind EMIT stands ON WINDOW CLOSE, ON UPDATE, COMPLETE, EVERY or TIMEOUT"
	}
	if before.is("GROUP") || before.is("ORDER") || before.is("PARTITION") {
		return "write " + strings.ToUpper(before.text) + " BY"
	}
	if near := sqlerr.Nearest(before.text, clauseWords); near != "" && !strings.EqualFold(near, before.text) {
		return "did you mean " + near + " in place of \"" + before.text + "\"?"
	}
	return ""
}

// clauseWords are the words that a mistyped word inside a statement is compared
// with, sorted.
var clauseWords = []string{
	"BETWEEN", "CROSS", "DISTINCT", "EXCEPT", "FILTER", "FROM", "GROUP", "HAVING", "INTERSECT", "INTERVAL", "JOIN",
	"LIMIT", "METADATA", "OFFSET", "ORDER", "PARTITION", "PRIMARY", "QUALIFY", "SELECT", "TIMEOUT", "UNION", "UNTIL",
	"USING", "VALUES", "WATERMARK", "WHERE", "WINDOW", "WITH",
}

// foreignClauses are the clauses of other engines that ssql has no form of, with
// the engine and what to do, sorted.
var foreignClauses = []struct{ words, engine, hint string }{
	{"ARRAY JOIN", "ClickHouse", "CROSS JOIN LATERAL unnest(list) AS u(item)"},
	{"CLUSTER BY", "Spark", "rows are grouped by the keys of GROUP BY"},
	{"CONNECT BY", "Oracle", "write the recursion outside of the stream"},
	{"DISTRIBUTE BY", "Spark", "rows are grouped by the keys of GROUP BY"},
	{"DISTRIBUTED", "Flink", "a stream has no buckets: leave it out"},
	{"ENVELOPE", "Materialize", "FORMAT DEBEZIUM ENCODE JSON has one change in each record"},
	{"FOR SHARE", "MySQL", "rows of a stream cannot be locked"},
	{"FOR UPDATE", "MySQL", "rows of a stream cannot be locked"},
	{"INTO", "MySQL", "write INSERT INTO t SELECT .."},
	{"LOCK IN SHARE MODE", "MySQL", "rows of a stream cannot be locked"},
	{"MATCH_RECOGNIZE", "Flink", "join the stream with itself on event-time bounds instead"},
	{"ON CONFLICT", "PostgreSQL", "in update mode a row replaces the one of its keys: GROUP BY the columns that are to be unique, EMIT ON UPDATE"},
	{"ON CONFLICT DO DEDUPLICATE", "Flink", "keep the last row of each key of the table: SELECT .. QUALIFY row_number() OVER (PARTITION BY k ORDER BY ts DESC) = 1 EMIT ON UPDATE"},
	{"ON CONFLICT DO ERROR", "Flink", "leave it out: group by the columns that are to be unique, and no two rows of the query have the same; in append mode the primary key of the table stops the query at the second row"},
	{"ON CONFLICT DO NOTHING", "Flink", "keep the first row of each key of the table: SELECT .. QUALIFY row_number() OVER (PARTITION BY k ORDER BY ts) = 1"},
	{"PARTITION BY", "ksqlDB", "leave it out: rows are placed by the keys of GROUP BY and of joins"},
	{"PIVOT", "DuckDB", "use one aggregate with FILTER (WHERE ..) for each column"},
	{"POSITIONAL JOIN", "DuckDB", "rows of a stream have no position"},
	{"PREWHERE", "ClickHouse", "use WHERE"},
	{"SAMPLE BY", "QuestDB", "FROM TUMBLE(s, ts, INTERVAL '1' HOUR) GROUP BY window_start"},
	{"SESSION WITH GAP", "RisingWave", "FROM SESSION(s, ts, INTERVAL '5' MINUTE)"},
	{"SETTINGS", "Proton", "use WITH (..) of CREATE STREAM or CREATE QUERY"},
	{"STRAIGHT_JOIN", "MySQL", "use JOIN"},
	{"TABLESAMPLE", "Spark", "filter by a hash of a key: WHERE hash(id) % 100 < 5"},
	{"TRIGGER ON", "OctoSQL", "EMIT ON WINDOW CLOSE, or EMIT ON UPDATE EVERY INTERVAL '5' SECOND"},
	{"UNPIVOT", "DuckDB", "use unnest of a list"},
	{"USING SAMPLE", "DuckDB", "filter by a hash of a key: WHERE hash(id) % 100 < 5"},
}

// foreignClause returns the refusal of a clause at pos that ssql knows from another
// engine, nil for anything else.
func (p *parser) foreignClause(pos int) error {
	for _, f := range slices.Backward(foreignClauses) { // the longer of two that begin alike is behind
		words := strings.Fields(f.words)
		// The first of several words may have been taken for an alias.
		if len(words) > 1 && pos > 0 && p.wordsAt(pos-1, words...) {
			pos--
		}
		if p.wordsAt(pos, words...) {
			return unsupported(p.spanOf(pos, pos+len(words)), "%s (%s) is not supported on streams", f.words, f.engine).
				WithHint("%s", f.hint)
		}
	}
	return nil
}

// atForeignWords reports whether a clause of another engine of several words stands at the
// cursor.
func (p *parser) atForeignWords() bool {
	return slices.ContainsFunc(foreignClauses, func(f struct{ words, engine, hint string }) bool {
		words := strings.Fields(f.words)
		return len(words) > 1 && p.wordsAt(p.pos, words...)
	})
}

// unsupported is the refusal of something that parses but has no streaming form.
func unsupported(at Span, format string, args ...any) *sqlerr.Error {
	return sqlerr.At(at, codeUnsupported, format, args...)
}

// syntaxError is an error of grammar that has its own words.
func syntaxError(at Span, format string, args ...any) *sqlerr.Error {
	return sqlerr.At(at, codeSyntax, format, args...)
}
