// Package hinttest types what the hints of refusals propose. A hint is prose with SQL in it; the
// rule of its words is: what is to be written stands behind "write", "use", "add", "did you mean" or
// a colon, or begins with an SQL word in capitals, and ends at the end of the hint, at a comma, a
// semicolon or a bracket, or at a word of the prose. Ways are parted by ";", " or " and ", and".
//
// A proposal is a statement, or a piece of one: a piece is put into the statement that was refused,
// over what the caret points at or beside it. A test hands in what it takes for a statement to pass.
package hinttest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
	"ssql/sql"
)

// Typist types the hints of the refusals that a test comes by, and counts them.
type Typist struct {
	T      testing.TB
	Advice []Advice // what is no SQL although it looks so
	Typed  int      // proposals that passed
	used   map[int]bool
}

// Advice is a hint, or a kind of hints, that proposes nothing to type in the statement itself.
type Advice struct {
	Words string // a regular expression of the message, ": " and the way
	Why   string
}

// Check types what the hint of a refusal of a statement proposes: each way needs a form that passes.
func (y *Typist) Check(where, statement string, err error, pass func(text string) error) {
	y.T.Helper()
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Hint == "" {
		return
	}
	for _, way := range Ways(e.Hint) {
		if i := slices.IndexFunc(y.Advice, func(a Advice) bool { return regexp.MustCompile(a.Words).MatchString(e.Text + ": " + way) }); i >= 0 {
			if y.used == nil {
				y.used = map[int]bool{}
			}
			y.used[i] = true
			continue
		}
		r := refusal{statement: statement, err: e, pass: pass, seen: map[string]bool{e.Text: true}}
		if r.passes(way) {
			y.Typed++
			continue
		}
		y.T.Errorf("%s: %s\n%s: %s\nHint: %s\nproposes %q, of which no form passes; the nearest: %v", where, statement, e.Code, e.Text, e.Hint, way, r.why)
	}
}

// Done wants a number of proposals, and each kind of advice to be found.
func (y *Typist) Done(want int) {
	y.T.Helper()
	y.T.Logf("%d proposals of hints were typed", y.Typed)
	if y.Typed < want {
		y.T.Errorf("only %d proposals of hints were typed, want %d", y.Typed, want)
	}
	for i, a := range y.Advice {
		if !y.used[i] {
			y.T.Errorf("no hint has the advice %s", a.Words)
		}
	}
}

// leads are the words behind which SQL stands. Behind the second ones may be prose as well.
var (
	leads   = regexp.MustCompile(`(?:^|[ (])(?:write(?: for example)?|did you mean) `)
	prose   = regexp.MustCompile(`^(?:the|it|them|a|an|as|into|one|rows|files) `)
	seconds = regexp.MustCompile(`(?:(?:^|[ (])(?:use|add|for example|such as) |: )((?:[\w.]+|"[^"]*")(?:\(|$| (?:to GROUP BY|=|<|>|-|TIMESTAMP|IGNORE)))`)
)

// inCapitals is where SQL begins without a lead.
var inCapitals = regexp.MustCompile(`(?:^|[ ("])((?:ALTER|AND|ANTI|ASSERT|AT|ATTACH|AWAIT|BEGIN|CALL|CASE|CAST|COMMIT|COPY|CREATE|CROSS|CUMULATE|DEDUP|DESCRIBE|DIAGNOSE|DROP|EMIT|EXECUTE|EXPLAIN|FILTER|FORMAT|FROM|GROUP|HAVING|HOP|INSERT|INTERVAL|JOIN|LEFT|METADATA|NOT|ORDER|PARTITION|PEEK|PRIMARY|QUALIFY|RESET|ROLLBACK|ROW_NUMBER|SELECT|SEMI|SESSION|SET|SHOW|START|STOP|TIMESTAMP|TRY_CAST|TUMBLE|UNION|WATERMARK|WHERE|WINDOW|WITH)\b)`)

// Ways returns the pieces of a hint that are to be written, each to the end of its prose.
func Ways(hint string) (ways []string) {
	for _, part := range parts(hint) {
		at := -1
		if strings.HasPrefix(part, "leave out ") && inCapitals.MatchString(part) {
			ways = append(ways, part)
			continue
		}
		if m := leads.FindStringIndex(part); m != nil && !prose.MatchString(part[m[1]:]) {
			at = m[1]
			if strings.HasSuffix(part[:at], "did you mean ") {
				at -= len("did you mean ")
			}
		}
		if m := seconds.FindStringSubmatchIndex(part); m != nil && (at < 0 || m[2] < at) {
			at = m[2]
		}
		if m := inCapitals.FindStringSubmatchIndex(part); m != nil && (at < 0 || m[2] < at) {
			at = m[2]
		}
		if at >= 0 {
			ways = append(ways, strings.TrimSpace(part[at:]))
		}
	}
	return ways
}

