package sql

import (
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pasteFiles are the tables of statements as users of other engines write them.
func pasteFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/paste/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no tables in ../testdata/paste", err)
	}
	return files
}

// parseWhole parses a statement to the end, as one about a stream.
func parseWhole(text string) (Statement, error) {
	s, err := parseOne(text)
	if err != nil {
		return nil, err
	}
	switch s := s.(type) {
	case *Undecided:
		return s.Parse(DefaultLimits())
	case *Explain:
		if u, ok := s.Target.(*Undecided); ok {
			s.Target, err = u.Parse(DefaultLimits())
		}
	case *Describe:
		if u, ok := s.Query.(*Undecided); ok {
			s.Query, err = u.Parse(DefaultLimits())
		}
	}
	return s, err
}

// pasted returns the canonical text of a statement, and a line for every foreign
// spelling in it.
func pasted(s Statement) string {
	var b strings.Builder
	if p, ok := s.(*Passthrough); ok {
		b.WriteString("DuckDB: " + p.Text)
	} else {
		b.WriteString(StatementText(s))
	}
	notes := s.Foreign()
	if e, ok := s.(*Explain); ok && e.Target != nil && len(notes) == 0 {
		notes = e.Target.Foreign() // it was undecided, and parsed later
	}
	for _, a := range notes {
		b.WriteString("\nNOTE:" + strings.TrimRight(" "+a.Engine, " ") + " " + a.Written + " => " + a.Canonical)
	}
	return b.String()
}

// TestPaste reads statements as users of six engines write them and compares what they
// become. What they become reads back as itself. What they answer is compared by the
// test of the same name of package session.
func TestPaste(t *testing.T) {
	count := 0
	for _, file := range pasteFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			goldenBlocks(t, file, func(input string) string {
				count++
				s, err := parseWhole(input)
				if err != nil {
					return rendered(err, input)
				}
				checkPasted(t, s)
				return pasted(s)
			})
		})
	}
	if count < 150 {
		t.Errorf("only %d statements", count)
	}
}

// pastedStatements returns every statement of the tables that parses.
func pastedStatements(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, file := range pasteFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(data), "\n\n") {
			input, want, _ := strings.Cut(block, "\n----\n")
			if !strings.HasPrefix(input, "#") && !strings.HasPrefix(want, "ERROR") {
				out = append(out, input)
			}
		}
	}
	return out
}

// TestPasteSurvivesTrivia puts blanks and comments between all tokens of what people
// paste, and changes the case of its words: it becomes the same, with the same notes.
func TestPasteSurvivesTrivia(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	for _, text := range pastedStatements(t) {
		s, err := parseWhole(text)
		if err != nil {
			t.Fatal(rendered(err, text))
		}
		if _, ok := s.(*Passthrough); ok || strings.Contains(text, "/*+") { // a hint is a comment
			continue
		}
		changed := withTrivia(text, random)
		again, err := parseWhole(changed)
		if err != nil {
			t.Errorf("%s\n%s", text, rendered(err, changed))
			continue
		}
		if got, want := strings.ToLower(pasted(again)), strings.ToLower(pasted(s)); got != want {
			t.Errorf("as %q\n got %s\nwant %s", changed, got, want)
		}
	}
}

// TestCutPasteIsRefusedInOrder cuts what people paste behind each token.
func TestCutPasteIsRefusedInOrder(t *testing.T) {
	for _, text := range pastedStatements(t) {
		toks, _ := lex(text, 0)
		for _, tok := range toks[:len(toks)-1] {
			cut := text[:tok.end]
			if pieces, err := Split(cut); err != nil || len(pieces) != 1 {
				continue
			}
			_, err := parseWhole(cut)
			checkFault(t, cut, err)
		}
	}
}

// checkPasted parses the canonical text of a statement and wants the same statement.
func checkPasted(t *testing.T, s Statement) {
	t.Helper()
	text := StatementText(s)
	again, err := parseWhole(text)
	if err != nil {
		t.Errorf("canonical text does not parse:\n%s", rendered(err, text))
		return
	}
	if got := StatementText(again); got != text {
		t.Errorf("canonical text is not stable:\n%s\n%s", text, got)
	}
}

// TestForeignTablesAreSorted checks the order that binary search and readers rely on.
func TestForeignTablesAreSorted(t *testing.T) {
	tables := map[string][]string{}
	for _, r := range optionRules {
		tables["options"] = append(tables["options"], r.key)
	}
	for _, r := range settingRules {
		tables["settings"] = append(tables["settings"], r.key)
	}
	for _, r := range foreignStatements {
		tables["statements"] = append(tables["statements"], r.words)
	}
	for _, r := range foreignClauses {
		tables["clauses"] = append(tables["clauses"], r.words)
	}
	for _, r := range statementRules() {
		tables["rules"] = append(tables["rules"], r.words)
	}
	for _, r := range functionRules {
		tables["functions"] = append(tables["functions"], r.name)
	}
	for name, keys := range tables {
		if !slices.IsSorted(keys) {
			t.Errorf("%s: %q", name, keys)
		}
	}
	for id, a := range aliasRules {
		if a.Written == "" || a.Canonical == "" {
			t.Errorf("alias %d has no text", id)
		}
	}
}
