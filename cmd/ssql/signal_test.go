package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// waitFor polls until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// running is a process that was started, and what it has printed so far.
type running struct {
	cmd *exec.Cmd
	in  io.WriteCloser // its standard input
	out *bytes.Buffer
	dir string
}

// runningScript starts ssql on a script that says "ready" once it runs.
func runningScript(t *testing.T, dir string, args ...string) *running {
	t.Helper()
	r := &running{cmd: ssqlIn(dir, args...), out: &bytes.Buffer{}, dir: dir}
	stdout, err := os.CreateTemp(dir, ".stdout")
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	r.cmd.Stdout, r.cmd.Stderr = stdout, r.out
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.cmd.Process.Kill() })
	// For who reads statements; the others leave it alone. The pipe stays open.
	if _, err := io.WriteString(r.in, "SELECT 'ready';\n"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the script", func() bool {
		text, err := os.ReadFile(stdout.Name())
		return err == nil && strings.Contains(string(text), "ready")
	})
	return r
}

func (r *running) end(t *testing.T, sig syscall.Signal) (code int) {
	t.Helper()
	if err := r.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- r.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatalf("%v does not end the process\n%s", sig, r.out)
	}
	return r.cmd.ProcessState.ExitCode()
}

// left are the files that a process which ended in order does not leave behind.
func left(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, end := range []string{"*.lock", "*.wal"} {
		found, err := filepath.Glob(filepath.Join(dir, end))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	return names
}

// TestSignalsEndAfterTheBatch: whatever the process does, SIGTERM, SIGHUP and Ctrl-C let it end
// in order, with the status that says which.
func TestSignalsEndAfterTheBatch(t *testing.T) {
	t.Parallel()
	// Under nohup SIGHUP is ignored, which processes inherit and ssql keeps to. One that is
	// handled here is not ignored there.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	const stream = "CREATE STREAM s (a INT) WITH (connector = 'files', path = 'in'); SET max_rows_per_batch = 1;\n"
	scripts := map[string][]string{
		"awaits":     {"lab.duckdb", "-csv", "-c", stream + "CREATE QUERY q WITH (trigger = '10 milliseconds') AS INSERT INTO t SELECT a FROM s; SELECT 'ready'; AWAIT QUERY q UNTIL ROWS 1000000000"},
		"waits":      {"lab.duckdb", "-csv", "-c", stream + "CREATE QUERY q WITH (trigger = '10 milliseconds') AS INSERT INTO t SELECT a FROM s; SELECT 'ready'"},
		"catches up": {"lab.duckdb", "-csv", "-c", stream + "SELECT 'ready'; INSERT INTO t SELECT a FROM s"},
		"duckdb":     {"lab.duckdb", "-csv", "-c", stream + "SELECT 'ready'; SELECT count(*) FROM range(1000000) a, range(1000000) b"},
		"reads":      {"lab.duckdb", "-csv"}, // statements from a pipe that stays open
	}
	for name, args := range scripts {
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
			if sig == syscall.SIGINT && (name == "reads" || name == "waits") {
				continue // Ctrl-C there is for what runs
			}
			t.Run(fmt.Sprintf("%s/%d", name, sig), func(t *testing.T) {
				dir := t.TempDir()
				if err := os.Mkdir(filepath.Join(dir, "in"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "in", "a.json"), []byte(strings.Repeat("{\"a\":1}\n", 20_000)), 0o600); err != nil {
					t.Fatal(err)
				}
				r := runningScript(t, dir, args...)
				if code, want := r.end(t, sig), 128+int(sig); code != want {
					t.Errorf("status %d, want %d\n%s", code, want, r.out)
				}
				if names := left(t, dir); len(names) > 0 {
					t.Errorf("left behind: %q\n%s", names, r.out)
				}
			})
		}
	}
}

// fakeShell is a shell that runs something, or does not.
type fakeShell bool

func (f fakeShell) End() bool { return bool(f) }

// TestSignalLadder: what each signal does, given those before it.
func TestSignalLadder(t *testing.T) {
	const (
		hup, in, term = syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM
	)
	for _, c := range []struct {
		name    string
		shell   shellSignal
		signals []os.Signal
		want    string
		status  int
	}{
		{"before there is a shell", nil, []os.Signal{in}, "exit 130 ", 130},
		{"Ctrl-C while something runs", fakeShell(true), []os.Signal{in, in}, "interrupt interrupt ", 0},
		{"Ctrl-C at the prompt", fakeShell(false), []os.Signal{in}, "interrupt ", 0},
		{"TERM while something runs", fakeShell(true), []os.Signal{term}, "interrupt ", 143},
		{"TERM twice", fakeShell(true), []os.Signal{term, term}, "interrupt exit 143 ", 143},
		{"HUP, then TERM", fakeShell(true), []os.Signal{hup, term}, "interrupt exit 143 ", 129},
		{"TERM, then Ctrl-C", fakeShell(true), []os.Signal{term, in}, "interrupt interrupt ", 143},
		{"HUP at the prompt", fakeShell(false), []os.Signal{hup}, "closed exit 129 ", 129},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got strings.Builder
			s := &signals{interrupts: make(chan os.Signal, 8), exit: func(code int) { fmt.Fprintf(&got, "exit %d ", code) }}
			if c.shell != nil {
				s.attach(c.shell, func() { got.WriteString("closed ") })
			}
			for _, sig := range c.signals {
				s.answer(sig)
				for range len(s.interrupts) {
					<-s.interrupts
					got.WriteString("interrupt ")
				}
			}
			if got.String() != c.want || s.status(0) != c.status {
				t.Errorf("%q, status %d; want %q, %d", got.String(), s.status(0), c.want, c.status)
			}
		})
	}
}
