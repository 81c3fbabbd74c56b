package library

import (
	"slices"
	"strings"
)

// volatileFunctions give another value at every call or at another time; a macro that uses
// one would make a replayed batch differ. The native ones are pinned to the batch.
var volatileFunctions = []string{
	"random", "setseed", "uuid", "gen_random_uuid", "nextval", "currval", "now", "get_current_timestamp", "transaction_timestamp",
	"current_timestamp", "localtimestamp", "today", "current_date", "current_time", "get_current_time", "localtime", "txid_current", "current_query",
}

// internalFunctions are in DuckDB's catalog and refuse to be called.
var internalFunctions = []string{"sum_no_overflow"}

// sampling are the aggregates that look at a random part of the rows.
var sampling = []string{"reservoir_quantile"}

// callsVolatile looks for the names of volatile functions in the text of a macro.
func callsVolatile(macro string) bool {
	words := strings.FieldsFunc(strings.ToLower(macro), func(r rune) bool { return !isNamePart(r) })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(volatileFunctions, w) || slices.Contains(sampling, w)
	})
}

func isNamePart(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }

// calledNames returns the functions that a macro calls, in lower case, as DuckDB writes its
// text. What stands in a string or inside of a sub-query is left out.
func calledNames(macro string) []string {
	text := strings.ToLower(macro)
	var names []string
	word := 0 // where the name that ends here begins
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			i += 1 + max(0, strings.IndexByte(text[i+1:], '\''))
			word = i + 1
		case c == '"' && word == i:
			word++ // a quoted name is called like any other
		case c == '"':
		case c == '(' && strings.HasPrefix(text[i+1:], "select"):
			i += closing(text[i:])
			word = i + 1
		case c == '(':
			if name := strings.TrimSuffix(text[word:i], `"`); name != "" {
				names = append(names, name)
			}
			word = i + 1
		case !isNamePart(rune(c)):
			word = i + 1
		}
	}
	return names
}

// closing returns the place of the bracket that closes the one that text begins with, or of
// its last byte.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text) - 1
}
