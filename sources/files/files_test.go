package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sources/sourcetest"
	"ssql/sql/types"
)

// folder is a stream on a temporary folder, with a clock of its own: each file
// that is written is one second younger than the one before.
type folder struct {
	t       *testing.T
	dir     string
	clock   time.Time
	options map[string]string
	fields  []types.Field
	// metadata are the keys of METADATA fields.
	metadata []string
	notices  []string
}

func newFolder(t *testing.T, options map[string]string) *folder {
	return &folder{t: t, dir: t.TempDir(), clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), options: options,
		fields: []types.Field{{Name: "a", Type: types.Of(types.BigInt)}, {Name: "b", Type: types.Of(types.Varchar)}}}
}

func (f *folder) write(name, content string) {
	f.t.Helper()
	full := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.touch(name)
}

func (f *folder) touch(name string) {
	f.t.Helper()
	f.clock = f.clock.Add(time.Second)
	if err := os.Chtimes(filepath.Join(f.dir, name), f.clock, f.clock); err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) add(name, content string) {
	f.t.Helper()
	old, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		f.t.Fatal(err)
	}
	f.write(name, string(old)+content)
}

func (f *folder) values() sources.Values {
	f.t.Helper()
	given := []sources.Given{{Name: "path", Text: "."}}
	for k, v := range f.options {
		given = append(given, sources.Given{Name: k, Text: v})
	}
	set, err := sources.CheckOptions(`connector "files"`, options(), given)
	if err != nil {
		f.t.Fatal(err)
	}
	return sources.Values{BaseDir: f.dir, Set: set}
}

// open returns a source whose clock is far behind the youngest file, so that
// nothing is young unless a test moves now.
func (f *folder) open(position []byte) *source {
	f.t.Helper()
	c, err := newConfig(f.values())
	if err != nil {
		f.t.Fatal(err)
	}
	s, err := newSource(c, &sources.OpenContext{Fields: f.fields, Metadata: f.metadata}, func(text string) {
		if !slices.Contains(f.notices, text) {
			f.notices = append(f.notices, text)
		}
	}, func() time.Time { return f.clock.Add(time.Hour) })
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { s.Close() }) // unpacked copies go with it
	if err := s.Restore(position); err != nil {
		f.t.Fatal(err)
	}
	return s
}

// batch reads the next batch; "" if there is none.
func (f *folder) batch(s *source) string {
	f.t.Helper()
	r, err := s.Next(f.t.Context(), sources.Limits{})
	if err != nil {
		f.t.Fatal(err)
	}
	if r == nil {
		return ""
	}
	rows, bad := sourcetest.Read(f.t, s, r, 100)
	for _, b := range bad {
		rows = append(rows, fmt.Sprintf("bad %s:%d %s %s", b.File, b.Line, b.Reason, b.Raw))
	}
	if err := s.Advance(r); err != nil {
		f.t.Fatal(err)
	}
	return strings.Join(rows, "\n")
}

func (f *folder) want(what, got, want string) {
	f.t.Helper()
	if got != want {
		f.t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
	}
}

func gz(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zst(t *testing.T, content string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(content), nil))
}

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name string
		feed func(t *testing.T, f *folder, n int, content string)
	}{
		{"new files", func(t *testing.T, f *folder, n int, content string) { f.write(fmt.Sprintf("%d.json", n), content) }},
		{"gzip", func(t *testing.T, f *folder, n int, content string) {
			f.write(fmt.Sprintf("%d.json.gz", n), gz(t, content))
		}},
		{"zstd", func(t *testing.T, f *folder, n int, content string) {
			f.write(fmt.Sprintf("%d.json.zst", n), zst(t, content))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sourcetest.Run(t, func(t *testing.T) sourcetest.Subject {
				f := newFolder(t, nil)
				n := 0
				return sourcetest.Subject{
					Open: func(t *testing.T) sources.Source { return f.openRaw() },
					Feed: func(t *testing.T) []string {
						n++
						content, rows := "", []string(nil)
						for i := range 5 {
							content += fmt.Sprintf("{\"a\":%d,\"b\":\"file %d\"}\n", i, n)
							rows = append(rows, fmt.Sprintf("%d | file %d", i, n))
						}
						c.feed(t, f, n, content)
						return rows
					},
				}
			})
		})
	}
}

