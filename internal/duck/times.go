package duck

import (
	"errors"
	"strings"
)

// DuckDB computes with times with a zone (TIMESTAMPTZ, the type of now()) in its ICU
// extension, which this build cannot have. Two rewritings stand in for it. What they leave
// in a stored view is plain SQL with the same types for every DuckDB, with ICU and without.
//
//   - x AT TIME ZONE z becomes x::TIMESTAMPTZ AT TIME ZONE z, always: a TIMESTAMP is an
//     instant in UTC and the result the wall time in the zone, as on streams. The function
//     timezone behind it is in zone.go. ts AT TIME ZONE 'UTC' AT TIME ZONE z means that for
//     every DuckDB, and stays as it is.
//   - now() and its like become CAST(now() AS TIMESTAMP), the time in UTC, in a statement that
//     DuckDB has refused for the type of a time with a zone, and so do constants and casts of
//     that type and the columns of relations (times_tables.go).

// inZones returns a statement with the operands of AT TIME ZONE as instants.
func inZones(text string) string {
	if !containsFold(text, "zone") {
		return text
	}
	var e edits
	toks := tokens(text)
	for i, t := range toks {
		switch {
		case i > 0 && toks.atTimeZone(i) && !toks.atTimeZone(i+4) && !toks.atTimeZone(i-4):
			e.insert(toks[i-1].end, "::TIMESTAMPTZ")
		case t.is("timezone") && toks.at(i+1).text == "(":
			if from, to, ok := toks.secondArgument(i + 1); ok {
				e.insert(from, "CAST(")
				e.insert(to, " AS TIMESTAMPTZ)")
			}
		}
	}
	return e.apply(text)
}

// castsOfNow returns a statement in which now() is cast to DATE and its like by way of UTC. A
// cast that DuckDB has not is refused when it runs, which ends the transaction around it; so
// these are written anew before they are tried.
func castsOfNow(text string) string {
	if !containsFold(text, "now") && !containsFold(text, "timestamp") {
		return text
	}
	var e edits
	toks := tokens(text)
	for i, t := range toks {
		if i > 0 && toks[i-1].text == "." || t.quoted {
			continue
		}
		end := i
		switch strings.ToLower(t.text) {
		case "now", "get_current_timestamp", "transaction_timestamp":
			end = i + 2
			if toks.at(i+1).text != "(" || toks.at(end).text != ")" {
				continue
			}
		case "current_timestamp":
		default:
			continue
		}
		to := toks.at(end + 3)
		postfix := toks.at(end+1).text == ":" && toks.at(end+2).text == ":"
		if toks.at(end+1).is("as") && toks.at(i-1).text == "(" {
			to, postfix = toks.at(end+2), true
		}
		if postfix && (to.is("date") || to.is("time") || to.is("timestamp_s") || to.is("timestamp_ms") || to.is("timestamp_ns")) {
			e.replace(t.start, toks[end].end, nowInUTC)
		}
	}
	return e.apply(text)
}

// inUTC returns a statement with now() and its like as times without a zone; ok is false
// if it has none, and out is empty if it is more than one statement.
func inUTC(text string) (out string, ok bool) {
	var e edits
	toks := tokens(text)
	for i, t := range toks {
		if t.text == ";" && i < len(toks)-1 {
			return "", false // what stands in front has run
		}
		if i > 0 && toks[i-1].text == "." || t.quoted {
			continue
		}
		toks.momentInUTC(&e, i)
		toks.zonedInUTC(&e, i)
	}
	return e.apply(text), len(e) > 0
}

// nowInUTC is the time of now without a zone.
const nowInUTC = "CAST(now() AS TIMESTAMP)"

// momentInUTC rewrites a function at i that gives the time of now or another time with a zone.
func (l tokenList) momentInUTC(e *edits, i int) {
	t, called := l[i], l.at(i+1).text == "("
	empty := called && l.at(i+2).text == ")"
	alone := !called && l.at(i+1).text != "."
	switch strings.ToLower(t.text) {
	case "now", "get_current_timestamp", "transaction_timestamp", "current_localtimestamp":
		if empty {
			e.replace(t.start, l[i+2].end, nowInUTC)
		}
	case "current_timestamp", "localtimestamp":
		if alone {
			e.replace(t.start, t.end, nowInUTC)
		}
	case "current_localtime":
		if empty {
			e.replace(t.start, l[i+2].end, "CAST("+nowInUTC+" AS TIME)")
		}
	case "localtime":
		if alone {
			e.replace(t.start, t.end, "CAST("+nowInUTC+" AS TIME)")
		}
	case "make_timestamptz":
		if called {
			e.replace(t.start, t.end, "make_timestamp")
		}
	case "strptime", "to_timestamp":
		if end, closed := l.closing(i + 1); called && closed {
			e.insert(t.start, "CAST(")
			e.insert(l[end].end, " AS TIMESTAMP)")
		}
	}
}

