package plan

import (
	"errors"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
)

// TestForeignSpellings binds what users of other engines write and what it stands for
// in canonical spelling: the plans are equal. The first of each group is canonical.
func TestForeignSpellings(t *testing.T) {
	cat := declared(t, compatDeclarations+"\nstream d\np STRUCT(a STRUCT(b INT), j VARCHAR)\n")
	for _, group := range [][]string{
		{
			"SELECT p.a.b AS x, p.j ->> '$.user.id' AS y FROM d",
			"SELECT p->a->b AS x, p->j:user.id AS y FROM d",
		},
		{
			"SELECT epoch_ms(v) AS a, to_timestamp(v) AS b, date_sub('minute', ts, ts) AS c, date_trunc('hour', ts) AS d, k AS e FROM s",
			"SELECT TO_TIMESTAMP_LTZ(v, 3) AS a, TO_TIMESTAMP_LTZ(v, 0) AS b, TIMESTAMPDIFF(MINUTE, ts, ts) AS c, to_start_of_hour(ts) AS d, AS_VALUE(k) AS e FROM s",
			"SELECT to_timestamp_millis(v) AS a, to_timestamp_seconds(v) AS b, timestampdiff(minute, ts, ts) AS c, to_start_of_hour(ts) AS d, k AS e FROM s",
		},
		{
			"SELECT k, last(v) IGNORE NULLS AS a, first(v IGNORE NULLS) AS b, count(*) AS n FROM s GROUP BY k EMIT ON UPDATE",
			"SELECT k, LATEST_BY_OFFSET(v) AS a, EARLIEST_BY_OFFSET(v) AS b, COUNT(*) AS n FROM s GROUP BY k EMIT CHANGES",
			"SELECT k, latest(v) AS a, earliest(v) AS b, count() AS n FROM s GROUP BY k EMIT CHANGELOG",
		},
		{ // ksqlDB adds the window to the keys; Proton names no column
			"SELECT k, count(*) AS n FROM TUMBLE(s, ts, INTERVAL '5' MINUTE) GROUP BY window_start, window_end, k",
			"SELECT k, count(*) AS n FROM s WINDOW TUMBLING (SIZE 5 MINUTES) GROUP BY k",
			"SELECT k, count(*) AS n FROM tumble(s, 5m) GROUP BY window_start, window_end, k",
			"SELECT k, count(*) AS n FROM s GROUP BY tumble(INTERVAL '5 minutes'), k",
			"FROM TUMBLE(s, ts, INTERVAL 5 MINUTE) SELECT k, count(*) AS n GROUP BY window_start, k",
		},
		{
			"SELECT window_start AS b, window_end AS e, count(*) AS n FROM HOP(s, ts, INTERVAL '10' SECOND, INTERVAL '30' SECOND) WHERE k = 'a' GROUP BY window_start, window_end",
			"SELECT WINDOWSTART AS b, WINDOWEND AS e, count(*) AS n FROM s WINDOW HOPPING (SIZE 30 SECONDS, ADVANCE BY 10 SECONDS) WHERE k = 'a' GROUP BY ()",
			"SELECT HOP_START(ts, INTERVAL '10' SECOND, INTERVAL '30' SECOND) AS b, HOP_END(ts, INTERVAL '10' SECOND, INTERVAL '30' SECOND) AS e, count(*) AS n FROM s WHERE k = 'a' GROUP BY HOP(ts, INTERVAL '10' SECOND, INTERVAL '30' SECOND)",
			"SELECT hop_start(INTERVAL '10' SECOND, INTERVAL '30' SECOND) AS b, hop_end(INTERVAL '10' SECOND, INTERVAL '30' SECOND) AS e, count(*) AS n FROM s WHERE k = 'a' GROUP BY hop(INTERVAL '10' SECOND, INTERVAL '30' SECOND)",
			"SELECT window.start AS b, window.end AS e, count(*) AS n FROM s WHERE k = 'a' GROUP BY window(ts, '30 seconds', '10 seconds')",
		},
		{
			"SELECT k, window_end AS e, sum(v) AS n FROM SESSION(s, ts, INTERVAL '5' MINUTE) GROUP BY window_start, window_end, k",
			"SELECT k, WINDOWEND AS e, sum(v) AS n FROM s WINDOW SESSION (5 MINUTES) GROUP BY k",
			"SELECT k, SESSION_END(ts, INTERVAL '5' MINUTE) AS e, sum(v) AS n FROM s GROUP BY SESSION(ts, INTERVAL '5' MINUTE), k",
			"SELECT k, session_window.end AS e, sum(v) AS n FROM s GROUP BY session_window(ts, '5 minutes'), k",
			"SELECT k, session_end(INTERVAL '5 minutes') AS e, sum(v) AS n FROM s GROUP BY session(INTERVAL '5 minutes'), k",
			"SELECT k, window_end AS e, sum(v) AS n FROM TABLE(SESSION(TABLE s PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' MINUTES)) GROUP BY window_start, window_end, k",
		},
		{
			"SELECT window(ts, '1 minute') AS w, count(*) AS n FROM s GROUP BY w",
			"SELECT TUMBLE(interval '1 minute') AS w, count(*) AS n FROM s GROUP BY w",
			"SELECT TUMBLE(interval '1 minute') AS w, count(*) AS n FROM s GROUP BY 1",
		},
		{
			"SELECT k, TUMBLE_ROWTIME(ts, INTERVAL '1' HOUR) AS t, count(*) AS n FROM s GROUP BY TUMBLE(ts, INTERVAL '1' HOUR), k",
			"SELECT k, window_time AS t, count(*) AS n FROM TUMBLE(s, ts, INTERVAL '1' HOUR) GROUP BY window_start, window_end, window_time, k",
		},
		{
			"SELECT k, count(*) AS n FROM TUMBLE(s, ts, INTERVAL '5' MINUTE) GROUP BY window_start, window_end, k EMIT ON WINDOW CLOSE WITH DELAY INTERVAL '1' MINUTE",
			"SELECT k, count(*) AS n FROM s WINDOW TUMBLING (SIZE 5 MINUTES, GRACE PERIOD 1 MINUTE) GROUP BY k EMIT FINAL",
			"SELECT k, count(*) AS n FROM tumble(s, 5m) GROUP BY window_start, window_end, k EMIT AFTER WINDOW CLOSE WITH DELAY 1m",
		},
		{
			"SELECT k, count(*) AS n FROM s GROUP BY k EMIT ON UPDATE",
			"SELECT k, count(*) AS n FROM s GROUP BY k EMIT CHANGES",
			"SELECT k, count(*) AS n FROM s GROUP BY k EMIT CHANGELOG",
			"SELECT k, count(*) AS n FROM s GROUP BY k EMIT PERIODIC 5s",
			"SELECT k, count(*) AS n FROM table(s) GROUP BY k EMIT ON UPDATE WITH BATCH 2s",
		},
		{
			"SELECT s.k, v, w FROM s JOIN t ON s.k = t.k AND ts >= tt - INTERVAL '2' HOUR AND ts <= tt + INTERVAL '2' HOUR",
			"SELECT s.k, v, w FROM s INNER JOIN t WITHIN 2 HOURS ON s.k = t.k",
			"SELECT s.k, v, w FROM STREAM(s) JOIN STREAM t ON s.k = t.k AND ts BETWEEN tt - INTERVAL 2 HOURS AND tt + INTERVAL 2 HOURS",
		},
		{
			"SELECT s.k, v, w FROM s JOIN t ON s.k = t.k AND ts >= tt - INTERVAL '2' HOUR AND ts <= tt + INTERVAL '1' HOUR",
			"SELECT s.k, v, w FROM s JOIN t WITHIN (1 HOUR, 2 HOURS) ON s.k = t.k",
			"SELECT s.k, v, w FROM s JOIN t WITHIN (1 HOUR, 2 HOURS) ON s.k = t.k EMIT CHANGES",
		},
		{
			"SELECT * EXCLUDE (v) FROM s WHERE v > 1",
			"SELECT * EXCEPT (v) FROM STREAM s WHERE v > 1",
			"FROM s SELECT * EXCLUDE v WHERE v > 1",
		},
	} {
		checkSpellings(t, cat, group)
	}
}

