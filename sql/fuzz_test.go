package sql

import (
	"os"
	"strings"
	"testing"
)

// addSeeds gives a fuzz target every statement that the tests know.
func addSeeds(f *testing.F) {
	f.Helper()
	for _, q := range sampleQueries(f) {
		f.Add(q)
	}
	for _, s := range pastedStatements(f) {
		f.Add(s)
	}
	data, err := os.ReadFile("testdata/faults.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, block := range strings.Split(string(data), "\n\n") {
		input, _, _ := strings.Cut(block, "\n----\n")
		f.Add(input)
	}
	for _, s := range []string{
		"CREATE STREAM s (a INT, WATERMARK FOR a AS a - INTERVAL '1' DAY) WITH (b = 'c') FORMAT PLAIN ENCODE JSON (d = 1);",
		"CREATE OR REPLACE QUERY q WITH (a = 5s) AS INSERT INTO t BY NAME SELECT 1; STOP QUERY ALL NOW; SET 'a.b' = TRUE",
		"BEGIN STATEMENT SET; a; END; AWAIT QUERY q UNTIL WATERMARK '2026-01-01' TIMEOUT 1m; EXPLAIN STATE FORMAT JSON SELECT 1",
		"$$ ; $$ $x$ E'\\'' X'0' \"a\"\"\" `b` 1_0.5e-3m /* /* */ */ -- x\n@x ?",
		"ARRAY<STRUCT<a: MAP<INT, ROW(b DECIMAL(3, 1))>>>[]",
	} {
		f.Add(s)
	}
}

// FuzzLex checks that the tokens of any text join to the text.
func FuzzLex(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) { checkJoin(t, text) })
}

// FuzzSplit checks that the pieces of any text stand in order, are where they say,
// and are whole: each splits into itself.
func FuzzSplit(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		pieces, err := Split(text)
		at := 0
		for _, p := range pieces {
			if p.Span.Start < at || p.Span.End <= p.Span.Start || text[p.Span.Start:p.Span.End] != p.Text {
				t.Fatalf("%q: piece %q at %v", text, p.Text, p.Span)
			}
			at = p.Span.End
			again, err := Split(p.Text)
			if err != nil || len(again) != 1 || again[0].Text != p.Text {
				t.Fatalf("%q: piece %q splits into %v, %v", text, p.Text, again, err)
			}
		}
		// Only a statement set stays open behind a semicolon, and END closes it.
		if err == nil && !Complete(text+"\n;") && !Complete(text+"\n;END\n;") {
			t.Fatalf("%q: %v", text, pieces)
		}
	})
}

// FuzzParse checks that any statement is parsed or refused with an error that users
// may see, and that the canonical text of a parsed one stands for the same.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := ParseType(text)
		checkFault(t, text, err)
		_, err = ParseExprText(text)
		checkFault(t, text, err)
		pieces, _ := Split(text)
		for _, piece := range pieces {
			s, err := ParseStatement(piece, DefaultLimits())
			checkFault(t, text, err)
			if u, ok := s.(*Undecided); ok {
				s, err = u.Parse(DefaultLimits())
				checkFault(t, text, err)
			}
			if err == nil {
				checkFuzzed(t, s)
			}
		}
	})
}

// checkFuzzed parses the canonical text of a statement and wants it back.
func checkFuzzed(t *testing.T, s Statement) {
	t.Helper()
	if e, ok := s.(*Explain); ok {
		s = e.Target // the target may still be undecided, and its text is then its own
	}
	switch s.(type) {
	case nil, *Passthrough, *Undecided:
		return
	}
	text := StatementText(s)
	again, err := parseOne(text)
	if u, ok := again.(*Undecided); ok {
		again, err = u.Parse(DefaultLimits())
	}
	if err != nil {
		t.Fatalf("canonical text does not parse:\n%s", rendered(err, text))
	}
	if got := StatementText(again); got != text {
		t.Fatalf("canonical text is not stable:\n%s\n%s", text, got)
	}
}
