// Package stdin is the connector that reads the standard input of the process.
//
// A pipe can be read once, and a batch must be readable again: what comes is copied to a
// file, the spool, as it comes, and the files connector reads that file while it grows.
// Without the option spool the file is in a temporary folder and gone with the process:
// a query that was stopped in the middle of a batch then finds its input missing
// (E_SOURCE_MISSING) instead of losing it in silence. With spool = 'folder' the file
// stays, and what was copied can be replayed like any file; each process adds one.
package stdin

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sources/files"
)

// Spec returns the connector's row. in is the input; it is read once a stream of it is.
func Spec(in io.Reader) sources.Spec {
	base := files.Spec()
	s := &spool{in: in, done: make(chan struct{})}
	return sources.Spec{
		Name:     "stdin",
		Summary:  "the standard input of the process, spooled to a file",
		Options:  options(base.Options),
		Metadata: base.Metadata,
		Check:    func(o sources.Values) error { return checkFormat(o) },
		Identity: func(o sources.Values) string { return fmt.Sprintf("stdin spool=%q", o.String("spool")) },
		Open: func(o sources.OpenContext) (sources.Source, error) {
			dir, err := s.start(o.Options)
			if err != nil {
				return nil, err
			}
			set := maps.Clone(o.Options.Set)
			set["path"], set["order"] = filepath.Join(dir, prefix+"*"), "name"
			o.Options.Set = set
			inner, err := base.Open(o)
			if err != nil {
				return nil, err
			}
			return &source{inner, inner.(sources.Freezer), s}, nil
		},
	}
}

// prefix is how the names of spool files begin.
const prefix = "stdin-"

// options are those of files but for what says which files.
func options(base []sources.Option) []sources.Option {
	out := []sources.Option{{Name: "spool", Type: sources.StringOption,
		Summary: "folder that keeps what was read, so that a restart can replay it; without it a temporary one"}}
	for _, o := range base {
		if !slices.Contains([]string{"path", "order", "max_file_age", "max_files_per_batch"}, o.Name) {
			out = append(out, o)
		}
	}
	return out
}

func checkFormat(o sources.Values) error {
	if o.String("format") == "parquet" {
		return sqlerr.New("INVALID_OPTION", "Parquet cannot be read from standard input, since its end must be read first").
			WithHint("write it to a file and use connector = 'files'")
	}
	return nil
}

// spool copies the input to a file, once in a process.
type spool struct {
	in   io.Reader
	done chan struct{} // closed at the end of the input

	mu  sync.Mutex
	dir string // "" before the start
	err error  // of copying; set before done is closed
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
	case wanted == "":
		if wanted, err = os.MkdirTemp("", "ssql-stdin-"); err != nil {
			return "", fmt.Errorf("making a folder for standard input: %w", err)
		}
	default:
		if err := os.MkdirAll(wanted, 0o700); err != nil {
			return "", fmt.Errorf("making the spool of standard input: %w", err)
		}
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

func (s *spool) copy(f *os.File) {
	_, err := io.Copy(f, s.in)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	close(s.done)
}

// wait returns at the end of the input.
func (s *spool) wait(ctx context.Context) error {
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

// source is the files source of the spool.
type source struct {
	sources.Source
	freezer sources.Freezer
	spool   *spool
}

var _ sources.Freezer = (*source)(nil)

// Freeze waits for the end of the input: what a pipe holds at one moment means nothing.
func (s *source) Freeze(ctx context.Context) error {
	if err := s.spool.wait(ctx); err != nil {
		return err
	}
	return s.freezer.Freeze(ctx)
}

// Thaw undoes Freeze.
func (s *source) Thaw() { s.freezer.Thaw() }

// Description names the input, not its spool.
func (s *source) Description() string { return "stdin" }
