package files

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/sources"
	"ssql/sources/sourcetest"
)

// recordForms are ways in which the same rows stand in a file of JSON.
func recordForms(n int) map[string]string {
	var list, long []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"a": %d, "b": "}{\"[,%d"}`, i, i))
		long = append(long, fmt.Sprintf("{\n  \"a\": %d,\n  \"c\": [\n    {}, [1]\n  ],\n  \"b\": \"}{\\\"[,%d\"\n}", i, i))
	}
	arrays := ""
	for i := 0; i+1 < n; i += 2 {
		arrays += "[" + list[i] + ", " + list[i+1] + "]\n"
	}
	return map[string]string{
		"joined":             strings.Join(list, ""),
		"joined with blanks": strings.Join(list, "  "),
		"commas":             strings.Join(list, ",\n") + "\n",
		"over lines":         strings.Join(long, "\n") + "\n",
		"CR LF":              strings.ReplaceAll(strings.Join(long, "\n")+"\n", "\n", "\r\n"),
		"separators":         "\x1e" + strings.Join(list, "\n\x1e") + "\n",
		"array":              "[" + strings.Join(list, ",") + "]",
		"array over lines":   "[\n" + strings.Join(long, ",\n") + "\n]\n",
		"arrays on lines":    arrays,
		"mark":               "\xEF\xBB\xBF" + strings.Join(list, ""),
	}
}

func rowsTo(n int) string {
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf(`%d | "}{\"[,%d"`, i, i))
	}
	return strings.Join(rows, "\n")
}

// drain reads all batches, within limits.
func (f *folder) drain(s *source, l sources.Limits) (rows []string, batches int) {
	f.t.Helper()
	for {
		r, err := s.Next(f.t.Context(), l)
		if err != nil {
			f.t.Fatal(err)
		}
		if r == nil {
			return rows, batches
		}
		got, bad := sourcetest.Read(f.t, s, r, 100)
		again, _ := sourcetest.Read(f.t, s, r, 100)
		f.want("the range again", strings.Join(again, "\n"), strings.Join(got, "\n"))
		for _, b := range bad {
			got = append(got, fmt.Sprintf("bad %s:%d %s %s", b.File, b.Line, b.Reason, b.Raw))
		}
		if l.RowsMax > 0 && int64(len(got)) > l.RowsMax {
			f.t.Errorf("%d rows in a batch of %d", len(got), l.RowsMax)
		}
		rows = append(rows, got...)
		if err := s.Advance(r); err != nil {
			f.t.Fatal(err)
		}
		batches++
	}
}

// TestRecordForms reads each form with and without the option, whole, packed, and by few rows
// and bytes.
func TestRecordForms(t *testing.T) {
	for name, content := range recordForms(20) {
		for _, option := range []string{"", recordsAny} {
			f := newFolder(t, map[string]string{})
			if option != "" {
				f.options["records"] = option
			}
			f.write("a.json", content)
			f.write("b.json.gz", gz(t, content))
			rows, _ := f.drain(f.open(nil), sources.Limits{})
			f.want(name+" records = '"+option+"'", strings.Join(rows, "\n"), rowsTo(20)+"\n"+rowsTo(20))
			f = newFolder(t, f.options)
			f.write("a.json", content)
			rows, n := f.drain(f.open(nil), sources.Limits{RowsMax: 3})
			f.want(name+" by three rows", strings.Join(rows, "\n"), rowsTo(20))
			if n != 7 {
				t.Errorf("%s: %d batches of three rows, want 7", name, n)
			}
			s := f.open(nil)
			s.config.growing, s.settled = true, true // cut a file by bytes, as a pipe is
			rows, n = f.drain(s, sources.Limits{BytesMax: 200})
			f.want(name+" by bytes", strings.Join(rows, "\n"), rowsTo(20))
			if n < 3 {
				t.Errorf("%s: %d batches of 200 bytes of %d", name, n, len(content))
			}
		}
	}
}

// TestRecordsGrow lets each form grow by pieces that end anywhere, with restarts: each row
// comes once, as soon as it is whole.
func TestRecordsGrow(t *testing.T) {
	for seed := range uint64(8) {
		for name, content := range recordForms(12) {
			if strings.HasPrefix(name, "array") && !strings.HasPrefix(name, "arrays") {
				continue // waits for its end, see TestWholeFilesStillWritten
			}
			rnd := rand.New(rand.NewPCG(seed, 9))
			f := newFolder(t, nil)
			f.write("a.json", "")
			var position []byte
			var rows []string
			for len(content) > 0 {
				n := 1 + rnd.IntN(min(60, len(content)))
				f.add("a.json", content[:n])
				content = content[n:]
				s := f.open(position)
				s.now = func() time.Time { return f.clock } // nothing is old
				got, _ := f.drain(s, sources.Limits{RowsMax: rnd.Int64N(3)})
				rows = append(rows, got...)
				position, _ = s.Position()
			}
			f.want(fmt.Sprintf("%s, seed %d", name, seed), strings.Join(rows, "\n"), rowsTo(12))
			if strings.HasPrefix(name, "arrays") {
				continue
			}
			f.add("a.json", `{"a":99`)
			s := f.open(position)
			f.want(name+": a value that is not finished, for long", f.batch(s), "bad a.json:"+fmt.Sprint(lineAt(f, "a.json", `{"a":99`))+` the value is not finished: a bracket or quote is not closed {"a":99`)
			f.add("a.json", "8}\n")
			if _, err := s.Next(t.Context(), sources.Limits{}); err == nil || !strings.Contains(err.Error(), "in the middle of a value, and the value goes on with") {
				t.Errorf("%s: %v", name, err)
			}
			f.add("a.json", `{"a":100,"b":"}`)
			f.options = map[string]string{"changed_files": "skip"}
			s = f.open(position)
			if rows, _ := f.drain(s, sources.Limits{}); len(rows) != 2 || rows[0] != "998 | NULL" {
				t.Errorf("%s: %q", name, rows)
			}
			f.add("a.json", "\"} {\"a\":101}\n")
			f.want(name+": the rest is left out", f.batch(s), "101 | NULL")
		}
	}
}

// lineAt returns the number of the line that has a text.
func lineAt(f *folder, name, text string) int {
	s := f.open(nil)
	content, _, err := s.config.sampleOf(entry{name: fileName(name)})
	if err != nil {
		f.t.Fatal(err)
	}
	return 1 + strings.Count(string(content)[:strings.Index(string(content), text)], "\n")
}

// TestRecordsCostThemselves shows what bad records cost: themselves.
func TestRecordsCostThemselves(t *testing.T) {
	long := strings.Repeat(`"x", `, 1000)
	for _, c := range []struct{ name, content, want string }{
		{"too long", `{"a":1}{"b":[` + long + `1]}{"a":3}`, "1 | NULL\n3 | NULL\nbad a.json:1 line is longer than 1000 bytes (option line_bytes_max) " + (`{"b":[` + long)[:1000]},
		{"too long over lines", "{\"a\":1}\n{\"b\":[\n" + strings.ReplaceAll(long, ", ", ",\n") + "1]}\n{\"a\":3}{\"a\":}", "1 | NULL\n3 | NULL\nbad a.json:2 line is longer than 1000 bytes (option line_bytes_max) " +
			("{\"b\":[\n" + strings.ReplaceAll(long, ", ", ",\n"))[:1000] + "\nbad a.json:1004 expected a value, found \"}\" {\"a\":}"},
		{"not finished", "{\n\"a\":1\n}\n{\n\"a\":2,\n{\n\"a\":3\n}\n", "1 | NULL\n3 | NULL\nbad a.json:4 the value is not finished: a bracket or quote is not closed {\n\"a\":2,\n"},
	} {
		for _, packed := range []bool{false, true} {
			f := newFolder(t, map[string]string{"line_bytes_max": "1000", "records": "any"})
			name, content := "a.json", c.content
			if packed {
				name, content = "a.json.gz", gz(t, content)
			}
			f.write(name, content)
			got, _ := f.drain(f.open(nil), sources.Limits{})
			f.want(c.name, clipped(strings.Join(got, "\n")), clipped(strings.ReplaceAll(c.want, "a.json", name)))
		}
	}
}

// clipped takes the end of the text of a record from bad rows, and its line ends.
func clipped(rows string) string {
	var out []string
	for _, row := range strings.Split(strings.NewReplacer(",\n\"x\"", ", \"x\"", "[\n", "[ ").Replace(rows), "\n") {
		out = append(out, row[:min(len(row), 120)])
	}
	return strings.Join(out, "\n")
}

// TestRecordsAreTold shows the one notice of a file whose start looks like lines, what is refused, and
// that a file of one object becomes one of joined objects.
func TestRecordsAreTold(t *testing.T) {
	f := newFolder(t, nil)
	f.write("a.json", "{\"a\":1}\n{\"a\":2}{\"a\":3}\n{\n\"a\":4\n}\n")
	f.write("b.json", "{\"a\":1}\n{\"a\":2\n")
	f.write("torn.json", "{\"a\":1}\n{\"a\":2}\n{")
	s := f.open(nil)
	r, err := s.Next(t.Context(), sources.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	segments, err := s.Segments(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	var notices []string
	for _, g := range segments {
		c := sources.ReadContext{ChunkRows: 10, Bad: func(sources.BadRow) {}, Notice: func(text string) { notices = append(notices, text) }}
		if err := g.Read(t.Context(), &c, func(arrow.Record) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	f.want("notices", strings.Join(notices, "\n"), `file "a.json" has JSON that is not one object per line, and each of its lines is a row or a bad row; CREATE STREAM with the option records = 'any' reads it`)

	f = newFolder(t, nil)
	f.write("a.json", `{"a":1}`)
	s = f.open(nil)
	f.want("one object", f.batch(s), "1 | NULL")
	f.add("a.json", `{"a":2}{"a":3}`)
	f.want("joined to it", f.batch(s), "2 | NULL\n3 | NULL")
	position, err := s.Position()
	if err != nil || !strings.Contains(string(position), `"records":"any"`) || !json.Valid(position) {
		t.Errorf("position %s: %v", position, err)
	}

	f.options = map[string]string{"records": "any", "format": "csv"}
	if _, err := newConfig(f.values()); err == nil || !strings.Contains(err.Error(), `records is an option of format "json"`) {
		t.Errorf("records of csv: %v", err)
	}
}
