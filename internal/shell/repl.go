package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"ssql/sql"
)

// The prompts. They are ASCII, because the line editor counts other characters
// wrongly.
const (
	promptFirst = "ssql> "
	promptMore  = " ...> "
)

// bareCommands are words that hands type at a prompt without the point.
var bareCommands = map[string]string{"exit": ".exit", "help": ".help", "quit": ".quit", "?": ".help"}

// Interactive runs the prompt on a terminal until the user leaves.
func (s *Shell) Interactive(ctx context.Context, dir, banner string) error {
	past := history{path: historyPath(s.cfg.Getenv)}
	var pending strings.Builder
	editor, err := newReadlineEditor(func(line string) ([]string, int) {
		return s.complete(pending.String() + line)
	})
	if err != nil {
		return err
	}
	s.editor = editor
	restore := func() { editor.Close() }
	s.restore.Store(&restore)
	defer func() {
		s.editor = nil
		editor.Close()
	}()
	entries, err := past.load()
	if err != nil {
		s.Notify(err.Error())
		past.path = ""
	}
	for _, e := range entries {
		if one, ok := sql.OneLine(e); ok {
			editor.AddHistory(one)
		}
	}
	if banner != "" {
		fmt.Fprintln(s.stdout(), banner)
	}
	return s.loop(ctx, dir, &pending, &past)
}

// loop reads lines until a statement is complete and runs it. An error ends the
// statement, not the loop.
func (s *Shell) loop(ctx context.Context, dir string, pending *strings.Builder, past *history) error {
	var completion sql.Completion
	for {
		prompt := s.prompt
		if pending.Len() > 0 {
			prompt = promptMore
		} else {
			completion = sql.Completion{}
		}
		line, err := s.editor.ReadLine(prompt)
		switch {
		case errors.Is(err, errInterrupted):
			if pending.Len() == 0 && line == "" {
				fmt.Fprintln(s.stderr(), s.leaveHint())
			}
			pending.Reset()
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading a line: %w", err)
		}
		if pending.Len() == 0 && strings.TrimSpace(line) == "" {
			continue
		}
		pending.WriteString(line)
		text := pending.String()
		if len(text) == len(line) { // a command of the shell is one line
			if c, ok := bareCommands[strings.ToLower(strings.TrimRight(strings.TrimSpace(text), "; "))]; ok {
				text = c
			}
		}
		if !isDotCommand(text) && !completion.Add(line+"\n") {
			pending.WriteByte('\n')
			continue
		}
		pending.Reset()
		s.remember(past, text)
		s.forgetInterrupts()
		if err := s.RunText(ctx, "", dir, text); errors.Is(err, errExit) || s.ending.Load() {
			return nil
		}
	}
}

// remember adds a statement to the history of this shell and of later ones.
func (s *Shell) remember(past *history, text string) {
	text = strings.TrimSpace(text)
	if holdsSecret(text) {
		return
	}
	if one, ok := sql.OneLine(text); ok {
		s.editor.AddHistory(one)
	}
	if err := past.add(text); err != nil {
		s.Notify(err.Error())
		past.path = ""
	}
}

// leaveHint answers Ctrl-C at an empty prompt.
func (s *Shell) leaveHint() string {
	hint := "Ctrl-D or .exit leaves"
	if n := s.cfg.Session.Running(); n > 0 {
		verb := "stops"
		if n > 1 {
			verb = "stop"
		}
		noun := "1 query"
		if n > 1 {
			noun = fmt.Sprintf("%d queries", n)
		}
		hint += fmt.Sprintf("; %s then %s after the running batch", noun, verb)
	}
	return hint
}
