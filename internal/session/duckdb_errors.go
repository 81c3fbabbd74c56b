package session

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// duckError turns DuckDB's refusal into one of ours: its class as the code, and the
// place that its message marks with a caret, moved to where the statement stands.
func duckError(err error, node sql.Node) error {
	var refused *duck.SQLError
	if !errors.As(err, &refused) {
		return err
	}
	text, offset := cutCaret(refused.Text, node.Text)
	e := sqlerr.New("DUCKDB_"+strings.ToUpper(strings.ReplaceAll(refused.Kind, " ", "_")), "%s", text)
	e.Span = node.Span
	if offset >= 0 {
		at := min(node.Span.Start+offset, max(node.Span.Start, node.Span.End-1))
		e.Span = sql.Span{Start: at, End: at + 1}
	}
	if first, rest, ok := strings.Cut(text, "\n"); ok {
		e.Text, e.Detail = first, strings.TrimSpace(rest)
	}
	if ownGuess.MatchString(e.Detail) {
		e.Detail = "" // any name looks like some table of its own catalogue
	}
	if hint := duckHint(e); hint != "" {
		e.Detail = "" // the forms that DuckDB has lead nowhere
		return e.WithHint("%s", hint)
	}
	return e
}

var ownGuess = regexp.MustCompile(`^Did you mean "((main|system|temp)\.)?(duckdb|information_schema|pg|pragma|sqlite|ssql|system)[_.]`)

// duckHint says what to write where DuckDB's refusal does not.
func duckHint(e *sqlerr.Error) string {
	switch text := e.Text; {
	case strings.Contains(text, "TIMESTAMP WITH TIME ZONE"):
		return "DuckDB computes with times with a zone in its ICU extension, which is not here: CAST(x AS TIMESTAMP) is the time of x in UTC"
	case strings.Contains(text, "exists in the icu extension"):
		return "DuckDB has it in its ICU extension, which is not here: times are UTC, and now(), AT TIME ZONE and TIMESTAMPTZ work without"
	case strings.Contains(text, "has a timestamp that is not UTC"):
		return "write the offset in place of the zone's name: '2026-01-31 10:00:00+01:00'"
	case strings.Contains(text, "RESPECT/IGNORE NULLS is not supported"), strings.Contains(text, `near "IGNORE"`), strings.Contains(text, `near "RESPECT"`):
		return "say which rows it folds: f(x) FILTER (WHERE x IS NOT NULL)"
	case strings.Contains(text, "'sum(BOOLEAN)'"), strings.Contains(text, "'avg(BOOLEAN)'"), strings.Contains(text, "'mean(BOOLEAN)'"):
		return "over a table DuckDB counts with count_if(condition), and avg(condition::INT) is the share"
	}
	return ""
}

// cutCaret takes the lines "LINE n: ..." and the caret below out of a message of
// DuckDB. offset is where the caret points, in bytes from the start of the statement, -1
// if the message has none.
func cutCaret(message, statement string) (text string, offset int) {
	at := strings.LastIndex(message, "\nLINE ")
	if at < 0 {
		return strings.TrimSpace(message), nearToken(message, statement)
	}
	lines := strings.Split(message[at+1:], "\n")
	text = strings.TrimSpace(message[:at])
	number, excerpt, ok := strings.Cut(strings.TrimPrefix(lines[0], "LINE "), ": ")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || len(lines) < 2 {
		return text, -1
	}
	column := strings.IndexByte(lines[1], '^') - len("LINE "+number+": ")
	all := strings.Split(statement, "\n")
	if n < 1 || n > len(all) || column < 0 {
		return text, -1
	}
	// DuckDB shows a part of a long line, with dots where it was cut. The column counts
	// characters.
	part := strings.TrimSuffix(excerpt, "...")
	if cut, ok := strings.CutPrefix(part, "..."); ok {
		part, column = cut, column-len("...")
	}
	start := strings.Index(all[n-1], part)
	if runes := []rune(part); start >= 0 && column >= 0 && column <= len(runes) {
		before := 0
		for _, l := range all[:n-1] {
			before += len(l) + 1
		}
		return text, before + start + len(string(runes[:column]))
	}
	return text, -1
}

// nearToken finds the place of `syntax error at or near "x"`, if x stands in the
// statement only once.
func nearToken(message, statement string) int {
	if strings.Contains(message, "at end of input") {
		return len(strings.TrimRight(statement, "; \t\r\n"))
	}
	_, rest, ok := strings.Cut(message, `at or near "`)
	token, _, closed := strings.Cut(rest, `"`)
	if !ok || !closed || token == "" || strings.Count(statement, token) != 1 {
		return -1
	}
	return strings.Index(statement, token)
}

// withoutCaret takes the place out of a message of DuckDB that is about a text which
// the user did not write.
func withoutCaret(err error) error {
	var refused *duck.SQLError
	if !errors.As(err, &refused) {
		return err
	}
	text, _ := cutCaret(refused.Text, "")
	return &duck.SQLError{Kind: refused.Kind, Text: text}
}
