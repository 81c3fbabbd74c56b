package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/mattn/go-runewidth"
)

// The commands of this file hand the terminal to another program for a while.

// dotEdit opens the last statement in the user's editor, and runs what comes back.
func dotEdit(s *Shell, ctx context.Context, dir string, _ []string) error {
	if s.editor == nil {
		return dotError(".edit needs a prompt")
	}
	folder, err := os.MkdirTemp("", "ssql-edit-")
	if err != nil {
		return dotError("a file for the editor cannot be made: %v", err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "statement.sql") // the ending tells editors the language
	if s.ran != nil {
		err = os.WriteFile(path, []byte(s.ran.piece.Text+";\n"), 0o600)
	}
	if err == nil {
		err = s.program(s.firstEnv("vi", "VISUAL", "EDITOR"), os.Stdin, path)
	}
	if err != nil {
		return dotError("%v", err).WithHint("set EDITOR to your editor")
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil // nothing was written
	case err != nil:
		return dotError("the edited statement cannot be read: %v", err)
	}
	edited := strings.TrimSpace(string(text))
	if edited == "" || s.ran != nil && edited == strings.TrimSpace(s.ran.piece.Text)+";" {
		// Whoever leaves the editor without a change does not mean to run it again.
		fmt.Fprintln(s.stderr(), "nothing was changed, so nothing is run")
		return nil
	}
	fmt.Fprintln(s.stdout(), edited)
	if !strings.HasSuffix(edited, ";") {
		edited += ";"
	}
	return s.RunText(ctx, "", dir, edited)
}

// firstEnv returns the first of some environment variables that is set.
func (s *Shell) firstEnv(otherwise string, names ...string) string {
	for _, name := range names {
		if v, ok := s.cfg.Getenv(name); ok && v != "" {
			return v
		}
	}
	return otherwise
}

// program runs a command, given as in the environment with its arguments, on the terminal.
func (s *Shell) program(command string, stdin io.Reader, args ...string) error {
	words := strings.Fields(command)
	cmd := exec.Command(words[0], append(words[1:], args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running %s: %w", words[0], err)
	}
	return nil
}

// pipe is a command that the output goes to.
type pipe struct {
	io.WriteCloser
	command string
	done    chan error
}

// openPipe starts a command of the system's shell, which reads the output.
func (s *Shell) openPipe(command string) (*pipe, error) {
	cmd := exec.Command("sh", "-c", command)
	if runtime.GOOS == "windows" {
		cmd = exec.Command("cmd", "/c", command)
	}
	// What the command prints goes where the shell's own output goes, which may be no file.
	cmd.Stdout, cmd.Stderr = s.cfg.Stdout, s.cfg.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, dotError("%s cannot be run: %v", command, err)
	}
	p := &pipe{in, command, make(chan error, 1)}
	go func() { p.done <- cmd.Wait() }()
	return p, nil
}

// Write gives the command its input. One that has read enough, as head does, is no fault.
func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.WriteCloser.Write(b)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return len(b), nil
	}
	return n, err
}

// Close ends the input of the command and waits for its end.
func (p *pipe) Close() error {
	err := p.WriteCloser.Close()
	if failed := <-p.done; failed != nil {
		return fmt.Errorf("%s: %w", p.command, failed)
	}
	if errors.Is(err, os.ErrClosed) {
		return nil // it has read what it wanted
	}
	return err
}

// pageWriter holds a table back until it is complete. One that is larger than the screen
// goes to the pager.
type pageWriter struct {
	shell *Shell
	bytes.Buffer
}

// flush shows the table.
func (p *pageWriter) flush() error {
	s := p.shell
	width, height := s.cfg.Width(), s.cfg.Height()
	lines := strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n")
	fits := height == 0 || len(lines) < height
	for _, l := range lines {
		fits = fits && (width == 0 || runewidth.StringWidth(l) <= width)
	}
	if fits {
		_, err := s.stdout().Write(p.Bytes())
		return err
	}
	return s.program(s.firstEnv("less -S", "SSQL_PAGER", "PAGER"), &p.Buffer)
}

// pages reports whether the next table goes through the pager if it is large: at the prompt,
// in the modes that print a table when it is complete.
func (s *Shell) pages() bool {
	return s.pager && s.editor != nil && s.redirected == nil && s.cfg.Terminal && s.whenComplete()
}

func dotPager(s *Shell, _ context.Context, _ string, args []string) (err error) {
	s.pager, err = onOff(args)
	return err
}
