package streamtest

import (
	"bytes"
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
)

const small = `# A story.
#
# golden: spark 4.0.1 inputs=HASH

stream s watermark="ts:1 day 2 hours"
ts TIMESTAMP
k  STRING

# A comment between steps.
query q mode=append differs=D4
SELECT *
.
FROM s
----
from spark
---- ssql
from us

run q ordered
----

sink q only=ssql
----
.
x
`

func TestParse(t *testing.T) {
	s, err := Parse("a.test", small)
	if err != nil {
		t.Fatal(err)
	}
	if s.Golden != "HASH" || len(s.Steps) != 4 {
		t.Fatalf("golden %q, %d steps", s.Golden, len(s.Steps))
	}
	if got := s.Steps[0]; got.Line != 5 || got.Verb != "stream" || got.Name() != "s" || got.Options["watermark"] != "ts:1 day 2 hours" || len(got.Input) != 2 || got.Want != nil {
		t.Errorf("stream: %+v", got)
	}
	q := s.Steps[1]
	if q.Line != 10 || q.Text() != "SELECT *\n\nFROM s" || !reflect.DeepEqual(q.Want, []string{"from spark"}) || !reflect.DeepEqual(q.SSQLWant, []string{"from us"}) {
		t.Errorf("query: %+v", q)
	}
	if got := s.Steps[2]; got.Want == nil || len(got.Want) != 0 || !reflect.DeepEqual(got.Args, []string{"q", "ordered"}) {
		t.Errorf("run: %+v", got)
	}
	if want, spark := s.Expected(q); want[0] != "from us" || spark {
		t.Errorf("expected of the query %q, by Spark %v", want, spark)
	}
	if _, spark := s.Expected(s.Steps[2]); !spark {
		t.Error("the block of run is Spark's")
	}
	if _, spark := s.Expected(s.Steps[3]); spark {
		t.Error("the block of a step with only=ssql is not Spark's")
	}
	if s.Format() != small {
		t.Errorf("Format:\n%s", s.Format())
	}
	want := strings.Replace(small, "---- ssql\nfrom us\n", "", 1)
	if got := s.WithoutSSQL(); got != want {
		t.Errorf("WithoutSSQL:\n%s", got)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"run q\n---- other":                            `a.test:2: expected "----" or "---- ssql", found "---- other"`,
		"\n\nrun q\n----\n----":                        `a.test:5: expected one block "----" and at most one "---- ssql" behind it`,
		"run q\n---- ssql\nx":                          `a.test:2: expected one block "----" and at most one "---- ssql" behind it`,
		"stream s watermark=\"ts:1":                    `a.test:1: expected a closing quote in "stream s watermark=\"ts:1"`,
		"run q a=1 a=2":                                `a.test:1: option "a" is given twice`,
		"# fine\n\nfeed s\n1\n\nquery q x=\"a\"b\"c\"": `a.test:6: expected a quoted value, found x="a"b"c"`,
	} {
		if _, err := Parse("a.test", text); err == nil || err.Error() != want {
			t.Errorf("%q\nerror %v\nwant  %s", text, err, want)
		}
	}
}

// FuzzParse holds that no text makes the parser panic and that what it accepts is
// written as it was read.
func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Add("run q\n----\n")
	f.Add("a \"b\\\"\" c=\"d e\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("f.test", text)
		if err != nil {
			return
		}
		again, err := Parse("f.test", s.Format())
		if err != nil || again.Format() != s.Format() || again.InputsHash() != s.InputsHash() {
			t.Fatalf("not stable: %v\n%q", err, s.Format())
		}
	})
}

// TestInputsHash compares the hash with that of the recorder, and shows what counts.
func TestInputsHash(t *testing.T) {
	names, err := filepath.Glob("../../testdata/goldens/*/*.test")
	if err != nil || len(names) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, name := range names {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Golden != s.InputsHash() {
			t.Errorf("%s: hash %s, recorded %s", name, s.InputsHash(), s.Golden)
		}
	}
	s, err := Parse("a.test", small)
	if err != nil {
		t.Fatal(err)
	}
	for text, same := range map[string]bool{
		strings.Replace(small, "differs=D4", "", 1):        true,
		strings.Replace(small, "differs=D4", "extra=1", 1): false,
		strings.Replace(small, "from spark", "other", 1):   true,
		strings.Replace(small, "FROM s", "FROM t", 1):      false,
		strings.Replace(small, "FROM s", "FROM s  ", 1):    true,
		strings.Replace(small, "sink q", "sink p", 1):      true,
		strings.Replace(small, "run q", "run p", 1):        false,
		small + "\nexplain q\n":                            true,
	} {
		other, err := Parse("a.test", text)
		if err != nil {
			t.Fatal(err)
		}
		if (other.InputsHash() == s.InputsHash()) != same {
			t.Errorf("same %v is wrong for\n%s", same, text)
		}
	}
}

