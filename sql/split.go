package sql

// Piece is one statement of a longer text.
type Piece struct {
	Span Span   // from its first to its last token, absolute
	Text string // the same text, without the closing semicolon and comments around it
}

// Split cuts a script into statements at its semicolons. Quotes, comments, dollar
// quotes and the block of a statement set (BEGIN STATEMENT SET; .. END) are not cut.
// Empty statements are left out. When the text breaks off inside a quote or
// comment, the statements before that point are returned beside the error.
func Split(text string) ([]Piece, error) {
	all, fault := lexAll(text, 0)
	hints := allHints(all)
	toks := withoutTrivia(all, len(text))
	var pieces []Piece
	for first := 0; first < len(toks); {
		end := statementEnd(toks, first)
		whole := toks[end].kind != tokEnd || fault == nil
		if end > first && whole {
			span := Span{Start: toks[first].start, End: toks[end-1].end}
			// A hint behind the last token belongs to the statement: it must not get lost
			// before somebody decides what to do about it.
			for _, h := range hints {
				if h.start > span.End && h.start < toks[end].start {
					span.End = h.end
				}
			}
			pieces = append(pieces, Piece{Span: span, Text: text[span.Start:span.End]})
		}
		first = end + 1
	}
	if fault != nil {
		return pieces, fault.err
	}
	return pieces, nil
}

// Complete reports whether a text typed at the prompt can be run: it is blank, or
// its last statement is closed by a semicolon. A text with a fault that more lines
// cannot mend is complete too, so that the fault is shown at once.
func Complete(text string) bool {
	toks, fault := lex(text, 0)
	if fault != nil {
		return !fault.open
	}
	for first := 0; first < len(toks); {
		end := statementEnd(toks, first)
		if toks[end].kind == tokEnd {
			return end == first
		}
		first = end + 1
	}
	return true
}

// statementEnd returns the index of the semicolon or tokEnd that closes the
// statement beginning at first.
func statementEnd(toks []token, first int) int {
	inBlock := false
	for i := first; i < len(toks); i++ {
		switch {
		case toks[i].kind == tokEnd:
			return i
		case opensBlock(toks, first, i):
			inBlock = true
			// Flink's older spelling has a semicolon after the opening words.
			if toks[i+1].isOp(";") {
				i++
			}
		case inBlock && toks[i].isOp(";") && toks[i+1].is("END"):
			inBlock = false
		case toks[i].isOp(";") && !inBlock:
			return i
		}
	}
	return len(toks) - 1
}

// opensBlock reports whether the token at i ends the words that open a statement
// set: EXECUTE STATEMENT SET BEGIN, BEGIN STATEMENT SET or BEGIN QUERY SET. A bare
// BEGIN is DuckDB's transaction.
func opensBlock(toks []token, first, i int) bool {
	switch i - first {
	case 2:
		return toks[first].is("BEGIN") && (toks[first+1].is("STATEMENT") || toks[first+1].is("QUERY")) && toks[i].is("SET")
	case 3:
		return toks[first].is("EXECUTE") && toks[first+1].is("STATEMENT") && toks[first+2].is("SET") && toks[i].is("BEGIN")
	}
	return false
}