func (f *folder) openRaw() *source {
	s := f.open(nil)
	s.at = position{}
	return s
}

func TestOrder(t *testing.T) {
	f := newFolder(t, nil)
	f.write("z.json", `{"a":1}`)
	f.write("a.json", `{"a":2}`)
	f.write("m.json", `{"a":3}`)
	same := f.clock
	f.write("b.json", `{"a":4}`)
	f.clock = same.Add(-time.Second)
	f.touch("b.json") // as old as m.json
	f.want("mtime, then name", f.batch(f.open(nil)), "1 | NULL\n2 | NULL\n4 | NULL\n3 | NULL")
}

// With order = 'name' the times of files mean nothing: a file that is older than one
// read before by more than max_file_age is read all the same.
func TestOrderByName(t *testing.T) {
	f := newFolder(t, map[string]string{"order": "name", "max_files_per_batch": "1", "max_file_age": "1 minute"})
	f.write("b.json", `{"a":2}`)
	f.clock = f.clock.Add(time.Hour)
	f.write("a.json", `{"a":1}`)
	s := f.open(nil)
	f.want("first", f.batch(s), "1 | NULL")
	f.want("second", f.batch(s), "2 | NULL")
	f.want("end", f.batch(s), "")
}

func TestNamesPassedOver(t *testing.T) {
	f := newFolder(t, nil)
	for _, name := range []string{".hidden", "_SUCCESS", "x.json.tmp", "x.json~", "x.part", "x.crdownload", "x.json._COPYING_", "sub/x.json"} {
		f.write(name, `{"a":1}`)
	}
	if err := unix.Mkfifo(filepath.Join(f.dir, "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.write("good.json", `{"a":2}`)
	if err := os.Symlink(filepath.Join(f.dir, "good.json"), filepath.Join(f.dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	f.want("rows", f.batch(f.open(nil)), "2 | NULL")
	f.want("notices", strings.Join(f.notices, "\n"), `file "pipe.json" is passed over: it is a pipe, device or socket, not a regular file
file "link.json" is "good.json" once more, by a link, and is read once`)
}

func TestGlob(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"in/*.json", "1"},
		{"in/**/*.json", "1 3"},
		{"in/*.{json,log}", "1 2"},
		{"in/?.log", "2"},
		{"in/a.json", "1"},
		{"in", "1 2 5"},
		{"**/[a-b].*", "1 2 3"},
		{"in/sub dir/*", "3"},
		{"in/_tmp/*", "4"},
		{"in/_*/*.json", ""},
		{"in/_[a-z]*", "6"},
		{"in/*.part", "7"},
	} {
		t.Run(c.path, func(t *testing.T) {
			f := newFolder(t, map[string]string{"path": c.path})
			for i, name := range []string{"in/a.json", "in/b.log", "in/sub dir/a.json", "in/_tmp/a.json", "in/c.txt", "in/_d.json", "in/e.part"} {
				f.write(name, fmt.Sprintf(`{"a":%d}`, i+1))
			}
			got := strings.ReplaceAll(strings.ReplaceAll(f.batch(f.open(nil)), " | NULL", ""), "\n", " ")
			f.want("rows", got, c.want)
		})
	}
}

func TestGrowingFile(t *testing.T) {
	f := newFolder(t, nil)
	f.write("log.json", "{\"a\":1}\n{\"a\":2}\n")
	s := f.open(nil)
	f.want("first", f.batch(s), "1 | NULL\n2 | NULL")
	f.want("nothing new", f.batch(s), "")
	f.add("log.json", "{\"a\":3}\nbroken\n")
	f.want("appended", f.batch(s), "3 | NULL\nbad log.json:4 expected an object, found \"b\" broken")
	snapshot, err := s.Position()
	if err != nil {
		t.Fatal(err)
	}
	f.add("log.json", "{\"a\":5}")
	f.want("after a restart", f.batch(f.open(snapshot)), "5 | NULL")
}

// TestLastLine shows when a last line without newline is read.
func TestLastLine(t *testing.T) {
	f := newFolder(t, nil)
	s := f.open(nil)
	now := time.Duration(0)
	s.now = func() time.Time { return f.clock.Add(now) }

	f.write("log.json", "{\"a\":1}\n{\"a\":2}")
	f.want("a whole object is a row at once", f.batch(s), "1 | NULL\n2 | NULL")
	f.add("log.json", "\n{\"a\":3}\n{\"a\":4,\"b\":\"cu")
	f.want("a line cut short waits", f.batch(s), "3 | NULL")
	f.want("and waits", f.batch(s), "")
	f.add("log.json", "t\"}\n")
	f.want("until it is whole", f.batch(s), "4 | cut")
	f.add("log.json", "{\"a\":5,\"b\":\"cu")
	now = 1999 * time.Millisecond
	f.want("or waits", f.batch(s), "")
	now = 2 * time.Second
	f.want("until the file has settled", f.batch(s),
		"bad log.json:5 the line ends inside text: the closing quote is missing {\"a\":5,\"b\":\"cu")
	f.want("notices", strings.Join(f.notices, "\n"),
		`file "log.json" ends in the middle of a line; it is read when the file has grown or has not changed for 2s`)
}

func TestCompressedStillWritten(t *testing.T) {
	for _, pack := range []func(*testing.T, string) string{gz, zst} {
		f := newFolder(t, nil)
		s := f.open(nil)
		now := time.Duration(0)
		s.now = func() time.Time { return f.clock.Add(now) }
		whole := pack(t, strings.Repeat("{\"a\":1,\"b\":\"x\"}\n", 3))
		f.write("x", whole[:len(whole)-6])
		f.want("cut short and young", f.batch(s), "")
		f.write("x", whole)
		f.want("whole", f.batch(s), "1 | x\n1 | x\n1 | x")
	}
}

// What is packed and ends too early is not complete, however old it is.
func TestCompressedCutShort(t *testing.T) {
	whole := gz(t, strings.Repeat("{\"a\":1,\"b\":\"x\"}\n", 3))
	for _, cut := range []int{0, 5, len(whole) / 2, len(whole) - 6, len(whole) - 1} {
		f := newFolder(t, nil)
		f.write("x.gz", whole[:cut])
		s := f.open(nil)
		f.want("old", f.batch(s), "")
		if len(f.notices) != 1 || !strings.Contains(f.notices[0], `file "x.gz"`) || !strings.Contains(f.notices[0], "not complete") {
			t.Errorf("cut at %d: notices %q", cut, f.notices)
		}
		f.write("x.gz", whole)
		f.want("complete", f.batch(s), "1 | x\n1 | x\n1 | x")
		f.write("x.gz", whole+whole)
		if _, err := s.Next(t.Context(), sources.Limits{}); sqlerr.Code(err) != "E_SOURCE_CHANGED" {
			t.Errorf("grown when it was read: %v", err)
		}
	}
	f := newFolder(t, map[string]string{"incomplete_files": "read"})
	f.write("x.gz", whole[:len(whole)-6])
	f.want("read as it is", f.batch(f.open(nil)), "1 | x\n1 | x\n1 | x\nbad x.gz:4 the rest of the file cannot be unpacked: unexpected EOF ")
}

// A file that is not what was read of it stops the query, is read as a new one, or is
// passed over.
func TestChangedFiles(t *testing.T) {
	for _, c := range []struct{ name, content string }{
		{"shrunk", "{\"a\":9}\n"},
		{"rewritten longer", "{\"a\":9}\n{\"a\":9}\n{\"a\":9}\n"},
		{"rewritten to the same size", "{\"a\":8}\n{\"a\":9}\n"},
		{"made anew", "{\"a\":8}\n{\"a\":9}\n"},
	} {
		change := func(changed string) (*folder, *source) {
			f := newFolder(t, map[string]string{"changed_files": changed})
			f.write("x.json", "{\"a\":1}\n{\"a\":2}\n")
			s := f.open(nil)
			f.batch(s)
			if c.name == "made anew" {
				os.Rename(filepath.Join(f.dir, "x.json"), filepath.Join(t.TempDir(), "x.json"))
			}
			f.write("x.json", c.content)
			return f, s
		}
		_, s := change("fail")
		want := `E_SOURCE_CHANGED: file "x.json" was changed after it was read: what was read of it, 16 bytes, is in no file any more`
		if _, err := s.Next(t.Context(), sources.Limits{}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v", c.name, err)
		}
		f, s := change("skip")
		f.want(c.name, f.batch(s), "")
		f.want(c.name, strings.Join(f.notices, "\n"), `file "x.json" was changed after it was read; the change is not read (changed_files = 'skip')`)
		f, s = change("read")
		f.want(c.name, f.batch(s), strings.NewReplacer("{\"a\":", "", "}", " | NULL").Replace(strings.TrimSpace(c.content)))
		f.want(c.name, strings.Join(f.notices, "\n"), `file "x.json" is not what was read of it, 16 bytes, and is read from its beginning (changed_files = 'read')`)
		f.add("x.json", "{\"a\":10}\n")
		f.want(c.name, f.batch(s), "10 | NULL")
	}
}

func TestReplayRefusesChange(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(f *folder)
		code   string
		text   string
	}{
		{"gone", func(f *folder) { os.Remove(filepath.Join(f.dir, "x.json")) }, "E_SOURCE_MISSING", "is gone"},
		{"a folder", func(f *folder) {
			os.Remove(filepath.Join(f.dir, "x.json"))
			os.Mkdir(filepath.Join(f.dir, "x.json"), 0o700)
		}, "E_SOURCE_MISSING", "cannot be opened"},
		{"shrunk", func(f *folder) { f.write("x.json", "{}") }, "E_SOURCE_CHANGED", "it had 16 bytes and has 2"},
		{"same size", func(f *folder) { f.write("x.json", "{\"a\":3}\n{\"a\":2}\n") }, "E_SOURCE_CHANGED", "it was modified at 2026-01-01T00:00:02Z"},
		{"other start", func(f *folder) { f.write("x.json", "{\"a\":3}\n{\"a\":2}\n{\"a\":3}\n") }, "E_SOURCE_CHANGED", "it has other bytes"},
		{"grown", func(f *folder) { f.add("x.json", "{\"a\":3}\n") }, "", ""},
	} {
		f := newFolder(t, nil)
		f.write("x.json", "{\"a\":1}\n{\"a\":2}\n")
		s := f.open(nil)
		r, err := s.Next(t.Context(), sources.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		c.change(f)
		_, err = s.Segments(t.Context(), r)
		if got := sqlerr.Code(err); got != c.code || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %s with %q", c.name, err, c.code, c.text)
		}
		if c.code == "" {
			rows := sourcetest.Rows(t, s, r, 10)
			f.want(c.name, strings.Join(rows, "\n"), "1 | NULL\n2 | NULL")
		}
	}
}

// TestSegments cuts a file with lines of all lengths and checks rows, order and
// line numbers against reading it whole.
func TestSegments(t *testing.T) {
	f := newFolder(t, map[string]string{"line_bytes_max": "300000"})
	var content strings.Builder
	var want []string
	var wantBad []string
	line := 0
	put := func(text, row string) {
		line++
		content.WriteString(text + "\n")
		if row != "" {
			want = append(want, row)
		}
	}
	for content.Len() < 4*segmentBytes {
		size := 10 + (line*7919)%3000
		if line%500 == 499 {
			size = 290_000
		}
		text := strings.Repeat("x", size)
		put(fmt.Sprintf(`{"a":%d,"b":"%s"}`, line, text), fmt.Sprintf("%d | %s", line, text))
		if line%100 == 0 {
			put("", "")
			put("oops", "")
			wantBad = append(wantBad, fmt.Sprintf("%d expected an object, found \"o\"", line))
		}
		if line%1000 == 250 {
			put(`{"b":"`+strings.Repeat("y", 3*segmentBytes/2)+`"}`, "")
			wantBad = append(wantBad, fmt.Sprintf("%d line is longer than 300000 bytes (option line_bytes_max)", line))
		}
	}
	content.WriteString("\n{\"a\":-1}")
	want = append(want, "-1 | NULL")
	for _, name := range []string{"plain", "gzip"} {
		f.write("x.json", "\xEF\xBB\xBF"+content.String())
		if name == "gzip" {
			f.write("x.json", gz(t, "\xEF\xBB\xBF"+content.String()))
		}
		s := f.open(nil)
		r, err := s.Next(t.Context(), sources.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, bad := sourcetest.Read(t, s, r, 100)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want %d; or rows differ", name, len(got), len(want))
		}
		gotBad := make([]string, len(bad))
		for i, b := range bad {
			gotBad[i] = fmt.Sprintf("%d %s", b.Line, b.Reason)
		}
		f.want(name, strings.Join(gotBad, "\n"), strings.Join(wantBad, "\n"))
	}
}

// TestSegmentEdges moves a line end across a segment boundary byte by byte.
func TestSegmentEdges(t *testing.T) {
	for delta := -3; delta <= 3; delta++ {
		f := newFolder(t, nil)
		first := `{"a":1,"b":"` + strings.Repeat("x", segmentBytes+delta-16) + `"}` // and a newline
		f.write("x.json", first+"\n{\"a\":2}\n{\"a\":3}")
		s := f.open(nil)
		r, err := s.Next(t.Context(), sources.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		rows := sourcetest.Rows(t, s, r, 10)
		if len(rows) != 3 || rows[1] != "2 | NULL" || rows[2] != "3 | NULL" {
			t.Errorf("line end at %+d: %d rows", delta, len(rows))
		}
	}
}

func TestDecompressionLimits(t *testing.T) {
	for _, c := range []struct {
		options map[string]string
		content string
		want    string
	}{
		{map[string]string{"decompressed_bytes_max": "1MB"}, strings.Repeat("{\"a\":1}\n", 200_000), "holds more than 1000000 bytes"},
		{nil, strings.Repeat(`{"b":"`+strings.Repeat("x", 100_000)+"\"}\n", 700), "holds more than 200 times its size"},
	} {
		for _, pack := range []func(*testing.T, string) string{gz, zst} {
			f := newFolder(t, c.options)
			f.write("bomb", pack(t, c.content))
			s := f.open(nil)
			r, err := s.Next(t.Context(), sources.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			segments, err := s.Segments(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			err = segments[0].Read(t.Context(), &sources.ReadContext{ChunkRows: 1000}, drop)
			if sqlerr.Code(err) != "E_LIMIT" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want E_LIMIT: ... %s", err, c.want)
			}
		}
	}
}

// TestZstdWindow feeds a frame of a few bytes that asks for a window of 512 MiB.
func TestZstdWindow(t *testing.T) {
	f := newFolder(t, nil)
	f.write("bomb.zst", "\x28\xB5\x2F\xFD\x00\x98\x01\x00\x00")
	f.want("rows", f.batch(f.open(nil)), "bad bomb.zst:1 the rest of the file cannot be unpacked: window size exceeded ")
}

func TestMaxFileAge(t *testing.T) {
	f := newFolder(t, map[string]string{"max_file_age": "1 minute"})
	f.write("old.json", `{"a":1}`)
	s := f.open(nil)
	f.want("first", f.batch(s), "1 | NULL")
	f.clock = f.clock.Add(time.Hour)
	f.write("new.json", `{"a":2}`)
	f.want("second", f.batch(s), "2 | NULL")
	if len(s.at.Files) != 1 {
		t.Errorf("%d files are remembered, want the new one only", len(s.at.Files))
	}
	now := f.clock
	f.clock = now.Add(-time.Hour)
	f.write("late.json", `{"a":3}`)
	f.clock = now
	f.want("neither the forgotten file nor an older one is new", f.batch(s), "")
	if len(f.notices) != 2 || !strings.Contains(f.notices[1], `"old.json" is passed over`) && !strings.Contains(f.notices[0], `"old.json" is passed over`) {
		t.Errorf("notices: %q", f.notices)
	}
}

func TestLimitsUseOneListing(t *testing.T) {
	f := newFolder(t, map[string]string{"max_files_per_batch": "2"})
	for i := range 5 {
		f.write(fmt.Sprintf("%d.json", i), fmt.Sprintf(`{"a":%d}`, i))
	}
	s := f.open(nil)
	f.want("first", f.batch(s), "0 | NULL\n1 | NULL")
	f.want("second", f.batch(s), "2 | NULL\n3 | NULL")
	f.want("third", f.batch(s), "4 | NULL")
	f.want("fourth", f.batch(s), "")
	if got := string(s.Offset()); got != `{"logOffset":2}` {
		t.Errorf("Offset is %s", got)
	}
}

// A folder of many files is read in several batches, unless it is to be one.
func TestFilesOfABatch(t *testing.T) {
	for _, c := range []struct {
		max  string
		want []int
	}{{"2000", []int{2000, 1}}, {"", []int{2000, 1}}, {"0", []int{2001}}} {
		f := newFolder(t, map[string]string{})
		if c.max != "" {
			f.options["max_files_per_batch"] = c.max
		}
		for i := range 2001 {
			if err := os.WriteFile(filepath.Join(f.dir, fmt.Sprintf("%d.json", i)), []byte("{\"a\":1}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := f.open(nil)
		s.now = func() time.Time { return time.Now().Add(time.Hour) }
		for _, want := range c.want {
			r, err := s.Next(t.Context(), sources.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := parseRange(r)
			if err != nil || len(parsed.Files) != want {
				t.Fatalf("max_files_per_batch %q: a batch of %d files, %v, want %d", c.max, len(parsed.Files), err, want)
			}
			if err := s.Advance(r); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What is written while a backlog is read comes when the listing is used up.
func TestLimitsFindNewFiles(t *testing.T) {
	f := newFolder(t, map[string]string{"max_files_per_batch": "1"})
	f.write("1.json", `{"a":1}`)
	f.write("2.json", `{"a":2}`)
	s := f.open(nil)
	f.want("first", f.batch(s), "1 | NULL")
	f.write("3.json", `{"a":3}`)
	f.want("second", f.batch(s), "2 | NULL")
	f.want("third", f.batch(s), "3 | NULL")
	f.want("fourth", f.batch(s), "")
	f.write("4.json", `{"a":4}`)
	f.want("fifth", f.batch(s), "4 | NULL")
	if r, err := s.Next(t.Context(), sources.Limits{Unlimited: true}); r != nil || err != nil {
		t.Errorf("Next at the end is %s, %v", r, err)
	}
}

func TestUnlimited(t *testing.T) {
	f := newFolder(t, map[string]string{"max_files_per_batch": "1"})
	f.write("1.json", `{"a":1}`)
	f.write("2.json", `{"a":2}`)
	s := f.open(nil)
	r, err := s.Next(t.Context(), sources.Limits{Unlimited: true})
	if err != nil {
		t.Fatal(err)
	}
	f.want("rows", strings.Join(sourcetest.Rows(t, s, r, 10), "\n"), "1 | NULL\n2 | NULL")
}

// A file that grows while a frozen backlog is read is read up to the size that it had.
func TestFreezeHoldsSizes(t *testing.T) {
	f := newFolder(t, nil)
	f.write("1.json", "{\"a\":1}\n{\"a\":")
	s := f.open(nil)
	if err := s.Freeze(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.add("1.json", "2}\n{\"a\":3}\n")
	f.write("2.json", `{"a":4}`)
	f.want("frozen", f.batch(s), "1 | NULL")
	f.want("frozen end", f.batch(s), "")
	s.Thaw()
	f.want("thawed", f.batch(s), "2 | NULL\n3 | NULL\n4 | NULL")
}

// A segment tells where the rows of its chunks come from, behind blank and bad lines and
// in every segment of a large file. The text of a compressed line may be gone.
func TestLocate(t *testing.T) {
	f := newFolder(t, nil)
	var text strings.Builder
	text.WriteString("\ufeff{\"a\":0}\n\nbad\n")
	for i := 4; text.Len() < 5*segmentBytes/2; i++ {
		fmt.Fprintf(&text, "{\"a\":%d, \"b\":\"%s\"}\n", i, strings.Repeat("x", i%300))
	}
	lines := strings.Split(text.String(), "\n")
	f.write("1.json", text.String())
	f.write("2.json.gz", gz(t, text.String()))
	s := f.open(nil)
	r, err := s.Next(t.Context(), sources.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	segments, err := s.Segments(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	located := map[string]int{}
	for _, g := range segments {
		c := &sources.ReadContext{ChunkRows: 100, Bad: func(sources.BadRow) {}, Notice: func(string) {}}
		err := g.Read(t.Context(), c, func(rec arrow.Record) error {
			for row := range int(rec.NumRows()) {
				at := c.Locate(row)
				line := max(1, rec.Column(0).(*array.Int64).Value(row)) // a is the number of the line
				raw := strings.TrimPrefix(lines[line-1], "\ufeff")
				if at.File == "2.json.gz" {
					raw = ""
				}
				if at.Line != line || at.Raw != raw {
					return fmt.Errorf("%s: row %d of a chunk is at line %d: %q, want line %d: %q", at.File, row, at.Line, at.Raw, line, raw)
				}
				located[at.File]++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := len(lines) - 3; len(located) != 2 || located["1.json"] != n || located["2.json.gz"] != n {
		t.Errorf("located %v, want %d rows of each file", located, n)
	}
}

func TestRowsMax(t *testing.T) {
	f := newFolder(t, nil)
	f.write("1.json", "{\"a\":1}\n{\"a\":2}\n\n{\"a\":3}\n{\"a\":4}")
	f.write("2.json", "{\"a\":5}\n{\"a\":6}\n")
	f.write("3.json.gz", gz(t, "{\"a\":7}\n{\"a\":8}\n{\"a\":9}\n"))
	f.write("4.json", "{\"a\":10}\n")
	s := f.open(nil)
	for _, want := range []string{"1 2", "3", "4 5", "6", "7 8 9", "10", ""} {
		r, err := s.Next(t.Context(), sources.Limits{RowsMax: 2})
		if err != nil {
			t.Fatal(err)
		}
		if r == nil {
			f.want("end", "", want)
			return
		}
		rows := strings.Join(sourcetest.Rows(t, s, r, 10), " ")
		f.want("batch", strings.ReplaceAll(rows, " | NULL", ""), want)
		if err := s.Advance(r); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ path, want string }{
		{"", `MISSING_OPTION: option "path" of connector "files" is missing`},
		{"nowhere", fmt.Sprintf("PATH_NOT_FOUND: folder %q does not exist", filepath.Join(dir, "nowhere"))},
		{"nowhere/*.json", fmt.Sprintf("PATH_NOT_FOUND: folder %q does not exist", filepath.Join(dir, "nowhere"))},
		{"a[", `INVALID_OPTION: path "a[" is no glob: a bracket or brace is not closed`},
		{"*.json", ""},
		{".", ""},
	} {
		err := Spec().Check(sources.Values{BaseDir: dir, Set: map[string]any{"path": c.path}})
		if got := fmt.Sprint(err); got != c.want && !(c.want == "" && err == nil) {
			t.Errorf("path %q: got %v, want %s", c.path, err, c.want)
		}
	}
	err := Spec().Check(sources.Values{BaseDir: dir, Set: map[string]any{"path": ".", "source_timezone": "Mars/Base"}})
	if sqlerr.Code(err) != "INVALID_OPTION" {
		t.Errorf("source_timezone: got %v", err)
	}
}

func TestInfer(t *testing.T) {
	f := newFolder(t, nil)
	f.write("1.json", "\xEF\xBB\xBF{\"id\":1,\"at\":\"2026-01-01T00:00:00Z\"}\n")
	f.write("2.json.gz", gz(t, "{\"id\":2.5,\"tags\":[\"x\"]}\n"))
	fields, err := Spec().Infer(t.Context(), f.values(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, field := range fields {
		got = append(got, field.Name+" "+field.Type.String())
	}
	f.want("columns", strings.Join(got, ", "), "id DOUBLE, at TIMESTAMP, tags VARCHAR[]")
}

// TestRangeIsPinned shows the Range, which is part of the log's format.
func TestRangeIsPinned(t *testing.T) {
	f := newFolder(t, nil)
	f.write("x.json", "{\"a\":1}\n")
	r, err := f.open(nil).Next(t.Context(), sources.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var got batchRange
	if err := json.Unmarshal(r, &got); err != nil {
		t.Fatal(err)
	}
	id, err := json.Marshal(got.Files[0].fileID)
	if err != nil || !got.Files[0].known() {
		t.Fatal(string(id), err)
	}
	f.want("range", strings.Replace(string(r), strings.Trim(string(id), "{}"), "ID", 1),
		`{"logOffset":0,"files":[{"path":"x.json",ID,"size":8,"mtime":1767225601000000000,"head":863254502,"tail":863254502,"to":8}]}`)
}

func drop(arrow.Record) error { return nil }

// TestUnreadableFile shows that a file without the right to read it stops the query by
// name, and is read when the right is there.
func TestUnreadableFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can read everything")
	}
	f := newFolder(t, nil)
	f.write("a.json", `{"a":1}`)
	name := filepath.Join(f.dir, "a.json")
	if err := os.Chmod(name, 0); err != nil {
		t.Fatal(err)
	}
	s := f.open(nil)
	if _, err := s.Next(t.Context(), sources.Limits{}); sqlerr.Code(err) != "E_SOURCE_MISSING" {
		t.Errorf("got %v", err)
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	f.want("readable again", f.batch(s), "1 | NULL")
}
