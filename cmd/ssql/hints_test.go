package main

import (
	"path/filepath"
	"strings"
	"testing"

	"ssql/internal/hinttest"
	"ssql/internal/sqlerr"
)

// TestHintsOfTranscripts types what the hints of refusals in transcripts propose. The database has gone on
// since, so what they become is parsed, not planned: what is planned is typed where a catalog is at
// hand (plan, internal/session, internal/streamtest).
func TestHintsOfTranscripts(t *testing.T) {
	typist := &hinttest.Typist{T: t, Advice: transcriptAdvice}
	for _, path := range glob(t, "testdata/*.txtar") {
		for _, r := range refusalsOfTranscript(t, path) {
			if r.hint == "" || len(r.statements) == 0 {
				continue
			}
			e := &sqlerr.Error{Code: r.code, Text: r.text, Hint: r.hint}
			statement := r.statements[0]
			for _, s := range r.statements {
				if at := strings.Index(s, strings.Trim(r.line, ".")); r.line != "" && at >= 0 {
					statement = s
					e.Span.Start = at + offsetOf(r.line, r.column)
					e.Span.End = e.Span.Start + 1
				}
			}
			typist.Check(filepath.Base(path), statement, e, func(string) error { return nil })
		}
	}
	typist.Done(180)
}

// transcriptAdvice is what reads like SQL and is none of the statement.
var transcriptAdvice = []hinttest.Advice{
	{Words: `: (cp -r|mkdir -p) `, Why: "of the shell of the system"},
	{Words: `: (TRY_CAST|try_divide|CAST\(x AS TIMESTAMP\))`, Why: "belongs into the query, which is another statement where it fails as it runs"},
	{Words: `: (lpad|s)$|: AS MATERIALIZED \( behind`, Why: "a word in place of another, or a place for words"},
	{Words: `: CREATE STREAM(: event_time| \.\. WITH|$)|: ts TIMESTAMP AS \.\.|: strftime\(ts, '%Y'\)$|: WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE\)$`, Why: "a declaration whose place is between others, or of another stream"},
	{Words: `: (CREATE OR REPLACE QUERY t AS )?INSERT INTO \w+ \(.*\) SELECT|SET BEGIN \.\.\. END`, Why: "a statement whose query is left open"},
	{Words: `: PRIMARY KEY \.\. NOT|: DEDUP\(\.\.\)|: NOT NULL |: WHERE x IS NOT NULL`, Why: "a clause of a query or of other columns"},
	{Words: `: AT TIME ZONE '[\w/]+' is the wall time`, Why: "what an expression means"},
}
