package sql

import (
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sampleQueries returns every query that the tests of this package know: those of
// testdata/queries.txt that parse, and those of the goldens.
func sampleQueries(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/queries.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, block := range strings.Split(string(data), "\n\n") {
		input, want, _ := strings.Cut(block, "\n----\n")
		if !strings.HasPrefix(input, "#") && !strings.HasPrefix(want, "ERROR") {
			out = append(out, strings.ReplaceAll(input, `\n`, "\n"))
		}
	}
	files, err := filepath.Glob(goldenDir + "/*/*.test")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens in %s: %v", goldenDir, err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range goldenQueries(string(script)) {
			if _, refused := refusedGoldens[q]; !refused && !seen[q] {
				seen[q] = true
				out = append(out, q)
			}
		}
	}
	return out
}

// trivia is what may stand between two tokens without changing anything.
var trivia = []string{" ", "\n", "\t", "  ", "\r\n", " -- it's; \"\n", "/* ; ' */", " /* /* EMIT */ */ ", "/*! DISTINCT */", "\u00a0", "--\n"}

// TestTriviaChangesNothing puts blanks, line ends and comments between all tokens and
// changes the case of bare words: the meaning stays.
func TestTriviaChangesNothing(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, text := range sampleQueries(t) {
		q, err := ParseQueryText(text)
		if err != nil {
			t.Fatalf("%s\n%s", text, rendered(err, text))
		}
		want := strings.ToLower(QueryText(q))
		for range 2 {
			changed := withTrivia(text, random)
			again, err := ParseQueryText(changed)
			if err != nil {
				t.Errorf("%s\n%s", text, rendered(err, changed))
				continue
			}
			if got := strings.ToLower(QueryText(again)); got != want {
				t.Errorf("%s\nas %q\n got %s\nwant %s", text, changed, got, want)
			}
		}
	}
}

// withTrivia returns a text with something of trivia between all tokens and bare words
// in another case.
func withTrivia(text string, random *rand.Rand) string {
	toks, _ := lex(text, 0)
	var b strings.Builder
	for _, tok := range toks[:len(toks)-1] {
		word := tok.text
		if tok.kind == tokIdent && random.Intn(2) == 0 {
			word = strings.ToUpper(word)
		} else if tok.kind == tokIdent {
			word = strings.ToLower(word)
		}
		if word == "-" || word == "/" {
			word += " " // else it would open the comment
		}
		b.WriteString(word + trivia[random.Intn(len(trivia))])
	}
	return b.String()
}

// TestCutTextIsRefusedInOrder cuts every query behind each token: what is left is a
// query or a named error that points into the text or at its end, never a fault of
// ours.
func TestCutTextIsRefusedInOrder(t *testing.T) {
	for _, text := range sampleQueries(t) {
		toks, _ := lex(text, 0)
		for _, tok := range toks[:len(toks)-1] {
			cut := text[:tok.end]
			_, err := ParseQueryText(cut)
			checkFault(t, cut, err)
		}
	}
}

// TestChangedTokenIsRefusedInOrder leaves out, doubles and replaces single tokens.
func TestChangedTokenIsRefusedInOrder(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	words := []string{"SELECT", "FROM", "(", ")", ",", "AS", "WATERMARK", "EMIT", "CASE", "END", "'x'", "1", "x", ".", "*", "[", "{", "::", "->", "NOT", "INTERVAL", "5m", "OVER", "IN"}
	for _, text := range sampleQueries(t) {
		toks, _ := lex(text, 0)
		for range 3 {
			tok := toks[random.Intn(len(toks)-1)]
			word := words[random.Intn(len(words))]
			for _, changed := range []string{
				text[:tok.start] + text[tok.end:],
				text[:tok.end] + " " + text[tok.start:],
				text[:tok.start] + " " + word + " " + text[tok.end:],
				text[:tok.start] + " " + word + " " + text[tok.start:],
			} {
				q, err := ParseQueryText(changed)
				checkFault(t, changed, err)
				if err == nil {
					checkReprint(t, changed, QueryText(q))
				}
			}
		}
	}
}

// checkFault checks that an error is one that users may see, with a position.
func checkFault(t testing.TB, text string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	code := errorCode(err)
	span := spanOf(err)
	if code == "E_INTERNAL" || span.Start < 0 || span.End > len(text) || span.Start > span.End || span == (Span{}) && text != "" {
		t.Errorf("%q\n%s", text, rendered(err, text))
	}
}
