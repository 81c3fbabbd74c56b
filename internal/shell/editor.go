package shell

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/chzyer/readline"
)

// lineEditor reads the lines that a user types at a terminal. One goroutine calls
// ReadLine; the writers may be used from any.
type lineEditor interface {
	// ReadLine shows the prompt and returns one line without its end: io.EOF when
	// the user leaves (Ctrl-D), errInterrupted for Ctrl-C.
	ReadLine(prompt string) (string, error)
	// AddHistory makes an entry reachable by the up key. The entry is one line.
	AddHistory(entry string)
	// Stdout and Stderr print above the line that is being edited.
	Stdout() io.Writer
	Stderr() io.Writer
	// Close restores the terminal.
	Close() error
}

// errInterrupted is Ctrl-C at the prompt.
var errInterrupted = errors.New("interrupted")

// The escape sequences that switch bracketed paste: the terminal then marks where
// pasted text begins and ends, and pasteReader takes the marks out.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

// readlineEditor is the lineEditor on chzyer/readline. The library edits one line at
// a time, cannot complete within pasted text and writes its history with line ends
// as separators, so statements of several lines, paste and history are
// ours.
type readlineEditor struct {
	lib *readline.Instance
	tty io.Writer
}

var _ lineEditor = (*readlineEditor)(nil)

// completeFunc returns the suffixes that could follow text up to the cursor and how
// many characters of it they complete.
type completeFunc func(line string) (suffixes []string, length int)

// newReadlineEditor opens the editor on the terminal of the process.
func newReadlineEditor(complete completeFunc) (lineEditor, error) {
	paste := newPasteReader(readline.NewCancelableStdin(os.Stdin))
	lib, err := readline.NewEx(&readline.Config{
		Stdin:                  paste,
		Stdout:                 os.Stdout,
		Stderr:                 os.Stderr,
		AutoComplete:           completer{complete},
		DisableAutoSaveHistory: true,
		HistorySearchFold:      true,
		HistoryLimit:           historyMax,
		InterruptPrompt:        "^C",
		EOFPrompt:              "\n", // readline's way to say: print nothing
	})
	if err != nil {
		return nil, fmt.Errorf("opening the terminal: %w", err)
	}
	return &readlineEditor{lib: lib, tty: os.Stdout}, nil
}

func (e *readlineEditor) ReadLine(prompt string) (string, error) {
	e.lib.SetPrompt(prompt)
	// Only while a line is read: a paste during a running statement would echo the
	// marks, since the terminal is not in raw mode then.
	io.WriteString(e.tty, pasteOn)
	defer io.WriteString(e.tty, pasteOff)
	line, err := e.lib.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		return line, errInterrupted
	}
	return line, err
}

func (e *readlineEditor) AddHistory(entry string) {
	// The error is that of a history file, which the library has none of.
	_ = e.lib.SaveHistory(entry)
}

func (e *readlineEditor) Stdout() io.Writer { return e.lib.Stdout() }
func (e *readlineEditor) Stderr() io.Writer { return e.lib.Stderr() }

// Close restores the terminal. The library's own Close waits for ever when a read
// is pending in the terminal (its issue 217), so only the mode is reset; the process
// is about to end.
func (e *readlineEditor) Close() error { return e.lib.Terminal.ExitRawMode() }

// completer adapts a completeFunc.
type completer struct{ f completeFunc }

// Do implements readline.AutoCompleter.
func (c completer) Do(line []rune, pos int) ([][]rune, int) {
	suffixes, length := c.f(string(line[:pos]))
	out := make([][]rune, len(suffixes))
	for i, s := range suffixes {
		out[i] = []rune(s)
	}
	return out, length
}

// TerminalHeight returns the rows of the terminal of the process, 0 if it has none.
func TerminalHeight() int {
	_, rows, err := readline.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0
	}
	return rows
}

// TerminalWidth returns the columns of the terminal of the process, 0 if it has none.
func TerminalWidth() int { return max(0, readline.GetScreenWidth()) }