// zonedInUTC gives a constant or a cast whose type TIMESTAMPTZ stands at i its time in UTC.
func (l tokenList) zonedInUTC(e *edits, i int) {
	last := i
	switch {
	case l[i].is("timestamptz"):
	case l[i].is("timestamp") && l.at(i+1).is("with") && l.at(i+2).is("time") && l.at(i+3).is("zone"):
		last = i + 3
	default:
		return
	}
	next := l.at(last + 1)
	switch {
	case strings.HasPrefix(next.text, "'"):
		e.insert(l[i].start, "CAST(")
		e.insert(next.end, " AS TIMESTAMP)")
	case l.at(i-1).text == ":":
		e.insert(l[last].end, "::TIMESTAMP")
	case l.at(i-1).is("as") && next.text == ")":
		e.insert(next.end, "::TIMESTAMP")
	}
}

// wantsUTC reports whether DuckDB refused a statement because it cannot compute with a time
// with a zone.
func wantsUTC(err error) bool {
	var refused *SQLError
	return errors.As(err, &refused) && (strings.Contains(refused.Text, "TIMESTAMP WITH TIME ZONE") || strings.Contains(refused.Text, "exists in the icu extension"))
}

// token is a word, a number, a text in quotes or a single other character of a statement.
type token struct {
	text       string
	start, end int
	quoted     bool
}

func (t token) is(word string) bool { return !t.quoted && strings.EqualFold(t.text, word) }

type tokenList []token

// at returns a token, one without text beyond the ends.
func (l tokenList) at(i int) token {
	if i < 0 || i >= len(l) {
		return token{}
	}
	return l[i]
}

// atTimeZone reports whether AT TIME ZONE begins at a token.
func (l tokenList) atTimeZone(i int) bool {
	return l.at(i).is("at") && l.at(i+1).is("time") && l.at(i+2).is("zone")
}

// closing returns the bracket that closes the one at open.
func (l tokenList) closing(open int) (end int, ok bool) {
	depth := 0
	for i := open; i < len(l); i++ {
		switch l[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// secondArgument returns where the last of two arguments begins and ends; ok is false for
// another number of arguments.
func (l tokenList) secondArgument(open int) (from, to int, ok bool) {
	end, ok := l.closing(open)
	if !ok {
		return 0, 0, false
	}
	depth, commas := 0, 0
	for i := open + 1; i < end; i++ {
		switch l[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 0 {
				commas++
				from = l.at(i + 1).start
			}
		}
	}
	return from, l[end-1].end, commas == 1 && from < l[end-1].end
}

// tokens cuts a statement into tokens. Comments are left out.
func tokens(text string) tokenList {
	var out tokenList
	for i := 0; i < len(text); {
		start, quoted := i, false
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "--"):
			i = after(text, i, "\n")
			continue
		case strings.HasPrefix(text[i:], "/*"):
			i = after(text, i+2, "*/")
			continue
		case c == '\'' || c == '"':
			i, quoted = after(text, i+1, string(c)), true
		case c == '$':
			i, quoted = dollarQuote(text, i)
		case isWordByte(c):
			for i < len(text) && isWordByte(text[i]) {
				i++
			}
		case c <= ' ':
			i++
			continue
		default:
			i++
		}
		out = append(out, token{text[start:i], start, i, quoted})
	}
	return out
}

// after returns where the text behind the next end begins.
func after(text string, from int, end string) int {
	if i := strings.Index(text[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

// dollarQuote returns the end of $tag$...$tag$; a $ that begins none is a character.
func dollarQuote(text string, at int) (end int, quoted bool) {
	i := at + 1
	for i < len(text) && isWordByte(text[i]) {
		i++
	}
	if i == len(text) || text[i] != '$' {
		return at + 1, false
	}
	return after(text, i+1, text[at:i+1]), true
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func containsFold(text, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// edits are changes of a text, in the order of their places but for one that closes later
// than others begin.
type edits []edit

type edit struct {
	start, end int
	text       string
}

func (e *edits) insert(at int, text string) { e.replace(at, at, text) }

// replace keeps the edits sorted; of two at one place the earlier one stands in front.
func (e *edits) replace(start, end int, text string) {
	i := len(*e)
	for i > 0 && (*e)[i-1].start > start {
		i--
	}
	*e = append(*e, edit{})
	copy((*e)[i+1:], (*e)[i:])
	(*e)[i] = edit{start, end, text}
}

func (e edits) apply(text string) string {
	if len(e) == 0 {
		return text
	}
	var out strings.Builder
	done := 0
	for _, x := range e {
		out.WriteString(text[done:x.start])
		out.WriteString(x.text)
		done = x.end
	}
	out.WriteString(text[done:])
	return out.String()
}
