package files

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sources/sourcetest"
)

// TestCSVConformance runs the contract of sources over rows that hold line ends,
// delimiters and quotes.
func TestCSVConformance(t *testing.T) {
	for _, suffix := range []string{"", ".gz", ".zst"} {
		t.Run("csv"+suffix, func(t *testing.T) {
			sourcetest.Run(t, func(t *testing.T) sourcetest.Subject {
				f := newFolder(t, map[string]string{"format": "csv"})
				n := 0
				return sourcetest.Subject{
					Open: func(t *testing.T) sources.Source { return f.openRaw() },
					Feed: func(t *testing.T) []string {
						n++
						content, rows := "b,x,a\n", []string(nil)
						for i := range 5 {
							content += fmt.Sprintf("\"file \"\"%d\"\",\nrow\",,%d\r\n", n, i)
							rows = append(rows, fmt.Sprintf("%d | %q", i, fmt.Sprintf("file \"%d\",\nrow", n)))
						}
						switch suffix {
						case ".gz":
							content = gz(t, content)
						case ".zst":
							content = zst(t, content)
						}
						f.write(fmt.Sprintf("%d.csv%s", n, suffix), content)
						return rows
					},
				}
			})
		})
	}
}

// TestCSVSegments reads a file of several segments in which a naive cut at line ends
// would fall into quotes, and compares rows and lines of bad rows.
func TestCSVSegments(t *testing.T) {
	var content strings.Builder
	content.WriteString("\xEF\xBB\xBFa,b\r\n")
	var want, wantBad []string
	line := 2
	for i := 0; content.Len() < 3*segmentBytes+segmentBytes/3; i++ {
		switch {
		case i%1000 == 7:
			fmt.Fprintf(&content, "%d,x,y\n", i)
			wantBad = append(wantBad, fmt.Sprintf("%d expected 2 fields, found 3", line))
			line++
		default:
			text := strings.Repeat("some, \n\"text\"\n", i%60)
			fmt.Fprintf(&content, "%d,\"%s.\"\n", i, strings.ReplaceAll(text, `"`, `""`))
			want = append(want, fmt.Sprint(i, " ", len(text)+1))
			line += 1 + 2*(i%60)
		}
	}
	f := newFolder(t, map[string]string{"format": "csv"})
	f.write("a.csv", content.String())
	s := f.open(nil)
	r, err := s.Next(t.Context(), sources.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	segments, err := s.Segments(t.Context(), r)
	if err != nil || len(segments) != 4 {
		t.Fatalf("%d segments, %v; want 4", len(segments), err)
	}
	rows, bad := sourcetest.Read(t, s, r, 1000)
	if len(rows) != len(want) || len(bad) != len(wantBad) {
		t.Fatalf("%d rows and %d bad, want %d and %d", len(rows), len(bad), len(want), len(wantBad))
	}
	for i, row := range rows {
		number, text, _ := strings.Cut(row, " | ")
		text = strings.NewReplacer(`\n`, "\n", `\"`, `"`).Replace(strings.Trim(text, `"`))
		if got := fmt.Sprint(number, " ", len(text)); got != want[i] && !strings.HasPrefix(text, ".") {
			t.Fatalf("row %d: %s, want %s", i, got, want[i])
		}
	}
	for i, b := range bad {
		if got := fmt.Sprintf("%d %s", b.Line, b.Reason); got != wantBad[i] {
			t.Errorf("bad row %s, want %s", got, wantBad[i])
		}
	}
}

// TestCSVGrows appends to a file: the header is known, a last line waits for its end,
// and an open quote holds back all that it may hold.
func TestCSVGrows(t *testing.T) {
	f := newFolder(t, nil)
	f.write("a.csv", "b,a\nx,1\n")
	s := f.open(nil)
	young := func() time.Time { return f.clock.Add(time.Second) }
	f.want("first", f.batch(s), "1 | x")
	s.now = young
	f.add("a.csv", "y,2\nz,3")
	f.want("a line without its end", f.batch(s), "2 | y")
	f.add("a.csv", "3\n\"open\n")
	f.want("the rest of it", f.batch(s), "33 | z")
	f.add("a.csv", "still,7\n")
	f.want("an open quote", f.batch(s), "")
	f.add("a.csv", "\",8\n")
	f.want("closed", f.batch(s), `8 | "open\nstill,7\n"`)
	f.add("a.csv", "\"open again\nw,9")
	s.now = func() time.Time { return f.clock.Add(time.Hour) }
	f.want("an old file is read as it is", f.batch(s), "9 | w\nbad a.csv:8 the line has a quote that is never closed \"open again")
}

// TestCSVLastLineWhenFrozen waits for a last line without its end until the file has not
// changed for settle_time; what is appended meanwhile makes one row of it, not two.
func TestCSVLastLineWhenFrozen(t *testing.T) {
	for _, c := range []struct{ name, content, appended, frozen, later string }{
		{"nobody writes", "a,b\n1,x\n2,y", "", "1 | x\n2 | y", ""},
		{"the line goes on", "a,b\n1,one\n2,tw", "o\n", "1 | one\n2 | two", ""},
		{"and is torn still", "a,b\n1,one\n2,t", "w", "1 | one", "2 | two"},
		{"a field is missing", "a,b\n1,x\n2", ",y\n", "1 | x\n2 | y", ""},
		{"an open quote", "a,b\n1,x\n2,\"y", "z\"\n", "1 | x\n2 | yz", ""},
	} {
		f := newFolder(t, nil)
		f.write("a.csv", c.content)
		s := f.open(nil)
		clock := f.clock.Add(time.Second)
		s.now = func() time.Time { return clock }
		s.pause = func(_ context.Context, d time.Duration) error {
			if clock = clock.Add(d); c.appended != "" {
				f.add("a.csv", c.appended)
				clock = f.clock
			}
			return nil
		}
		if err := s.Freeze(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.want(c.name, f.batch(s), c.frozen)
		s.Thaw()
		if c.later != "" {
			f.add("a.csv", "o\n")
		}
		f.want(c.name+", later", f.batch(s), c.later)
	}
}

func TestCSVLongRecords(t *testing.T) {
	f := newFolder(t, map[string]string{"line_bytes_max": "2 MiB", "format": "csv"})
	long := strings.Repeat("x", 3<<20)
	f.write("a.csv", "a,b\n1,"+long+"\n2,y\n3,\"open\n4,z\n"+strings.Repeat("5,w\n", 1<<20))
	s := f.open(nil)
	r, err := s.Next(t.Context(), sources.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rows, bad := sourcetest.Read(t, s, r, 1000)
	if len(rows) != 2+1<<20 || rows[0] != "2 | y" || rows[1] != "4 | z" || len(bad) != 2 {
		t.Fatalf("%d rows %q..., %d bad", len(rows), rows[:2], len(bad))
	}
	if bad[0].Line != 2 || bad[0].Reason != lineTooLong(s.config.lineMax) || bad[1].Line != 4 || bad[1].Raw != `3,"open` {
		t.Errorf("bad rows %d %s, %d %s", bad[0].Line, bad[0].Reason, bad[1].Line, bad[1].Reason)
	}
}

func TestCSVRowsMax(t *testing.T) {
	f := newFolder(t, nil)
	f.write("a.csv", "a,b\n1,\"x\ny\"\n2,z\n3,w\n")
	s := f.open(nil)
	for _, want := range []string{`["1 | \"x\\ny\"" "2 | z"]`, `["3 | w"]`} {
		r, err := s.Next(t.Context(), sources.Limits{RowsMax: 2})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%q", sourcetest.Rows(t, s, r, 10)); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		if err := s.Advance(r); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFormatOfNames(t *testing.T) {
	for _, c := range []struct{ path, format, file, want string }{
		{"*.csv", "", "a.csv", "csv"}, {"*.CSV.gz", "", "", "csv"}, {"in/*.jsonl", "", "", "json"}, {".", "", "a.csv.zst", "csv"},
		{".", "", "a.log", "json"}, {".", "", "", "json"}, {"*.csv", "json", "a.csv", "json"}, {"*.tsv", "", "", "csv"},
		{"a.csv*", "", "", "csv"}, {"a.csv.*", "", "", "csv"}, {"a.csv{,.gz}", "", "", "csv"}, {"a.csv-[0-9]*", "", "a.csv-20260101", "csv"}, {"*.csv.1", "", "", "csv"},
		{"*", "", "a.csv.1", "csv"}, {"*", "", "a-20260101.csv.gz", "csv"}, {"a*", "", "a.csv.old", "csv"}, {"*.log*", "", "a.log.1", "json"}, {"*", "", "a.csv.txt", "json"},
	} {
		f := newFolder(t, map[string]string{"path": c.path})
		if c.format != "" {
			f.options["format"] = c.format
		}
		if c.file != "" {
			f.write(c.file, "x")
		}
		o := f.values()
		config, err := newConfig(o)
		if err != nil || config.format.name != c.want {
			t.Errorf("%+v: format %v, %v", c, config.format.name, err)
		}
		if config.format.fields && config.dialect.Delimiter != map[bool]byte{true: '\t', false: ','}[c.path == "*.tsv"] {
			t.Errorf("%s: delimiter %q", c.path, config.dialect.Delimiter)
		}
	}
}

func TestCSVOptions(t *testing.T) {
	for _, c := range []struct {
		options map[string]string
		content string
		want    string
	}{
		{map[string]string{"header": "false"}, "1,x\n2,y\n", "1 | x\n2 | y"},
		{map[string]string{"delimiter": ";", "quote": "'", "null": "-"}, "a;b\n1;'x;'\n-;-\n", "1 | x;\nNULL | NULL"},
		{map[string]string{"delimiter": `\t`, "escape": `\`}, "a\tb\n1\t\"\\\"\"\n", `1 | "\""`},
		{map[string]string{"quote": ""}, "a,b\n1,\"\n", `1 | "\""`},
	} {
		c.options["format"] = "csv"
		f := newFolder(t, c.options)
		f.write("a", c.content)
		f.want(fmt.Sprint(c.options), f.batch(f.open(nil)), c.want)
	}
	for _, options := range []map[string]string{{"delimiter": ""}, {"delimiter": "||"}, {"delimiter": "\""}, {"quote": "é"}} {
		options["format"] = "csv"
		f := newFolder(t, options)
		if err := check(f.values()); sqlerr.Code(err) != "INVALID_OPTION" {
			t.Errorf("%v: %v", options, err)
		}
	}
}

func TestCSVInfer(t *testing.T) {
	f := newFolder(t, nil)
	f.write("a.csv", "\xEF\xBB\xBFid,text\n1,\"two\nlines\"\n")
	f.write("b.csv.gz", gz(t, "id,at\n2.5,2026-01-01 10:00:00\n"))
	fields, err := infer(t.Context(), f.values(), func(string) {})
	if got := fmt.Sprint(fields); err != nil || got != "[{id DOUBLE true} {text VARCHAR true} {at TIMESTAMP true}]" {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestStrayQuotes appends to a file with a stray quote, whose writer never pauses for long:
// when it is clear that rows follow it they are read, whatever reads the file.
func TestStrayQuotes(t *testing.T) {
	f := newFolder(t, nil)
	f.write("a.csv", "b,a\nx,1\n\"5 inch pipe,2\n")
	s := f.open(nil)
	s.now = func() time.Time { return f.clock.Add(time.Second) }
	f.want("before the quote", f.batch(s), "1 | x")
	for i := range 9 {
		f.add("a.csv", fmt.Sprintf("row,%d\n", i))
	}
	f.want("what may be a field", f.batch(s), "")
	f.add("a.csv", "row,9\n")
	f.want("what is none", f.batch(s), "0 | row\n1 | row\n2 | row\n3 | row\n4 | row\n5 | row\n6 | row\n7 | row\n8 | row\n9 | row\nbad a.csv:3 the line has a quote that is never closed \"5 inch pipe,2")
	f.add("a.csv", "\"6 inch pipe,3\ny,4\n\"two\nlines\",5\n")
	f.want("closed in the wrong place", f.batch(s), "4 | y\n5 | \"two\\nlines\"\nbad a.csv:14 the line has a quote that is never closed \"6 inch pipe,3")
}
