package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// write makes a file in the folder of a terminal.
func (x *terminal) write(name, text string) {
	x.t.Helper()
	path := filepath.Join(x.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		x.t.Fatal(err)
	}
}

// run types a line and waits for the prompt behind it; texts are what must be printed
// before, in this order.
func (x *terminal) run(line string, texts ...string) {
	x.t.Helper()
	x.send(line + "\r")
	x.expect(line)
	for _, text := range texts {
		x.expect(text)
	}
	x.expect("ssql> ")
}

func TestWordsWithoutThePoint(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", ":memory:")
	x.expect("ssql> ")
	x.run(".hlep", "ERROR DOT_COMMAND: there is no command .hlep", "Hint: did you mean .help?")
	x.run(".nothing like it", "Hint: .help lists them")
	x.run("help;", ".exit", "leave; queries stop", ".watch")
	x.run(".mod nope", "expected an output mode (box,")
	x.run(".e", "ERROR DOT_COMMAND: .e is short for .echo, .edit, .exit")
	x.run(".prompt", "")
	x.send("exit\r")
	x.end(0)
}

func TestReadRunsAScriptBelowItsFolder(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", ":memory:")
	x.write("sub/one.sql", "SELECT 1 AS one;\nRUN SCRIPT 'two.sql';\nSELECT nope;\nSELECT 4 AS four;\n")
	x.write("sub/two.sql", "SELECT * FROM 'two.csv';\n")
	x.write("sub/two.csv", "a\n2\n")
	x.expect("ssql> ")
	x.run(".read sub/one.sql", "│     1 │", "│     2 │", "sub/one.sql:3:8: ERROR DUCKDB_BINDER")
	x.run(".bail off", "")
	x.run(`\i sub/one.sql`, "sub/one.sql:3:8: ERROR DUCKDB_BINDER", "│     4 │")
	x.run(".read sub/three.sql", `script "`, `sub/three.sql"`, "no such file") // the lines are as wide as the terminal
	x.send(ctrlD)
	x.end(0)
}

func TestLastShowsWhatTheScreenDidNot(t *testing.T) {
	t.Parallel()
	x := startSized(t, "", &pty.Winsize{Rows: 30, Cols: 40}, nil, ":memory:")
	x.expect("ssql> ")
	x.run("select i, 'v' || i as v from range(99) t(i);", "│     0 │ v0         │", "·", "│    98 │ v98        │", "(40 shown)")
	x.run(".last", "│    49 │ v49     │", "│    50 │ v50     │", "│ 99 rows")
	x.run("select repeat('x', 90) as long, '日本語' as w;", "xxx… │ 日本語  │")
	x.run(".last", strings.Repeat("x", 90)+" │ 日本語  │")
	x.run(`\x`, "")
	x.run(".last", "long = "+strings.Repeat("x", 90), "w = 日本語")
	x.send(ctrlD)
	x.end(0)
}

func TestPagerGetsLargeTables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page := filepath.Join(dir, "page")
	x := startSized(t, dir, &pty.Winsize{Rows: 20, Cols: 60}, []string{"SSQL_PAGER=" + page + " -v"}, ":memory:")
	x.write("page", "#!/bin/sh\necho paged $1: $(grep -c │)\n")
	x.expect("ssql> ")
	x.run("select * from range(100);", "(40 shown)")
	x.run(".pager on", "")
	x.run("select * from range(100);", "paged -v: 103")
	x.run("select 1 as small;", "│     1 │")
	x.run("select repeat('y', 80) as wide;", "paged -v: 4")
	x.run(".last", "paged -v: 4")
	x.send(ctrlD)
	x.end(0)
}

