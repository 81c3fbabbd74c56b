package files

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sources/sourcetest"
	"ssql/sql/types"
)

// newTextFolder is a folder whose files are lines of one column.
func newTextFolder(t *testing.T, options map[string]string) *folder {
	f := newFolder(t, map[string]string{"format": "text"})
	for key, value := range options {
		f.options[key] = value
	}
	f.fields = []types.Field{{Name: "line", Type: types.Of(types.Varchar)}}
	return f
}

// TestTextConformance runs the contract over lines of text, packed and not.
func TestTextConformance(t *testing.T) {
	for _, suffix := range []string{"", ".gz"} {
		t.Run("log"+suffix, func(t *testing.T) {
			sourcetest.Run(t, func(t *testing.T) sourcetest.Subject {
				f := newTextFolder(t, nil)
				n := 0
				return sourcetest.Subject{
					Open: func(t *testing.T) sources.Source { return f.openRaw() },
					Feed: func(t *testing.T) (rows []string) {
						n++
						content := ""
						for i := range 5 {
							content += fmt.Sprintf("file %d, \"line %d\r\n", n, i)
							rows = append(rows, fmt.Sprintf("%q", fmt.Sprintf("file %d, \"line %d", n, i)))
						}
						if suffix == ".gz" {
							content = gz(t, content)
						}
						f.write(fmt.Sprintf("%d.log%s", n, suffix), content)
						return rows
					},
				}
			})
		})
	}
}

// TestText shows what is a row of text and what is none.
func TestText(t *testing.T) {
	f := newTextFolder(t, map[string]string{"line_bytes_max": "8"})
	f.write("a.log", "\xEF\xBB\xBF[x, \"y\r\n\nlonger than 8\nz\xff\n{}")
	f.want("lines", f.batch(f.open(nil)), `"[x, \"y"
''
{}
bad a.log:3 line is longer than 8 bytes (option line_bytes_max) longer than 8
bad a.log:4 text is not valid UTF-8 z`+"\uFFFD")
}

// TestTextLastLine waits for the end of a line, which cannot be told from a whole one, until
// nobody seems to write it; also where the end is frozen.
func TestTextLastLine(t *testing.T) {
	f := newTextFolder(t, nil)
	f.write("a.log", "one\ntw")
	s := f.open(nil)
	clock := f.clock.Add(time.Second)
	s.now = func() time.Time { return clock }
	f.want("a line without its end", f.batch(s), "one")
	f.add("a.log", "o\nthree")
	clock = f.clock
	f.want("the rest of it", f.batch(s), "two")
	s.pause = func(_ context.Context, d time.Duration) error { clock = clock.Add(d); return nil }
	if err := s.Freeze(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.want("frozen", f.batch(s), "three")
	s.Thaw()
	f.add("a.log", "\n\nfour\n")
	f.want("its end is no line", f.batch(s), "''\nfour")
}

// TestTextColumns refuses what has no place in a line.
func TestTextColumns(t *testing.T) {
	f := newTextFolder(t, nil)
	f.write("a.log", "x\n")
	fields, err := infer(t.Context(), f.values(), func(string) {})
	if got := fmt.Sprint(fields); err != nil || got != "[{line VARCHAR true}]" {
		t.Errorf("columns %s, %v", got, err)
	}
	number := types.Field{Name: "n", Type: types.Of(types.BigInt)}
	for _, c := range []struct {
		fields []types.Field
		want   string
	}{
		{f.fields, ""},
		{[]types.Field{number}, `"n", which is BIGINT`},
		{append([]types.Field{number}, f.fields...), "2 columns"},
	} {
		text := ""
		if err := checkColumns(f.values(), c.fields); err != nil {
			text = err.Error()
		}
		want := c.want
		if want != "" {
			want = `DATATYPE_MISMATCH: expected one column of VARCHAR or JSON for the lines of format "text", found ` + want
		}
		if text != want {
			t.Errorf("%v: %s", c.fields, text)
		}
	}
	if err := checkFormat(f.values(), types.Of(types.Varchar), "%Y"); sqlerr.Code(err) != "DATATYPE_MISMATCH" {
		t.Error(err)
	}
}

// TestFormatOfContent tells what files hold whose names do not say it.
func TestFormatOfContent(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"x", "", "json"},
		{"x.log", `{"a": 1}`, "json"},
		{"x.log", " [\n {\"a\": 1}]", "json"},
		{"x.log", "[]", "json"},
		{"x.log", "[2025-01-01 10:00:00] started, \"ok\n", "text"},
		{"x.log.gz", "a,b\n1,2\n", "text"},
		{"x.log.1", "a,b\n1,2\n", "text"},
		{"x.txt", "a,b\n1,2\n\n3,\"x\ny\"\n", "csv"},
		{"x.txt", "a|b|c\n1|2|3\n4|5|6", "csv"},
		{"x.txt", "started, at last\nstopped\nstarted\n", "text"},
		{"x", "word\n", "text"},
		{"x", "a;b\n1;\"x\n", "csv"},
		{"x", "he said, \"no\nand went\n", "text"},
		{"x", "PAR1", "parquet"},
	} {
		if got := formatOfContent(c.name, []byte(c.content)); got != c.want {
			t.Errorf("%s %q is %s, expected %s", c.name, c.content, got, c.want)
		}
	}
}
