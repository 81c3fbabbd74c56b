//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// longStatements take hours if nothing ends them. DuckDB looks for Ctrl-C between the vectors of 2,048 rows
// that it computes; ssql between texts.
var longStatements = map[string]string{
	"expression over a stream": "SELECT sum(length(replace(repeat('ab', 1000000 + a::INT), 'a', 'cd'))) FROM s",
	"lambda over a stream":     "SELECT sum(list_sum(list_transform(range(1000000 + a), x -> x * x % 7))) FROM s",
	"tables":                   "SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b",
	"expression over a table":  "SELECT sum(length(replace(repeat('ab', 1000 + (range % 7)::INT), 'a', 'cd'))) FROM range(1000000000)",
	"list over a table":        "SELECT sum(list_sum([x * x % 7 FOR x IN range(100 + range % 7)])) FROM range(1000000000)",
}

const longStream = "CREATE STREAM s (a BIGINT) WITH (connector = 'files', path = 'in');\n"

func writeLongInput(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "in", "a.json"), []byte(strings.Repeat("{\"a\":1}\n", 50_000)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// computes waits until a process has computed for a while: what takes long has begun.
func computes(t *testing.T, pid int) {
	t.Helper()
	ticks := func() int {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		n, err := strconv.Atoi(strings.Fields(rest)[11]) // utime, in hundredths of a second
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := ticks()
	waitFor(t, "a statement that computes", func() bool { return ticks() > before+30 })
}

// TestCtrlCEndsWhatTakesLong: by -c and in a script Ctrl-C ends the process whatever computes, in the middle
// of a chunk too.
func TestCtrlCEndsWhatTakesLong(t *testing.T) {
	t.Parallel()
	for name, statement := range longStatements {
		for _, how := range []string{"-c", "script"} {
			t.Run(name+"/"+how, func(t *testing.T) {
				dir := t.TempDir()
				writeLongInput(t, dir)
				text := longStream + "SELECT 'ready';\n" + statement + ";\n"
				args := []string{"-csv", "lab.duckdb", "-c", text}
				if how == "script" {
					if err := os.WriteFile(filepath.Join(dir, "long.sql"), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
					args = []string{"-csv", "lab.duckdb", "long.sql"}
				}
				r := runningScript(t, dir, args...)
				computes(t, r.cmd.Process.Pid)
				if code := r.end(t, syscall.SIGINT); code != 130 {
					t.Errorf("status %d, want 130\n%s", code, r.out)
				}
			})
		}
	}
}

// TestCtrlCAtThePromptEndsWhatTakesLong: the prompt comes back and answers.
func TestCtrlCAtThePromptEndsWhatTakesLong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeLongInput(t, dir)
	x := startTerminal(t, dir, ":memory:")
	x.expect("ssql> ")
	x.write("stream.sql", longStream)
	x.run(".read stream.sql")
	for name, statement := range longStatements {
		t.Run(name, func(t *testing.T) {
			x.t = t
			x.write("long.sql", "SELECT 'ready';\n"+statement+";\n")
			x.send(".read long.sql\r")
			x.expect("│ ready ")
			computes(t, x.cmd.Process.Pid)
			if err := x.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			x.expect("interrupted")
			x.expect("ssql> ")
			x.run("SELECT 6 * 7 AS answer;", "42")
		})
	}
}
