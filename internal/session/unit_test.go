package session

import (
	"errors"
	"testing"
	"time"

	"ssql/exec"
	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

func option(key string, value any) *sql.Option {
	return &sql.Option{Key: sql.Ident{Name: key}, Value: value}
}

func TestSettingTableIsSorted(t *testing.T) {
	for i := 1; i < len(settingTable); i++ {
		if settingTable[i-1].Name >= settingTable[i].Name {
			t.Errorf("%q stands before %q", settingTable[i-1].Name, settingTable[i].Name)
		}
	}
	for i := range settingTable {
		if s := &settingTable[i]; s.Default != "" {
			if got, err := s.parse(option(s.Name, s.Default)); err != nil || got != s.Default {
				t.Errorf("default of %q: %q, %v", s.Name, got, err)
			}
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for _, c := range []struct {
		key   string
		value any
		want  string
	}{
		{"Output_Mode", "UPDATE", "update"},
		{"no_data_batches", false, "false"},
		{"max_files_per_batch", int64(7), "7"},
		{"trigger", "5 seconds", "5 seconds"},
		{"trigger", "available_now", "available_now"},
		{"idle_timeout", "30 seconds", "30 seconds"},
		{"state_bytes_max", "1.5 GiB", "1.5 GiB"},
		{"trigger", "1 month", `INVALID_SETTING: expected 'available_now', 'once', 'auto' or an interval such as '5 seconds' for "trigger", found "1 month"`},
		{"max_files_per_batch", "many", `INVALID_SETTING: expected a whole number from 0 up for "max_files_per_batch", found "many"`},
		{"late_rows", "keep", `INVALID_SETTING: expected "table", "drop" or "fail" for "late_rows", found "keep"`},
		{"late_row", "drop", `UNKNOWN_SETTING: setting "late_row" does not exist`},
	} {
		o := option(c.key, c.value)
		s, err := findSetting(o.Key, inSession)
		got := ""
		if err == nil {
			got, err = s.parse(o)
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s = %v: got %s, want %s", c.key, c.value, got, c.want)
		}
	}
	_, err := findSetting(sql.Ident{Name: "late_row"}, inSession)
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Hint != `did you mean "late_rows"?` {
		t.Errorf("no suggestion: %v", err)
	}
}

func TestSettingsOfAQueryStandOverThoseOfTheSession(t *testing.T) {
	session := settings{"late_rows": "drop", "workers": "2"}
	v := session.over(settings{"late_rows": "fail"})
	if v.get("late_rows") != "fail" || v.integer("workers") != 2 || !v.boolean("no_data_batches") || session.get("late_rows") != "drop" {
		t.Errorf("got %v over %v", v, session)
	}
}

func TestTriggers(t *testing.T) {
	for _, c := range []struct {
		text  string
		every time.Duration // EMIT ... EVERY
		wait  bool
		want  exec.Trigger
	}{
		{"auto", 0, true, exec.Trigger{Kind: exec.AvailableNow}},
		{"auto", 0, false, exec.Trigger{Kind: exec.ProcessingTime}},
		{"auto", time.Minute, true, exec.Trigger{Kind: exec.AvailableNow}},
		{"auto", time.Minute, false, exec.Trigger{Kind: exec.ProcessingTime, Interval: time.Minute}},
		{"once", time.Minute, false, exec.Trigger{Kind: exec.Once}},
		{"2 minutes", time.Minute, true, exec.Trigger{Kind: exec.ProcessingTime, Interval: 2 * time.Minute}},
	} {
		if got := trigger(settings{"trigger": c.text}, c.every.Microseconds(), c.wait); got != c.want {
			t.Errorf("%q, wait %v: got %v, want %v", c.text, c.wait, got, c.want)
		}
	}
}

// DuckDB's caret is moved from the excerpt that it shows to the statement.
func TestDuckErrorsPointIntoTheStatement(t *testing.T) {
	for _, c := range []struct{ statement, message, at, text string }{
		{"select 1,\n  foo,\n 3", "Referenced column \"foo\" not found in FROM clause!\nLINE 2:   foo,\n          ^", "foo,\n 3", `Referenced column "foo" not found in FROM clause!`},
		{"select 'ä' + nope", "x\n\nLINE 1: select 'ä' + nope\n                     ^", "nope", "x"},
		{"select aaaa, bbbb, cccc, dddd", "x\nLINE 1: ...aaa, bbbb, cccc...\n                ^", "bbbb, cccc, dddd", "x"},
		{"create tabel t (a int)", "syntax error at or near \"tabel\"", "tabel t (a int)", `syntax error at or near "tabel"`},
		{"a a", "syntax error at or near \"a\"", "a a", `syntax error at or near "a"`},
	} {
		node := sql.Node{Span: sql.Span{Start: 100, End: 100 + len(c.statement)}, Text: c.statement}
		err := duckError(&duck.SQLError{Kind: "Binder", Text: c.message}, node)
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Text != c.text || e.Code != "DUCKDB_BINDER" {
			t.Fatalf("%q: got %v", c.message, err)
		}
		if got := c.statement[e.Span.Start-100:]; got != c.at {
			t.Errorf("%q: points at %q, want %q", c.message, got, c.at)
		}
	}
}

func TestDefinitionsAreComparedByMeaning(t *testing.T) {
	old := "CREATE STREAM s (a INT, b VARCHAR, c DATE, d DATE) WITH (path = 'x')"
	if !sameDefinition(old, "create or replace stream S(a int, -- first\n b varchar, c date, d date) with (path='x')") {
		t.Error("the same definition is taken for another")
	}
	got := definitionDiff(old, "CREATE STREAM s (a INT, b BIGINT, c DATE, d DATE) WITH (path = 'x')", "/a", "/a")
	want := "It is:   ... integer , b varchar , c date ...\nYours is: ... integer , b bigint , c date ..."
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1707: "1,707", -1234567: "-1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
	if got := count(2, "batch") + ", " + count(1, "row") + ", " + count(3, "query"); got != "2 batches, 1 row, 3 queries" {
		t.Error(got)
	}
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "x", true}, {"ev%", "Events", true}, {"%ts", "events", true}, {"e_ents", "events", true},
		{"e_ents", "eents", false}, {"%", "", true}, {"events", "event", false}, {"é_", "éx", true},
	} {
		if got := likeMatches(c.pattern, c.s); got != c.want {
			t.Errorf("%q LIKE %q: got %v", c.s, c.pattern, got)
		}
	}
}

func TestStatementsThatKeepState(t *testing.T) {
	for text, want := range map[string]bool{
		"CREATE TEMP TABLE t (a INT)": true, "CREATE OR REPLACE TEMPORARY VIEW v AS SELECT 1": true,
		"CREATE TABLE temp (a INT)": false, "SET threads = 1": true, "BEGIN": true, "SELECT 1": false, "ATTACH 'x.db'": true,
	} {
		if got := keepsState(firstWord(text), text); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

func TestFolderNames(t *testing.T) {
	for name, want := range map[string]string{"Counts": "counts", "../x": "%2E%2E%2Fx", ".hidden": "%2Ehidden", "a b": "a%20b"} {
		if got := folderName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
