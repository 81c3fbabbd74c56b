package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/sinks"
	"ssql/sql/types"
)

// Sink writes the batches of one query into one folder or file.
type Sink struct {
	fsys   vfs.FS
	o      sinks.OpenContext
	config *config
	layout *layout

	newest string          // name of the newest manifest that was read
	head   *manifest       // its content; nil: no batch yet
	made   map[string]bool // partition folders that are known to be there
	buffer *bufio.Writer   // in front of the file that is written
	failed error           // why no batch can follow
	closed bool

	readable atomic.Bool // there are files that Select can read
}

// bufferBytes gathers the small writes of Parquet and of compressors.
const bufferBytes = 32 << 10

var (
	_ sinks.Sink     = (*Sink)(nil)
	_ sinks.Readable = (*Sink)(nil)
)

// Open makes the folder if it is missing and finishes what a crash has left of the
// newest batch. E_SINK_SCHEMA refuses a folder that belongs to another query or holds
// files of somebody else, and files of other columns; E_SINK_LOCKED one that another
// process is writing to.
func Open(fsys vfs.FS, o sinks.OpenContext) (*Sink, error) {
	c, err := newConfig(o.Options)
	if err != nil {
		return nil, err
	}
	l, err := newLayout(c, o)
	if err != nil {
		return nil, err
	}
	s := &Sink{fsys: fsys, o: o, config: c, layout: l, made: map[string]bool{}, buffer: bufio.NewWriterSize(nil, bufferBytes)}
	if err := s.prepare(); err != nil {
		return nil, s.ioError("opening the sink of query "+strconv.Quote(o.Query), err)
	}
	return s, nil
}

