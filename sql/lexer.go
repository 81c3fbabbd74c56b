package sql

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ssql/internal/sqlerr"
)

// tokenKind is the class of a token.
type tokenKind uint8

const (
	tokEnd      tokenKind = iota // after the last token
	tokSpace                     // white space, only in the full list of lexAll
	tokComment                   // -- or /* */, only in the full list of lexAll
	tokIdent                     // bare word, also every keyword
	tokQuoted                    // "x" or `x`
	tokString                    // 'x', E'x', $$x$$, $tag$x$tag$
	tokBlob                      // X'00ff'
	tokNumber                    // 1, 1.5, .5, 1e3, 1_000, 0xff
	tokDuration                  // 5m, 250ms: a number with letters on it
	tokParam                     // $1, ?, @x: refused, but with its own message
	tokOp                        // operators and punctuation
)

// token is one piece of the source text. Offsets are absolute (see Span).
type token struct {
	kind  tokenKind
	start int
	end   int
	text  string
}

func (t token) span() Span { return Span{Start: t.start, End: t.end} }

// is reports whether t is the bare word w, in any case.
func (t token) is(w string) bool { return t.kind == tokIdent && strings.EqualFold(t.text, w) }

// isOp reports whether t is the operator op.
func (t token) isOp(op string) bool { return t.kind == tokOp && t.text == op }

// opensBracket reports whether t is (, [ or {.
func (t token) opensBracket() bool {
	return t.kind == tokOp && (t.text == "(" || t.text == "[" || t.text == "{")
}

// closesBracket reports whether t is ), ] or }.
func (t token) closesBracket() bool {
	return t.kind == tokOp && (t.text == ")" || t.text == "]" || t.text == "}")
}

// isHint reports whether t is a comment that other engines read as a hint: /*+ .. */.
func (t token) isHint() bool { return t.kind == tokComment && strings.HasPrefix(t.text, "/*+") }

// isName reports whether t can be a name.
func (t token) isName() bool { return t.kind == tokIdent || t.kind == tokQuoted }

// ident returns the name that t writes.
func (t token) ident() Ident {
	if t.kind != tokQuoted {
		return Ident{Name: t.text, Span: t.span()}
	}
	q := t.text[:1]
	return Ident{Name: strings.ReplaceAll(t.text[1:len(t.text)-1], q+q, q), Quoted: true, Span: t.span()}
}

// lexError is a text that ends inside a token, or holds a character that begins
// none.
type lexError struct {
	err  *sqlerr.Error
	open bool // more text could make it whole: the prompt asks for another line
}

// operators lists the operators of more than one character, longest first.
var operators = []string{
	"!~~*", "->>", "<=>", "!~~", "~~*", "!~*", "::", ":=", "=>", "->", "<=", ">=", "<>", "!=", "==", "||", "<<", ">>",
	"//", "**", "^@", "!~", "~~", "~*", "@>", "<@", "&&",
}

// lex returns the tokens of text without spaces and comments, closed by a tokEnd.
// base is the offset of text in its source.
func lex(text string, base int) ([]token, *lexError) {
	all, err := lexAll(text, base)
	return withoutTrivia(all, base+len(text)), err
}

// withoutTrivia drops spaces and comments from all, in place, and closes it.
func withoutTrivia(all []token, end int) []token {
	toks := all[:0]
	for _, t := range all {
		if t.kind != tokSpace && t.kind != tokComment {
			toks = append(toks, t)
		}
	}
	return append(toks, token{kind: tokEnd, start: end, end: end})
}

// lexAll returns every token with spaces and comments: their texts joined give
// the text again. At an error it returns the tokens before it.
func lexAll(text string, base int) ([]token, *lexError) {
	var toks []token
	fault := lexEach(text, base, func(t token) bool {
		toks = append(toks, t)
		return true
	})
	return toks, fault
}

// lexEach calls f for every token, with spaces and comments, up to the first error or until f
// has enough.
func lexEach(text string, base int, f func(token) bool) *lexError {
	for at := 0; at < len(text); {
		kind, n, fault := scan(text[at:])
		if fault != nil {
			fault.err.Span = Span{Start: base + at, End: base + at + max(n, 1)}
			return fault
		}
		if !f(token{kind: kind, start: base + at, end: base + at + n, text: text[at : at+n]}) {
			return nil
		}
		at += n
	}
	return nil
}

// allHints returns the hints among all.
func allHints(all []token) []token {
	var hints []token
	for _, t := range all {
		if t.isHint() {
			hints = append(hints, t)
		}
	}
	return hints
}

