package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ssql/internal/hinttest"
	"ssql/sql"
)

// passes reports why a text that a hint proposes is refused in place of a query: in the mode of that
// or, when it says none, in the one that fits.
func passes(cat testCatalog, query, typed string, o Options) error {
	pieces, err := sql.Split(typed)
	if err != nil {
		return err
	}
	s, err := sql.ParseStatement(pieces[0], sql.DefaultLimits())
	switch s := s.(type) {
	case *sql.Undecided:
		if strings.HasPrefix(typed, "CREATE ") {
			return nil // a view of DuckDB's
		}
		if _, err = bindText(cat, typed, o); err != nil {
			if _, auto := bindText(cat, typed, Options{AutoMode: true, Retraction: o.Retraction}); auto == nil {
				return nil
			}
		}
	case *sql.Set:
		if s.Option != nil && s.Option.Key.Name == "retraction" {
			o.Retraction = true
			_, err = bindText(cat, query, o)
		}
	}
	return err
}

// TestHints types what the hints of the scripts of testdata propose.
func TestHints(t *testing.T) {
	typist := &hinttest.Typist{T: t, Advice: []hinttest.Advice{
		{Words: "behind the aggregation, which cannot see it: CREATE STREAM plain: WATERMARK FOR ts ", Why: "two edits: the watermark, and the key over it"},
		{Words: ": SELECT \\* FROM t ORDER BY ", Why: "of the table that the result goes to"},
	}}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		cat := testCatalog{}
		for _, s := range parseSteps(string(data)) {
			if ok, _ := cat.declare(t, s); ok {
				continue
			}
			text := strings.Join(s.input, "\n")
			_, err := bindText(cat, text, optionsOf(s))
			typist.Check(filepath.Base(f), text, err, func(typed string) error { return passes(cat, text, typed, optionsOf(s)) })
		}
	}
	typist.Done(100)
}
