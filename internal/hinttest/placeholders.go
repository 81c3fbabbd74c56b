package hinttest

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"ssql/internal/sqlerr"
)

// placeholders are what a hint leaves open for its reader, with what the test chooses.
var placeholders = []struct{ open, value string }{
	{", .. FROM ..", " FROM s"},
	{"ADD COLUMN ..", "ADD COLUMN added INTEGER"},
	{"CAST(.. AS ..)", "CAST(a AS INTEGER)"},
	{"CREATE STREAM t ..", "CREATE STREAM t WITH (path = 'a.json')"},
	{"DEDUP(..)", "DEDUP(s, KEY (a))"},
	{"FROM a JOIN b ..", "FROM a JOIN b ON a.k = b.k"},
	{"INSERT INTO .. VALUES", "INSERT INTO t VALUES (1)"},
	{"INSERT INTO ..", "INSERT INTO t SELECT a FROM s"},
	{"INTERVAL ..", "INTERVAL '1' MINUTE"},
	{"PRIMARY KEY ..", "PRIMARY KEY"},
	{"SELECT .. FROM", "SELECT a FROM"},
	{"SELECT ..", "SELECT a FROM s"},
	{"WHERE ..", "WHERE a > 1"},
	{"WITH (..)", "WITH (trigger = '1 minute')"},
	{" AS ..", " AS SELECT a FROM s"},
	{"orders o", "s o"},
	{", ...", ""},
	{"...", "k"},
	{"..", "1"},
}

// forms are pieces that stand in the declaration of a stream, and how a query writes the same.
var forms = []struct {
	declared *regexp.Regexp
	query    string
}{
	{regexp.MustCompile(`^(\S+) TIMESTAMP AS (.+), WATERMARK FOR \S+ AS \S+ - (INTERVAL '[^']*'(?: [A-Z]+)?)$`), "WATERMARK $2 AS $1 DELAY OF $3"},
	{regexp.MustCompile(`^(\S+) TIMESTAMP AS (\S+\(.+?\))(?: and.*)?$`), "WATERMARK $2 AS $1 DELAY OF INTERVAL '1' MINUTE"},
	{regexp.MustCompile(`^WATERMARK FOR (\S+) AS \S+ - (INTERVAL '[^']*'(?: [A-Z]+)?)$`), "WATERMARK $1 DELAY OF $2"},
}

// values are what the test writes for the arguments of a function that a hint names in general.
var values = []map[string]string{
	{"a": "1", "b": "1", "earlier": "TIMESTAMP '2026-01-01 00:00:00'", "j": "CAST('1' AS JSON)", "k": "1", "later": "TIMESTAMP '2026-03-01 00:00:00'", "length": "1",
		"list": "[1]", "n": "1", "part": "'a'", "pattern": "'a'", "start": "1", "text": "'a'", "ts": "TIMESTAMP '2026-01-01 00:00:00'", "value": "1", "x": "1", "xs": "[1]", "y": "1"},
	{"a": "[1]", "b": "[1]", "x": "'a'"},
}

// general reports whether a piece is refused for a name in it that stands for any.
func general(piece string, err error) bool {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != "UNRESOLVED_COLUMN" {
		return false
	}
	for _, t := range tokens(piece) {
		if values[0][t.text] != "" && strings.Contains(e.Text, strconv.Quote(t.text)) {
			return true
		}
	}
	return false
}

// valued returns a text with values in the place of general names.
func valued(text string) (out []string) {
	for _, value := range values {
		var b strings.Builder
		last := 0
		toks := tokens(text)
		for i, t := range toks {
			v, ok := value[t.text]
			if !ok || strings.Contains(text, t.text+" ->") || i+1 < len(toks) && (toks[i+1].text == "(" || toks[i+1].text == ".") {
				continue
			}
			b.WriteString(text[last:t.start] + v)
			last = t.end
		}
		if last > 0 {
			out = append(out, b.String()+text[last:])
		}
	}
	return out
}

// fill returns a text of a hint with what it leaves open filled in.
func fill(text string) []string {
	out := []string{text}
	filled := text
	for _, p := range placeholders {
		filled = strings.ReplaceAll(filled, p.open, p.value)
	}
	if filled != text {
		out = append(out, filled)
	}
	for _, f := range forms {
		if f.declared.MatchString(text) {
			out = append(out, f.declared.ReplaceAllString(text, f.query))
		}
	}
	return append(out, valued(text)...)
}