// prepare makes the folders and brings the place to the end of its newest batch.
func (s *Sink) prepare() error {
	owned, err := s.o.Options.Owner.Check(s.fsys, s.config.state())
	if err != nil {
		return err
	}
	if err := s.refuseForeign(); err != nil {
		return err
	}
	for _, dir := range []string{s.manifestDir(), s.stageDir()} {
		if err := vfs.MakeDir(s.fsys, dir); err != nil {
			return s.ioError("making a folder", err)
		}
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock.Close()
	// A manifest that is there may not be durable yet, if the machine is the same as
	// before the crash; what is built on it from now on must not lose it.
	if err := s.fsys.SyncDir(s.manifestDir()); err != nil {
		return s.ioError("syncing the manifests", err)
	}
	if _, err := s.refresh(); err != nil {
		return err
	}
	if err := s.refuseHead(s.o.QueryID); err != nil {
		return err
	}
	if err := s.o.Options.Owner.Keep(s.fsys, s.config.state(), owned); err != nil {
		return s.ioError("writing whose the folder is", err)
	}
	if s.head != nil {
		if err := s.publish(s.head); err != nil {
			return err
		}
	}
	return s.sweep()
}

// refuseForeign refuses a folder with files that no manifest accounts for.
func (s *Sink) refuseForeign() error {
	if names, err := manifests(s.fsys, s.manifestDir()); err == nil && len(names) > 0 {
		return nil
	}
	if s.config.single {
		if _, err := s.fsys.Stat(s.config.path); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return sqlerr.New("E_SINK_SCHEMA", "file %q is there already and is not ssql's", s.config.path).
			WithHint("choose another path, or move the file away")
	}
	if info, err := s.fsys.Stat(s.config.path); err == nil && !info.Dir {
		return sqlerr.New("E_SINK_SCHEMA", "path %q is a file, expected a folder", s.config.path).
			WithHint("with single_file = true the path is that of the file")
	}
	names, err := s.fsys.List(s.config.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s.ioError("reading the folder", err)
	}
	for _, n := range names {
		if n != filepath.Base(s.config.state()) && !strings.HasPrefix(n, ".") {
			return sqlerr.New("E_SINK_SCHEMA", "folder %q holds %q, which is not ssql's", s.config.path, n).
				WithHint("choose an empty folder: a reader could not tell those files from the result")
		}
	}
	return nil
}

// refuseHead refuses to go on behind batches of another query or another shape.
func (s *Sink) refuseHead(queryID string) error {
	m := s.head
	switch {
	case m == nil:
		return nil
	case m.QueryID != queryID:
		return sqlerr.New("E_SINK_SCHEMA", "%q holds the result of another query: %q with the identity %s", s.config.path, m.Query, m.QueryID).
			WithHint("choose another path; or, if that query was dropped, remove what it wrote with %q", s.config.state())
	case m.Publish == replaceFiles && s.o.Mode == types.Complete:
		return nil // the next batch replaces everything, whatever its columns are
	case m.Publish != s.way() || m.Format != s.config.format || m.Columns != s.layout.columns():
		return sqlerr.New("E_SINK_SCHEMA", "the files in %q have another shape than query %q gives them now", s.config.path, s.o.Query).
			WithDetail("They are: %s (%s): %s\nYours:    %s (%s): %s", m.Format, m.Publish, m.Columns, s.config.format, s.way(), s.layout.columns()).
			WithHint("readers expect one shape in one folder: choose another path")
	}
	return nil
}

// way is how the batches of the sink are published.
func (s *Sink) way() publish {
	switch {
	case s.o.Mode == types.Complete:
		return replaceFiles
	case s.config.single:
		return growFile
	}
	return addFiles
}

// refresh reads the newest manifest unless it is the one that was read last, and returns
// the names of all.
func (s *Sink) refresh() ([]string, error) {
	names, err := manifests(s.fsys, s.manifestDir())
	if err != nil || len(names) == 0 {
		return names, err
	}
	newest := names[len(names)-1]
	if newest == s.newest {
		return names, nil
	}
	m, err := readManifest(s.fsys, filepath.Join(s.manifestDir(), newest))
	if err != nil {
		return nil, err
	}
	s.head, s.newest = m, newest
	return names, nil
}

// Transactional reports true: the manifest is rows and marker together.
func (s *Sink) Transactional() bool { return true }

// Head returns the marker of the newest batch. A folder of another query is refused.
func (s *Sink) Head(_ context.Context, queryID string) (m sinks.Marker, ok bool, err error) {
	if _, err := s.refresh(); err != nil {
		return m, false, fmt.Errorf("reading the marker of query %q: %w", s.o.Query, err)
	}
	if s.head == nil {
		return m, false, nil
	}
	if err := s.refuseHead(queryID); err != nil {
		return m, false, err
	}
	return s.head.marker(), true, nil
}

// Write stores a batch. E_FENCED refuses one that is not newer than the head, or comes
// from an older run; E_SINK_IO says that the disk failed. After any error the sink takes
// no other batch: what the disk holds is found out by the next Open.
func (s *Sink) Write(ctx context.Context, b *sinks.Batch) error {
	switch {
	case s.closed:
		return sqlerr.New(sqlerr.Internal, "the sink of query %q is closed", s.o.Query)
	case s.failed != nil:
		return fmt.Errorf("the sink of query %q has failed before: %w", s.o.Query, s.failed)
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock.Close()
	names, err := s.refresh()
	if err == nil {
		err = s.fence(b)
	}
	if err != nil {
		return err
	}
	if err := s.store(ctx, b, names); err != nil {
		s.failed = err
		return fmt.Errorf("storing batch %d of query %q: %w", b.Batch, s.o.Query, err)
	}
	return nil
}

// fence refuses a batch because of the head.
func (s *Sink) fence(b *sinks.Batch) error {
	if err := s.refuseHead(b.QueryID); err != nil || s.head == nil {
		return err
	}
	if b.Generation < s.head.Generation {
		return sqlerr.New("E_FENCED", "batch %d of query %q comes from run %d, but run %d has stored rows already", b.Batch, s.o.Query, b.Generation, s.head.Generation).
			WithHint("the query was started again elsewhere: this run must end")
	}
	if b.Batch <= s.head.Batch {
		return sqlerr.New("E_FENCED", "batch %d of query %q is not newer than batch %d, which is stored", b.Batch, s.o.Query, s.head.Batch).
			WithHint("nothing was stored twice; start the query again and it goes on behind what is stored")
	}
	return nil
}

// store takes a batch through its three steps.
func (s *Sink) store(ctx context.Context, b *sinks.Batch, names []string) error {
	m, err := s.stage(ctx, b)
	if err != nil {
		return err
	}
	text, err := m.encode()
	if err != nil {
		return err
	}
	err = vfs.WriteNewFile(s.fsys, filepath.Join(s.manifestDir(), manifestName(m.Batch)), text)
	if errors.Is(err, fs.ErrExist) {
		return sqlerr.New("E_FENCED", "batch %d of query %q has a manifest already", b.Batch, s.o.Query).
			WithHint("another process writes to %q: one of the two must end", s.config.path)
	}
	if err != nil {
		return s.ioError("committing", err)
	}
	s.head, s.newest = m, manifestName(m.Batch)
	if err := s.publish(m); err != nil {
		return err
	}
	return s.prune(append(names, s.newest))
}

// Close ends the use of the sink. It may be called twice.
func (s *Sink) Close() error {
	s.closed = true
	return nil
}

// sweep removes what a crash left unfinished. Nobody else writes: the lock is held.
func (s *Sink) sweep() error {
	for _, dir := range []string{s.stageDir(), s.manifestDir()} {
		names, err := s.fsys.List(dir)
		if err != nil {
			return s.ioError("sweeping", err)
		}
		for _, n := range names {
			if !strings.HasSuffix(n, vfs.TempSuffix) {
				continue
			}
			if err := s.fsys.Remove(filepath.Join(dir, n)); err != nil {
				return s.ioError("sweeping", err)
			}
		}
	}
	return nil
}

// lock keeps other processes out while a batch is written. It is taken per batch, so
// that a run which took the query over is not held up by the one before it; the manifest
// decides between the two.
func (s *Sink) lock() (io.Closer, error) {
	l, err := s.fsys.Lock(filepath.Join(s.config.state(), "LOCK"), vfs.Holder(time.Now()))
	if errors.Is(err, vfs.ErrLocked) {
		return nil, sqlerr.New("E_SINK_LOCKED", "%q is being written to: %v", s.config.path, err).
			WithHint("end the other process, or wait until it has stopped")
	}
	if err != nil {
		return nil, s.ioError("locking", err)
	}
	return l, nil
}

func (s *Sink) manifestDir() string { return filepath.Join(s.config.state(), "manifest") }
func (s *Sink) stageDir() string    { return filepath.Join(s.config.state(), "stage") }

// ioError names the place that could not be read or written: E_STORAGE_FULL,
// E_STORAGE_READONLY or E_SINK_IO. An error that says itself what is wrong is kept.
func (s *Sink) ioError(doing string, err error) error {
	if sqlerr.Code(err) != sqlerr.Internal {
		return err
	}
	code, hint := "E_SINK_IO", "check the disk"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code, hint = "E_STORAGE_FULL", "make room on that disk"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		code, hint = "E_STORAGE_READONLY", "give this user the right to write there"
	}
	return sqlerr.New(code, "%s in %q failed", doing, s.config.path).Because(err).
		WithHint("%s, then start the query again: it goes on with the batch that was not stored", hint)
}
