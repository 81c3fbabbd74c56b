package duck

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ssql/internal/sqlerr"
)

var ctx = context.Background()

func mustOpen(t *testing.T, path string, o Options) *DB {
	t.Helper()
	db, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// with runs f on a connection.
func with(t *testing.T, db *DB, f func(c *Conn)) {
	t.Helper()
	c, release, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	f(c)
}

func exec1(t *testing.T, db *DB, text string, args ...any) {
	t.Helper()
	with(t, db, func(c *Conn) {
		if _, err := c.Exec(ctx, text, args...); err != nil {
			t.Fatal(err)
		}
	})
}

// join returns the values of a row by fmt, with blanks between.
func join(row []any) string { return strings.TrimSuffix(fmt.Sprintln(row...), "\n") }

// queryText returns all rows of a query, values by fmt.
func queryText(t *testing.T, db *DB, text string) string {
	t.Helper()
	var lines []string
	with(t, db, func(c *Conn) {
		err := c.Query(ctx, text, nil, func(row []any) error {
			lines = append(lines, join(row))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return strings.Join(lines, "\n")
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if got := sqlerr.Code(err); got != code {
		t.Errorf("code %q, want %q: %v", got, code, err)
	}
}

// ---- Other processes -------------------------------------------------------

// A child is this test binary, run again to be another process. It says ready when it
// has done its first step and ends when its input is closed.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out string
}

func startChild(t *testing.T, step, path string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0], "-test.run=^TestChild$")}
	c.cmd.Env = append(os.Environ(), "DUCK_CHILD="+step, "DUCK_PATH="+path)
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.in = in
	t.Cleanup(c.stop)
	line, _ := bufio.NewReader(out).ReadString('\n')
	c.out = strings.TrimSuffix(line, "\n")
	return c
}

func (c *child) stop() {
	_ = c.in.Close()
	_ = c.cmd.Wait()
}

// TestChild is the other process.
func TestChild(t *testing.T) {
	path := os.Getenv("DUCK_PATH")
	say := func(answer any) { fmt.Println(answer); _, _ = io.Copy(io.Discard, os.Stdin) }
	switch os.Getenv("DUCK_CHILD") {
	case "":
		t.Skip("only runs as a child of other tests")
	case "hold": // any program with DuckDB in it
		db, err := sql.Open("duckdb", path)
		if err == nil {
			_, err = db.Exec("CREATE TABLE IF NOT EXISTS held (a INTEGER)")
		}
		say(err)
	case "read":
		db, err := sql.Open("duckdb", path+"?access_mode=read_only")
		var n int
		if err == nil {
			err = db.QueryRow("SELECT count(*) FROM t").Scan(&n)
		}
		say(fmt.Sprint(n, err))
	case "open": // another ssql
		_, err := Open(path, Options{LockWait: -1})
		say(strings.ReplaceAll(fmt.Sprint(err), "\n", " "))
	}
}

func TestFileHeldByAnotherProgramIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.duckdb")
	holder := startChild(t, "hold", path)
	if holder.out != "<nil>" {
		t.Fatalf("the holder says %q", holder.out)
	}
	_, err := Open(path, Options{LockWait: -1})
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	program, _ := filepath.EvalSymlinks(holder.cmd.Path)
	want := fmt.Sprintf("E_SINK_LOCKED: the database %q is open in process %d (%s)", path, holder.cmd.Process.Pid, program)
	wantText(t, e.Error(), want)
	if _, err := os.Stat(path + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a side lock is left behind: %v", err)
	}
}

func TestFileHeldByAnotherProgramIsWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.duckdb")
	holder := startChild(t, "hold", path)
	var notices []string
	db := mustOpen(t, path, Options{LockWait: time.Minute, Notice: func(text string) {
		notices = append(notices, text)
		holder.stop() // it ends when it is being waited for
	}})
	program, _ := filepath.EvalSymlinks(holder.cmd.Path)
	wantText(t, strings.Join(notices, "\n"), fmt.Sprintf("waiting for the database %q, which is open in process %d (%s)", path, holder.cmd.Process.Pid, program))
	wantText(t, queryText(t, db, "SELECT count(*) FROM held"), "0")
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.duckdb")
	db := mustOpen(t, path, Options{LockWait: time.Minute, IdleAfter: -1})
	if err := db.Release(); err != nil {
		t.Fatal(err)
	}
	startChild(t, "hold", path)
	soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, _, err := db.Conn(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

// The kernel drops DuckDB's own lock when the file is opened and closed in any other
// way in the process that holds it. The side lock stays.
func TestSideLockOutlivesOpenAndClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.duckdb")
	mustOpen(t, path, Options{IdleAfter: -1})
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	other := startChild(t, "open", path)
	wantText(t, other.out, fmt.Sprintf("E_SINK_LOCKED: the database %q is open in process %d", path, os.Getpid()))
}

func TestReleasedFileCanBeReadByOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.duckdb")
	db := mustOpen(t, path, Options{IdleAfter: -1})
	exec1(t, db, "CREATE TABLE t AS SELECT 1 AS a FROM range(3)")
	if err := db.Release(); err != nil {
		t.Fatal(err)
	}
	reader := startChild(t, "read", path)
	wantText(t, reader.out, "3 <nil>")
	reader.stop()
	exec1(t, db, "INSERT INTO t VALUES (2)")
	wantText(t, queryText(t, db, "SELECT count(*) FROM t"), "4")
}

func TestIdleFileIsReleased(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.duckdb")
	db := mustOpen(t, path, Options{IdleAfter: time.Millisecond})
	c, release, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := c.Exec(ctx, "CREATE TABLE t (a INTEGER)"); err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		t.Fatal("the file was released while it is used")
	}
	release()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil { // returns when it is released
		t.Fatal(err)
	}
	reader := startChild(t, "read", path)
	wantText(t, reader.out, "0 <nil>")
}

// ---- One handle per process --------------------------------------------------

func TestOneFileIsOneDatabase(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lab.duckdb")
	a := mustOpen(t, path, Options{IdleAfter: -1})
	exec1(t, a, "CREATE TABLE t (a INTEGER)")
	if err := os.Symlink(path, filepath.Join(dir, "soft")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, filepath.Join(dir, "hard")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lab.duckdb", "soft", "hard", "./x/../lab.duckdb"} {
		b := mustOpen(t, filepath.Join(dir, name), Options{})
		if b != a {
			t.Errorf("%s is another database", name)
		}
		exec1(t, b, "INSERT INTO t VALUES (1)")
	}
	wantText(t, queryText(t, a, "SELECT count(*) FROM t"), "4")
}

func TestLastCloseClosesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.duckdb")
	a, err := Open(path, Options{IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	exec1(t, b, "CREATE TABLE t (a INTEGER)")
	if err := errors.Join(b.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, strings.Join(left, " "), path) // no log and no lock beside it
	if _, _, err := b.Conn(ctx); err == nil {
		t.Error("a closed database gave a connection")
	}
	c := mustOpen(t, path, Options{})
	wantText(t, queryText(t, c, "SELECT count(*) FROM t"), "0")
}

func TestMemory(t *testing.T) {
	a, b := mustOpen(t, ":memory:", Options{IdleAfter: time.Nanosecond}), mustOpen(t, ":memory:", Options{})
	exec1(t, a, "CREATE TABLE t (a INTEGER)")
	if err := a.Release(); err != nil {
		t.Fatal(err)
	}
	wantText(t, queryText(t, a, "SELECT count(*) FROM t"), "0")
	wantText(t, queryText(t, b, "SELECT count(*) FROM duckdb_tables()"), "0")
}

func TestDiscardReopensUnderEverybody(t *testing.T) {
	db := mustOpen(t, filepath.Join(t.TempDir(), "lab.duckdb"), Options{IdleAfter: -1})
	exec1(t, db, "CREATE TABLE t (a INTEGER)")
	failed, releaseFailed, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	other, releaseOther, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := failed.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := failed.Exec(ctx, "INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Discard(failed); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(db.Path() + ".wal"); err != nil || info.Size() == 0 {
		t.Errorf("the log was written back, or lost: %v", err)
	}
	wantText(t, queryText(t, db, "SELECT count(*) FROM t"), "0") // open again
	_, err = other.Exec(ctx, "SELECT 1")
	wantCode(t, err, "E_SINK_IO")
	if err := db.Discard(other); err != nil { // the new handle is not touched
		t.Fatal(err)
	}
	wantText(t, queryText(t, db, "SELECT count(*) FROM t"), "0")
	releaseFailed()
	releaseOther()
}

func TestManyUsersAtOnce(t *testing.T) {
	db := mustOpen(t, filepath.Join(t.TempDir(), "lab.duckdb"), Options{IdleAfter: time.Nanosecond})
	exec1(t, db, "CREATE TABLE t (a INTEGER)")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 10 {
				c, release, err := db.Conn(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := c.Exec(ctx, "INSERT INTO t VALUES (?)", i); err != nil {
					t.Error(err)
				}
				release()
				release() // twice does no harm
			}
		})
	}
	wg.Wait()
	wantText(t, queryText(t, db, "SELECT count(*), sum(a) FROM t"), "80 360")
}
