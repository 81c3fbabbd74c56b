// Package shell is what a user sees: the prompt, scripts, printed tables, messages
// and dot commands. It reads text, cuts it into statements, hands each to a session
// and prints what comes back. It decides nothing about what a statement means.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ssql/internal/session"
	"ssql/internal/shell/render"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// Config is what a shell is made of.
type Config struct {
	Session        *session.Session
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal says that Stdout is a terminal: tables are fitted to its width and
	// control characters in cells are made visible.
	Terminal bool
	Mode     string // output mode; "" is duckbox
	// Quiet leaves notices out, and messages on what a statement has done.
	Quiet bool
	// Width returns the columns of the terminal; nil or 0: no bound.
	Width func() int
	// Height returns the rows of the terminal; nil or 0: no bound.
	Height func() int
	// Getenv looks up the environment; nil is os.LookupEnv.
	Getenv func(string) (string, bool)
	// Interrupts delivers Ctrl-C while a statement runs; nil: nothing does.
	Interrupts <-chan os.Signal
}

// Shell runs statements and dot commands. One goroutine uses it; Notify may be called
// from any.
type Shell struct {
	cfg        Config
	mode       render.Mode
	rowsMax    int
	widthMax   int // 0: the terminal's
	nullText   string
	timer      bool
	echo       bool
	goesOn     bool        // a script goes on behind an error
	pager      bool        // large tables go to the pager
	prompt     string      // of a statement's first line
	quiet      atomic.Bool // no notices of background queries
	redirected io.WriteCloser
	once       bool       // redirected ends after one statement
	depth      int        // scripts that run within each other
	failed     bool       // a statement of the running text failed
	last       *lastTable // for .last; nil before the first
	ran        *ranPiece  // for .watch; nil before the first
	editor     lineEditor
	writeLock  sync.Mutex

	ending atomic.Bool // the process is asked to end
	// unwritten is why output of the running statement was lost.
	unwritten atomic.Pointer[sqlerr.Error]
	busy      atomic.Int32 // statements and waits that answer interrupts, within each other
	// restore gives the terminal back; nil without a prompt.
	restore atomic.Pointer[func()]
}

// rowsMaxTerminal is how many rows a terminal gets of one table, as in DuckDB's shell.
const rowsMaxTerminal = 40

// errExit is .exit.
var errExit = errors.New("exit")

// New returns a shell.
func New(cfg Config) (*Shell, error) {
	if cfg.Mode == "" {
		cfg.Mode = "duckbox"
	}
	if cfg.Getenv == nil {
		cfg.Getenv = os.LookupEnv
	}
	if cfg.Width == nil {
		cfg.Width = func() int { return 0 }
	}
	if cfg.Height == nil {
		cfg.Height = func() int { return 0 }
	}
	mode, err := render.Find(cfg.Mode)
	if err != nil {
		return nil, err
	}
	s := &Shell{cfg: cfg, mode: mode, prompt: promptFirst}
	if cfg.Terminal {
		s.rowsMax = rowsMaxTerminal
	}
	return s, nil
}

// stdout is where tables and messages go.
func (s *Shell) stdout() io.Writer {
	switch {
	case s.redirected != nil:
		return &output{s.redirected, &s.unwritten}
	case s.editor != nil:
		return s.editor.Stdout()
	}
	return &output{s.cfg.Stdout, &s.unwritten}
}

// output is where a script's results go: a full disk is no fault of ssql. What could not be
// written is kept for the end of the statement, as not all who write look.
type output struct {
	io.Writer
	unwritten *atomic.Pointer[sqlerr.Error]
}

// Write writes, or says that the output takes nothing.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if err != nil {
		e := sqlerr.New("OUTPUT_NOT_WRITTEN", "the output cannot be written").Because(err).
			WithHint("make room on its disk, or send it elsewhere; what the statement itself has stored stays")
		o.unwritten.CompareAndSwap(nil, e)
		return n, e
	}
	return n, nil
}

// written returns the error of a statement or dot command, or what of its output could not be
// written.
func (s *Shell) written(err error) error {
	if e := s.unwritten.Swap(nil); e != nil && err == nil {
		return e
	}
	return err
}

// stderr is where errors and notices go.
func (s *Shell) stderr() io.Writer {
	if s.editor != nil {
		return s.editor.Stderr()
	}
	return s.cfg.Stderr
}

// Notify prints a message of a background query above the prompt.
func (s *Shell) Notify(text string) {
	if s.quiet.Load() || s.cfg.Quiet {
		return
	}
	s.writeLock.Lock()
	defer s.writeLock.Unlock()
	fmt.Fprintln(s.stderr(), s.wrapped("NOTE: "+text))
}

