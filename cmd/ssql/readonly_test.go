package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReadOnlyFolder: a database in a folder that cannot be written is read, and says so.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := ssqlIn(dir, "lab.duckdb", "-c", "CREATE TABLE t AS SELECT 7 AS a")
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := os.ReadFile(filepath.Join(binary, "ssql"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "ssql"), program, 0o755)
	}
	if err == nil {
		err = os.Chmod(filepath.Join(dir, "lab.duckdb"), 0o444)
	}
	for folder, mode := range map[string]os.FileMode{dir: 0o555, filepath.Dir(dir): 0o755} { // whoever runs it gets there
		if err == nil {
			err = os.Chmod(folder, mode)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	run := func(statements string) string {
		cmd := exec.Command(filepath.Join(dir, "ssql"), "lab.duckdb", "-csv", "-c", statements)
		cmd.Dir = dir
		if os.Geteuid() == 0 { // who may write everything
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, _ := cmd.CombinedOutput() // the refusals have a status
		return string(out)
	}
	if got := run("FROM t; SHOW STREAMS; SHOW QUERIES"); !strings.Contains(got, "a\n7\n") || !strings.Contains(got, "is opened for reading") || strings.Contains(got, "ERROR") {
		t.Errorf("reading:\n%s", got)
	}
	for _, statement := range []string{
		"INSERT INTO t VALUES (1)", "CREATE TABLE x (a INT)", "DROP TABLE t",
		"CREATE STREAM s (a INT) WITH (connector = 'memory')", "CREATE VIEW v AS FROM t",
	} {
		if got := run(statement); !strings.Contains(got, "ERROR E_STORAGE_READONLY: ") {
			t.Errorf("%s:\n%s", statement, got)
		}
	}
}
