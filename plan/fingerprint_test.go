package plan

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"ssql/sql"
	"ssql/sql/types"
)

const compatDeclarations = `
stream s watermark=ts:10s
ts TIMESTAMP
k VARCHAR
k2 VARCHAR
v INT

stream t watermark=tt:10s
tt TIMESTAMP
k VARCHAR
w INT

stream u watermark=ts:1m
ts TIMESTAMP
k VARCHAR
v INT

table shops
id VARCHAR
name VARCHAR
`

func declared(t *testing.T, text string) testCatalog {
	t.Helper()
	cat := testCatalog{}
	for _, s := range parseSteps(text) {
		if _, err := cat.declare(t, s); err != nil {
			t.Fatalf("line %d: %v", s.line, err)
		}
	}
	return cat
}

func printOf(t *testing.T, cat testCatalog, text string, o Options) *Print {
	t.Helper()
	p, err := bindText(cat, text, o)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	data, err := json.Marshal(Fingerprint(p))
	if err != nil {
		t.Fatal(err)
	}
	var back Print
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	return &back
}

// TestCompare is the matrix of allowed and forbidden changes: each row changes one thing
// of a query. The wanted text is that of the first diff, or of the notices.
func TestCompare(t *testing.T) {
	cat := declared(t, compatDeclarations)
	base := "SELECT window.start AS w, k, count(*) AS n FROM s WHERE v > 1 GROUP BY window(ts, '5 minutes'), k"
	join := "SELECT s.k, v, w, ts FROM s JOIN t ON s.k = t.k AND ts BETWEEN tt AND tt + INTERVAL 1 MINUTE"
	for _, c := range []struct {
		what, old, new string
		oldMode, mode  types.Mode
		diff           string // "" for compatible
		notices        []string
	}{
		{what: "same", old: base, new: base},
		{what: "spelling", old: base, new: "SELECT window_start AS w, k, count(*) AS n FROM TUMBLE(s, ts, INTERVAL '300' SECOND) WHERE v > 1 GROUP BY window_start, window_end, k"},
		{what: "rename below", old: base, new: "SELECT window.start AS w, kk AS k, count(*) AS n FROM (SELECT ts AS at, k AS kk, v FROM s) WHERE v > 1 GROUP BY window(at, '5 minutes'), kk"},
		{what: "filter", old: base, new: strings.Replace(base, "v > 1", "v > 2", 1), notices: []string{"WHERE (s.v > 2), was WHERE (s.v > 1)"}},
		{what: "filter gone", old: base, new: strings.Replace(base, " WHERE v > 1", "", 1), notices: []string{"no longer: WHERE (s.v > 1)"}},
		{what: "limit", old: "SELECT k FROM s LIMIT 3", new: "SELECT k FROM s LIMIT 4", notices: []string{"LIMIT 4, was LIMIT 3"}},
		{what: "projection of the same output", old: "SELECT upper(k) AS k FROM s", new: "SELECT lower(k) AS k FROM s", notices: []string{"k = lower(s.k), was k = upper(s.k)"}},
		{what: "table join", old: "SELECT s.k, name FROM s JOIN shops ON k = id", new: "SELECT s.k, name FROM s JOIN shops ON k2 = id",
			notices: []string{`JOIN with table "shops" on s.k2 = "shops".id, was JOIN with table "shops" on s.k = "shops".id`}},

		{what: "window size", old: base, new: strings.Replace(base, "5 minutes", "10 minutes", 1), diff: "the window of the aggregate: was tumble of 5 minutes over s.ts, is now tumble of 10 minutes over s.ts"},
		{what: "window kind", old: base, new: strings.Replace(base, "'5 minutes'", "'5 minutes', '1 minute'", 1), diff: "the window of the aggregate: was tumble of 5 minutes over s.ts, is now hop of 5 minutes over s.ts every 1 minute"},
		{what: "window offset", old: base, new: strings.Replace(base, "'5 minutes'", "'5 minutes', '5 minutes', '1 minute'", 1), diff: "the window of the aggregate: was tumble of 5 minutes over s.ts, is now tumble of 5 minutes over s.ts offset 1 minute"},
		{what: "key", old: base, new: strings.Replace(strings.Replace(base, "w, k,", "w, k2 AS k,", 1), "), k", "), k2", 1), diff: "the grouping keys of the aggregate: was s.k VARCHAR, is now s.k2 VARCHAR"},
		{what: "key computed below", old: "SELECT ts, kk AS k, count(*) AS n FROM (SELECT ts, upper(k) AS kk FROM s) GROUP BY ts, kk",
			new:  "SELECT ts, kk AS k, count(*) AS n FROM (SELECT ts, lower(k) AS kk FROM s) GROUP BY ts, kk",
			diff: "the grouping keys of the aggregate: was s.ts TIMESTAMP, upper(s.k) VARCHAR, is now s.ts TIMESTAMP, lower(s.k) VARCHAR"},
		{what: "aggregate", old: "SELECT ts, min(v) AS x FROM s GROUP BY ts", new: "SELECT ts, max(v) AS x FROM s GROUP BY ts", diff: "the aggregates of the aggregate: was min(s.v) INTEGER, is now max(s.v) INTEGER"},
		{what: "aggregate filter", old: "SELECT ts, count(*) FILTER (WHERE v > 1) AS x FROM s GROUP BY ts", new: "SELECT ts, count(*) FILTER (WHERE v > 2) AS x FROM s GROUP BY ts",
			diff: "the aggregates of the aggregate: was count(*) FILTER (WHERE (s.v > 1)) BIGINT, is now count(*) FILTER (WHERE (s.v > 2)) BIGINT"},
		{what: "aggregate parameter", old: "SELECT ts, quantile_cont(v, 0.5) AS x FROM s GROUP BY ts", new: "SELECT ts, quantile_cont(v, 0.9) AS x FROM s GROUP BY ts",
			diff: "the parameters of the aggregate: was quantile_cont(s.v) with 0.5::DECIMAL(1,1), is now quantile_cont(s.v) with 0.9::DECIMAL(1,1)"},
		{what: "mode", old: base, new: base, mode: types.Update, diff: "the output mode: was append, is now update"},
		{what: "source", old: base, new: strings.Replace(base, "FROM s", "FROM u", 1), diff: "the sources: was s (memory:s), is now u (memory:u)"},
		{what: "result columns", old: base, new: strings.Replace(base, "AS n", "AS m", 1), diff: "the result columns: was w TIMESTAMP, k VARCHAR, n BIGINT, is now w TIMESTAMP, k VARCHAR, m BIGINT"},
		{what: "operator added", old: "SELECT k, ts FROM s", new: "SELECT k, ts FROM DEDUP(s, KEY (k, ts))", diff: "the stateful operators: was none, is now deduplicate"},
		{what: "dedup keys", old: "SELECT k, ts FROM DEDUP(s, KEY (k, ts))", new: "SELECT k, ts FROM DEDUP(s, KEY (k))", diff: "the keys of the deduplicate: was s.k VARCHAR, s.ts TIMESTAMP, is now s.k VARCHAR"},
		{what: "dedup within", old: "SELECT k, ts FROM DEDUP(s, KEY (k))", new: "SELECT k, ts FROM DEDUP(s, KEY (k) WITHIN WATERMARK)", diff: "the memory of keys of the deduplicate: was for ever, is now within the watermark"},
		{what: "join type", old: join, new: strings.Replace(join, "JOIN", "LEFT JOIN", 1), diff: "the type of the join: was join, is now left join"},
		{what: "join range", old: join, new: strings.Replace(join, "1 MINUTE", "2 MINUTE", 1),
			diff: "the condition of the join: was s.k = t.k AND ((s.ts >= t.tt) AND (s.ts <= (t.tt + INTERVAL '00:01:00'))), is now s.k = t.k AND ((s.ts >= t.tt) AND (s.ts <= (t.tt + INTERVAL '00:02:00')))"},
		{what: "first rows", old: "SELECT k, ts FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) = 1", new: "SELECT k, ts FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY k2 ORDER BY ts) = 1",
			diff: "the keys of the first rows: was s.k VARCHAR, is now s.k2 VARCHAR"},
		{what: "rollup", old: "SELECT k, k2, count(*) AS n FROM s GROUP BY ROLLUP (k, k2)", new: "SELECT k, k2, count(*) AS n FROM s GROUP BY CUBE (k, k2)", oldMode: types.Update, mode: types.Update,
			diff: "the grouping sets of the aggregate: was [[0 1] [0] []], is now [[0 1] [0] [1] []]"},
	} {
		t.Run(c.what, func(t *testing.T) {
			v := Compare(printOf(t, cat, c.old, Options{Mode: c.oldMode}), printOf(t, cat, c.new, Options{Mode: c.mode}))
			if c.diff == "" {
				if !v.Compatible || v.Error() != nil {
					t.Fatalf("refused: %v", v.Error())
				}
				if !reflect.DeepEqual(v.Notices, c.notices) {
					t.Errorf("notices\n got %q\nwant %q", v.Notices, c.notices)
				}
				return
			}
			if v.Compatible {
				t.Fatal("accepted")
			}
			if got := v.Diffs[0].text(); got != c.diff {
				t.Errorf("first diff\n got %s\nwant %s", got, c.diff)
			}
			err := v.Error()
			if err.Code != "E_CKPT_INCOMPATIBLE" || !strings.Contains(err.Text, c.diff) || err.Hint == "" {
				t.Errorf("error %+v", err)
			}
		})
	}
}

