//go:build wild

// A run of all files waits for more than it computes, so that it is a command of its own:
// go test -tags wild ./cmd/ssql -run Wild.

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ssql/internal/session"
	"ssql/internal/shell"
	"ssql/sources/stdin"
)

// wildFiles holds files as people have them; each has a .want beside it.
const wildFiles = "../../testdata/wild"

// TestWild reads each file of testdata/wild as a user would: ad hoc, as a stream whose
// columns are inferred, and as one whose columns are declared; then, with declared
// columns, while it grows, with a torn end, rotated by its writer, and packed. The .want
// says what was read and said; variants that end in the rows of the declared stream have
// no section.
func TestWild(t *testing.T) {
	paths, err := filepath.Glob(wildFiles + "/*.want")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d files with a .want in %s: %v", len(paths), wildFiles, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".want"), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := readWild(t, strings.TrimSuffix(path, ".want"), sectionsOf(string(want)))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got != string(want) && !*update {
				t.Errorf("%s (-update writes it)\n got\n%s\nwant\n%s", path, got, want)
			}
		})
	}
}

// sectionsOf splits a .want at its lines "-- name --".
func sectionsOf(text string) map[string]string {
	out, name := map[string]string{}, ""
	for _, line := range strings.SplitAfter(text, "\n") {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(title, " --") {
			name = strings.TrimSuffix(title, " --")
			continue
		}
		out[name] += line
	}
	return out
}

// wildReader reads one file in all ways.
type wildReader struct {
	t       *testing.T
	name    string
	content []byte
	columns string // as in CREATE STREAM
	options string // beside connector and path, each with a comma in front
	dir     string
	shell   *shell.Shell
	said    *heard
}

// heard is what was printed by statements and, from goroutines of their own, by queries.
type heard struct {
	mu sync.Mutex
	bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Buffer.Write(p)
}

// readWild returns the .want of a file.
func readWild(t *testing.T, path string, given map[string]string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := &wildReader{t: t, name: filepath.Base(path), content: content, dir: t.TempDir(),
		columns: strings.TrimSpace(given["columns"]), options: strings.TrimSpace(given["options"])}
	w.open()
	var out strings.Builder
	fmt.Fprintf(&out, "-- columns --\n%s\n", w.columns)
	if w.options != "" {
		fmt.Fprintf(&out, "-- options --\n%s\n", w.options)
	}
	w.put("whole/"+w.name, content)
	fmt.Fprintf(&out, "-- ad hoc --\n%s", w.run(fmt.Sprintf("SELECT * FROM 'whole/%s';", w.name)))
	w.run(".bail off")
	w.declare("inferred", "", "whole/"+w.name)
	fmt.Fprintf(&out, "-- inferred --\n%s", w.said.String()+w.insert("inferred"))
	w.declare("declared", w.columns, "whole/"+w.name)
	out.WriteString("-- declared --\n" + w.said.String() + w.insert("declared"))
	rows := w.result("declared")
	for _, v := range []struct {
		name string
		feed func() string
	}{{"growing", w.growing}, {"rotated", w.rotated}, {"packed", w.packed}} {
		said := v.feed()
		if got := w.result(v.name); got != rows {
			fmt.Fprintf(&out, "-- %s --\n%s", v.name, said)
		}
	}
	return out.String() + "-- torn --\n" + w.torn()
}

// open opens a session whose relative paths begin at the folder.
func (w *wildReader) open() {
	w.said = &heard{}
	s, err := session.Open(context.Background(), session.Config{
		Database: ":memory:", Program: "test", Sources: sourceConnectors(stdin.New(os.Stdin)), Sinks: sinkConnectors, Notify: func(text string) {
			if w.shell != nil {
				w.shell.Notify(text)
			}
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			w.t.Error(err)
		}
	})
	w.shell, err = shell.New(shell.Config{Session: s, Stdin: strings.NewReader(""), Stdout: w.said, Stderr: w.said, Mode: "jsonlines"})
	if err != nil {
		w.t.Fatal(err)
	}
}

var (
	// elapsed and started are what differs from run to run.
	elapsed = regexp.MustCompile(`\b[0-9.]+ (ms|s)\b`)
	script  = regexp.MustCompile(`wild:[0-9]+:[0-9]+: `)
	// inMemory is said once of every database in memory.
	inMemory = regexp.MustCompile(`(?m)^NOTE: the database is in memory: .*\n`)
)

// run runs statements and returns all that they print.
func (w *wildReader) run(text string) string {
	w.said.Reset()
	_ = w.shell.RunText(context.Background(), "wild", w.dir, text) // errors are printed
	out := strings.ReplaceAll(w.said.String(), w.dir, "DIR")
	return elapsed.ReplaceAllString(script.ReplaceAllString(inMemory.ReplaceAllString(out, ""), ""), "TIME")
}

