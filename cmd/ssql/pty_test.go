package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is an ssql on a pseudo terminal.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	dir  string
	mu   sync.Mutex
	more *sync.Cond
	seen string // everything printed so far
	eof  bool
}

// startTerminal starts ssql at a terminal of 100 columns, in a folder of its own
// unless dir names one.
func startTerminal(t *testing.T, dir string, args ...string) *terminal {
	t.Helper()
	return startSized(t, dir, &pty.Winsize{Rows: 40, Cols: 100}, nil, args...)
}

// startSized is startTerminal at a terminal of a size and with more environment.
func startSized(t *testing.T, dir string, size *pty.Winsize, env []string, args ...string) *terminal {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	cmd := exec.Command(filepath.Join(binary, "ssql"), args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "HOME="+dir, "TERM=xterm"), env...)
	tty, err := pty.StartWithSize(cmd, size)
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, cmd: cmd, tty: tty, dir: dir}
	term.more = sync.NewCond(&term.mu)
	go term.read()
	t.Cleanup(func() {
		cmd.Process.Kill()
		tty.Close()
	})
	return term
}

func (x *terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := x.tty.Read(buf)
		x.mu.Lock()
		x.seen += string(buf[:n])
		x.eof = err != nil
		x.more.Broadcast()
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// send types keys.
func (x *terminal) send(keys string) {
	x.t.Helper()
	if _, err := x.tty.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// expect waits until a text has been printed after what earlier calls have found, and
// moves behind it.
func (x *terminal) expect(text string) {
	x.t.Helper()
	late := false
	timer := time.AfterFunc(20*time.Second, func() {
		x.mu.Lock()
		late = true
		x.more.Broadcast()
		x.mu.Unlock()
	})
	defer timer.Stop()
	x.mu.Lock()
	defer x.mu.Unlock()
	for {
		plain := strings.ReplaceAll(escapes.ReplaceAllString(x.seen, ""), "\r", "")
		if at := strings.Index(plain, text); at >= 0 {
			x.seen = plain[at+len(text):]
			return
		}
		if late || x.eof {
			x.t.Fatalf("waited for %q, have:\n%s", text, plain)
		}
		x.more.Wait()
	}
}

// escapes are what the line editor uses to move and to clear.
var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// end waits for the process and checks its exit code.
func (x *terminal) end(code int) {
	x.t.Helper()
	err := x.cmd.Wait()
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		x.t.Fatal(err)
	}
	if got != code {
		x.t.Errorf("exit code %d, want %d; last output:\n%s", got, code, x.seen)
	}
}

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
)

func TestPromptRunsStatementsOfSeveralLines(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", ":memory:")
	x.expect("ssql> ")
	x.send("select 40 + -- a comment;\r")
	x.expect(" ...> ")
	x.send("2 as answer;\r")
	x.expect("│ answer │")
	x.expect("│     42 │")
	x.expect("ssql> ")
	x.send("select nope;\r")
	x.expect("LINE 1: select nope;")
	x.expect("ssql> ")
	x.send(ctrlD)
	x.end(0)
}

func TestCtrlCClearsWhatIsTyped(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", ":memory:")
	x.expect("ssql> ")
	x.send("select 'never")
	x.expect("never")
	x.send(ctrlC)
	x.expect("ssql> ")
	x.send("select 7 as seven;\r")
	x.expect("│     7 │")
	x.expect("ssql> ")
	x.send("select (\r")
	x.expect(" ...> ")
	x.send(ctrlC)
	x.expect("ssql> ")
	x.send(ctrlC)
	x.expect("Ctrl-D or .exit leaves")
	x.send(".exit\r")
	x.end(0)
}

func TestPastedTextIsNotCompletedAndNotCut(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", ":memory:")
	x.expect("ssql> ")
	x.send("\x1b[200~select 1 as one,\r\t\t'sel\t;' as two;\r\x1b[201~")
	x.expect("│  one  │   two   │")
	x.expect("ssql> ")
	x.send(ctrlD)
	x.end(0)
}

