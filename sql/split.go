package sql

import "strings"

// Piece is one statement of a longer text.
type Piece struct {
	Span Span   // from its first to its last token, absolute
	Text string // the same text, without the closing semicolon and comments around it
}

// Split cuts a script into statements at its semicolons. Quotes, comments, dollar
// quotes and the block of a statement set (EXECUTE STATEMENT SET BEGIN .. END, also behind
// CREATE QUERY q AS, and BEGIN STATEMENT SET; .. END) are not cut.
// Empty statements are left out. When the text breaks off inside a quote or
// comment, the statements before that point are returned beside the error.
//
// It keeps no tokens: a script may be larger than any statement is allowed to be.
func Split(text string) ([]Piece, error) {
	var pieces []Piece
	for from := 0; ; {
		p, next, err := NextPiece(text, from)
		if err != nil {
			return pieces, err
		}
		if p.Text == "" {
			return pieces, nil
		}
		pieces, from = append(pieces, p), next
	}
}

// NextPiece returns the first statement of a text from an offset on, which is behind one, and the
// offset behind its semicolon; an empty one when there is none.
func NextPiece(text string, from int) (p Piece, next int, err error) {
	var c cutter
	next = len(text)
	fault := lexEach(text[from:], from, func(t token) bool {
		if c.take(t) && len(c.head) > 0 {
			next = t.end
			return false
		}
		return true
	})
	if fault != nil {
		return p, next, fault.err
	}
	if span, ok := c.cut(); ok {
		p = Piece{Span: span, Text: text[span.Start:span.End]}
	}
	return p, next, nil
}

// Begin returns the offset of the first token of a statement from an offset on: behind spaces,
// comments and semicolons.
func Begin(text string, from int) int {
	at := len(text)
	fault := lexEach(text[from:], from, func(t token) bool {
		if t.kind == tokSpace || t.kind == tokComment || t.isOp(";") {
			return true
		}
		at = t.start
		return false
	})
	if fault != nil {
		return fault.err.Span.Start
	}
	return at
}

// Complete reports whether a text typed at the prompt can be run: it is blank, or
// its last statement is closed by a semicolon. A text with a fault that more lines
// cannot mend is complete too, so that the fault is shown at once.
func Complete(text string) bool {
	var c Completion
	return c.Add(text)
}

// Completion is Complete for a text that comes line by line. It reads each line once, but for
// the one that closes a quote or a comment of many lines, which is then read again.
type Completion struct {
	cut  cutter
	open []byte // a quote or comment that is not closed yet
	bad  bool   // the text has a fault that nothing mends
}

// Add reports whether the text is complete with more lines at its end.
func (c *Completion) Add(lines string) bool {
	if c.bad {
		return true
	}
	if len(c.open) > 0 {
		mayClose := c.mayClose(lines)
		c.open = append(c.open, lines...)
		if !mayClose {
			return false
		}
		lines = string(c.open)
		c.open = c.open[:0]
	}
	read := 0
	fault := lexEach(lines, 0, func(t token) bool {
		if c.cut.take(t) {
			c.cut.cut()
		}
		read = t.end
		return true
	})
	if fault != nil {
		c.bad = !fault.open
		c.open = append(c.open, lines[read:]...)
		return c.bad
	}
	return len(c.cut.head) == 0
}

// mayClose reports whether lines may end the token that is open.
func (c *Completion) mayClose(lines string) bool {
	switch first := c.open[0]; first {
	case '"', '`', '$':
		return strings.IndexByte(lines, first) >= 0
	case '/':
		return strings.Contains(lines, "*/")
	}
	return strings.IndexByte(lines, '\'') >= 0 // also of E'..' and X'..'
}

// cutter finds the ends of statements, token by token.
type cutter struct {
	head    []token // the first tokens of the statement that is being read, headMax at most
	end     int     // of its last token
	opening int     // how many of setWords were read last
	inBlock bool    // between the words that open a statement set and END
	last    token   // that is no space and no comment
}

// headMax is how many tokens open a statement set that is a statement of its own in
// Flink's older form: BEGIN STATEMENT SET.
const headMax = 3

// setWords open a statement set wherever they stand: behind EXECUTE, or EXPLAIN.
var setWords = [...]string{"STATEMENT", "SET", "BEGIN"}

// take reads the next token. It returns true at the semicolon that ends a statement.
func (c *cutter) take(t token) (ends bool) {
	switch t.kind {
	case tokSpace:
		return false
	case tokComment:
		// A hint behind the last token belongs to the statement: it must not get lost
		// before somebody decides what to do about it.
		if t.isHint() && len(c.head) > 0 {
			c.end = t.end
		}
		return false
	}
	if t.isOp(";") && !c.inBlock {
		return true
	}
	if len(c.head) < headMax {
		c.head = append(c.head, t)
		c.inBlock = c.inBlock || opensBlock(c.head)
	}
	switch {
	case t.is(setWords[c.opening]):
		c.opening++
	case t.is(setWords[0]):
		c.opening = 1
	default:
		c.opening = 0
	}
	if c.opening == len(setWords) {
		c.inBlock, c.opening = true, 0
	}
	if c.inBlock && t.is("END") && c.last.isOp(";") {
		c.inBlock = false
	}
	c.last, c.end = t, t.end
	return false
}

// cut returns the statement that was read and begins the next; ok is false if it was empty.
func (c *cutter) cut() (span Span, ok bool) {
	if len(c.head) > 0 {
		span, ok = Span{Start: c.head[0].start, End: c.end}, true
	}
	*c = cutter{head: c.head[:0]}
	return span, ok
}

// opensBlock reports whether a statement that begins with these tokens opens a statement
// set with the last of them: BEGIN STATEMENT SET or BEGIN QUERY SET. A bare BEGIN is
// DuckDB's transaction.
func opensBlock(head []token) bool {
	return len(head) == headMax && head[0].is("BEGIN") && (head[1].is("STATEMENT") || head[1].is("QUERY")) && head[2].is("SET")
}
