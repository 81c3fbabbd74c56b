package session_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/duck"
	"ssql/internal/hinttest"
	"ssql/internal/session"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sinks/console"
	"ssql/sinks/duckdb"
	filesink "ssql/sinks/files"
	"ssql/sources"
	"ssql/sources/files"
	"ssql/sources/memory"
	"ssql/sources/rate"
	"ssql/sources/stdin"
	"ssql/sql"
)

var rewrite = flag.Bool("rewrite", false, "write the results in testdata/paste anew")

// pasteMark divides a block of testdata/paste: statement, canonical form, result.
const pasteMark = "\n----\n"

// TestPaste runs testdata/paste/ENGINE.txt, the statements as users of an engine write
// them: each file in one session, from top to bottom, as a script. A block is
//
//	statement
//	----
//	canonical form                      (compared by package sql)
//	----
//	what the statement answers: names of columns, rows, messages, notices, or the error
//	> another statement                 (shows what the first one did)
//	what that answers
//
// A block "# text" is a comment, or holds statements that make the inputs; a block
// "# FILE path" holds the lines of a file. -rewrite writes the results, you read the diff.
func TestPaste(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/paste/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no tables in testdata/paste", err)
	}
	hints := &hinttest.Typist{Advice: pasteAdvice}
	statements := 0
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			statements += pasteFile(t, path, hints)
		})
	}
	if hints.T = t; !t.Failed() && !*rewrite {
		hints.Done(45)
	}
	if !t.Failed() && statements < 250 {
		t.Errorf("only %d statements", statements)
	}
}

// pasteFile runs the blocks of one file and returns how many there are.
func pasteFile(t *testing.T, path string, hints *hinttest.Typist) (statements int) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := openPaste(t)
	w.file, w.hints = filepath.Base(path), hints
	hints.T = t
	var out []string
	for _, block := range strings.Split(strings.TrimRight(string(data), "\n"), "\n\n") {
		if strings.HasPrefix(block, "#") {
			w.input(t, block)
			out = append(out, block)
			continue
		}
		statements++
		parts := append(strings.SplitN(block+"\n", pasteMark, 3), "", "")
		got, want := w.results(parts[0], parts[2]), strings.TrimSuffix(parts[2], "\n")
		out = append(out, strings.TrimSuffix(parts[0]+pasteMark+strings.TrimSuffix(parts[1], "\n")+pasteMark+got, "\n"))
		if got != want && !*rewrite {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", parts[0], got, want)
		}
	}
	w.recreate(t)
	if *rewrite {
		if err := os.WriteFile(path, []byte(strings.Join(out, "\n\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return statements
}

// pasteWorld is a session with all connectors that keeps what it answers.
type pasteWorld struct {
	world
	file  string
	hints *hinttest.Typist
}

func openPaste(t *testing.T) *pasteWorld {
	t.Helper()
	w := &pasteWorld{world: world{t: t, dir: t.TempDir()}}
	t.Chdir(w.dir) // where DuckDB's own statements find files
	s, err := session.Open(t.Context(), session.Config{
		Database: filepath.Join(w.dir, "paste.duckdb"),
		Sources:  []sources.Spec{files.Spec(), memory.Spec(), rate.Spec(), stdin.New(strings.NewReader("")).Spec()},
		Sinks: func(db *duck.DB, print func(*sinks.Batch) error) []sinks.Spec {
			return []sinks.Spec{console.Spec(print), duckdb.Spec(db), filesink.Spec()}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.s = s
	t.Cleanup(w.close)
	w.answer("SET dialect_notes = off") // they stand in the canonical form
	return w
}

// Table keeps the names of the columns as a line of its own.
func (w *pasteWorld) Table(schema *arrow.Schema) (session.TableWriter, error) {
	names := make([]string, schema.NumFields())
	for i, f := range schema.Fields() {
		names[i] = f.Name
	}
	w.lines = append(w.lines, strings.Join(names, " | "))
	return &w.world, nil
}

// input runs the statements of a block of inputs, or writes its file.
func (w *pasteWorld) input(t *testing.T, block string) {
	t.Helper()
	head, text, _ := strings.Cut(block, "\n")
	if path, ok := strings.CutPrefix(head, "# FILE "); ok {
		path = filepath.Join(w.dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for strings.HasPrefix(text, "#") {
		_, text, _ = strings.Cut(text, "\n")
	}
	if answer := w.answer(text); strings.Contains(answer, "ERROR") {
		t.Fatalf("%s\n%s", block, answer)
	}
}

// results runs a statement and those that show what it did, which stand in the block.
func (w *pasteWorld) results(statement, old string) string {
	out := w.answer(statement)
	for _, line := range strings.Split(old, "\n") {
		if shows, ok := strings.CutPrefix(line, "> "); ok {
			out += line + "\n" + w.answer(shows)
		}
	}
	return strings.TrimSuffix(out, "\n")
}

// answer runs statements and returns what they answer as lines. A path of this test
// is shown as DIR.
func (w *pasteWorld) answer(text string) string {
	w.lines = nil
	pieces, err := sql.Split(text)
	source := &sqlerr.Source{Text: text}
	for _, p := range pieces {
		if err != nil {
			break
		}
		if err = w.s.Execute(w.t.Context(), session.Request{Piece: p, Source: source, Dir: w.dir, Wait: true}, w); err != nil && !*rewrite {
			w.typeHint(p, err)
		}
	}
	if err != nil {
		w.lines = append(w.lines, sqlerr.Render(err, source))
	}
	if len(w.lines) == 0 {
		return ""
	}
	return strings.ReplaceAll(strings.Join(w.lines, "\n"), w.dir, "DIR") + "\n"
}