// TestCompareDelay changes what the declaration of a stream says.
func TestCompareDelay(t *testing.T) {
	query := "SELECT ts, count(*) AS n FROM s GROUP BY ts"
	stream := "stream s watermark=%\nts TIMESTAMP\nother TIMESTAMP\n"
	with := func(w string) *Print {
		return printOf(t, declared(t, strings.Replace(stream, "%", w, 1)), query, Options{})
	}
	v := Compare(with("ts:10s"), with("ts:1m"))
	want := []string{"the delay of the watermark on s.ts is now 1 minute, was 10 seconds; the watermark never moves back"}
	if !v.Compatible || !reflect.DeepEqual(v.Notices, want) {
		t.Errorf("delay: %+v", v)
	}
	other := printOf(t, declared(t, strings.Replace(stream, "%", "other:10s", 1)), "SELECT other AS ts, count(*) AS n FROM s GROUP BY other", Options{})
	v = Compare(with("ts:10s"), other)
	if v.Compatible || v.Diffs[0].text() != "the watermark columns: was s.ts, is now s.other" {
		t.Errorf("column: %+v", v)
	}
}

// version1 is the print of a query as it was kept before there were several outputs.
const version1 = `{"version":1,"mode":"append","watermarkPolicy":"min","sources":[{"stream":"s","id":"memory:s"}],"watermarks":[{"column":"s.ts","delayMicros":10000000}],` +
	`"operators":[{"kind":"aggregate","keys":[{"name":"s.ts","type":"TIMESTAMP"}],"aggregates":[{"name":"count(*)","type":"BIGINT"}],"watermarks":["s.ts"]}],` +
	`"columns":[{"name":"ts","type":"TIMESTAMP"},{"name":"n","type":"BIGINT"}],"stateless":null,"target":"t"}`

