package sql

import (
	"os"
	"strings"
	"testing"
)

// goldenBlocks runs over the blocks of a file: input, a line ----, what is expected.
// With -rewrite the expected parts are written anew.
func goldenBlocks(t *testing.T, file string, run func(input string) string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, block := range strings.Split(strings.TrimRight(string(data), "\n"), "\n\n") {
		input, want, _ := strings.Cut(block, "\n----")
		want, rest, hasRest := strings.Cut(want, "\n----")
		if strings.HasPrefix(input, "#") {
			out = append(out, block)
			continue
		}
		// Tabs and the like are written as escapes so that the file shows them.
		got := run(strings.NewReplacer(`\t`, "\t", `\n`, "\n").Replace(input))
		if out = append(out, input+"\n----\n"+got); hasRest {
			out[len(out)-1] += "\n----" + rest
		}
		if want = strings.TrimPrefix(want, "\n"); got != want && !*rewriteGoldens {
			t.Errorf("%s\n got %s\nwant %s", input, got, want)
		}
	}
	if *rewriteGoldens {
		if err := os.WriteFile(file, []byte(strings.Join(out, "\n\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestQueries reads queries in the spellings of many engines and compares their
// canonical text.
func TestQueries(t *testing.T) {
	goldenBlocks(t, "testdata/queries.txt", func(input string) string {
		q, err := ParseQueryText(input)
		if err != nil {
			return rendered(err, input)
		}
		checkReprint(t, input, QueryText(q))
		return QueryText(q)
	})
}

// TestFaults compares the whole message for faulty statements: code, text, line,
// caret and hint.
func TestFaults(t *testing.T) {
	goldenBlocks(t, "testdata/faults.txt", func(input string) string {
		s, err := parseOne(input)
		if u, ok := s.(*Undecided); ok && err == nil {
			_, err = u.Parse(DefaultLimits())
		}
		return rendered(err, input)
	})
}

// TestItemText checks the source text of columns, which DuckDB names them after.
func TestItemText(t *testing.T) {
	q, err := ParseQueryText("SELECT a+b, /* x */ sum( c ) , count(*) n, t . *, d::INT FROM t")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a+b", "sum( c )", "count(*)", "t . *", "d::INT"}
	for i, item := range q.Body.(*Select).Items {
		if item.Text != want[i] {
			t.Errorf("column %d is %q, want %q", i, item.Text, want[i])
		}
	}
}
