package session_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"ssql/sql"
)

var update = flag.Bool("update", false, "rewrite the stories with what DIAGNOSE answers now")

// storyClock is a clock that stands still until it is told to go on. Queries look at it
// while it is told so.
type storyClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *storyClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *storyClock) goOn(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// TestDiagnose runs testdata/diagnose/*.txtar: files to read, and under "story" lines
// that begin with "> " and below each what it answers. Such a line is a statement, or
// "write FILE TEXT", which appends a line to a file, or "clock DURATION". Statements run
// as in a script, those behind ">> " as at a prompt. "try WORDS" types the statement that the
// DIAGNOSE before proposes with these first words. The clock begins at noon of 2026-01-01.
// Whatever a story's DIAGNOSE proposes as a statement can be parsed.
func TestDiagnose(t *testing.T) {
	paths, err := filepath.Glob("testdata/diagnose/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			runStory(t, path)
		})
	}
}

func runStory(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	last := len(archive.Files) - 1
	for _, f := range archive.Files[:last] {
		writeStoryFile(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	clock := &storyClock{now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}
	w := openAt(t, dir, clock)
	want := string(archive.Files[last].Data)
	var got strings.Builder
	var proposals []string // of the last DIAGNOSE
	for _, line := range strings.Split(want, "\n") {
		command, isCommand := strings.CutPrefix(line, "> ")
		if !isCommand {
			if command, isCommand = strings.CutPrefix(line, ">> "); !isCommand {
				continue
			}
		}
		if words, ok := strings.CutPrefix(command, "try "); ok {
			command = proposed(t, proposals, words)
		}
		answer := w.tell(command, clock, strings.HasPrefix(line, "> "))
		if strings.HasPrefix(command, "DIAGNOSE") {
			proposals = proposalsIn(t, answer)
		}
		got.WriteString(line + "\n" + answer)
	}
	if got.String() == want {
		return
	}
	if *update {
		archive.Files[last].Data = []byte(got.String())
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
}

// proposalsIn returns the statements that DIAGNOSE proposes, which must be such.
func proposalsIn(t *testing.T, answer string) []string {
	t.Helper()
	var out []string
	for _, line := range strings.Split(answer, "\n") {
		text, isTry := strings.CutPrefix(line, "    try: ")
		first, _, _ := strings.Cut(text, " ")
		if !isTry || !slices.Contains([]string{"ALTER", "DESCRIBE", "DROP", "PEEK", "RESET", "SET", "SHOW", "START"}, first) {
			continue
		}
		text, _, _ = strings.Cut(text, ", ")
		piece := sql.Piece{Text: text, Span: sql.Span{End: len(text)}}
		if _, err := sql.ParseStatement(piece, sql.WidestLimits()); err != nil {
			t.Errorf("proposed and refused: %s: %v", text, err)
		}
		out = append(out, text)
	}
	return out
}

// proposed returns the proposal that begins with some words.
func proposed(t *testing.T, proposals []string, words string) string {
	t.Helper()
	for _, p := range proposals {
		if strings.HasPrefix(p, words) {
			return p
		}
	}
	t.Fatalf("nothing proposed begins with %q: %q", words, proposals)
	return ""
}

// tell runs one line of a story and returns what it answers.
func (w *world) tell(command string, clock *storyClock, wait bool) string {
	if rest, ok := strings.CutPrefix(command, "write "); ok {
		name, text, _ := strings.Cut(rest, " ")
		writeStoryFile(w.t, filepath.Join(w.dir, name), text+"\n")
		return ""
	}
	if rest, ok := strings.CutPrefix(command, "clock "); ok {
		d, err := time.ParseDuration(rest)
		if err != nil {
			w.t.Fatal(err)
		}
		clock.goOn(d)
		return ""
	}
	text, err := w.run(command, wait)
	if err != nil {
		text = strings.TrimPrefix(text+"\n"+err.Error(), "\n")
	}
	if text == "" {
		return ""
	}
	return strings.ReplaceAll(text, w.dir, "$DIR") + "\n"
}

// writeStoryFile appends to a file.
func writeStoryFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}
