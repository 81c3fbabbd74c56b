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

// wildInAllForms are the files that are read in all forms by each run of the test, one of each
// kind. With the build tag wild all files are, which takes a minute.
var wildInAllForms = map[string]bool{
	"app.log": true, "app.log.2.gz": true, "excel_semicolon.csv": true, "excel_utf16.txt": true, "klog.log": true,
	"pandas_records.json": true, "polars.parquet": true, "postgres_copy.csv": true, "pretty.json": true,
}

// TestWild reads each file of testdata/wild as a user would: ad hoc, as a stream whose
// columns are inferred, and as one whose columns are declared; then, with declared
// columns, in other forms: while it grows, rotated by its writer, packed, and with a torn end.
// The .want says what was read and said; forms that end in the rows of the declared stream
// have no section.
func TestWild(t *testing.T) {
	files, err := os.ReadDir(wildFiles)
	if err != nil || len(files) < 2*64 {
		t.Fatalf("%d files in %s: %v", len(files), wildFiles, err)
	}
	for _, file := range files {
		name := file.Name()
		if strings.HasSuffix(name, ".want") || name == "README.md" || name == "make.py" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(wildFiles, name)
			text, err := os.ReadFile(path + ".want")
			if err != nil {
				t.Fatal(err)
			}
			want, forms := splitWant(string(text))
			got, gotForms := readWild(t, path, sectionsOf(want))
			switch {
			case *update && gotForms == nil:
				gotForms = func() string { return forms } // as they were
				fallthrough
			case *update:
				if err := os.WriteFile(path+".want", []byte(got+gotForms()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			case gotForms != nil:
				got, want = got+gotForms(), want+forms
			}
			if got != want {
				t.Errorf("%s (-update writes it)\n got\n%s\nwant\n%s", path, got, want)
			}
		})
	}
}

// formTitle begins the first section of a .want that is of a form.
var formTitle = regexp.MustCompile(`(?m)^-- (growing|rotated|packed|torn) --$`)

// splitWant parts what a .want says of a file as it is from what it says of its other forms.
func splitWant(text string) (file, forms string) {
	at := formTitle.FindStringIndex(text)
	if at == nil {
		return text, ""
	}
	return text[:at[0]], text[at[0]:]
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
	missing bool // the stream that was last declared: it was refused
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

// readWild returns the .want of a file, and what returns that of its other forms: nil for one
// that is read as it is only.
func readWild(t *testing.T, path string, given map[string]string) (file string, forms func() string) {
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
	fmt.Fprintf(&out, "-- inferred --\n%s", w.declare("inferred", "", "whole/"+w.name)+w.insert("inferred"))
	out.WriteString("-- declared --\n" + w.declare("declared", w.columns, "whole/"+w.name) + w.insert("declared"))
	if !wildAll && !wildInAllForms[w.name] {
		return out.String(), nil
	}
	return out.String(), w.forms
}

// forms returns the sections of the forms of a file that are read otherwise than the file.
func (w *wildReader) forms() string {
	var out strings.Builder
	rows := w.result("declared")
	for _, v := range []struct {
		name string
		feed func() string
	}{{"growing", w.growing}, {"rotated", w.rotated}, {"packed", w.packed}} {
		if said := v.feed(); w.result(v.name) != rows {
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

// declare makes a stream over a path and returns what is said of it.
func (w *wildReader) declare(name, columns, path string) string {
	if columns != "" {
		columns = "(" + columns + ")"
	}
	said := w.run(fmt.Sprintf("CREATE STREAM %s %s WITH (connector = 'files', path = '%s'%s);", name, columns, path, w.options))
	w.missing = strings.Contains(said, "ERROR")
	return strings.ReplaceAll(said, "stream "+name+" created\n", "")
}

// insert stores the rows of a stream and returns what was said, the rows and the bad rows;
// nothing if there is no stream.
func (w *wildReader) insert(stream string) string {
	if w.missing {
		return ""
	}
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
			said = w.declare("growing", w.columns, "growing/"+w.name)
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
	said := w.declare("rotated", w.columns, "rotated/"+w.name+"*") + w.run("INSERT INTO rotated_rows SELECT * FROM rotated;")
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
		if bytes.HasPrefix(header, []byte("sep=")) { // of Excel, before the header
			header = w.content[:len(header)+bytes.IndexByte(w.content[len(header):], '\n')+1]
		}
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
	return w.declare("packed", w.columns, "packed/"+name) + w.insert("packed")
}

// torn reads what is there when the writer died three fifths through.
func (w *wildReader) torn() string {
	w.put("torn/"+w.name, w.content[:len(w.content)*3/5])
	return w.declare("torn", w.columns, "torn/"+w.name) + w.insert("torn")
}
