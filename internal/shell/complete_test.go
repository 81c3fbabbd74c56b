package shell

import (
	"context"
	"reflect"
	"testing"

	"ssql/internal/session"
)

// fakeNames knows two streams, a query and two options.
type fakeNames struct{}

func (fakeNames) Names(_ context.Context, kind session.NameKind, of string) []string {
	switch kind {
	case session.Relations:
		return []string{"events", "eventual", "Counts"}
	case session.Streams:
		return []string{"events", "eventual"}
	case session.Queries:
		return []string{"counts"}
	case session.Columns:
		if of == "events" {
			return []string{"device_id", "event_time"}
		}
	case session.Settings:
		return []string{"late_rows", "output_mode"}
	case session.QueryOptions:
		return []string{"checkpoint", "trigger"}
	case session.ConnectorOptions:
		if of == "files" {
			return []string{"format", "path"}
		}
	case session.SinkOptions:
		return []string{"partition_by", "path"}
	case session.Sinks:
		return []string{"archive"}
	case session.Shows:
		return []string{"LATE ROWS", "QUERIES"}
	}
	return nil
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   []string
		length int
	}{
		{"sele", []string{"ct"}, 4},
		{"SELE", []string{"CT"}, 4},
		{"select 1; DESC", []string{"RIBE"}, 4},
		{"SELECT * FROM even", []string{"ts", "tual"}, 4},
		{"SELECT * FROM co", []string{"unts"}, 2},
		{"SELECT * FROM TUMBLE(event", []string{"s", "ual"}, 5},
		{"SELECT * FROM TUMBLE(events, ev", []string{"ent_time"}, 2},
		{"SELECT x FROM events WHERE dev", []string{"ice_id"}, 3},
		{"SELECT x FROM events e WHERE e.", []string{"device_id", "event_time"}, 0},
		{"DROP STREAM ev", []string{"ents", "entual"}, 2},
		{"STOP QUERY c", []string{"ounts"}, 1},
		{"SET out", []string{"put_mode"}, 3},
		{"CREATE STREAM s (a INT) WITH (con", []string{"nector"}, 3},
		{"CREATE STREAM s (a INT) WITH (connector = 'files', p", []string{"ath"}, 1},
		{"CREATE SINK s WITH (connector = 'files', pa", []string{"rtition_by", "th"}, 2},
		{"DROP SINK a", []string{"rchive"}, 1},
		{"show l", []string{"ate rows"}, 1},
		{"diag", []string{"nose query"}, 4},
		{"CREATE QUERY q WITH (tr", []string{"igger"}, 2},
		{"SELECT 'sele", nil, 0},
		{"-- sele", nil, 0},
		{".mo", []string{"de"}, 3},
		{".mode js", []string{"on", "onlines"}, 2},
	} {
		got, length := completions(context.Background(), fakeNames{}, c.text)
		if !reflect.DeepEqual(got, c.want) || length != c.length {
			t.Errorf("%q: got %q, %d; want %q, %d", c.text, got, length, c.want, c.length)
		}
	}
}