// TestParametersOfVersion2 carries a query on whose checkpoint is older than the parameters
// of aggregates in prints.
func TestParametersOfVersion2(t *testing.T) {
	cat := declared(t, compatDeclarations)
	query := "SELECT ts, quantile_cont(v, 0.5) AS x FROM s GROUP BY ts"
	old := printOf(t, cat, query, Options{})
	old.Version, old.Outputs[0].Operators[0].Parameters = 2, nil
	if v := Compare(old, printOf(t, cat, query, Options{})); !v.Compatible {
		t.Errorf("refused: %v", v.Error())
	}
}

// TestJoinBoundsOfVersion3 compares joins with checkpoints of a time when rows went by the
// times in their keys: where they still do, or went by a range, the query goes on.
func TestJoinBoundsOfVersion3(t *testing.T) {
	cat := declared(t, compatDeclarations)
	for _, c := range []struct{ on, diff string }{
		{"ts = tt", ""},
		{"ts BETWEEN tt AND tt + INTERVAL 1 MINUTE", ""},
		{"v = w", ""},
		{"ts = tt - INTERVAL 1 MINUTE", "the time bounds of the join: was by the times in the keys (an older version of ssql), is now " +
			"left rows until s.ts <= the watermark - 1 minute, right rows until t.tt <= the watermark + 1 minute"},
		{"ts = date_trunc('hour', tt)", "the time bounds of the join: was by the times in the keys (an older version of ssql), is now " +
			"left rows until s.ts <= the watermark - 1 hour, right rows until date_trunc('hour', t.tt) <= the watermark"},
	} {
		query := "SELECT s.k, ts, tt FROM s JOIN t ON s.k = t.k AND " + c.on
		now := printOf(t, cat, query, Options{})
		old := printOf(t, cat, query, Options{})
		old.Version, old.Outputs[0].Operators[0].Bounds = 3, nil
		if got := firstDiff(Compare(old, now)); got != c.diff {
			t.Errorf("%s:\n got %q\nwant %q", c.on, got, c.diff)
		}
		if v := Compare(now, now); !v.Compatible {
			t.Errorf("%s: not its own successor: %v", c.on, v.Error())
		}
	}
}

