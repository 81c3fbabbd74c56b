package shell

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ssql/internal/session"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// scriptBytesMax bounds a script.
const scriptBytesMax = 64 << 20

// scriptDepthMax is how many scripts may run within each other.
const scriptDepthMax = 20

// RunFile runs a script and stops at its first error, which has been printed when
// it comes back. Relative paths in it start at its folder.
func (s *Shell) RunFile(ctx context.Context, path string) error {
	if s.depth >= scriptDepthMax {
		err := sqlerr.New("E_LIMIT", "script %q stands within %d others: does it run itself?", path, s.depth)
		s.printError(err, nil, 0)
		return err
	}
	s.depth++
	defer func() { s.depth-- }()
	text, err := readScript(path)
	if err != nil {
		s.printError(err, nil, 0)
		return err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("finding the folder of %q: %w", path, err)
	}
	return s.RunText(ctx, path, dir, text)
}

func readScript(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", sqlerr.New("SCRIPT_NOT_READ", "script %q cannot be read: %v", path, errors.Unwrap(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, scriptBytesMax+1))
	if err != nil {
		return "", sqlerr.New("SCRIPT_NOT_READ", "script %q cannot be read: %v", path, errors.Unwrap(err))
	}
	if len(text) > scriptBytesMax {
		return "", sqlerr.New("E_LIMIT", "script %q is larger than %d MiB", path, scriptBytesMax>>20)
	}
	if isDatabase(text) {
		return "", sqlerr.New("SCRIPT_NOT_READ", "%q is a DuckDB database and no script", path).
			WithHint("the database comes first, and once: ssql %s [SCRIPT.sql]", path)
	}
	return strings.TrimPrefix(string(text), "\ufeff"), nil
}

// isDatabase reports whether a file is one of DuckDB's: its blocks begin with a checksum.
func isDatabase(text []byte) bool { return len(text) > 12 && string(text[8:12]) == "DUCK" }

// RunText runs statements and dot commands until the first error, which has been
// printed when it comes back. name prefixes the errors, as in name:line:column; dir is
// where relative paths start.
func (s *Shell) RunText(ctx context.Context, name, dir, text string) error {
	return s.runTail(ctx, name, dir, text, 0)
}

// runTail is RunText for what begins at an offset of the text. Positions count from the top of
// the text.
func (s *Shell) runTail(ctx context.Context, name, dir, text string, from int) (first error) {
	src := &sqlerr.Source{Name: name, Text: text}
	for {
		at := sql.Begin(text, from)
		if isDotCommand(line(text, at)) { // which may hold half a quote
			if err := s.runDot(ctx, src, dir, at); s.Ends(err, &first) {
				return err
			}
			from = min(at+len(line(text, at))+1, len(text))
			continue
		}
		piece, next, err := sql.NextPiece(text, at)
		switch {
		case err != nil:
			s.printError(err, src, from)
			return err
		case piece.Text == "":
			return first
		case leaves(piece.Text):
			return errExit
		}
		if err := s.runPiece(ctx, src, dir, piece); s.Ends(err, &first) {
			return err
		}
		from = next
	}
}

// line returns the text from an offset to the end of its line.
func line(text string, from int) string {
	if end := strings.IndexByte(text[from:], '\n'); end >= 0 {
		return text[from : from+end]
	}
	return text[from:]
}

// leaves reports whether a statement is QUIT or EXIT, which end the scripts of Flink and ksqlDB.
func leaves(statement string) bool {
	return strings.EqualFold(statement, "quit") || strings.EqualFold(statement, "exit")
}

// Ends reports whether a text, or a command line of several, ends at an error: with .bail off only
// at Ctrl-C and at .exit. It keeps the first error, which the whole ends with.
func (s *Shell) Ends(err error, first *error) bool {
	if err == nil {
		return false
	}
	if *first == nil {
		*first = err
	}
	return !s.goesOn || errors.Is(err, errExit) || ExitCode(err) == 130
}

// RunStdin runs what comes from standard input, each statement as soon as it is
// complete, and stops at the first error.
func (s *Shell) RunStdin(ctx context.Context, dir string) (first error) {
	in := bufio.NewReader(s.cfg.Stdin)
	var all strings.Builder
	var pending sql.Completion
	begin := 0 // of what has not run
	for {
		if s.ending.Load() {
			return session.ErrInterrupted // End came when a statement was about to end, and waits for no line
		}
		line, readErr := in.ReadString('\n')
		all.WriteString(line)
		isDot := isDotCommand(line) && begin == all.Len()-len(line)
		if all.Len() > scriptBytesMax {
			err := sqlerr.New("E_LIMIT", "standard input is larger than %d MiB", scriptBytesMax>>20)
			s.printError(err, nil, 0)
			return err
		}
		if complete := pending.Add(line); complete || isDot || readErr != nil {
			before := begin
			pending, begin = sql.Completion{}, all.Len()
			// Positions count from the top of the input.
			if err := s.runTail(ctx, "stdin", dir, all.String(), before); s.Ends(err, &first) {
				return err
			}
		}
		if readErr == io.EOF {
			return first
		}
		if readErr != nil {
			return fmt.Errorf("reading standard input: %w", readErr)
		}
	}
}
