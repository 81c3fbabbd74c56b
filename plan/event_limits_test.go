package plan

import (
	"strings"
	"testing"

	"ssql/sql"
	"ssql/sql/types"
)

// limitedStreams are streams a, b and c with other limits of their event times.
type limitedStreams map[string]eventLimits

func (l limitedStreams) Relation(name sql.Name) (*Relation, error) {
	limits, ok := l[name[0].Name]
	if !ok {
		return nil, nil
	}
	return &Relation{Name: name[0].Name, Stream: &Stream{
		Stored:          []types.Field{{Name: "id", Type: types.Of(types.Varchar)}, {Name: "ts", Type: types.Of(types.Timestamp)}},
		MaxFutureMicros: limits.maxFutureMicros, IdleMicros: limits.idleMicros,
	}}, nil
}

func (l limitedStreams) Similar(string) string { return "" }

// A watermark has the limits of its stream; of several streams below it the strictest
// bound of the future, and an end of patience only if all have one.
func TestEventLimits(t *testing.T) {
	const second = 1_000_000
	streams := limitedStreams{"a": {3600 * second, 60 * second}, "b": {60 * second, 120 * second}, "c": {}}
	for _, c := range []struct{ from, want string }{
		{"a WATERMARK ts DELAY OF INTERVAL '1' SECOND", "; rows more than 1 hour ahead of the clock are bad rows (max_future); left out after 1 minute without input (idle_timeout)"},
		{"c WATERMARK ts DELAY OF INTERVAL '1' SECOND", ""},
		{"(SELECT id, ts FROM a WHERE id <> 'x') WATERMARK ts DELAY OF INTERVAL '1' SECOND AS q", "; rows more than 1 hour ahead of the clock are bad rows (max_future); left out after 1 minute without input (idle_timeout)"},
		{"(SELECT id, ts FROM a UNION ALL SELECT id, ts FROM b) WATERMARK ts DELAY OF INTERVAL '1' SECOND AS q", "; rows more than 1 minute ahead of the clock are bad rows (max_future); left out after 2 minutes without input (idle_timeout)"},
		{"(SELECT id, ts FROM a UNION ALL SELECT id, ts FROM c) WATERMARK ts DELAY OF INTERVAL '1' SECOND AS q", "; rows more than 1 hour ahead of the clock are bad rows (max_future)"},
	} {
		q, err := sql.ParseQueryText("SELECT window(ts, '5 minutes').start AS s, count(*) AS n FROM " + c.from + " GROUP BY window(ts, '5 minutes') EMIT ON WINDOW CLOSE TIMEOUT INTERVAL '10' MINUTE")
		if err != nil {
			t.Fatal(err)
		}
		p, err := Bind(q, streams, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Watermarks[0].limitsText(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.from, got, c.want)
		}
		if text := Explain(p, ExplainFull); p.TimeoutMicros() != 600*second || !strings.Contains(text, "closed when nothing comes for 10 minutes (EMIT ... TIMEOUT)") {
			t.Errorf("%s: timeout %d, explained as\n%s", c.from, p.TimeoutMicros(), text)
		}
	}
}