// TestSpellingFaults checks what the parser cannot know about foreign spellings.
func TestSpellingFaults(t *testing.T) {
	cat := declared(t, compatDeclarations+"\nstream d\nk VARCHAR\n")
	for _, c := range []struct{ text, want string }{
		{"SELECT count(*) FROM HOP(s, ts, INTERVAL '10' MINUTE, INTERVAL '5' MINUTE) GROUP BY window_start",
			"did you swap the two? write HOP(s, ts, INTERVAL '5 minutes', INTERVAL '10 minutes')"},
		{"SELECT date_format(ts, 'QQ') FROM s", "function \"date_format\" (Flink, Spark) does not exist: write strftime(ts, '%Y-%m-%d')"},
		{"SELECT k FROM s WHERE ts > proctime()", "(Flink) does not exist: windows and joins are over event time"},
		{"SELECT count(*) FROM s GROUP BY window(ts, '5 minutes', '10 minutes')", "write window(ts, '10 minutes', '5 minutes')"},
		{"SELECT count(*) FROM s GROUP BY hop(interval '10 minutes', interval '5 minutes')", "write hop(INTERVAL '5 minutes', INTERVAL '10 minutes')"},
		{"SELECT k, count(*) FROM s WINDOW HOPPING (SIZE 5 MINUTES, ADVANCE BY 10 MINUTES) GROUP BY k", "longer than the window"},
		{"SELECT k, count(*) AS n FROM d GROUP BY k EMIT ON UPDATE WITH DELAY INTERVAL '1' MINUTE", "no stream of the query has a watermark that could be delayed"},
	} {
		_, err := bindText(cat, c.text, Options{})
		var e *sqlerr.Error
		if !errors.As(err, &e) || !strings.Contains(e.Text+": "+e.Hint, c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}
