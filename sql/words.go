package sql

import "strings"

// WordKind is the class of a Word.
type WordKind uint8

// The classes.
const (
	BareWord WordKind = iota // a name or a keyword
	QuotedWord
	StringWord
	NumberWord
	OperatorWord // operators, punctuation and everything else
)

// Word is one token of a text, for those who look at a text without parsing it:
// completion, history and comparison of definitions.
type Word struct {
	Kind WordKind
	Text string
	Span Span
}

// Words returns the tokens of a text without comments. open says that the text
// ends inside a quote or a comment, which is left out; at any other fault the words
// before it are returned.
func Words(text string) (words []Word, open bool) {
	toks, fault := lex(text, 0)
	for _, t := range toks {
		kind := OperatorWord
		switch t.kind {
		case tokEnd:
			continue
		case tokIdent:
			kind = BareWord
		case tokQuoted:
			kind = QuotedWord
		case tokString:
			kind = StringWord
		case tokNumber, tokDuration:
			kind = NumberWord
		}
		words = append(words, Word{Kind: kind, Text: t.text, Span: t.span()})
	}
	return words, fault != nil && fault.open
}

// Canonical returns a statement with one blank between its tokens, bare words in
// lower case and no comments: equal text means that nothing was changed but its
// looks. A text that cannot be read is returned as it is.
func Canonical(text string) string {
	toks, fault := lex(text, 0)
	if fault != nil {
		return text
	}
	parts := make([]string, 0, len(toks))
	for _, t := range toks {
		switch t.kind {
		case tokEnd:
		case tokIdent:
			parts = append(parts, strings.ToLower(t.text))
		default:
			parts = append(parts, t.text)
		}
	}
	return strings.Join(parts, " ")
}

// OneLine returns a text without comments and line ends. ok is false if it cannot
// be had without changing the meaning, because a quote holds a line end.
func OneLine(text string) (line string, ok bool) {
	toks, fault := lexAll(text, 0)
	var b strings.Builder
	for _, t := range toks {
		switch {
		case t.kind == tokComment:
			b.WriteByte(' ')
		case t.kind == tokSpace && strings.ContainsAny(t.text, "\r\n"):
			b.WriteByte(' ')
		case strings.ContainsAny(t.text, "\r\n"):
			return "", false
		default:
			b.WriteString(t.text)
		}
	}
	if fault != nil {
		rest := text[min(fault.err.Span.Start, len(text)):]
		if strings.ContainsAny(rest, "\r\n") {
			return "", false
		}
		b.WriteString(rest)
	}
	return strings.TrimSpace(b.String()), true
}