func TestHistoryOutlivesTheShell(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", ":memory:")
	x.expect("ssql> ")
	x.send("select 123 +\r456 as total;\r")
	x.expect("│   579 │")
	x.expect("ssql> ")
	x.send("select 'password';\r")
	x.expect("ssql> ")
	x.send(ctrlD)
	x.end(0)
	info, err := os.Stat(filepath.Join(x.dir, ".ssql_history"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("history: %v, %v; want mode 0600", info, err)
	}
	y := startTerminal(t, x.dir, ":memory:")
	y.expect("ssql> ")
	y.send("\x1b[A")
	y.expect("select 123 + 456 as total;")
	y.send("\r")
	y.expect("│   579 │")
	y.send(ctrlD)
	y.end(0)
}

func TestInterruptEndsALongStatement(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", ":memory:")
	x.expect("ssql> ")
	x.send(".echo on\r")
	x.expect("ssql> ")
	x.send("select count(*) from range(100000000000) a where a.range % 7 = 3;\r")
	x.expect("\nselect count(*)") // the echo: it runs now
	if err := x.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	x.expect("interrupted")
	x.expect("ssql> ")
	x.send("select 'still here' as s;\r")
	x.expect("still here │")
	x.send(ctrlD)
	x.end(0)
}

// At the prompt a query runs in the background; leaving stops it after its batch, and
// the next shell goes on where it stopped.
func TestBackgroundQueryOutlivesThePrompt(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", "lab.duckdb")
	if err := os.MkdirAll(filepath.Join(x.dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	feed := func(name, line string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(x.dir, "in", name), []byte(line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	feed("a.json", `{"a":1}`)
	x.expect("ssql> ")
	x.send("create stream s (a int) with (connector = 'files', path = 'in');\r")
	x.expect("ssql> ")
	x.send("insert into t select a from s;\r")
	x.expect(`query "t" started`)
	x.expect("ssql> ")
	x.send("await query t until rows 1;\r")
	x.expect("\nssql> ")
	feed("b.json", `{"a":2}`)
	x.send("await query t until rows 2;\r")
	x.expect("\nssql> ")
	x.send("show progress for t follow;\r")
	x.expect("t batch 1 | ") // it follows from here on
	if err := x.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	x.expect("only the waiting ends; the queries go on")
	x.expect("ssql> ")
	x.send("select sum(a) as total from t;\r")
	x.expect("│      3 │")
	x.send("show queries;\r")
	x.expect("│ running │")
	x.expect("ssql> ")
	x.send(ctrlC)
	x.expect("1 query then stops after the running batch")
	x.send(ctrlD)
	x.end(0)
	feed("c.json", `{"a":4}`)
	y := startTerminal(t, x.dir, "lab.duckdb")
	y.expect("ssql> ")
	y.send("select count(*) as n from t;\r")
	y.expect("│     2 │")
	y.send("start query t; await query t until rows 1;\r")
	y.expect(`query "t" resumed at batch`)
	y.expect("\nssql> ")
	y.send("stop query t; select sum(a) as total from t;\r")
	y.expect("│      7 │")
	y.send(ctrlD)
	y.end(0)
}

// SIGTERM at the prompt ends the queries after their batch, closes the database and gives the
// terminal back.
func TestTerminatedAtThePrompt(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, "", "lab.duckdb")
	x.write("in/a.json", `{"a":1}`+"\n")
	x.expect("ssql> ")
	x.run("create stream s (a int) with (connector = 'files', path = 'in');")
	x.run("create query q as insert into t select a from s;", `query "q" started`)
	x.send("select 1 +\r")
	x.expect(" ...> ")
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	x.end(143)
	if names := left(t, x.dir); len(names) > 0 {
		t.Errorf("left behind: %q", names)
	}
}

// TestCaretOfAWideLine types a statement that is wider than the terminal and has a fault: the caret
// stands under it, and the hint breaks between words.
func TestCaretOfAWideLine(t *testing.T) {
	x := startSized(t, "", &pty.Winsize{Rows: 40, Cols: 60}, nil, ":memory:")
	x.expect("ssql> ")
	x.send("CREATE STREAM events (ts TIMESTAMP, WATERMARK FOR ts AS ts) WITH (connector = 'memory');\r")
	x.expect("ssql> ")
	x.send("SELECT window_start, count(*) AS number_of_rows_in_window FROM TUMBLE(events, ts, INTERVAL '5' MINUTE) GROUP BY windw_start;\r")
	x.expect("LINE 1: ...")
	x.expect("GROUP BY windw_start;\n" + strings.Repeat(" ", 48) + "^\n")
	x.send(".quit\r")
}
