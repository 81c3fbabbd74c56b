package shell

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ssql/internal/shell/render"
)

// The commands of this file change how the shell itself behaves.

func dotEcho(s *Shell, _ context.Context, _ string, args []string) (err error) {
	s.echo, err = onOff(args)
	return err
}

func dotBail(s *Shell, _ context.Context, _ string, args []string) error {
	on, err := onOff(args)
	s.goesOn = !on
	return err
}

func dotPrompt(s *Shell, _ context.Context, _ string, args []string) error {
	s.prompt = promptFirst
	if len(args) == 1 {
		s.prompt = args[0]
	}
	return nil
}

func dotTimer(s *Shell, _ context.Context, _ string, args []string) (err error) {
	s.timer, err = onOff(args)
	return err
}

func dotNotices(s *Shell, _ context.Context, _ string, args []string) error {
	on, err := onOff(args)
	s.quiet.Store(!on)
	return err
}

func dotNullValue(s *Shell, _ context.Context, _ string, args []string) error {
	s.nullText = args[0]
	return nil
}

func dotMaxRows(s *Shell, _ context.Context, _ string, args []string) error {
	return s.limit(&s.rowsMax, "maxrows", args)
}

func dotMaxWidth(s *Shell, _ context.Context, _ string, args []string) error {
	return s.limit(&s.widthMax, "maxwidth", args)
}

// limit shows or sets a number.
func (s *Shell) limit(value *int, name string, args []string) error {
	if len(args) == 0 {
		fmt.Fprintf(s.stdout(), "%s: %d\n", name, *value)
		return nil
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 0 {
		return dotError("expected a number from 0 up, found %q", args[0])
	}
	*value = n
	return nil
}

func dotMode(s *Shell, _ context.Context, _ string, args []string) error {
	if len(args) == 1 {
		return s.setMode(args[0])
	}
	for _, m := range render.Modes() {
		mark := " "
		if m.Name == s.mode.Name {
			mark = "*"
		}
		fmt.Fprintf(s.stdout(), "%s %-10s %s\n", mark, m.Name, m.Summary)
	}
	return nil
}

func (s *Shell) setMode(name string) error {
	mode, err := render.Find(strings.ToLower(name))
	if err != nil {
		return dotError("%v", err)
	}
	s.mode = mode
	return nil
}
