package hinttest

import (
	"regexp"
	"strings"
)

// placeholders are what a hint leaves open for its reader, with what the test chooses.
var placeholders = []struct{ open, value string }{
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

// fill returns a text of a hint with what it leaves open filled in.
func fill(text string) []string {
	out := []string{text}
	for _, p := range placeholders {
		if strings.Contains(text, p.open) {
			out = append(out, strings.ReplaceAll(text, p.open, p.value))
		}
	}
	for _, f := range forms {
		if f.declared.MatchString(text) {
			out = append(out, f.declared.ReplaceAllString(text, f.query))
		}
	}
	return out
}