// TestReadPrintOfVersion1 carries a query on whose checkpoint is older than statement sets.
func TestReadPrintOfVersion1(t *testing.T) {
	old, err := ReadPrint([]byte(version1))
	if err != nil {
		t.Fatal(err)
	}
	cat := declared(t, compatDeclarations)
	for _, c := range []struct{ target, text, diff string }{
		{"t", "SELECT ts, count(*) AS n FROM s GROUP BY ts", ""},
		{"main.t", "SELECT ts, count(*) AS n FROM s GROUP BY ts", ""},
		{"u", "SELECT ts, count(*) AS n FROM s GROUP BY ts", "the result table: was t, is now u"},
		{"t", "SELECT ts, max(v) AS n FROM s GROUP BY ts", "the result columns: was ts TIMESTAMP, n BIGINT, is now ts TIMESTAMP, n INTEGER"},
	} {
		v := Compare(old, Fingerprint(boundSet(t, cat, c.target, c.text)))
		if got := firstDiff(v); got != c.diff {
			t.Errorf("into %s: %s\n got %q\nwant %q", c.target, c.text, got, c.diff)
		}
	}
}

// TestCompareSets is about the outputs of a statement set.
func TestCompareSets(t *testing.T) {
	cat := declared(t, compatDeclarations)
	count, rows, dedup := "SELECT ts, count(*) AS n FROM s WHERE v > 1 GROUP BY ts", "SELECT k FROM s", "SELECT k, ts FROM DEDUP(s, KEY (k, ts))"
	old := Fingerprint(boundSet(t, cat, "a", count, "b", rows, "c", dedup))
	for _, c := range []struct {
		what string
		set  []string
		diff string
	}{
		{"the same", []string{"a", count, "b", rows, "c", dedup}, ""},
		{"another order", []string{"c", dedup, "A", count, "b", rows}, ""},
		{"another filter", []string{"a", strings.Replace(count, "> 1", "> 2", 1), "b", rows, "c", dedup}, ""},
		{"one less", []string{"a", count, "b", rows}, `the output "c": was in append mode, is now none`},
		{"one more", []string{"a", count, "b", rows, "c", dedup, "d", rows}, `the output "d": was none, is now in append mode`},
		{"another target", []string{"a", count, "e", rows, "c", dedup}, `the output "b": was in append mode, is now none`},
		{"another aggregate", []string{"a", strings.Replace(count, "count(*)", "count(v)", 1), "b", rows, "c", dedup}, `the aggregates of the aggregate of output "a": was count(*) BIGINT, is now count(s.v) BIGINT`},
		{"another mode", []string{"a", count + " EMIT ON UPDATE", "b", rows, "c", dedup}, `the output mode of the output "a": was append, is now update`},
		{"other columns", []string{"a", count, "b", "SELECT k2 FROM s", "c", dedup}, `the result columns of the output "b": was k VARCHAR, is now k2 VARCHAR`},
		{"one alone", []string{"a", count}, `the output "b": was in append mode, is now none`},
	} {
		if got := firstDiff(Compare(old, Fingerprint(boundSet(t, cat, c.set...)))); got != c.diff {
			t.Errorf("%s\n got %q\nwant %q", c.what, got, c.diff)
		}
	}
	v := Compare(old, Fingerprint(boundSet(t, cat, "a", strings.Replace(count, "> 1", "> 2", 1), "b", rows, "c", dedup)))
	if want := []string{`output "a": WHERE (s.v > 2), was WHERE (s.v > 1)`}; !reflect.DeepEqual(v.Notices, want) {
		t.Errorf("notices %q, want %q", v.Notices, want)
	}
}

func firstDiff(v *Verdict) string {
	if v.Compatible {
		return ""
	}
	return v.Diffs[0].text()
}

// boundSet binds targets and their queries, which come in turn.
func boundSet(t *testing.T, cat testCatalog, targetsAndQueries ...string) *Plan {
	t.Helper()
	var inserts []Insert
	for i := 0; i < len(targetsAndQueries); i += 2 {
		q, err := sql.ParseQueryText(targetsAndQueries[i+1])
		if err != nil {
			t.Fatal(err)
		}
		inserts = append(inserts, Insert{Target: targetsAndQueries[i], Query: q})
	}
	p, err := BindSet(inserts, cat, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
