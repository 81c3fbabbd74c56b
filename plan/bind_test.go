package plan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// TestSpellings binds one query in the words of several engines: the plans are equal.
func TestSpellings(t *testing.T) {
	cat := declared(t, compatDeclarations)
	for _, group := range [][]string{
		{
			"SELECT window.start AS b, window.end AS e, k, count(*) AS n FROM s WHERE v > 1 GROUP BY window(ts, '5 minutes'), k",
			"SELECT window_start AS b, window_end AS e, k, count(*) AS n FROM TUMBLE(s, ts, INTERVAL '5' MINUTE) WHERE v > 1 GROUP BY window_start, window_end, k",
			"SELECT window_start AS b, window_end AS e, k, count(*) AS n FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '5' MINUTES)) WHERE v > 1 GROUP BY window_start, window_end, k",
			"SELECT TUMBLE_START(ts, INTERVAL '5' MINUTE) AS b, TUMBLE_END(ts, INTERVAL '5' MINUTE) AS e, k, count(*) AS n FROM s WHERE v > 1 GROUP BY TUMBLE(ts, INTERVAL '5' MINUTE), k",
			"SELECT window_start AS b, window_end AS e, k, count(*) AS n FROM TUMBLE(s, INTERVAL '5' MINUTE) WHERE v > 1 GROUP BY window_end, k",
			"SELECT w.start AS b, w.end AS e, k, count(*) AS n FROM (SELECT window(ts, '300 seconds') AS w, k, v FROM s) WHERE v > 1 GROUP BY w, k",
		},
		{
			"SELECT window.start AS b, k, sum(v) AS n FROM s GROUP BY window(ts, '10 minutes', '5 minutes'), k",
			"SELECT window_start AS b, k, sum(v) AS n FROM HOP(s, ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) GROUP BY window_start, window_end, k",
		},
		{
			"SELECT session_window.start AS b, k, sum(v) AS n FROM s GROUP BY session_window(ts, '5 minutes'), k",
			"SELECT window_start AS b, k, sum(v) AS n FROM SESSION(s, ts, INTERVAL '5' MINUTE, PARTITION BY k) GROUP BY window_start, window_end, k",
		},
		{
			"SELECT s.k, v, w FROM s JOIN t ON s.k = t.k AND ts BETWEEN tt - INTERVAL 1 MINUTE AND tt + INTERVAL 1 MINUTE",
			"SELECT s.k, v, w FROM s, t WHERE s.k = t.k AND ts BETWEEN tt - INTERVAL '1 minute' AND tt + INTERVAL '60' SECOND",
		},
		{
			"SELECT k, v FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) = 1",
			"SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS rn FROM s) WHERE rn = 1",
			"SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS rn FROM s) WHERE rn <= 1",
			"SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS rn FROM s) WHERE rn < 2",
		},
	} {
		checkSpellings(t, cat, group)
	}
}

// checkSpellings wants the same plan of all queries.
func checkSpellings(t *testing.T, cat Catalog, group []string) {
	t.Helper()
	var first string
	var print *Print
	for i, text := range group {
		p, err := bindText(cat, text, Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, f := Explain(p, ExplainFull), Fingerprint(p)
		if i == 0 {
			first, print = got, f
			continue
		}
		if v := Compare(print, f); !v.Compatible || len(v.Notices) > 0 {
			t.Errorf("%s: another print than\n%s: %+v", text, group[0], v)
		}
		if !strings.Contains(text, "(SELECT") && got != first {
			t.Errorf("%s:\n%s\nother than %s:\n%s", text, got, group[0], first)
		}
	}
}

// TestBounds checks when rows leave a join against those rules of docs/SEMANTICS.md, Joins.
// Bounds are in milliseconds relative to the watermark.
func TestBounds(t *testing.T) {
	cat := declared(t, compatDeclarations)
	none := int64(1 << 40)
	for _, c := range []struct {
		on          string
		left, right int64
	}{
		{"ts BETWEEN tt - INTERVAL 10 SECONDS AND tt + INTERVAL 5 SECONDS", -10_001, -5_001},
		{"ts > tt - INTERVAL 10 SECONDS AND ts < tt + INTERVAL 5 SECONDS", -10_000, -5_000},
		{"ts < tt - INTERVAL 5 SECONDS", none, 5_000},
		{"ts >= tt", -1, none},
		{"tt <= ts", -1, none},
		{"tt + INTERVAL '1' MINUTE < ts", 60_000, none},
		{"ts - tt > INTERVAL '1' MINUTE", 60_000, none},
		{"ts - INTERVAL '1' HOUR <= tt AND ts >= tt", -1, -3_600_001},
		{"ts > tt AND ts > tt + INTERVAL '1' MINUTE", 0, none}, // the smaller bound decides
		{"ts > tt - INTERVAL '250 microseconds'", -1, none},
		{"ts > tt + INTERVAL '250 microseconds'", 0, none},
		{"ts > tt - INTERVAL '1' MONTH", none, none},
		{"ts <> tt", none, none},
		{"(ts > tt OR ts < tt)", none, none},
		{"ts NOT BETWEEN tt AND tt", none, none},
		{"date_trunc('hour', ts) > tt", none, none},
		{"v > w", none, none},
	} {
		p, err := bindText(cat, "SELECT s.k, ts, tt FROM s JOIN t ON s.k = t.k AND "+c.on, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.on, err)
			continue
		}
		j, _ := findNode[*Join](p.Outputs[0].Root)
		millis := func(t JoinTimes) int64 {
			if t.Evict == nil {
				return none
			}
			return t.BoundMicros / 1000
		}
		if l, r := millis(j.State.Left), millis(j.State.Right); l != c.left || r != c.right {
			t.Errorf("%s: bounds %d and %d, want %d and %d", c.on, l, r, c.left, c.right)
		}
	}
}

