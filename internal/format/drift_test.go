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
	d.Found("3", []Name{{"old", "INTEGER"}, {"new", "DATE"}})
	d.Found("2", []Name{{"new", "BIGINT"}, {"ID", "BIGINT"}})
	d.Found("1", []Name{{"Old", "INTEGER"}})
	got := strings.Join(d.Notices(), "\n")
	if want := `file "2" has the key "new", which is no column and is not read; add new BIGINT`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	d.Found("4", []Name{{"new", "BIGINT"}})
	if got := d.Notices(); len(got) > 0 {
		t.Errorf("told again: %q", got)
	}
}

// TestDriftOfNamesThatAreData shows that keys without end are not told one by one.
func TestDriftOfNamesThatAreData(t *testing.T) {
	d := NewDrift("key", nil, true, hint)
	for i := range 2 * DriftNames {
		d.Found("f", []Name{{fmt.Sprintf("user%04d", i), "BIGINT"}})
	}
	got := d.Notices()
	if want := `file "f" has more keys that are no columns; they are not named`; len(got) != driftTold+1 || got[driftTold] != want {
		t.Errorf("got %d notices, the last %q, want %q", len(got), got[len(got)-1], want)
	}
}