func TestEditRunsWhatTheEditorLeaves(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := startSized(t, dir, &pty.Winsize{Rows: 40, Cols: 100}, []string{"VISUAL=", "EDITOR=" + filepath.Join(dir, "ed")}, ":memory:")
	x.write("ed", "#!/bin/sh\nsed -i 's/one/two/' \"$1\"\n")
	x.expect("ssql> ")
	x.send("select 'one' as\r v;\r")
	x.expect("│ one     │")
	x.expect("ssql> ")
	x.run(".edit", "select 'two' as", "│ two     │")
	x.write("ed", "#!/bin/sh\nexit 3\n")
	x.run(`\e`, "running "+filepath.Join(dir, "ed")+": exit status 3", "Hint: set EDITOR")
	x.send(ctrlD)
	x.end(0)
}

func TestTabCompletesNames(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", ":memory:")
	x.expect("ssql> ")
	x.run("create stream clicks (who varchar, ts timestamp) with (connector = 'memory');")
	x.send("select * from cli\t")
	x.expect("select * from clicks")
	x.send(";\r")
	x.expect("0 rows")
	x.expect("ssql> ")
	x.send(".pag\t")
	x.expect(".pager")
	x.send(" on\r")
	x.expect("ssql> ")
	x.send(ctrlD)
	x.end(0)
}

// A dumb terminal, and NO_COLOR: nothing but text and what the line editor needs.
func TestDumbTerminal(t *testing.T) {
	t.Parallel()
	x := startSized(t, "", &pty.Winsize{Rows: 24, Cols: 80}, []string{"TERM=dumb", "NO_COLOR=1"}, ":memory:")
	x.expect("ssql> ")
	x.run("select 1 as one;", "│     1 │")
	x.mu.Lock()
	if strings.Contains(x.seen, "\x1b[3") {
		t.Errorf("colours: %q", x.seen)
	}
	x.mu.Unlock()
	x.send(ctrlD)
	x.end(0)
}

// SHOW PROGRESS FOLLOW prints batches as they come; Ctrl-C ends it and not the query, which
// another process can diagnose meanwhile.
func TestFollowProgress(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", "lab.duckdb")
	x.write("in/a.json", `{"a":1}`+"\n")
	x.expect("ssql> ")
	x.run("create stream s (a int) with (connector = 'files', path = 'in');")
	x.run("insert into t select a from s;", `query "t" started`)
	x.run("await query t until rows 1;")
	x.send("show progress for t follow;\r")
	x.write("in/b.json", `{"a":2}`+"\n"+`{"a":3}`+"\n")
	x.expect("t batch 1 | 2 rows read | ")
	x.expect("| 2 written | open 0 | late 0 | bad 0")
	out, err := exec.Command(filepath.Join(binary, "ssql"), filepath.Join(x.dir, "lab.duckdb"), "-csv", "-c", "DIAGNOSE QUERY t").CombinedOutput()
	if err != nil || !strings.Contains(string(out), `running,"runs in another process, 2 batches so far"`) {
		t.Errorf("diagnosed from outside: %v\n%s", err, out)
	}
	out, err = exec.Command(filepath.Join(binary, "ssql"), filepath.Join(x.dir, "lab.duckdb"), "-c", "START QUERY t").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "ERROR E_LOCKED: checkpoint ") || !strings.Contains(string(out), "is in use by pid ") {
		t.Errorf("started from outside: %v\n%s", err, out)
	}
	if err := x.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	x.expect("ssql> ")
	x.run("show queries;", "│ running │")
	x.send(ctrlD)
	x.end(0)
}

// Ctrl-C at a SELECT that takes long ends it and keeps the prompt; its footer goes.
func TestCtrlCEndsAStreamingSelect(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", ":memory:")
	x.write("in/a.json", strings.Repeat(`{"a":1}`+"\n", 1_000_000))
	x.expect("ssql> ")
	x.run("create stream s (a int) with (connector = 'files', path = 'in');")
	x.run("set max_rows_per_batch = 100;")
	x.send("select count(*) as n from s;\r")
	x.expect(" rows/s | open 1 | late 0 | bad 0")
	if err := x.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	x.expect("ssql> ")
	x.run("select 'still here' as s;", "still here")
	x.send(ctrlD)
	x.end(0)
}