// TestKeyColumns finds what identifies a row of an update query.
func TestKeyColumns(t *testing.T) {
	cat := declared(t, compatDeclarations)
	for _, c := range []struct {
		text   string
		mode   types.Mode
		keys   []int
		hidden bool
	}{
		{"SELECT k, v FROM s", types.Update, nil, false},
		{"SELECT count(*) AS n FROM s", types.Update, []int{}, false},
		{"SELECT count(*) AS n, k FROM s GROUP BY k", types.Update, []int{1}, false},
		{"SELECT count(*) AS n, k FROM s GROUP BY k", types.Complete, nil, false},
		{"SELECT k, window.start AS b, count(*) AS n FROM s GROUP BY window(ts, '1 minute'), k", types.Update, []int{1, 0}, false},
		{"SELECT window AS w, k, count(*) AS n FROM s GROUP BY window(ts, '1 minute'), k", types.Update, []int{0, 1}, false},
		{"SELECT k, count(*) AS n FROM s GROUP BY window(ts, '1 minute'), k", types.Update, nil, true},
		{"SELECT upper(k) AS k, count(*) AS n FROM s GROUP BY k", types.Update, nil, true},
		{"SELECT k, n FROM (SELECT k, k2, count(*) AS n FROM s GROUP BY k, k2) WHERE n > 3", types.Update, nil, true},
		{"SELECT k, v FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) = 1", types.Update, []int{0}, false},
		{"SELECT v FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) = 1", types.Update, nil, true},
	} {
		p, err := bindText(cat, c.text, Options{Mode: c.mode})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if !reflect.DeepEqual(p.Outputs[0].KeyColumns, c.keys) || (p.Outputs[0].HiddenKey != nil) != c.hidden {
			t.Errorf("%s: keys %v, hidden %v, want %v, %v", c.text, p.Outputs[0].KeyColumns, p.Outputs[0].HiddenKey, c.keys, c.hidden)
		}
	}
}