// parting parts two ways.
var parting = regexp.MustCompile(`^(?:; (?:or )?|,? or |, and (?:then )?|, then )`)

// parts cuts a hint into its ways, outside of brackets and quotes.
func parts(hint string) (out []string) {
	from, depth := 0, 0
	for i := 0; i < len(hint); i++ {
		switch c := hint[i]; {
		case c == '(' || c == '{' || c == '[':
			depth++
		case c == ')' || c == '}' || c == ']':
			depth--
		case (c == '\'' || c == '"') && (i == 0 || !isWord(hint[i-1])):
			if j := strings.IndexByte(hint[i+1:], c); j >= 0 {
				i += j + 1
			}
		case depth == 0:
			if m := parting.FindString(hint[i:]); m != "" {
				out = append(out, hint[from:i])
				from = i + len(m)
				i = from - 1
			}
		}
	}
	return append(out, hint[from:])
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// refusal is a statement and what was said of it.
type refusal struct {
	statement string
	err       *sqlerr.Error
	pass      func(text string) error
	seen      map[string]bool // messages whose hints were followed, one after the other
	unnamed   string          // a piece with a name that the catalog does not have, wherever it is put
	whole     string          // what is tried as it is
	later     []*refusal      // forms that are refused for something else
	why       error           // the last reason why a form did not pass
	tried     map[string]bool
}

// passes reports whether what a way proposes passes in some form, the longest text first.
func (r *refusal) passes(way string) bool {
	r.tried = map[string]bool{}
	if text, ok := strings.CutPrefix(way, "did you mean "); ok {
		return r.corrected(strings.TrimSuffix(text, "?"))
	}
	if text, ok := strings.CutPrefix(way, "leave out "); ok {
		return r.without(text)
	}
	if text, word, ok := strings.Cut(way, " in place of "); ok {
		return r.instead(text, word) || r.goesOn()
	}
	for _, text := range texts(way) {
		for _, filled := range fill(text) {
			if r.whole = filled; r.try(filled) || r.applied(filled) {
				return true
			}
		}
	}
	return r.goesOn()
}

// instead puts a piece in the place of the clause that begins with a word.
func (r *refusal) instead(piece, word string) bool {
	toks := tokens(r.statement)
	for i := range toks {
		for j := len(toks); j > i && strings.EqualFold(toks[i].text, word); j-- {
			if replaceable(toks[i:j], 0) && r.try(r.statement[:toks[i].start]+piece+r.statement[toks[j-1].end:]) {
				return true
			}
		}
	}
	return false
}

// without leaves a piece out of the statement, or types the setting in brackets behind it.
func (r *refusal) without(way string) bool {
	text, setting, _ := strings.Cut(way, " (")
	if i := strings.Index(r.statement, text); i >= 0 && r.try(r.statement[:i]+r.statement[i+len(text):]) {
		return true
	}
	return setting != "" && r.try(strings.TrimSuffix(setting, ")"))
}

// corrected puts another word in place of the one that the caret points at.
func (r *refusal) corrected(word string) bool {
	span, _ := r.err.Point(r.statement, r.err.Span)
	if right, wrong, ok := strings.Cut(word, ` in place of "`); ok {
		at := strings.Index(r.statement, strings.TrimSuffix(wrong, `"`))
		return at >= 0 && r.try(r.statement[:at]+right+r.statement[at+len(wrong)-1:])
	}
	toks := tokens(r.statement)
	for _, t := range toks {
		for _, u := range toks {
			if t.start <= span.Start && span.Start < u.end && u.start >= t.start && u.end-t.start < 80 && r.try(r.statement[:t.start]+word+r.statement[u.end:]) {
				return true
			}
			var next *sqlerr.Error // about something else that is wrong there
			if t == u && errors.As(r.why, &next) && (next.Code != r.err.Code || next.Code == "PARSE_SYNTAX_ERROR" && next.Text != r.err.Text) {
				return true
			}
		}
	}
	return false
}

// try types a statement. Texts that are no statement at all are not handed on.
func (r *refusal) try(text string) bool {
	if r.tried[text] || text == r.statement || r.unnamed == r.whole && r.whole != "" {
		return false
	}
	r.tried[text] = true
	pieces, err := sql.Split(text)
	if err == nil && len(pieces) != 1 {
		err = fmt.Errorf("%d statements", len(pieces))
	}
	var s sql.Statement
	if err == nil {
		s, err = sql.ParseStatement(pieces[0], sql.DefaultLimits())
	}
	if u, ok := s.(*sql.Undecided); ok && err == nil {
		_, err = u.Parse(sql.DefaultLimits())
	}
	if _, ok := s.(*sql.Passthrough); ok && text != r.whole {
		return false // a piece in a place where only DuckDB would tell that it is wrong
	}
	if err == nil {
		if err = r.pass(pieces[0].Text); err == nil {
			return true
		}
		r.note(text, err)
		if general(r.whole, err) {
			r.unnamed = r.whole
		}
	}
	r.why = fmt.Errorf("%s: %w", text, err)
	return false
}

// note keeps a form that is refused for something else, such as the next column that is not grouped
// by, whose hint may then be followed. What a wrong place of a piece brings about, a name that is
// none, is no such.
func (r *refusal) note(text string, err error) {
	var e *sqlerr.Error
	switch {
	case !errors.As(err, &e), e.Hint == "", r.seen[e.Text], len(r.seen) > 20:
	case e.Code != r.err.Code && (e.Code == "UNRESOLVED_COLUMN" || e.Code == "TABLE_OR_VIEW_NOT_FOUND" || !strings.HasPrefix(text, "SELECT") || strings.Contains(e.Hint, "did you mean")):
	default:
		r.seen[e.Text] = true
		r.later = append(r.later, &refusal{statement: text, err: e, pass: r.pass, seen: r.seen})
	}
}

// goesOn follows the hints of the forms that were refused for something else.
func (r *refusal) goesOn() bool {
	for _, next := range r.later {
		if ways := Ways(next.err.Hint); len(ways) > 0 && next.passes(ways[0]) {
			return true
		}
	}
	return false
}

// applied puts a piece into the statement: over what stands at the caret, or between two tokens.
func (r *refusal) applied(piece string) bool {
	toks := tokens(r.statement)
	caret := r.err.Span.Start
	first := tokens(piece)[0].text
	for i := range toks {
		near := i == 0 || toks[i-1].start <= caret                                        // the caret is at this token, behind or just before it
		same := first == strings.ToUpper(first) && strings.EqualFold(toks[i].text, first) // a clause of the same words
		if !near && !same {
			continue
		}
		for j := len(toks); j > i; j-- {
			if (same || toks[j-1].end > caret) && replaceable(toks[i:j], commas(piece)) && r.try(r.statement[:toks[i].start]+piece+r.statement[toks[j-1].end:]) {
				return true
			}
		}
	}
	for i := len(toks); i >= 0; i-- {
		at := len(r.statement)
		if i < len(toks) {
			at = toks[i].start
		}
		for _, form := range []string{" %s ", ", %s ", " %s, ", " WHERE %s ", " AND %s "} {
			if r.try(r.statement[:at] + fmt.Sprintf(form, piece) + r.statement[at:]) {
				return true
			}
		}
	}
	return false
}

// clauseWords end what a piece may replace.
var clauseWords = []string{"EMIT", "FROM", "GROUP", "HAVING", "LIMIT", "ORDER", "QUALIFY", "SELECT", "WHERE", "WITH"}

// replaceable reports whether tokens are one thing: its brackets are in pairs, and outside of them
// begins no other clause.
func replaceable(toks []token, commasMax int) bool {
	depth, commas := 0, 0
	for i, t := range toks {
		switch {
		case t.text == "(" || t.text == "[" || t.text == "{":
			depth++
		case t.text == ")" || t.text == "]" || t.text == "}":
			if depth--; depth < 0 {
				return false
			}
		case depth == 0 && t.text == ",":
			if commas++; commas > commasMax {
				return false
			}
		case depth == 0 && i > 0 && slices.Contains(clauseWords, strings.ToUpper(t.text)) && !strings.EqualFold(toks[i-1].text, "WITHIN"):
			return false
		}
	}
	return depth == 0
}

// commas counts the commas of a piece outside of brackets.
func commas(piece string) (n int) {
	depth := 0
	for _, t := range tokens(piece) {
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 0 {
				n++
			}
		}
	}
	return n
}

// texts returns how far the SQL at the beginning of a way may reach, the longest first.
func texts(way string) (out []string) {
	toks := tokens(way)
	depth := 0
	for i, t := range toks {
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth > 0 || i+1 < len(toks) && (!endsSQL.MatchString(toks[i+1].text) || toks[i+1].text == "(" && t.end == toks[i+1].start) {
			continue
		}
		out = append(out, way[:t.end])
	}
	slices.Reverse(out)
	if _, rest, ok := strings.Cut(way, ": "); ok {
		out = append(out, texts(rest)...)
	}
	return out
}

// endsSQL is what may stand behind the SQL of a hint.
var endsSQL = regexp.MustCompile(`^(?:[,:;(?]|[a-z]+)$`)

// token is one of a text.
type token struct {
	text       string
	start, end int
}

var tokenText = regexp.MustCompile(`'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|[\pL_0-9$]+|\.\.+|::|->>|->|[<>=!|]+|\S`)

func tokens(text string) (out []token) {
	for _, m := range tokenText.FindAllStringIndex(text, -1) {
		if !strings.HasPrefix(text[m[0]:], "--") {
			out = append(out, token{text[m[0]:m[1]], m[0], m[1]})
		}
	}
	return out
}