// runPiece parses and runs one statement and prints what it answers. An error has
// been printed when it comes back.
func (s *Shell) runPiece(ctx context.Context, src *sqlerr.Source, dir string, piece sql.Piece) error {
	if s.echo {
		fmt.Fprintf(s.stdout(), "%s;\n", piece.Text)
	}
	s.ran = &ranPiece{src, dir, piece}
	started := time.Now()
	out := &printer{shell: s, footer: footer{started: started}, answers: answers(piece.Text)}
	err := s.interruptible(ctx, func(ctx context.Context) error {
		return s.cfg.Session.Execute(ctx, session.Request{
			Piece: piece, Source: src, Dir: dir, Wait: s.editor == nil || src.Name != "", RunScript: s.runNested,
		}, out)
	})
	if s.timer {
		fmt.Fprintf(s.stdout(), "Run Time (s): real %.3f\n", time.Since(started).Seconds())
	}
	if s.once {
		s.endRedirect()
	}
	err = s.written(err)
	var nested *printedError
	if err != nil && !errors.As(err, &nested) {
		s.printError(err, src, piece.Span.Start)
	}
	return err
}

// printedError is an error of a script that a statement has run; it has been printed.
type printedError struct{ error }

// Unwrap returns the error.
func (e *printedError) Unwrap() error { return e.error }

// runNested is RUN SCRIPT.
func (s *Shell) runNested(ctx context.Context, path string) error {
	if err := s.RunFile(ctx, path); err != nil {
		return &printedError{err}
	}
	return nil
}

// printError prints an error of what begins at an offset of its source. An error that
// knows no better place, such as the failure of a query, gets that one in a script.
func (s *Shell) printError(err error, src *sqlerr.Source, at int) {
	s.failed = true
	s.writeLock.Lock()
	defer s.writeLock.Unlock()
	if errors.Is(err, session.ErrInterrupted) || errors.Is(err, context.Canceled) {
		fmt.Fprintln(s.stderr(), "interrupted")
		return
	}
	var known *sqlerr.Error
	if errors.As(err, &known) && known.Span != (sqlerr.Span{}) {
		fmt.Fprintln(s.stderr(), s.wrapped(sqlerr.RenderWithin(err, src, s.screenColumns())))
		return
	}
	prefix := ""
	if src != nil && src.Name != "" {
		line, column := src.Position(at)
		prefix = fmt.Sprintf("%s:%d:%d: ", src.Name, line, column)
	}
	fmt.Fprintln(s.stderr(), s.wrapped(prefix+sqlerr.Render(err, nil)))
}

// screenColumns returns the columns that a text may have on a terminal, 0 without one.
func (s *Shell) screenColumns() int {
	if !s.cfg.Terminal {
		return 0
	}
	return s.cfg.Width()
}

// wrapped is a text for the terminal, its lines broken between words where they are wider than it.
func (s *Shell) wrapped(text string) string {
	return render.Wrap(render.EscapeKeepLines(text), s.screenColumns())
}

// Close ends what the shell has begun: a file or a command that the output goes to.
func (s *Shell) Close() { s.endRedirect() }

// endRedirect closes the file of .output or .once.
func (s *Shell) endRedirect() {
	if s.redirected == nil {
		return
	}
	if err := s.redirected.Close(); err != nil {
		fmt.Fprintf(s.stderr(), "ERROR writing the output: %v\n", err)
	}
	s.redirected, s.once = nil, false
}

// renderOptions are those of the next table.
func (s *Shell) renderOptions() render.Options {
	o := render.Options{RowsMax: s.rowsMax, NullText: s.nullText}
	if s.redirected == nil && s.cfg.Terminal {
		o.Terminal = true
		o.WidthMax = s.widthMax
		if o.WidthMax == 0 {
			o.WidthMax = s.cfg.Width()
		}
	}
	if s.pages() {
		o.RowsMax, o.WidthMax = 0, 0
	}
	return o
}

// WaitForQueries waits for queries that scripts have left running. Those that fail say
// so themselves.
func (s *Shell) WaitForQueries(ctx context.Context) error {
	return s.interruptible(ctx, s.cfg.Session.WaitAll)
}

// ExitCode returns the status that a process ends with after err.
func ExitCode(err error) int {
	var failed *session.QueryError
	switch {
	case err == nil, errors.Is(err, errExit):
		return 0
	case errors.Is(err, session.ErrInterrupted), errors.Is(err, context.Canceled):
		return 130
	case errors.Is(err, session.ErrTimeout):
		return 4
	case errors.As(err, &failed):
		return 3
	}
	return 1
}

// isDotCommand reports whether a line at the start of a statement is for the shell.
func isDotCommand(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 1 && (line[0] == '.' && (line[1] < '0' || line[1] > '9') || line[0] == '\\')
}