func TestStaleGolden(t *testing.T) {
	s, err := Parse("a.test", small)
	if err != nil {
		t.Fatal(err)
	}
	r := Run(context.Background(), s, Options{})
	if len(r.Failures) != 1 || !strings.HasPrefix(r.Report(r.Failures[0]), "a.test: the golden is stale: its inputs had the hash HASH when Spark answered") {
		t.Errorf("failures %+v", r.Failures)
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name   string
		golden string
		step   string
		answer []string
		ok     bool
	}{
		{"equal", "", "state q\n----\nrows 1", []string{"rows 1"}, true},
		{"order of lines", "", "state q\n----\na\nb", []string{"b", "a"}, false},
		{"order of rows", "", "sink q\n----\nb\na", []string{"a", "b"}, true},
		{"ordered rows", "", "sink q ordered\n----\nb\na", []string{"a", "b"}, false},
		{"rows of a batch", "", "run q\n----\nbatch 0\nb\na\nbatch 1\nc", []string{"batch 0", "a", "b", "batch 1", "c"}, true},
		{"rows of another batch", "", "run q\n----\nbatch 0\na\nbatch 1\nb", []string{"batch 0", "b", "batch 1", "a"}, false},
		{"blank line", "", "explain q\n----\na\n.\nb", []string{"a", "", "b"}, true},
		{"no block", "", "feed s", []string{}, true},
		{"no block and an error", "", "feed s", []string{"error: E_X: y"}, false},
		{"empty block", "", "run q\n----", []string{"batch 0"}, false},
		{"whole error", "", "run q\n----\nerror: E_X: y", []string{"error: E_X: z"}, false},
		{"class of an error", "h", "run q\n----\nerror: E_X: y", []string{"error: E_X: z"}, true},
		{"class of our own block", "h", "run q only=ssql\n----\nerror: E_X: y", []string{"error: E_X: z"}, false},
		{"another class", "h", "run q\n----\nerror: E_X: y", []string{"error: E_Z: y"}, false},
		{"sub-class", "h", "run q\n----\nerror: UNRESOLVED_COLUMN.WITH_SUGGESTION: y", []string{"error: UNRESOLVED_COLUMN: z"}, true},
		{"class by the table", "h", "run q\n----\nerror: _LEGACY_ERROR_TEMP_3231: y", []string{"error: WINDOW_MONTHS: z"}, true},
		{"error instead of rows", "h", "run q\n----\nbatch 0", []string{"error: E_X: z"}, false},
		{"rows instead of an error", "h", "run q\n----\nerror: E_X: z", []string{"batch 0"}, false},
	} {
		s, err := Parse("a.test", c.step)
		if err != nil {
			t.Fatal(err)
		}
		s.Golden = c.golden
		if f := compare(s, 0, c.answer); (f == nil) != c.ok {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// TestRewrite holds the rule that ssql never becomes its own oracle.
func TestRewrite(t *testing.T) {
	const ours = "stream s\nv INT\n\n# kept\nsink q\n----\nold\n\n\nfeed s\n1\n"
	const golden = "# golden: spark 4.0.1 inputs=x\n\nsink q\n----\nspark\n\nsink q differs=D4\n----\nspark\n\nsink q differs=D2\n----\nspark\n---- ssql\nold\n\nsink q only=ssql\n----\nold\n"
	answer := []string{"new", ""}
	for _, c := range []struct {
		text    string
		answers [][]string
		want    string
	}{
		{ours, [][]string{{}, answer, {}}, strings.Replace(ours, "old", "new\n.", 1)},
		{ours, [][]string{nil, nil, nil}, ours},
		{golden, [][]string{answer, answer, answer, answer}, "# golden: spark 4.0.1 inputs=x\n\nsink q\n----\nspark\n\nsink q differs=D4\n----\nspark\n---- ssql\nnew\n.\n\nsink q differs=D2\n----\nspark\n---- ssql\nnew\n.\n\nsink q only=ssql\n----\nnew\n.\n"},
		{golden, [][]string{nil, nil, {"spark"}, nil}, strings.Replace(golden, "---- ssql\nold\n", "", 1)},
	} {
		s, err := Parse("a.test", c.text)
		if err != nil {
			t.Fatal(err)
		}
		r := &Result{Script: s, Answers: c.answers}
		if got := r.Rewrite(); got != c.want {
			t.Errorf("rewritten\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestSplitRow(t *testing.T) {
	for line, want := range map[string][]string{
		"a | b":                {"a", "b"},
		`"a | b" | NULL`:       {`"a | b"`, "NULL"},
		`"a \" | b"`:           {`"a \" | b"`},
		"'' | [x, y] | {k: 1}": {"''", "[x, y]", "{k: 1}"},
		"one":                  {"one"},
		"a|b":                  {"a|b"},
	} {
		if got, err := splitRow(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	if _, err := splitRow(`"a"b | c`); err == nil {
		t.Error("text behind a quoted cell is accepted")
	}
}

func TestDiff(t *testing.T) {
	got := Diff([]string{"a", "b", "c"}, []string{"a", "x", "c", "d"})
	if want := "--- want\n+++ got\n a\n-b\n+x\n c\n+d\n"; got != want {
		t.Errorf("diff\n%s", got)
	}
}

const good = "stream s\nv BIGINT\n\nquery q\nSELECT v FROM s\n----\nv BIGINT\n\nfeed s\n1\n\nrun q\n----\nbatch 0  in=1 out=1\n1\n"

// TestReports shows what each kind of failure says.
func TestReports(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // parts of the report, none for a script that passes
	}{
		{good, nil},
		{strings.Replace(good, "out=1", "out=2", 1), []string{
			"a.test:12: run q\n    stream s\n    query q\n    feed s\n  → run q\n--- want\n+++ got\n-batch 0  in=1 out=2\n+batch 0  in=1 out=1\n 1\nprogress: {",
			"checkpoint: committed 0-0\nplan:\n",
			"again:   ssql test a.test\nrewrite: ssql test -rewrite a.test\n",
		}},
		{"strem s\nv BIGINT\n", []string{"a.test:1: strem s\n", `there is no verb "strem"; did you mean "stream"?`}},
		{"run q tigger=once\n", []string{`run has no option "tigger"; expected differs, only, trigger`}},
		{"run\n", []string{"run needs a name: run NAME [trigger=once|available_now] [ordered]"}},
		{"run q\n", []string{`there is no query "q"`}},
		{"feed s\n", []string{`there is no stream "s"`}},
		{"sql\nSELECT 1\n", []string{"the verb sql needs a session"}},
		{strings.Replace(good, "feed s\n1\n", "feed s\nx\n", 1), []string{`column "v" in row "x": expected a value of type BIGINT, found "x"`}},
		{strings.Replace(good, "feed s\n1\n", "feed s\n1 | 2\n", 1), []string{"2 cells for 1 columns in row: 1 | 2"}},
		{strings.Replace(good, "v BIGINT\n\n", "v BIGGINT\n\n", 1), []string{`column "v BIGGINT"`}},
	} {
		s, err := Parse("a.test", c.text)
		if err != nil {
			t.Fatal(err)
		}
		r := Run(context.Background(), s, Options{})
		if len(r.Failures) == 0 {
			if c.want != nil {
				t.Errorf("passes:\n%s", c.text)
			}
			continue
		}
		got := r.Report(r.Failures[0])
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("missing %q in\n%s", want, got)
			}
		}
		if c.want == nil {
			t.Errorf("fails:\n%s", got)
		}
	}
}

// TestSessionVerb gives statements to the session that the caller provides.
func TestSessionVerb(t *testing.T) {
	s, err := Parse("a.test", "sql\nSELECT 1;\n.\nSELECT 2;\n----\nSELECT 1;\n.\nSELECT 2;\n\nsql\nfail\n----\nerror: E_X: no\n")
	if err != nil {
		t.Fatal(err)
	}
	echo := &echoSession{}
	r := Run(context.Background(), s, Options{OpenSession: func(context.Context) (Session, error) { echo.opened++; return echo, nil }})
	for _, f := range r.Failures {
		t.Error(r.Report(f))
	}
	if echo.opened != 1 || echo.closed != 1 {
		t.Errorf("opened %d times, closed %d times", echo.opened, echo.closed)
	}
}

// echoSession answers with the text of the statements.
type echoSession struct{ opened, closed int }

func (e *echoSession) Execute(_ context.Context, text string) ([]string, error) {
	if text == "fail" {
		return nil, sqlerr.New("E_X", "no")
	}
	return strings.Split(text, "\n"), nil
}

func (e *echoSession) Close() error { e.closed++; return nil }

func TestVerbsAreSorted(t *testing.T) {
	table := verbs()
	for i, v := range table {
		if i > 0 && table[i-1].name >= v.name {
			t.Errorf("%s stands behind %s", v.name, table[i-1].name)
		}
		if got, ok := lookupVerb(v.name); !ok || got.name != v.name {
			t.Errorf("%s is not found", v.name)
		}
	}
	var out bytes.Buffer
	if err := PrintVerbs(&out); err != nil || strings.Count(out.String(), "\n") != 2*len(table)+1 {
		t.Errorf("%v\n%s", err, out.String())
	}
}
