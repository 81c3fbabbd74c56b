package files

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pierrec/lz4/v4"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sources/sourcetest"
)

func (f *folder) rename(from, to string) {
	f.t.Helper()
	if err := os.Rename(filepath.Join(f.dir, from), filepath.Join(f.dir, to)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) text(name string) string {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(text)
}

// append appends in place, as a program that logs does.
func (f *folder) append(name, content string) {
	f.t.Helper()
	out, err := os.OpenFile(filepath.Join(f.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := out.WriteString(content); err != nil {
		f.t.Fatal(err)
	}
	out.Close()
	f.touch(name)
}

func (f *folder) copyTruncate(from, to string) {
	f.t.Helper()
	f.write(to, f.text(from))
	if err := os.Truncate(filepath.Join(f.dir, from), 0); err != nil {
		f.t.Fatal(err)
	}
	f.touch(from)
}

func (f *folder) pack(name string) {
	f.t.Helper()
	f.write(name+".gz", gz(f.t, f.text(name)))
	os.Remove(filepath.Join(f.dir, name))
}

func lines(numbers ...int) string {
	var out strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&out, "{\"a\":%d}\n", n)
	}
	return out.String()
}

// numbers returns what the next batch reads of column a.
func (f *folder) numbers(s *source) string {
	f.t.Helper()
	return strings.ReplaceAll(strings.ReplaceAll(f.batch(s), " | NULL", ""), "\n", " ")
}

// TestRotation shows that every byte of a log is read once, however it is rotated.
func TestRotation(t *testing.T) {
	held := func(name string) string {
		return `file "` + name + `" holds what was read as "app.log"; that is not read again`
	}
	for _, c := range []struct {
		name, path string
		rotate     func(f *folder)
		want       string
		notices    string
	}{
		{"renamed", "app.log*", func(f *folder) {
			f.append("app.log", lines(3))
			f.rename("app.log", "app.log.1")
			f.append("app.log", lines(4))
		}, "3 4", ""},
		{"renamed, nothing unread", "app.log*", func(f *folder) {
			f.rename("app.log", "app.log.1")
			f.append("app.log", lines(4))
		}, "4", ""},
		{"renamed out of the pattern", "app.log", func(f *folder) {
			f.append("app.log", lines(3))
			f.rename("app.log", "app.log-20260101")
			f.append("app.log", lines(4))
		}, "3 4", ""},
		{"and packed there", "app.log", func(f *folder) {
			f.append("app.log", lines(3))
			f.rename("app.log", "app.log.1")
			f.pack("app.log.1")
			f.append("app.log", lines(4))
		}, "3 4", held("app.log.1.gz")},
		{"renamed, no new one", "app.log*", func(f *folder) {
			f.append("app.log", lines(3))
			f.rename("app.log", "app.log.1")
		}, "3", ""},
		{"twice", "*.log*", func(f *folder) {
			f.append("app.log", lines(3))
			f.rename("app.log", "app.log.1")
			f.append("app.log", lines(4))
			f.rename("app.log.1", "app.log.2")
			f.rename("app.log", "app.log.1")
			f.append("app.log", lines(5))
		}, "3 4 5", ""},
		{"date within", "app*.log", func(f *folder) {
			f.append("app.log", lines(3))
			f.copyTruncate("app.log", "app-2026-01-01.log")
			f.append("app.log", lines(4))
		}, "3 4", held("app-2026-01-01.log")},
		{"copied and truncated", "app.log*", func(f *folder) {
			f.append("app.log", lines(3))
			f.copyTruncate("app.log", "app.log.1")
			f.append("app.log", lines(4, 5, 6))
		}, "3 4 5 6", held("app.log.1")},
		{"copied and truncated, nothing new", "app.log*", func(f *folder) { f.copyTruncate("app.log", "app.log.1") }, "", held("app.log.1")},
		{"copied out of the pattern", "app.log", func(f *folder) {
			f.append("app.log", lines(3))
			f.copyTruncate("app.log", "app.log.1")
			f.append("app.log", lines(4, 5, 6))
		}, "3 4 5 6", held("app.log.1")},
		{"packed", "app.log*", func(f *folder) {
			f.append("app.log", lines(3))
			f.rename("app.log", "app.log.1")
			f.pack("app.log.1")
			f.append("app.log", lines(4))
		}, "3 4", held("app.log.1.gz")},
		{"packed, nothing unread", "app.log*", func(f *folder) {
			f.rename("app.log", "app.log.1")
			f.pack("app.log.1")
			f.append("app.log", lines(4))
		}, "4", held("app.log.1.gz")},
		{"packed beside", "app.log*", func(f *folder) { f.write("app.log.gz", gz(f.t, f.text("app.log"))) }, "", held("app.log.gz")},
		{"a copy that is being made", "app.log*", func(f *folder) { f.write("app.log.1", "{\"a\":1}\n{") }, "",
			`file "app.log.1" looks like a copy of "app.log" that is being made; it is not read yet`},
		{"a hard link", "*", func(f *folder) {
			os.Link(filepath.Join(f.dir, "app.log"), filepath.Join(f.dir, "also.log"))
			f.append("also.log", lines(3))
		}, "3", `file "also.log" is "app.log" once more, by a link, and is read once`},
		{"replaced by a longer copy", "app.log", func(f *folder) {
			f.write("new", f.text("app.log")+lines(3))
			f.rename("new", "app.log")
		}, "3", ""},
		{"touched", "app.log", func(f *folder) { f.touch("app.log") }, "", ""},
		{"gone, and another of the same bytes", "*.log", func(f *folder) { f.rename("app.log", "gone"); f.write("other.log", lines(1, 2)) }, "1 2", ""},
	} {
		for _, restart := range []string{"", " after a restart", " from an older version"} {
			f := newFolder(t, map[string]string{"path": c.path, "format": "json"})
			f.write("app.log", lines(1, 2))
			s := f.open(nil)
			f.want("first", f.numbers(s), "1 2")
			c.rotate(f)
			if restart != "" {
				position, err := s.Position()
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(restart, "older") {
					position = regexp.MustCompile(`"(dev|ino|born|tail)":\d+,`).ReplaceAll(position, nil)
				}
				s = f.open(position)
			}
			f.want(c.name+restart, f.numbers(s), c.want)
			f.want(c.name+restart+", again", f.numbers(s), "")
			if restart == "" {
				f.want(c.name+": notices", strings.Join(f.notices, "\n"), c.notices)
			}
		}
	}
}

// TestRotatedCSV skips the header of a packed file, too, and counts its lines.
func TestRotatedCSV(t *testing.T) {
	f := newFolder(t, map[string]string{"path": "*.csv*"})
	f.write("a.csv", "b,a\nx,1\n")
	s := f.open(nil)
	f.want("first", f.batch(s), "1 | x")
	f.append("a.csv", "y,2\nz\n")
	f.pack("a.csv")
	f.want("packed", f.batch(s), "2 | y\nbad a.csv.gz:4 expected 2 fields, found 1 z")
	f.want("again", f.batch(s), "")
}

// TestRotatedFormat opens a stream again when the first file is one whose name tells its
// format before what rotation put behind it, and when one without any is before all others.
func TestRotatedFormat(t *testing.T) {
	for _, path := range []string{"a.csv*", "*", "."} {
		f := newFolder(t, map[string]string{"path": path})
		f.write("a.csv", "b,a\nx,1\n")
		s := f.open(nil)
		f.want(path, f.batch(s), "1 | x")
		position, err := s.Position()
		if err != nil {
			t.Fatal(err)
		}
		f.rename("a.csv", "a.csv.1")
		f.write("a.csv", "b,a\ny,2\n")
		s = f.open(position)
		f.want(path+", rotated", f.batch(s), "2 | y")
		f.want(path+", anew", f.batch(f.open(nil)), "1 | x\n2 | y")
	}
	f := newFolder(t, nil)
	f.write("README", "")
	f.write("a.csv", "b,a\nx,1\n")
	f.want("behind a name that tells nothing", f.batch(f.open(nil)), "1 | x")
}

// A batch that is planned when its file is rotated reads the bytes where they are.
func TestRotatedBehindThePlan(t *testing.T) {
	for name, rotate := range map[string]func(f *folder){
		"renamed": func(f *folder) { f.rename("app.log", "app.log.1") },
		"copied":  func(f *folder) { f.copyTruncate("app.log", "app.log.1") },
		"packed":  func(f *folder) { f.rename("app.log", "app.log.1"); f.pack("app.log.1") },
	} {
		for _, path := range []string{"app.log", "app.log*"} {
			f := newFolder(t, map[string]string{"path": path, "format": "json"})
			f.write("app.log", lines(1, 2))
			s := f.open(nil)
			f.want("first", f.numbers(s), "1 2")
			f.append("app.log", lines(3))
			position, err := s.Position()
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Next(t.Context(), sources.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			f.append("app.log", lines(4))
			rotate(f)
			f.append("app.log", lines(5))
			again := f.open(position)
			if err := again.Advance(r); err != nil {
				t.Fatal(err)
			}
			f.want(name, strings.Join(sourcetest.Rows(t, again, r, 10), " "), "3 | NULL")
			f.want(name+", next", f.numbers(again), "4 5")
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A name that is not UTF-8 is kept to the byte in ranges and positions.
func TestNamesOfBytes(t *testing.T) {
	for _, name := range []string{"caf\xe9.json", "a\nb.json", `a"b'.json`, "100%41.json", strings.Repeat("x", 250) + ".json", "\u202e.json", "sub\xff/a.json"} {
		f := newFolder(t, map[string]string{"path": "**/*.json"})
		f.write(name, lines(1))
		s := f.open(nil)
		r, err := s.Next(t.Context(), sources.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(r) {
			t.Fatalf("range of %q: %s", name, r)
		}
		f.want(name, strings.Join(sourcetest.Rows(t, s, r, 10), " "), "1 | NULL")
		again := f.open(nil)
		if err := again.Advance(r); err != nil {
			t.Fatal(err)
		}
		position, err := again.Position()
		if err != nil {
			t.Fatal(err)
		}
		f.append(name, lines(2)+"bad\n")
		want := strings.NewReplacer("\xe9", `\xE9`, "\xff", `\xFF`).Replace(name)
		f.want(name+", appended", f.batch(f.open(position)), "2 | NULL\nbad "+want+`:3 expected an object, found "b" bad`)
	}
}

// TestRandomRotation appends, rotates, packs, links, plans, restarts and reads in random order, and
// every line is read once.
func TestRandomRotation(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomRotation(t, rand.New(rand.NewPCG(seed, 9))) })
	}
}

func randomRotation(t *testing.T, random *rand.Rand) {
	f := newFolder(t, map[string]string{"path": "app.log*", "format": "json"})
	written, rotated, torn := 0, 0, ""
	var got []string
	s := f.open(nil)
	clock := func() time.Time { return f.clock } // all is young
	s.now = clock
	write := func() {
		text := torn
		for range 1 + random.IntN(4) {
			written++
			text += fmt.Sprintf("{\"a\":%d,\"b\":\"%s\"}\n", written, strings.Repeat("x", random.IntN(600)))
		}
		cut := len(text)
		if random.IntN(3) == 0 {
			cut -= random.IntN(20)
		}
		f.append("app.log", text[:cut])
		torn = text[cut:]
	}
	finish := func() { f.append("app.log", torn); torn = "" }
	shift := func() {
		rotated++
		for i := rotated; i > 1; i-- {
			for _, suffix := range []string{"", ".gz"} {
				from := fmt.Sprintf("app.log.%d%s", i-1, suffix)
				if _, err := os.Lstat(filepath.Join(f.dir, from)); err == nil {
					f.rename(from, fmt.Sprintf("app.log.%d%s", i, suffix))
				}
			}
		}
	}
	log := []sources.Range(nil)
	position := []byte(nil)
	restart := func() {
		s.Close()
		s = f.open(position)
		s.now = clock
		for _, r := range log {
			if err := s.Advance(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func() {
		r, err := s.Next(t.Context(), sources.Limits{FilesMax: int64(random.IntN(3)), RowsMax: int64(random.IntN(2) * 3)})
		if err != nil {
			t.Fatal(err)
		}
		if r == nil {
			return
		}
		if err := s.Advance(r); err != nil {
			t.Fatal(err)
		}
		log = append(log, r)
		if random.IntN(4) == 0 { // planned, and rotated or stopped before it ran
			finish()
			shift()
			f.rename("app.log", "app.log.1")
			if random.IntN(2) == 0 {
				f.pack("app.log.1")
			}
			if random.IntN(2) == 0 {
				restart()
			}
		}
		for _, row := range sourcetest.Rows(t, s, r, 100) {
			n, _, _ := strings.Cut(row, " ")
			got = append(got, n)
		}
	}
	write()
	for range 40 {
		switch random.IntN(8) {
		case 0, 1:
			write()
		case 2:
			finish()
			shift()
			f.rename("app.log", "app.log.1")
			write()
		case 3:
			finish()
			shift()
			f.copyTruncate("app.log", "app.log.1")
			write()
		case 4:
			finish()
			shift()
			f.rename("app.log", "app.log.1")
			f.pack("app.log.1")
			write()
		case 5:
			restart()
		case 6:
			if position2, err := s.Position(); err != nil {
				t.Fatal(err)
			} else {
				position, log = position2, nil
			}
		default:
			read()
		}
		if _, err := os.Lstat(filepath.Join(f.dir, "app.log")); err != nil {
			write()
		}
	}
	finish()
	for range 200 {
		before := len(got)
		read()
		if _, err := os.Lstat(filepath.Join(f.dir, "app.log")); err != nil {
			write()
			finish()
		} else if len(got) == before {
			break
		}
	}
	var want []string
	for n := range written {
		want = append(want, fmt.Sprint(n+1))
	}
	slices.SortFunc(got, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	if !slices.Equal(got, want) {
		t.Errorf("%d lines written, read: %v", written, got)
	}
}

// Packed files of kinds that are not read are named; bzip2 and lz4 are read.
func TestPackedKinds(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"a.zip", "PK\x03\x04rest", "zip"},
		{"a.xz", "\xFD7zXZ\x00rest", "xz"},
		{"a.7z", "7z\xBC\xAF\x27\x1Crest", "7-Zip"},
		{"a.Z", "\x1F\x9Drest", "compress"},
	} {
		f := newFolder(t, nil)
		f.write(c.name, c.content)
		f.want(c.name, f.batch(f.open(nil)), "")
		f.want(c.name, strings.Join(f.notices, "\n"), fmt.Sprintf("file %q is passed over: it is packed with %s, which is not read; unpack it first", c.name, c.want))
		_, err := infer(t.Context(), f.values(), func(string) {})
		if sqlerr.Code(err) != "E_DECODE" || !strings.Contains(err.Error(), "packed with "+c.want) {
			t.Errorf("columns of %s: %v", c.name, err)
		}
	}
	bz2, err := hex.DecodeString("425a6839314159265359229de2e900000659800010100030102000000a2000310c0812807a89c226868be2ee48a70a120453bc5d20")
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := lz4.NewWriter(&packed)
	if _, err := w.Write([]byte(lines(1, 2))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a.json.bz2": string(bz2), "a.json.lz4": packed.String()} {
		for _, cut := range []int{len(content) / 2, len(content) - 1} {
			f := newFolder(t, nil)
			f.write(name, content[:cut])
			s := f.open(nil)
			f.want(name+", cut short", f.batch(s), "")
			f.want(name, strings.Join(f.notices, "\n"), fmt.Sprintf("file %q ends too early: it is not complete, and is read when it is; CREATE STREAM with the option incomplete_files = 'read' reads what is there", name))
			f.write(name, content)
			f.want(name, f.numbers(s), "1 2")
		}
	}
}
