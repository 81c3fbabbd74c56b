package session_test

import (
	"slices"
	"strings"
	"testing"

	"ssql/internal/session"
)

// A shell completes what fits: a sink is no stream, and its options are its own.
func TestNames(t *testing.T) {
	w := open(t, t.TempDir())
	w.must(`CREATE STREAM m (a INT, b VARCHAR) WITH (connector = 'memory');
		CREATE VIEW v AS SELECT a FROM m;
		CREATE SINK shown WITH (connector = 'console');
		CREATE TABLE tab (c INT);
		CREATE QUERY q WITH (start = false) AS INSERT INTO t SELECT a FROM m`)
	for _, c := range []struct {
		kind session.NameKind
		of   string
		want string // sorted; "..." for more before and behind
	}{
		{session.Streams, "", "m v"},
		{session.Sinks, "", "shown"},
		{session.Queries, "", "q"},
		{session.Columns, "M", "a b"},
		{session.Columns, "tab", "c"},
		{session.ConnectorOptions, "Memory", "bad_records idle_timeout max_future"},
		{session.SinkOptions, "console", ""},
		{session.Relations, "", "... ssql.streams ssql.targets tab v"},
		{session.Shows, "", "... LATE ROWS PROGRESS QUERIES ..."},
		{session.Settings, "", "ansi bad_records ..."},
		{session.QueryOptions, "", "... snapshot_every start state_bytes_max ..."},
	} {
		names := w.s.Names(t.Context(), c.kind, c.of)
		slices.Sort(names)
		got := strings.Join(names, " ")
		part := strings.TrimSuffix(strings.TrimPrefix(c.want, "... "), " ...")
		if part == c.want && got != c.want || !strings.Contains(got, part) {
			t.Errorf("kind %d of %q: %s, expected %s", c.kind, c.of, got, c.want)
		}
	}
}