// TestSources checks that only the stored columns that a plan needs are read, and that
// sources and watermarks count in the order of the query.
func TestSources(t *testing.T) {
	cat := declared(t, compatDeclarations)
	p, err := bindText(cat, "SELECT s.k, w FROM s JOIN t ON s.k = t.k AND ts BETWEEN tt AND tt + INTERVAL 1 MINUTE WHERE v > 1 EMIT AFTER WINDOW CLOSE WITH DELAY INTERVAL '5' SECOND", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Sources {
		for _, f := range s.Fields {
			got = append(got, s.Stream+"."+f.Name)
		}
	}
	if want := []string{"s.ts", "s.k", "s.v", "t.tt", "t.k", "t.w"}; !reflect.DeepEqual(got, want) {
		t.Errorf("reads %v, want %v", got, want)
	}
	if p.Watermarks[0].Column != "ts" || p.Watermarks[1].Column != "tt" || p.Watermarks[1].ID != 1 || p.Watermarks[1].DelayMicros != 15_000_000 {
		t.Errorf("watermarks %+v %+v", p.Watermarks[0], p.Watermarks[1])
	}
}

// TestStaticText checks the text that DuckDB gets for a sub-query on tables: names as the
// catalog knows them, views and common tables written out.
func TestStaticText(t *testing.T) {
	cat := declared(t, compatDeclarations+"\nview busy\nSELECT id, upper(name) AS name FROM shops WHERE id > 'a'\n")
	cat["shops"].Table.Text = `"main"."shops"`
	p, err := bindText(cat, "WITH c AS (SELECT id FROM shops) SELECT s.k, x.n FROM s JOIN (SELECT b.id, max(name) AS n FROM busy AS b JOIN c ON b.id = c.id GROUP BY b.id) x ON s.k = x.id", Options{})
	if err != nil {
		t.Fatal(err)
	}
	joined := `(SELECT CAST("id" AS VARCHAR) AS "id", CAST("n" AS VARCHAR) AS "n" FROM (SELECT b.id, max(name) AS n FROM ` +
		`(SELECT id, upper(name) AS name FROM "main"."shops" WHERE id > 'a') AS b JOIN (SELECT id FROM "main"."shops") AS "c" ON b.id = c.id GROUP BY b.id) AS q("id", "n"))`
	if scan, _ := findNode[*StaticScan](p.Outputs[0].Root); scan == nil || scan.Table != joined {
		t.Errorf("text\n got %s\nwant %s", scan.Table, joined)
	}
	p, err = bindText(cat, "WITH c AS (SELECT id, name FROM busy) SELECT s.k, x.n FROM s JOIN (SELECT id, max(name) AS n FROM c GROUP BY id) x ON s.k = x.id", Options{})
	if err != nil {
		t.Fatal(err)
	}
	scan, _ := findNode[*StaticScan](p.Outputs[0].Root)
	want := `(SELECT CAST("id" AS VARCHAR) AS "id", CAST("n" AS VARCHAR) AS "n" FROM (SELECT id, max(name) AS n FROM ` +
		`(SELECT id, name FROM (SELECT id, upper(name) AS name FROM "main"."shops" WHERE id > 'a') AS "busy") AS "c" GROUP BY id) AS q("id", "n"))`
	if scan == nil || scan.Table != want {
		t.Errorf("text\n got %s\nwant %s", scan.Table, want)
	}
}

// TestStreamDeclarations are the faults of a declaration that show when it is read.
func TestStreamDeclarations(t *testing.T) {
	ts := types.Field{Name: "ts", Type: types.Of(types.Timestamp), Nullable: true}
	text := types.Field{Name: "text", Type: types.Of(types.Varchar), Nullable: true}
	for _, c := range []struct {
		name string
		st   Stream
		code string
	}{
		{"unknown column", Stream{Stored: []types.Field{ts}, Watermarks: []StreamWatermark{{Column: "tss"}}}, codeWatermarkColumn},
		{"text", Stream{Stored: []types.Field{text}, Watermarks: []StreamWatermark{{Column: "text"}}}, codeWatermarkType},
		{"negative delay", Stream{Stored: []types.Field{ts}, Watermarks: []StreamWatermark{{Column: "ts", DelayMicros: -1}}}, codeWatermarkNegative},
		{"two", Stream{Stored: []types.Field{ts}, Watermarks: []StreamWatermark{{Column: "ts"}, {Column: "ts"}}}, codeWatermarkTwice},
	} {
		cat := testCatalog{"s": {Name: "s", Stream: &c.st}}
		_, err := bindText(cat, "SELECT * FROM s", Options{})
		if sqlerr.Code(err) != c.code {
			t.Errorf("%s: %v, want code %s", c.name, err, c.code)
		}
	}
}

// FuzzBind binds whatever parses: no input may end in a panic, and what has a plan can be
// explained and printed.
func FuzzBind(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	cat := testCatalog{}
	t := &testing.T{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range parseSteps(string(data)) {
			if ok, err := cat.declare(t, s); err != nil {
				f.Fatal(err)
			} else if !ok {
				f.Add(strings.Join(s.input, "\n"), uint8(0))
				f.Add(strings.Join(s.input, "\n"), uint8(1))
				f.Add(strings.Join(s.input, "\n"), uint8(2))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string, mode uint8) {
		q, err := sql.ParseQueryText(text)
		if err != nil {
			return
		}
		p, err := Bind(q, cat, Options{Mode: types.Mode(mode % 3), AutoMode: mode > 127})
		if err != nil {
			if sqlerr.Code(err) == sqlerr.Internal {
				t.Errorf("not an error for the user: %v", err)
			}
			return
		}
		Explain(p, ExplainFull)
		if v := Compare(Fingerprint(p), Fingerprint(p)); !v.Compatible || len(v.Notices) > 0 {
			t.Errorf("a plan differs from itself: %+v", v)
		}
	})
}

// TestExplainJSON compares the whole document of a small plan.
func TestExplainJSON(t *testing.T) {
	p, err := bindText(declared(t, compatDeclarations), "SELECT ts, count(*) AS n FROM s GROUP BY ts", Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := ExplainJSON(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	golden := "testdata/explain.json"
	if *update {
		if err := os.WriteFile(golden, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(data) + "\n"; got != string(want) {
		t.Errorf("%s differs (-update rewrites it):\n%s", golden, firstDifference(string(want), got))
	}
}

// TestPlanningEnds is a query of 300 bytes per line that comes to a thousand million queries.
func TestPlanningEnds(t *testing.T) {
	text := "WITH c0 AS (SELECT k FROM s)"
	for i := 1; i <= 30; i++ {
		text += fmt.Sprintf(", c%d AS (SELECT * FROM c%d UNION ALL SELECT * FROM c%d)", i, i-1, i-1)
	}
	text += " SELECT * FROM c30"
	k := types.Field{Name: "k", Type: types.Of(types.BigInt), Nullable: true}
	cat := testCatalog{"s": {Name: "s", Stream: &Stream{Stored: []types.Field{k}}}}
	if _, err := bindText(cat, text, Options{Limits: Limits{NodesMax: 1000}}); sqlerr.Code(err) != codeTooMuch {
		t.Errorf("limited: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := bindText(cat, text, Options{Context: ctx}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: %v", err)
	}
	arms := "SELECT k FROM s" + strings.Repeat(" UNION ALL SELECT k FROM s", 500)
	if _, err := bindText(cat, arms, Options{}); err != nil {
		t.Errorf("500 arms: %v", err)
	}
}
