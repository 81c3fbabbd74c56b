package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// piped is an ssql whose standard input stays open.
type piped struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr bytes.Buffer
	stdout bytes.Buffer
}

func pipeInto(t *testing.T, dir string, args ...string) *piped {
	t.Helper()
	p := &piped{t: t, cmd: exec.Command(filepath.Join(binary, "ssql"), args...)}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, &p.stdout, &p.stderr
	p.cmd.Env = append(os.Environ(), "TMPDIR="+dir, "SSQL_HISTORY=", "HOME="+dir)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill() })
	return p
}

func (p *piped) write(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		p.t.Fatal(err)
	}
}

// end waits for the process, which must not need the end of its input.
func (p *piped) end(want string) {
	p.t.Helper()
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil || p.stdout.String() != want {
			p.t.Errorf("got %q, %v, want %q\n%s", p.stdout.String(), err, want, p.stderr.String())
		}
	case <-time.After(time.Minute):
		p.t.Fatalf("it does not end; printed %q\n%s", p.stdout.String(), p.stderr.String())
	}
}

// A LIMIT ends a SELECT on a pipe that stays open.
func TestLimitEndsAPipe(t *testing.T) {
	p := pipeInto(t, t.TempDir(), "-csv", "-c", "SELECT id FROM 'stdin' WHERE id > 1 LIMIT 2")
	p.write("{\"id\":1}\n{\"id\":2}\n")
	p.write("{\"id\":3}\n{\"id\":4}\n{\"id\"")
	p.end("id\n2\n3\n")
}

// An INSERT from a pipe commits batches while the pipe is open, and takes a line that is not finished when it
// is.
func TestInsertCommitsWhileThePipeIsOpen(t *testing.T) {
	dir := t.TempDir()
	script := "CREATE STREAM p (id BIGINT, s VARCHAR) WITH (connector = 'stdin', format = 'csv', header = false);\nINSERT INTO o SELECT * FROM p;\n"
	if err := os.WriteFile(filepath.Join(dir, "p.sql"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	p := pipeInto(t, dir, "p.duckdb", "p.sql")
	p.write("1,one\n2,tw")
	stored := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			cmd := exec.Command(filepath.Join(binary, "ssql"), "-csv", "p.duckdb", "-c", "SELECT id, s FROM o ORDER BY id")
			cmd.Dir = dir
			out, _ := cmd.Output() // before the first batch there is no table
			if string(out) == want {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("stored %q, want %q\n%s", out, want, p.stderr.String())
			}
		}
	}
	stored("id,s\n1,one\n")
	p.write("o\n3,three")
	stored("id,s\n1,one\n2,two\n")
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil || !strings.Contains(p.stdout.String(), "3 rows read = 3 used") {
		t.Errorf("%v: %s%s", err, p.stdout.String(), p.stderr.String())
	}
	stored("id,s\n1,one\n2,two\n3,three\n")
}

// What is one result of all rows waits for the end of a pipe, and says so.
func TestAggregateWaitsForThePipe(t *testing.T) {
	p := pipeInto(t, t.TempDir(), "-csv", "-c", "SELECT sum(id) AS s FROM 'stdin'")
	p.write("{\"id\":1}\n")
	time.Sleep(3 * time.Second) // it says so after two
	p.write("{\"id\":2}\n")
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	p.end("s\n3\n")
	if !strings.Contains(p.stderr.String(), "waiting for the end of stdin") {
		t.Errorf("no notice: %s", p.stderr.String())
	}
}
