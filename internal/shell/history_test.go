package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestHistoryKeepsStatementsWithLineEnds(t *testing.T) {
	h := history{path: filepath.Join(t.TempDir(), "history")}
	want := []string{"select 1;", "select 'a\nb',\n  2;", "-- \"quoted\" ümlaut"}
	for _, e := range want {
		if err := h.add(e); err != nil {
			t.Fatal(err)
		}
	}
	got, err := h.load()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	info, err := os.Stat(h.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestHistoryForgetsSecrets(t *testing.T) {
	h := history{path: filepath.Join(t.TempDir(), "history")}
	for _, e := range []string{
		"CREATE STREAM s WITH (connector = 'kafka', \"sasl.PASSWORD\" = 'CANARY-7f3a');",
		"create secret s3 (type s3, key_id 'CANARY-7f3a');",
	} {
		if err := h.add(e); err != nil {
			t.Fatal(err)
		}
	}
	if content, err := os.ReadFile(h.path); err == nil {
		t.Errorf("a secret was written: %s", content)
	}
}

func TestHistoryIsCut(t *testing.T) {
	h := history{path: filepath.Join(t.TempDir(), "history")}
	var lines strings.Builder
	for i := range 2*historyMax + 1 {
		fmt.Fprintf(&lines, "\"select %d;\"\n", i)
	}
	lines.WriteString("not json\n")
	if err := os.WriteFile(h.path, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := h.load()
		if err != nil || len(got) != historyMax || got[historyMax-1] != fmt.Sprintf("select %d;", 2*historyMax) {
			t.Fatalf("got %d entries, %v", len(got), err)
		}
	}
	content, _ := os.ReadFile(h.path)
	if n := strings.Count(string(content), "\n"); n != historyMax {
		t.Errorf("the file has %d lines, want %d", n, historyMax)
	}
}

func TestHistoryPath(t *testing.T) {
	env := func(m map[string]string) func(string) (string, bool) {
		return func(k string) (string, bool) { v, ok := m[k]; return v, ok }
	}
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"HOME": "/h"}, "/h/.ssql_history"},
		{map[string]string{"HOME": "/h", "SSQL_HISTORY": "/x"}, "/x"},
		{map[string]string{"HOME": "/h", "SSQL_HISTORY": ""}, ""},
		{nil, ""},
	} {
		if got := historyPath(env(c.env)); got != c.want {
			t.Errorf("%v: got %q, want %q", c.env, got, c.want)
		}
	}
}
