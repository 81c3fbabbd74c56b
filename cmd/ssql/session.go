package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mattn/go-isatty"

	"ssql/internal/session"
	"ssql/internal/shell"
	"ssql/internal/shell/render"
	"ssql/internal/sqlerr"
	"ssql/sources/stdin"
)

// runSession opens the database and runs scripts, piped input or the prompt.
func runSession(ctx context.Context, o *options, sig *signals) int {
	var sh *shell.Shell
	in := stdin.New(os.Stdin)
	defer func() {
		if err := in.Close(); err != nil {
			fmt.Fprintf(os.Stderr, "NOTE: the copy of standard input was not removed: %v\n", err)
		}
	}()
	s, err := session.Open(ctx, session.Config{
		Database: o.database,
		ReadOnly: o.readOnly,
		Unnamed:  o.unnamed,
		Program:  "ssql " + versionNumber(),
		Sources:  sourceConnectors(in),
		Sinks:    sinkConnectors,
		Notify: func(text string) {
			if sh != nil {
				sh.Notify(text)
				return
			}
			fmt.Fprintln(os.Stderr, "NOTE: "+render.EscapeKeepLines(text)) // while the database is opened
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, render.EscapeKeepLines(sqlerr.Render(err, nil)))
		return exitSQL
	}
	sh, err = shell.New(shell.Config{
		Session: s, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Terminal: isTerminal(os.Stdout), Mode: o.mode, Quiet: o.quiet, Width: shell.TerminalWidth, Height: shell.TerminalHeight, Interrupts: sig.interrupts,
	})
	if err == nil {
		sig.attach(sh, func() {
			sh.Restore()
			closeSession(s)
			_ = in.Close() // only a temporary folder stays
		})
		err = runActions(ctx, o, sh)
		sh.Close()
	}
	return max(shell.ExitCode(err), closeSession(s))
}

// closeSession stops what runs after its batch, closes the database and returns the exit code.
func closeSession(s *session.Session) int {
	err := s.Close()
	if err != nil {
		fmt.Fprintln(os.Stderr, render.EscapeKeepLines(sqlerr.Render(err, nil)))
	}
	return shell.ExitCode(err)
}

// runActions runs what the command line names; without anything piped input, or the
// prompt on a terminal. Errors have been printed.
func runActions(ctx context.Context, o *options, sh *shell.Shell) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the working directory: %w", err)
	}
	interactive := len(o.actions) == 0 && isTerminal(os.Stdin) && isTerminal(os.Stdout)
	if init := o.initScript(interactive); init != "" {
		if err := sh.RunFile(ctx, init); err != nil {
			return err
		}
	}
	if interactive {
		return sh.Interactive(ctx, dir, banner(o.database))
	}
	if len(o.actions) == 0 {
		err = sh.RunStdin(ctx, dir)
	}
	for _, a := range o.actions {
		var failed error
		if a.file != "" {
			failed = sh.RunFile(ctx, a.file)
		} else {
			failed = sh.RunText(ctx, "", dir, a.text)
		}
		if sh.Ends(failed, &err) {
			return failed
		}
	}
	if err != nil {
		return err
	}
	return sh.WaitForQueries(ctx)
}

// initScript returns the script to run first: the one that was named, else at the
// prompt ~/.ssqlrc if it is there.
func (o *options) initScript(interactive bool) string {
	if o.init != "" || o.noInit || !interactive {
		return o.init
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	path := filepath.Join(home, ".ssqlrc")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return ""
	}
	return path
}

func banner(database string) string {
	return fmt.Sprintf("ssql %s on %s\nStatements end with a semicolon; .help lists the shell's own commands.", versionNumber(), database)
}

func isTerminal(f *os.File) bool {
	return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())
}
