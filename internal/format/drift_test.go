package format

import (
	"fmt"
	"strings"
	"testing"
)

func hint(n Name) string { return "add " + n.Path + " " + n.Type }

// TestDriftDoesNotDependOnTheOrderOfFiles shows that the names of the first file are
// expected, also when those of another file were found before.
func TestDriftDoesNotDependOnTheOrderOfFiles(t *testing.T) {
	d := NewDrift("key", []string{"id"}, false, hint)
	d.Expect("1")
	d.Expect("2")
	d.Found("3", []Name{{Path: "old", Type: "INTEGER"}, {Path: "new", Type: "DATE"}})
	d.Found("2", []Name{{Path: "new", Type: "BIGINT"}, {Path: "ID", Type: "BIGINT"}})
	d.Found("1", []Name{{Path: "Old", Type: "INTEGER"}})
	d.Fits("1")
	got := strings.Join(d.Notices(), "\n")
	if want := `file "2" has the key "new", which is no column and is not read; add new BIGINT`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	d.Found("4", []Name{{Path: "new", Type: "BIGINT"}})
	if got := d.Notices(); len(got) > 0 {
		t.Errorf("told again: %q", got)
	}
}

// TestDriftTellsOfTheSameFile shows that a name is told of the first file that has it, in
// whichever order files are read, and that a decoder is asked to find it again for that.
func TestDriftTellsOfTheSameFile(t *testing.T) {
	for _, files := range [][]string{{"1", "2", "3"}, {"3", "2", "1"}, {"2", "3", "1"}} {
		d := NewDrift("key", nil, false, hint)
		d.Expect("0")
		batch := 0
		for _, f := range files {
			if !d.Untold(f, batch) {
				t.Errorf("%v: %s need not be found anew", files, f)
			}
			names := []Name{{Path: "b", Type: "DATE"}, {Path: "a", Type: "DATE"}}
			if f == "3" {
				names = []Name{{Path: "a", Type: "BIGINT"}, {Path: "b", Type: "BIGINT"}, {Path: "c", Type: "BIGINT"}}
			}
			batch = d.Found(f, names)
		}
		got := strings.Join(d.Notices(), "\n")
		told := func(file, name, typ string) string {
			return fmt.Sprintf("file %q has the key %q, which is no column and is not read; add %s %s", file, name, name, typ)
		}
		if want := strings.Join([]string{told("1", "b", "DATE"), told("1", "a", "DATE"), told("3", "c", "BIGINT")}, "\n"); got != want {
			t.Errorf("%v: got\n%s\nwant\n%s", files, got, want)
		}
		if d.Untold("4", batch) {
			t.Errorf("%v: told names are to be found anew", files)
		}
	}
}

// TestDriftOfNamesThatAreData shows that keys without end are not told one by one.
func TestDriftOfNamesThatAreData(t *testing.T) {
	d := NewDrift("key", nil, true, hint)
	for i := range 2 * DriftNames {
		d.Found("f", []Name{{Path: fmt.Sprintf("user%04d", i), Type: "BIGINT"}})
	}
	got := d.Notices()
	if want := `file "f" has more keys that are no columns; they are not named`; len(got) != driftTold+1 || got[driftTold] != want {
		t.Errorf("got %d notices, the last %q, want %q", len(got), got[len(got)-1], want)
	}
}

// TestDriftTellsOfAFileThatFitsNot shows what is said, once, of a first file that has none of
// the columns.
func TestDriftTellsOfAFileThatFitsNot(t *testing.T) {
	names := []Name{{Path: "a"}, {Path: "b"}, {Path: "c"}, {Path: "d"}, {Path: "e"}, {Path: "f"}}
	for _, c := range []struct {
		what    string
		columns []string
		read    func(d *Drift)
		want    string
	}{
		{"none", []string{"id"}, func(d *Drift) { d.Found("1", names[:2]) }, `file "1" has none of the columns of the stream, so that they are NULL in its rows; its keys are "a", "b"`},
		{"many names", []string{"id"}, func(d *Drift) { d.Found("1", names) }, `file "1" has none of the columns of the stream, so that they are NULL in its rows; its keys are "a", "b", "c", "d", "e" and others`},
		{"a column that is read", []string{"id"}, func(d *Drift) { d.Found("1", names[:1]); d.Fits("1") }, ""},
		{"a column that is not read", []string{"id", "A"}, func(d *Drift) { d.Found("1", names[:1]) }, ""},
		{"another file", []string{"id"}, func(d *Drift) { d.Found("2", nil); d.Fits("2"); d.Found("1", names[:1]) }, `file "1" has none of the columns of the stream, so that they are NULL in its rows; its keys are "a"`},
		{"another case", []string{"id"}, func(d *Drift) { d.Found("1", []Name{{Path: "ID", Column: "id"}}) }, `file "1" has the key "ID", which is not column "id", as JSON keys are matched exactly; it is not read`},
		{"nothing declared", nil, func(d *Drift) { d.Found("1", names[:1]) }, ""},
		{"an empty file", []string{"id"}, func(d *Drift) { d.Found("1", nil) }, ""},
	} {
		d := NewDrift("key", c.columns, false, hint)
		d.Expect("1")
		c.read(d)
		if got := strings.Join(d.Notices(), "\n"); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.what, got, c.want)
		}
		d.Found("1", names)
		if again := d.Notices(); c.want != "" && len(again) > 0 {
			t.Errorf("%s: told again: %q", c.what, again)
		}
	}
}
