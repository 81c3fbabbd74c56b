package sql

import (
	"strings"
	"testing"
	"time"
)

// A text that comes line by line is complete where the text as a whole is.
func TestCompletionIsComplete(t *testing.T) {
	texts := []string{
		"SELECT 1\n, 2;\n", "SELECT 'a\nb''\nc'\n;\n", "SELECT \"a\nb\"\n, `c\nd`;\nSELECT 1\n", "/* a\n /* b */\n c */\nSELECT 1;\n",
		"SELECT $$ a\n $b$ ;\n$$;\n", "SELECT $x$\n;$y$\n$x$\n;\n", "SELECT E'a\\'\n;'\n;\n", "-- a;\nSELECT 1 -- '\n;\n", "SELECT “a”\n, 1\n;\n",
		"EXECUTE STATEMENT SET BEGIN\nINSERT INTO t SELECT 1;\nEND;\n", "SELECT X'00\n';\n", "\n\n;\n", "SELECT 1;; SELECT '\n;", "SELECT 'a' -- it's\n;\n",
	}
	for _, text := range texts {
		var c Completion
		so := ""
		for _, line := range strings.SplitAfter(text, "\n") {
			so += line
			if got, want := c.Add(line), Complete(so); got != want {
				t.Errorf("%q: got %v, want %v", so, got, want)
			}
		}
	}
}

// The time that a statement of many lines takes grows as its lines do: by the square, each of
// these would take minutes.
func TestCompletionReadsEachLineOnce(t *testing.T) {
	const lines = 100_000
	for name, around := range map[string][2]string{"rows": {"INSERT INTO t VALUES ", "(1)"}, "literal": {"SELECT '", "'"}, "comment": {"/*", "*/ SELECT 1"}} {
		begun := time.Now()
		var c Completion
		c.Add(around[0] + "\n")
		for range lines {
			if c.Add("(12345, \"x\"),\n") {
				t.Fatalf("%s: complete", name)
			}
		}
		if !c.Add(around[1] + ";\n") {
			t.Errorf("%s: not complete", name)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s: %d lines took %s", name, lines, took)
		}
	}
}
