package duck

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ssql/internal/sqlerr"
)

// sideLock is a held flock on a file beside the database. Unlike DuckDB's own lock it
// survives when this process opens and closes the database file.
type sideLock struct{ file *os.File }

// takeSideLock takes the lock without waiting; a *heldError names its holder. The
// file is removed by release, so a lock is only good if the name still leads to
// the file that was locked.
func takeSideLock(name string) (*sideLock, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EISDIR) {
			return nil, sqlerr.New("E_SINK_IO", "the lock of the database, %q, is a link or a folder", name).Because(err).
				WithHint("it is not ssql's: look what it is, and remove it: rm -r %s", sqlerr.ShellWord(name))
		}
		if err != nil {
			return nil, mapError(err, "locking the database")
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			held := &heldError{}
			text, _ := io.ReadAll(f)
			held.pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
			_ = f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, held
			}
			return nil, sqlerr.New("E_SINK_IO", "locking %q", name).Because(err)
		}
		l := &sideLock{f}
		if !sameOpen(f, name) {
			_ = f.Close() // the holder before us removed it between open and lock
			continue
		}
		if err := l.sign(); err != nil {
			return nil, also(mapError(err, "locking the database"), l.release())
		}
		return l, nil
	}
}

// sign writes who holds the lock.
func (l *sideLock) sign() error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// release removes the file while it is still locked, then unlocks it.
func (l *sideLock) release() error {
	if l == nil {
		return nil
	}
	err := os.Remove(l.file.Name())
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return also(err, l.file.Close())
}

func sameOpen(f *os.File, name string) bool {
	fi, fErr := f.Stat()
	ni, nErr := os.Stat(name)
	return fErr == nil && nErr == nil && os.SameFile(fi, ni)
}

// heldError says that another process has the file open.
type heldError struct {
	program string // path of its program, "" if not known
	pid     int    // 0 if not known
}

func (e *heldError) Error() string { return "held by " + e.holder() }

func (e *heldError) holder() string {
	switch {
	case e.pid == 0:
		return "another process"
	case e.program == "":
		return fmt.Sprintf("process %d", e.pid)
	}
	return fmt.Sprintf("process %d (%s)", e.pid, e.program)
}

// heldBy returns the holder that a refusal of DuckDB's names, nil for other errors. The
// text is `Could not set lock on file "x": Conflicting lock is held in /usr/bin/duckdb
// (PID 71) by user y. See also ...`, where program and user may be missing.
func heldBy(err error) *heldError {
	text := err.Error()
	_, text, found := strings.Cut(text, "Could not set lock on file")
	if !found {
		return nil
	}
	held := &heldError{}
	if _, rest, ok := strings.Cut(text, "lock is held in "); ok {
		program, rest, ok := strings.Cut(rest, "PID ")
		held.program = strings.Trim(program, " (")
		if ok {
			digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
			held.pid, _ = strconv.Atoi(digits)
		}
	}
	return held
}
