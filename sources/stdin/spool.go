package stdin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"

	"ssql/internal/owner"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/sources"
)

// spool copies the input to a file, once in a process.
type spool struct {
	in   io.Reader
	done chan struct{} // closed at the end of the input

	mu   sync.Mutex
	more chan struct{} // closed, and made anew, when more was copied
	room chan struct{} // the same, when more was read
	read int64         // bytes that batches have read
	// aheadMax is how much is copied ahead of what was read.
	aheadMax int64
	all      bool      // somebody waits for the end: what is not read is not bounded
	dir      string    // "" before the start
	lock     io.Closer // of a temporary folder; nil for one that stays
	size     int64     // what was copied
	lines    bool      // and whether a line end is in it
	err      error     // of copying; set before done is closed
}

// start begins to copy and returns the folder of the file.
func (s *spool) start(o sources.Values) (dir string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := o.String("spool")
	if wanted != "" && !filepath.IsAbs(wanted) {
		wanted = filepath.Join(o.BaseDir, wanted)
	}
	switch {
	case s.dir != "" && (wanted == "" || wanted == s.dir):
		return s.dir, nil
	case s.dir != "":
		return "", sqlerr.New("INVALID_OPTION", "standard input is spooled to %q already and cannot go to %q, too", s.dir, wanted).
			WithHint("give all streams of stdin the same spool")
	case isTerminal(s.in):
		return "", sqlerr.New("INVALID_OPTION", "standard input is the terminal, and nothing is piped into it").
			WithHint("cat data.json | ssql -c \"SELECT * FROM 'stdin'\"")
	case wanted == "":
		wanted, err = s.temporary()
	default:
		err = claimFolder(wanted, o.Owner)
	}
	if err != nil {
		return "", fmt.Errorf("making the spool of standard input: %w", err)
	}
	// Names sort by age, so that what an earlier process spooled is read first.
	name := filepath.Join(wanted, fmt.Sprintf("%s%020d", prefix, time.Now().UnixNano()))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("making the spool of standard input: %w", err)
	}
	s.dir = wanted
	go s.copy(f)
	return s.dir, nil
}

// claimFolder makes a folder that stays, and refuses one that belongs to another database,
// such as the original of a copy: what comes here would be read there.
func claimFolder(folder string, claim *owner.Claim) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	owned, err := claim.Check(vfs.OS{}, folder)
	if err != nil {
		return err
	}
	return claim.Keep(vfs.OS{}, folder, owned)
}

func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// Names of temporary folders. One that is not locked yet has the second prefix.
const (
	folderPrefix = "ssql-stdin-"
	newPrefix    = "ssql-new-stdin-"
	lockName     = "LOCK"
)

// temporary makes a folder that is locked as long as the process lives, and removes those
// of processes that ended without doing it.
func (s *spool) temporary() (dir string, err error) {
	sweep(os.TempDir())
	unlocked, err := os.MkdirTemp("", newPrefix)
	if err != nil {
		return "", err
	}
	if s.lock, err = (vfs.OS{}).Lock(filepath.Join(unlocked, lockName), fmt.Appendf(nil, "pid %d\n", os.Getpid())); err != nil {
		return "", err
	}
	// Under its name it is locked: no other process sweeps it.
	dir = filepath.Join(filepath.Dir(unlocked), folderPrefix+filepath.Base(unlocked)[len(newPrefix):])
	return dir, os.Rename(unlocked, dir)
}

// sweep removes the folders that nobody locks. What cannot be removed is another user's.
func sweep(dir string) {
	left, err := filepath.Glob(filepath.Join(dir, folderPrefix+"*"))
	if err != nil {
		return
	}
	for _, old := range left {
		lock, err := (vfs.OS{}).Lock(filepath.Join(old, lockName), nil)
		if err != nil {
			continue
		}
		os.RemoveAll(old)
		lock.Close()
	}
}

// remove takes a temporary folder away.
func (s *spool) remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock == nil {
		return nil
	}
	err := errors.Join(os.RemoveAll(s.dir), s.lock.Close())
	s.lock = nil
	return err
}

func (s *spool) copy(f *os.File) {
	block := make([]byte, 256<<10)
	var err error
	for err == nil {
		var n int
		n, err = s.in.Read(block)
		if n > 0 {
			_, writeErr := f.Write(block[:n])
			err = errors.Join(err, writeErr)
			s.copied(block[:n])
			s.waitRoom()
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if errors.Is(err, unix.ENOSPC) {
		err = sqlerr.New("E_STORAGE_FULL", "the disk of %q is full: standard input cannot be spooled", f.Name()).
			WithHint("make room, or name a folder on a larger disk: spool = 'folder'")
	}
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	close(s.done)
}

// copied notes what was written.
func (s *spool) copied(block []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size += int64(len(block))
	s.lines = s.lines || bytes.IndexByte(block, '\n') >= 0
	close(s.more)
	s.more = make(chan struct{})
}

// ended reports whether the input has ended.
func (s *spool) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// spoolBytesMax is how much of a pipe is copied ahead of the batches that read it.
const spoolBytesMax = 256 << 20

// waitRoom holds a pipe back whose writer is faster than its readers.
func (s *spool) waitRoom() {
	for {
		s.mu.Lock()
		full, room := s.isFull(), s.room
		s.mu.Unlock()
		if !full {
			return
		}
		<-room
	}
}

// isFull wants s.mu.
func (s *spool) isFull() bool { return !s.all && s.size-s.read > s.aheadMax }

// release makes room: read bytes were read, or somebody wants all of the input.
func (s *spool) release(read int64, all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read, s.all = max(s.read, read), s.all || all
	close(s.room)
	s.room = make(chan struct{})
}

// quiet is how long nothing comes before what is there is a batch.
const quiet = 300 * time.Millisecond

// waitMore returns when there is more than seen bytes and nothing came for a while, or it came
// for longer than most; and at the end of the input.
func (s *spool) waitMore(ctx context.Context, seen int64, most time.Duration) (size int64, ended bool, err error) {
	var full <-chan time.Time // since there is something
	for {
		s.mu.Lock()
		size, more, held := s.size, s.more, s.isFull()
		s.mu.Unlock()
		if held && size > seen {
			return size, false, nil
		}
		var pause <-chan time.Time
		if size > seen {
			if full == nil {
				full = time.After(most)
			}
			pause = time.After(min(quiet, most))
		}
		select {
		case <-ctx.Done():
			return size, false, ctx.Err()
		case <-s.done:
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.size, true, nil
		case <-pause:
			return size, false, nil
		case <-full:
			return size, false, nil
		case <-more:
		}
	}
}

// wait returns at the end of the input.
func (s *spool) wait(ctx context.Context) error {
	s.release(0, true)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return fmt.Errorf("copying standard input to %s: %w", s.dir, s.err)
	}
	return nil
}

const (
	sampleBytes = 256 << 10
	// sampleQuiet is how long nothing comes before what is there is the sample.
	sampleQuiet = 200 * time.Millisecond
)

// waitSample returns when there is enough to guess columns from: sampleBytes, all of the
// input, or a line behind which nothing comes.
func (s *spool) waitSample(ctx context.Context) error {
	for {
		s.mu.Lock()
		size, lines, more := s.size, s.lines, s.more
		s.mu.Unlock()
		if size >= sampleBytes {
			return nil
		}
		var quiet <-chan time.Time
		if lines {
			quiet = time.After(sampleQuiet)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.done:
			return s.wait(ctx)
		case <-quiet:
			return nil
		case <-more:
		}
	}
}
