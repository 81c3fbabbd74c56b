package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/settings"
	"ssql/sql"
)

// noticesOnly is an Output that keeps the notices.
type noticesOnly struct{ notices []string }

func (n *noticesOnly) Table(*arrow.Schema) (TableWriter, error) { return nil, nil }
func (n *noticesOnly) Message(string)                           {}
func (n *noticesOnly) Notice(text string)                       { n.notices = append(n.notices, text) }

// TestAliasesAreNotedOnce reads all that the tables of testdata/paste spell as other engines do:
// each spelling is noted at its first use in a session, with the canonical form, and not again.
func TestAliasesAreNotedOnce(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/paste/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no tables in testdata/paste", err)
	}
	s := &Session{settings: settings.Values{}, noted: map[string]bool{}}
	seen := map[string]bool{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(data), "\n\n") {
			text, _, _ := strings.Cut(block, "\n----\n")
			pieces, err := sql.Split(text)
			if strings.HasPrefix(text, "#") || err != nil {
				continue
			}
			for _, p := range pieces {
				if st, err := sql.ParseStatement(p, s.settings.Limits()); err == nil {
					checkNotes(t, s, seen, st, text)
				}
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d spellings", len(seen))
	}
}

// checkNotes runs the notes of a statement twice; seen holds the spellings of those before.
// What is not the same in two engines is noted each time.
func checkNotes(t *testing.T, s *Session, seen map[string]bool, st sql.Statement, text string) {
	t.Helper()
	var want []string
	for range 2 {
		for _, a := range st.Foreign() {
			if key := a.Engine + " " + a.Written; a.Canonical != "" && (!seen[key] || a.Always) {
				seen[key] = true
				whose := ""
				if a.Engine != "" {
					whose = " (" + a.Engine + ")"
				}
				want = append(want, fmt.Sprintf("%s%s is read as: %s", a.Written, whose, a.Canonical))
			}
		}
	}
	var out noticesOnly
	s.noteAliases(st, &out)
	s.noteAliases(st, &out)
	if got := strings.Join(out.notices, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%s\ngot:\n%s\nwant:\n%s", text, got, strings.Join(want, "\n"))
	}
}
