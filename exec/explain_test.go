package exec

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// explained knows two streams and a table.
type explained struct{}

func (explained) Relation(name sql.Name) (*plan.Relation, error) {
	fields := []types.Field{{Name: "ts", Type: types.Of(types.Timestamp)}, {Name: "k", Type: types.Of(types.Varchar)}, {Name: "v", Type: types.Of(types.Int)}}
	if name[0].Name == "dim" {
		return &plan.Relation{Name: "dim", Table: &plan.Table{Text: "dim", Fields: fields[1:]}}, nil
	}
	return &plan.Relation{Name: name[0].Name, Stream: &plan.Stream{
		ID: name[0].Name, Stored: fields, Order: []string{"ts", "k", "v"}, Watermarks: []plan.StreamWatermark{{Column: "ts"}},
	}}, nil
}

func (explained) Similar(string) string { return "" }

// TestExplainPhysicalShowsWhatRuns compares the steps of EXPLAIN PHYSICAL, and the stages in
// them, with the operators that run.
func TestExplainPhysicalShowsWhatRuns(t *testing.T) {
	step, stage := regexp.MustCompile(`(?m)^step \d+`), regexp.MustCompile(`(?m)^ +then `)
	for _, c := range []struct {
		mode  types.Mode
		query string
	}{
		{types.Append, "SELECT k FROM s WHERE v > 1"},
		{types.Append, "SELECT window_start, count(*) FROM TUMBLE(s, ts, INTERVAL '1' MINUTE) WHERE v > 1 GROUP BY window_start HAVING count(*) > 2"},
		{types.Append, "SELECT k, session_window.end AS e FROM s GROUP BY k, session_window(ts, '5 seconds')"},
		{types.Append, "SELECT s.k, r.v FROM s JOIN r ON s.k = r.k AND r.ts BETWEEN s.ts AND s.ts + INTERVAL '1' MINUTE WHERE s.v > 3"},
		{types.Append, "SELECT s.k, dim.v FROM s LEFT JOIN dim ON s.k = dim.k"},
		{types.Append, "SELECT s.k, r.v FROM s ASOF LEFT JOIN r ON s.k = r.k AND s.ts >= r.ts"},
		{types.Append, "SELECT upper(k) FROM (SELECT * FROM s UNION ALL SELECT * FROM r)"},
		{types.Append, "SELECT DISTINCT k, ts FROM s LIMIT 5"},
		{types.Append, "SELECT k, unnest([v, v + 1]) AS u FROM s"},
		{types.Complete, "SELECT k, count(*) AS n FROM s GROUP BY ROLLUP (k) ORDER BY n LIMIT 3"},
		{types.Update, "SELECT * FROM s QUALIFY row_number() OVER (PARTITION BY k ORDER BY v) <= 3"},
	} {
		q, err := sql.ParseQueryText(c.query)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.Bind(q, explained{}, plan.Options{Mode: c.mode})
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		roots, _, err := lower(&Config{Plan: p})
		if err != nil {
			t.Fatal(err)
		}
		steps, stages := 0, 0
		visit(roots[0], func(n tree) {
			switch n := n.(type) {
			case *pipe:
				stages += len(n.stages)
			default:
				steps++
			}
		})
		text := plan.ExplainPhysical(p, []string{"t"}, nil)
		got := fmt.Sprintf("%d steps, %d stages", len(step.FindAllString(text, -1)), len(stage.FindAllString(text, -1)))
		if want := fmt.Sprintf("%d steps, %d stages", steps, stages); got != want {
			t.Errorf("%s\n%s\nshows %s, %s run", c.query, strings.TrimRight(text, "\n"), got, want)
		}
	}
}
