package settings

import (
	"errors"
	"testing"

	"ssql/internal/sqlerr"
	"ssql/sql"
)

func option(key string, value any) *sql.Option {
	return &sql.Option{Key: sql.Ident{Name: key}, Value: value}
}

func TestSettingTableIsSorted(t *testing.T) {
	for i := 1; i < len(Table); i++ {
		if Table[i-1].Name >= Table[i].Name {
			t.Errorf("%q stands before %q", Table[i-1].Name, Table[i].Name)
		}
	}
	for i := range Table {
		if s := &Table[i]; s.Default != "" {
			if got, err := s.Parse(option(s.Name, s.Default)); err != nil || got != s.Default {
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
		s, err := Find(o.Key, InSession)
		got := ""
		if err == nil {
			got, err = s.Parse(o)
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s = %v: got %s, want %s", c.key, c.value, got, c.want)
		}
	}
	_, err := Find(sql.Ident{Name: "late_row"}, InSession)
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Hint != `did you mean "late_rows"?` {
		t.Errorf("no suggestion: %v", err)
	}
}

func TestSettingsOfAQueryStandOverThoseOfTheSession(t *testing.T) {
	session := Values{"late_rows": "drop", "workers": "2"}
	v := session.Over(Values{"late_rows": "fail"})
	if v.Get("late_rows") != "fail" || v.Integer("workers") != 2 || !v.Boolean("no_data_batches") || session.Get("late_rows") != "drop" {
		t.Errorf("got %v over %v", v, session)
	}
}
