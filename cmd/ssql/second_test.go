package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// from outside: statements of another process on the database of a terminal.
func (x *terminal) outside(statements string) (string, error) {
	out, err := exec.Command(filepath.Join(binary, "ssql"), filepath.Join(x.dir, "lab.duckdb"), "-csv", "-c", statements).CombinedOutput()
	return string(out), err
}

// A query that runs is not dropped, reset, changed or replaced by another process: it would go
// on, in a checkpoint without a name.
func TestSecondProcessLeavesARunningQueryAlone(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", "lab.duckdb")
	x.write("in/a.json", `{"a":1}`+"\n")
	x.expect("ssql> ")
	x.run("create stream s (a int) with (connector = 'files', path = 'in');")
	x.run("create query q as insert into t select a from s;", `query "q" started`)
	x.run("create query own with (checkpoint = 'ck') as insert into u select a from s;", `query "own" started`)
	x.run("create query aa with (start = false) as insert into v select a from s;")
	x.run("await query q until rows 1;")
	x.run("await query own until rows 1;")
	refused := []string{
		"DROP QUERY q", "DROP QUERY own", "DROP QUERY IF EXISTS q",
		"RESET QUERY q KEEP OUTPUT FORCE", "RESET QUERY q TRUNCATE OUTPUT FORCE", "RESET QUERY own KEEP OUTPUT FORCE",
		"ALTER QUERY q SET (workers = 1)", "ALTER QUERY q AS SELECT a FROM s WHERE a > 0", "ALTER QUERY own SET (checkpoint = 'ck2')",
		"CREATE OR REPLACE QUERY q AS INSERT INTO t SELECT a FROM s WHERE a > 0",
		"CREATE OR REPLACE QUERY q WITH (start = false) AS INSERT INTO t SELECT a FROM s WHERE a > 0",
		"START QUERY q", "DROP STREAM s CASCADE",
	}
	out, err := x.outside(".bail off\n" + strings.Join(refused, ";\n"))
	if got := strings.Count(out, "ERROR E_LOCKED: "); err == nil || got != len(refused) || strings.Count(out, "ERROR") != got {
		t.Errorf("%d of %d statements refused: %v\n%s", got, len(refused), err, out)
	}
	if out, err := x.outside("SELECT name FROM ssql.queries ORDER BY name"); err != nil || out != "name\naa\nown\nq\n" {
		t.Errorf("a refused CASCADE has dropped queries: %v\n%s", err, out)
	}
	x.write("in/b.json", `{"a":2}`+"\n")
	x.run("await query q until rows 2;")
	x.run("await query own until rows 2;")
	if out, err := x.outside("SELECT count(*) AS n FROM t UNION ALL SELECT count(*) FROM u"); err != nil || !strings.HasSuffix(out, "n\n2\n2\n") {
		t.Errorf("%v\n%s", err, out)
	}
	x.send(ctrlD)
	x.end(0)
	if out, err := x.outside("DROP QUERY q; DROP QUERY own"); err != nil || !strings.Contains(out, "is dropped with its checkpoint") {
		t.Errorf("once they have ended: %v\n%s", err, out)
	}
}

// A query whose checkpoint is taken away while it runs writes nothing more.
func TestRunningQueryStopsWithoutItsLock(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", "lab.duckdb")
	x.write("in/a.json", `{"a":1}`+"\n")
	x.expect("ssql> ")
	x.run("create stream s (a int) with (connector = 'files', path = 'in');")
	x.run("create query q as insert into t select a from s;", `query "q" started`)
	x.run("await query q until rows 1;")
	x.run("select 'n=' || count(*) as n from t;", "n=1")
	from, to := filepath.Join(x.dir, "lab.duckdb.ssql"), filepath.Join(x.dir, "elsewhere")
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
	x.write("in/b.json", `{"a":2}`+"\n")
	x.expect(`query "q" failed`)
	x.expect("E_LOCK_LOST")
	x.expect("ssql> ")
	x.run("select 'n=' || count(*) as n from t;", "n=1")
	if err := os.Rename(to, from); err != nil {
		t.Fatal(err)
	}
	x.run("start query q;", `query "q" resumed at batch 1`)
	x.run("await query q until rows 1;")
	x.run("select 'm=' || count(*) as m from t;", "m=2")
	x.send(ctrlD)
	x.end(0)
}
