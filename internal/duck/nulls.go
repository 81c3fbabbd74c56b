package duck

import (
	"slices"
	"strings"
)

// nullFree are the aggregates of which IGNORE NULLS asks for the rows that are not NULL, in
// order of the alphabet.
var nullFree = []string{"any_value", "array_agg", "first", "last", "list"}

// nullTreatment returns a statement with IGNORE NULLS and RESPECT NULLS where DuckDB reads
// them: inside the brackets of a window function, which other engines write behind them, and
// as FILTER (WHERE x IS NOT NULL) behind an aggregate, for which DuckDB has no such clause.
func nullTreatment(text string) string {
	if !containsFold(text, "nulls") {
		return text
	}
	var e edits
	toks := tokens(text)
	for i, t := range toks {
		if i == 0 || !t.is("ignore") && !t.is("respect") || !toks.at(i+1).is("nulls") {
			continue
		}
		closed, outside := i-1, toks[i-1].text == ")"
		if !outside {
			closed = slices.IndexFunc(toks[i:], func(t token) bool { return t.text == ")" }) + i
			if closed < i {
				continue
			}
		}
		next := i + 2
		if !outside {
			next = closed + 1
		}
		switch open := toks.opening(closed); {
		case open < 1:
		case toks.at(next).is("over"):
			if outside {
				e.insert(toks[closed].start, " "+text[t.start:toks[i+1].end])
				e.replace(t.start, toks[i+1].end, "")
			}
		case slices.Contains(nullFree, strings.ToLower(toks[open-1].text)) && !toks.at(next).is("filter"):
			filter, ok := toks.notNull(text, open, closed)
			if !ok {
				continue
			}
			if t.is("respect") {
				filter = ""
			}
			e.replace(t.start, toks[i+1].end, "")
			e.insert(toks[next-1].end, filter)
		}
	}
	return e.apply(text)
}

// opening returns the bracket that the one at closed closes, -1 if there is none.
func (l tokenList) opening(closed int) int {
	depth := 0
	for i := closed; i >= 0; i-- {
		switch l[i].text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// notNull returns the FILTER for a call of one argument between two brackets.
func (l tokenList) notNull(text string, open, closed int) (filter string, ok bool) {
	last := closed - 1
	for i := open + 1; i < closed; i++ {
		switch t := l[i]; {
		case t.text == "(" || t.text == "[" || t.text == "{":
			end, ok := l.closing(i)
			if !ok {
				return "", false
			}
			i = end
		case t.text == ",":
			return "", false
		case t.is("order") || t.is("ignore") || t.is("respect"):
			last, i = i-1, closed
		}
	}
	from := open + 1
	if l[from].is("distinct") {
		from++
	}
	if last < from {
		return "", false
	}
	return " FILTER (WHERE (" + text[l[from].start:l[last].end] + ") IS NOT NULL)", true
}