// scan returns kind and length of the token that s begins with.
func scan(s string) (tokenKind, int, *lexError) {
	c := s[0]
	switch {
	case c == '-' && strings.HasPrefix(s, "--"):
		if n := strings.IndexByte(s, '\n'); n >= 0 {
			return tokComment, n, nil
		}
		return tokComment, len(s), nil
	case c == '/' && strings.HasPrefix(s, "/*"):
		return scanBlockComment(s)
	case c == '\'':
		return scanQuoted(s, 0, tokString, "string")
	case c == '"', c == '`':
		return scanQuoted(s, 0, tokQuoted, "quoted name")
	case (c == 'e' || c == 'E') && strings.HasPrefix(s[1:], "'"):
		return scanEscapeString(s)
	case (c == 'x' || c == 'X') && strings.HasPrefix(s[1:], "'"):
		return scanQuoted(s, 1, tokBlob, "blob")
	case c == '$':
		return scanDollar(s)
	case isDigit(c), c == '.' && len(s) > 1 && isDigit(s[1]):
		kind, n := scanNumber(s)
		return kind, n, nil
	case c == '?':
		return tokParam, 1, nil
	case c == '@' && len(s) > 1 && (isWordByte(s[1]) || s[1] == '@'):
		n := 1
		for n < len(s) && (isWordByte(s[n]) || s[n] == '@') {
			n++
		}
		return tokParam, n, nil
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case isSpace(r):
		n := size
		for n < len(s) {
			r, size := utf8.DecodeRuneInString(s[n:])
			if !isSpace(r) {
				break
			}
			n += size
		}
		return tokSpace, n, nil
	case strings.ContainsRune("“”„‘’‚«»", r):
		return 0, size, &lexError{err: sqlerr.New(codeSyntax, "typographic quote %q", string(r)).
			WithHint(`write ' around text and " around names`)}
	case r == utf8.RuneError && size == 1:
		return 0, 1, &lexError{err: sqlerr.New(codeSyntax, "byte 0x%02x is not UTF-8", c)}
	case isWordRune(r):
		n := wordLength(s)
		return tokIdent, n, nil
	case r < ' ' || r == 0x7f:
		return 0, 1, &lexError{err: sqlerr.New(codeSyntax, "control character 0x%02x", c)}
	}
	for _, op := range operators {
		if strings.HasPrefix(s, op) {
			return tokOp, len(op), nil
		}
	}
	return tokOp, size, nil
}

// scanBlockComment reads /* */, nested as in PostgreSQL. /*! */ is a comment like
// any other: MySQL would run what is in it.
func scanBlockComment(s string) (tokenKind, int, *lexError) {
	depth := 0
	for n := 0; n+1 < len(s); {
		switch s[n : n+2] {
		case "/*":
			depth++
			n += 2
		case "*/":
			depth--
			n += 2
			if depth == 0 {
				return tokComment, n, nil
			}
		default:
			n++
		}
	}
	return 0, 2, &lexError{err: sqlerr.New(codeSyntax, "comment is not closed").WithHint("close it with */"), open: true}
}

// scanQuoted reads a token in quotes that are doubled inside; the first skip
// bytes stand before the quote.
func scanQuoted(s string, skip int, kind tokenKind, what string) (tokenKind, int, *lexError) {
	q := s[skip]
	for n := skip + 1; n < len(s); n++ {
		if s[n] != q {
			continue
		}
		if n+1 < len(s) && s[n+1] == q {
			n++
			continue
		}
		if kind == tokQuoted && n == skip+1 {
			return 0, 2, &lexError{err: sqlerr.New(codeSyntax, "quoted name is empty")}
		}
		return kind, n + 1, nil
	}
	return 0, skip + 1, openError(what, s[skip:skip+1])
}

func openError(what, closing string) *lexError {
	return &lexError{err: sqlerr.New(codeSyntax, "%s is not closed", what).WithHint("close it with %s", closing), open: true}
}

// scanEscapeString reads E'..', where a backslash takes the next character.
func scanEscapeString(s string) (tokenKind, int, *lexError) {
	for n := 2; n < len(s); n++ {
		switch {
		case s[n] == '\\':
			n++
		case s[n] == '\'' && n+1 < len(s) && s[n+1] == '\'':
			n++
		case s[n] == '\'':
			return tokString, n + 1, nil
		}
	}
	return 0, 2, openError("string", "'")
}

// scanDollar reads $$..$$ and $tag$..$tag$; anything else with a dollar is a
// parameter.
func scanDollar(s string) (tokenKind, int, *lexError) {
	n := 1
	for n < len(s) && isWordByte(s[n]) && s[n] != '$' {
		n++
	}
	if n < len(s) && s[n] == '$' && (n == 1 || !isDigit(s[1])) {
		tag := s[:n+1]
		if end := strings.Index(s[len(tag):], tag); end >= 0 {
			return tokString, len(tag) + end + len(tag), nil
		}
		return 0, len(tag), openError("string", tag)
	}
	return tokParam, n, nil
}

// scanNumber reads a number, and the letters that stand on it.
func scanNumber(s string) (tokenKind, int) {
	n := 0
	digits := func() {
		for n < len(s) && (isDigit(s[n]) || s[n] == '_' && n > 0 && isDigit(s[n-1]) && n+1 < len(s) && isDigit(s[n+1])) {
			n++
		}
	}
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && isHex(s[2]) {
		for n = 2; n < len(s) && isHex(s[n]); n++ {
		}
		return tokNumber, n
	}
	digits()
	if n < len(s) && s[n] == '.' {
		n++
		digits()
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		m := n + 1
		if m < len(s) && (s[m] == '+' || s[m] == '-') {
			m++
		}
		if m < len(s) && isDigit(s[m]) {
			n = m
			digits()
		}
	}
	if w := wordLength(s[n:]); w > 0 {
		return tokDuration, n + w
	}
	return tokNumber, n
}

// wordLength returns the length of the bare word that s begins with.
func wordLength(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !isWordRune(r) && !(n > 0 && r == '$') || r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isWordByte(c byte) bool {
	return c == '_' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isWordByte(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || unicode.Is(unicode.So, r)
}

// isSpace also takes the no-break spaces and byte order marks that come along
// when text is pasted from a web page.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' }
