package sql

import (
	"slices"
	"strings"

	"ssql/internal/sqlerr"
)

// CodeHint refuses a hint that changes a result: to DuckDB it is a comment, so nobody else may
// get the statement.
const CodeHint = "UNSUPPORTED_HINT"

// changingHints are the hints of other engines that change what a query gives, sorted by
// name, with what is written instead. All others only say how it should run.
var changingHints = []struct{ name, engine, instead string }{
	{"OPTIONS", "Flink", "give options in WITH (..) of CREATE STREAM or CREATE QUERY"},
	{"SET_VAR", "MySQL", "SET writes a setting"},
	{"STATE_TTL", "Flink", "what is behind the watermark is forgotten by itself; state_rows_max bounds the rest"},
}

// readHints takes the hints of a statement, /*+ .. */, as the comments that they are to
// DuckDB, with a note, and refuses those that would change its result.
func (p *parser) readHints() error {
	for _, h := range p.hints {
		names := hintNames(h.text)
		for _, name := range names {
			for _, c := range changingHints {
				if name == c.name {
					return sqlerr.At(h.span(), CodeHint, "the hint %s (%s) changes what a query gives, and is not supported on streams", c.name, c.engine).
						WithHint("%s", c.instead)
				}
			}
		}
		p.noteAlias(Alias{Engine: "Flink, Spark", Written: "the hint " + strings.Join(names, ", "), Canonical: "nothing: it says how a query runs, not what it gives"}, h.span())
	}
	return nil
}

// hintNames returns the names of the hints in a comment, in upper case: the words outside of
// brackets.
func hintNames(comment string) []string {
	var names []string
	depth := 0
	inner := strings.TrimSuffix(strings.TrimPrefix(comment, "/*+"), "*/")
	for i := 0; i < len(inner); {
		n := max(wordLength(inner[i:]), 1)
		switch c := inner[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && wordLength(inner[i:]) > 0:
			if name := strings.ToUpper(inner[i : i+n]); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		i += n
	}
	return names
}
