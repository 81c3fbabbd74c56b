package sqlerr

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Point returns where in a text an error about a name points: at the first name that its message
// quotes and that stands in the span, unless the span begins with one that it quotes. A refusal
// of a clause, a query or a whole statement need not know where in it the name stands. ok is
// false when no quoted name stands there.
func (e *Error) Point(text string, within Span) (at Span, ok bool) {
	start := min(max(within.Start, 0), len(text))
	inside := text[start:min(max(within.End, start), len(text))]
	subjects, others := quotedNames(e.Text)
	for _, names := range [][]string{subjects, others} {
		for _, name := range names {
			if n := nameAt(inside, 0, name); n > 0 {
				return Span{start, start + n}, true
			}
		}
		for _, name := range names {
			if i, n := find(inside, name); n > 0 {
				return Span{start + i, start + i + n}, true
			}
		}
	}
	return within, false
}

// Elsewhere returns the name that the message is about and that stands in the statement, while the
// error points at none that it quotes; "" if all is well. The tests over the refusals of testdata
// ask it.
func (e *Error) Elsewhere(statement string) string {
	subjects, others := quotedNames(e.Text)
	at, _ := e.Point(statement, e.Span)
	for _, name := range append(subjects, others...) {
		if at != (Span{}) && nameAt(statement, at.Start, name) > 0 {
			return ""
		}
	}
	for _, name := range subjects {
		if _, n := find(statement, name); n > 0 && strings.ContainsFunc(name, isWordRune) {
			return name
		}
	}
	return ""
}

// quotedNames returns what a message quotes, in its order: what it can be about, and what only
// says where that is, such as the query of a batch or the connector of an option.
func quotedNames(message string) (subjects, others []string) {
	before := ""
	for {
		i := strings.IndexByte(message, '"')
		if i < 0 {
			return subjects, others
		}
		before, message = before+message[:i], message[i:]
		quoted, err := strconv.QuotedPrefix(message)
		if err != nil {
			return subjects, others
		}
		message = message[len(quoted):]
		name, err := strconv.Unquote(quoted)
		switch {
		case err != nil || name == "":
		case placing.MatchString(before):
			others = append(others, name)
		default:
			subjects = append(subjects, name)
		}
		before += quoted
	}
}

// placing is what stands before a quoted name that only says where something is.
var placing = regexp.MustCompile(`(?:batch \d+ of query|\bconnector|\bvalue|\btext|\bformat|\bof option|=) $|=$`)

// find returns where a name stands first in a text and how long it is there; n is 0 if nowhere.
func find(text, name string) (at, n int) {
	for i := range text {
		if n := nameAt(text, i, name); n > 0 {
			return i, n
		}
	}
	return 0, 0
}

// nameAt returns how many bytes a name, in any case and with its quotes if it is written in some,
// has at an offset of a text; 0 if the text there is something else.
func nameAt(text string, at int, name string) int {
	const quotes = "\"'`"
	end := at + len(name)
	if at+len(name)+2 <= len(text) && strings.IndexByte(quotes, text[at]) >= 0 {
		if in := text[at+1 : at+1+len(name)]; strings.EqualFold(in, name) && text[at+1+len(name)] == text[at] {
			return len(name) + 2
		}
	}
	if end > len(text) || !strings.EqualFold(text[at:end], name) {
		return 0
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	behind, _ := utf8.DecodeRuneInString(text[end:])
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	if isWordRune(before) && isWordRune(first) || isWordRune(behind) && isWordRune(last) {
		return 0 // a part of a longer word
	}
	return len(name)
}

func isWordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