// declare makes a stream over a path; what it says is left in w.said.
func (w *wildReader) declare(name, columns, path string) {
	if columns != "" {
		columns = "(" + columns + ")"
	}
	said := w.run(fmt.Sprintf("CREATE STREAM %s %s WITH (connector = 'files', path = '%s'%s);", name, columns, path, w.options))
	w.said.Reset()
	w.said.WriteString(strings.ReplaceAll(said, "stream "+name+" created\n", ""))
}

// insert stores the rows of a stream and returns what was said, the rows and the bad rows.
func (w *wildReader) insert(stream string) string {
	return w.run(fmt.Sprintf("INSERT INTO %s_rows SELECT * FROM %[1]s;", stream)) + w.result(stream)
}

// result returns the rows and the bad rows of a stream, in an order of their own.
func (w *wildReader) result(stream string) string {
	lines := func(query string) string {
		out := strings.SplitAfter(w.run(query), "\n")
		slices.Sort(out)
		return strings.Join(out, "")
	}
	return lines(fmt.Sprintf("SELECT * FROM %s_rows;", stream)) +
		lines(fmt.Sprintf(`SELECT line AS "bad line", "column", reason FROM ssql.bad_rows WHERE query = '%s_rows';`, stream))
}

// put appends to a file that nobody seems to be writing: its end is taken as it is.
func (w *wildReader) put(name string, content []byte) {
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := f.Write(content); err != nil {
		w.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		w.t.Fatal(err)
	}
	changed := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, changed, changed); err != nil {
		w.t.Fatal(err)
	}
}

// growing appends the file in three pieces that end with a line, where it has lines, and
// reads after each. Lines that are cut in the middle are in torn.
func (w *wildReader) growing() string {
	said, from := "", 0
	for i := range 3 {
		end := len(w.content) * (i + 1) / 3
		if line := bytes.IndexByte(w.content[end:], '\n'); line >= 0 {
			end += line + 1
		} else if i == 2 || end < from {
			end = len(w.content)
		}
		w.put("growing/"+w.name, w.content[from:end])
		from = end
		if i == 0 {
			w.declare("growing", w.columns, "growing/"+w.name)
			said = w.said.String()
		}
		said += fmt.Sprintf("# %d bytes\n", end) + w.run("INSERT INTO growing_rows SELECT * FROM growing;")
	}
	return said + w.result("growing")
}

// rotated is read up to a line in the middle, renamed, and followed by a new file with the
// rest; a file that is not of lines is renamed after it was read.
func (w *wildReader) rotated() string {
	cut, header := w.middle()
	w.put("rotated/"+w.name, w.content[:cut])
	w.declare("rotated", w.columns, "rotated/"+w.name+"*")
	said := w.said.String() + w.run("INSERT INTO rotated_rows SELECT * FROM rotated;")
	path := filepath.Join(w.dir, "rotated", w.name)
	if err := os.Rename(path, path+".1"); err != nil {
		w.t.Fatal(err)
	}
	if cut < len(w.content) {
		w.put("rotated/"+w.name, slices.Concat(header, w.content[cut:]))
	}
	return said + w.run("INSERT INTO rotated_rows SELECT * FROM rotated;") + w.result("rotated")
}

// middle returns where a line in the middle ends, and the header that a file of the rest
// begins with. Files that are not read by lines end where they end.
func (w *wildReader) middle() (cut int, header []byte) {
	half := len(w.content) / 2
	line := bytes.IndexByte(w.content[half:], '\n')
	byLines := strings.HasSuffix(w.name, ".csv") || strings.HasSuffix(w.name, ".log") || strings.HasSuffix(w.name, "lines.json") || strings.HasSuffix(w.name, ".ndjson")
	if line < 0 || !byLines || bytes.HasPrefix(w.content, []byte("\xff\xfe")) {
		return len(w.content), nil
	}
	cut = half + line + 1
	if strings.HasSuffix(w.name, ".csv") && !strings.Contains(w.options, "header = 'false'") {
		header = w.content[:bytes.IndexByte(w.content, '\n')+1]
	}
	return cut, header
}

// packed reads the file as its writer packs it.
func (w *wildReader) packed() string {
	name := w.name
	if !strings.HasSuffix(name, ".gz") {
		name += ".gz"
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(w.content); err != nil {
		w.t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		w.t.Fatal(err)
	}
	if name == w.name {
		b = *bytes.NewBuffer(w.content)
	}
	w.put("packed/"+name, b.Bytes())
	w.declare("packed", w.columns, "packed/"+name)
	return w.said.String() + w.insert("packed")
}

// torn reads what is there when the writer died three fifths through.
func (w *wildReader) torn() string {
	w.put("torn/"+w.name, w.content[:len(w.content)*3/5])
	w.declare("torn", w.columns, "torn/"+w.name)
	return w.said.String() + w.insert("torn")
}
