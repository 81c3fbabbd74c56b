package session_test

import (
	"errors"
	"regexp"

	"ssql/internal/hinttest"
	"ssql/internal/session"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// pasteAdvice is what stands in hints of pasted statements and is no statement that could be typed.
var pasteAdvice = []hinttest.Advice{
	{Words: ": (kcat|mkdir) ", Why: "a command of the shell"},
	{Words: ": \\w+ = '", Why: "options of WITH, which replace others"},
	{Words: "is not supported: (INSERT INTO a stream|INSERT INTO a table|DROP TABLE when)", Why: "another design, without the connector"},
	{Words: "is not supported: AT TIME ZONE", Why: "an expression in place of a setting"},
	{Words: "^ON CONFLICT DO (NOTHING|DEDUPLICATE) ", Why: "the keys are those of the table"},
	{Words: ": f\\(x\\) FILTER", Why: "DuckDB's message does not say which aggregate"},
	{Words: "^function \"TOPK\"", Why: "two queries in place of one"},
	{Words: ": (FROM STREAM 'folder/|CREATE STREAM made)", Why: "the files are not there"},
	{Words: "WITH \\(\\.\\.\\) of CREATE STREAM", Why: "says where an option belongs"},
}

// typeHint types what the hint of a refused statement proposes, in the catalog in which it was refused.
func (w *pasteWorld) typeHint(p sql.Piece, err error) {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return
	}
	moved := *e // as if the statement stood alone
	moved.Span.Start, moved.Span.End = max(0, e.Span.Start-p.Span.Start), max(0, e.Span.End-p.Span.Start)
	w.hints.Check(w.file, p.Text, &moved, func(typed string) error { return w.passes(p.Text, typed) })
}

// ofStream is the beginning of a statement that makes a stream, with its name.
var ofStream = regexp.MustCompile(`(?is)^(CREATE\s+(?:OR\s+REPLACE\s+)?(?:EXTERNAL\s+)?(?:STREAM|SOURCE|TABLE)(?:\s+IF\s+NOT\s+EXISTS)?)\s+("[^"]+"|[\w.]+)`)

// passes reports why a text that is typed in place of a statement is refused. Nothing starts: queries
// are explained, a stream is made under another name and dropped.
func (w *pasteWorld) passes(statement, typed string) error {
	parsed, err := sql.ParseStatement(sql.Piece{Text: typed, Span: sql.Span{End: len(typed)}}, sql.DefaultLimits())
	if err != nil {
		return err
	}
	switch s := parsed.(type) {
	case *sql.CreateStream:
		err := w.quietly(ofStream.ReplaceAllString(typed, "$1 typed_by_a_test"))
		for _, kind := range []string{"STREAM", "TABLE"} {
			if w.quietly("DROP "+kind+" typed_by_a_test") == nil {
				break
			}
		}
		return err
	case *sql.Set:
		if s.Option == nil {
			return nil
		}
		if err := w.quietly(typed); err != nil {
			return err
		}
		defer func() { _ = w.quietly("RESET " + s.Option.Key.Name) }()
		return w.quietly("EXPLAIN " + statement)
	case *sql.Show, *sql.Explain, *sql.Describe:
		return w.quietly(typed)
	case *sql.Undecided, *sql.CreateQuery, *sql.StatementSet, *sql.Passthrough:
		return w.quietly("EXPLAIN " + typed)
	}
	return nil // parsed, and about something that has a name in the catalog
}

// quietly runs a statement without keeping what it answers.
func (w *pasteWorld) quietly(text string) error {
	lines := w.lines
	defer func() { w.lines = lines }()
	piece := sql.Piece{Text: text, Span: sql.Span{End: len(text)}}
	return w.s.Execute(w.t.Context(), session.Request{Piece: piece, Source: &sqlerr.Source{Text: text}, Dir: w.dir, Wait: true}, w)
}
