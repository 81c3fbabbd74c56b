package shell

import (
	"context"
	"fmt"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql"
)

// dotCommand is a row of the table of dot commands.
type dotCommand struct {
	name    string
	args    string // as .help shows them
	summary string
	argsMin int
	argsMax int
	run     func(s *Shell, ctx context.Context, dir string, args []string) error
}

// dotCommands lists every dot command, sorted by name. A unique prefix is enough to
// call one.
func dotCommands() []dotCommand {
	return []dotCommand{
		{"bail", "on|off", "stop a script at its first error (the default)", 1, 1, dotBail},
		{"describe", "[NAME]", "list tables, views and streams, or the columns of one", 0, 1, dotDescribe},
		{"echo", "on|off", "print statements before they run", 1, 1, dotEcho},
		{"edit", "", "edit the last statement in $EDITOR and run it", 0, 0, dotEdit},
		{"exit", "", "leave; queries stop after their running batch", 0, 0, dotExit},
		{"help", "[COMMAND]", "list these commands", 0, 1, dotHelp},
		{"last", "", "print the last table again, with all its rows and columns", 0, 0, dotLast},
		{"maxrows", "[N]", "rows of a table that are shown, 0 for all", 0, 1, dotMaxRows},
		{"maxwidth", "[N]", "columns of the terminal that a table may take, 0 for its width", 0, 1, dotMaxWidth},
		{"mode", "[MODE]", "how tables are printed", 0, 1, dotMode},
		{"notices", "on|off", "show messages of background queries", 1, 1, dotNotices},
		{"nullvalue", "TEXT", "how NULL is printed in a box", 1, 1, dotNullValue},
		{"once", "FILE", "send the next statement's output to a file, or to a command: .once |less", 1, 100, dotOnce},
		{"output", "[FILE]", "send output to a file, or to a command: .output |less; without a name to the screen again", 0, 100, dotOutput},
		{"pager", "on|off", "show tables that are larger than the screen in $PAGER", 1, 1, dotPager},
		{"print", "TEXT...", "print a text", 0, 100, dotPrint},
		{"prompt", "[TEXT]", "another prompt, without a text the usual one", 0, 1, dotPrompt},
		{"queries", "", "list the streaming queries", 0, 0, dotStatement("SHOW QUERIES")},
		{"quit", "", "leave; queries stop after their running batch", 0, 0, dotExit},
		{"read", "FILE", "run a script", 1, 1, dotRead},
		{"schema", "[NAME]", "show how tables, views and streams were made", 0, 1, dotSchema},
		{"streams", "", "list the streams", 0, 0, dotStatement("SHOW STREAMS")},
		{"tables", "[PATTERN]", "list tables, views and streams", 0, 1, dotTables},
		{"timer", "on|off", "print how long statements take", 1, 1, dotTimer},
		{"watch", "[SECONDS [N]]", "run the last statement again and again, N times or until Ctrl-C", 0, 2, dotWatch},
	}
}

// psqlAliases are the backslash commands that hands type by themselves.
var psqlAliases = map[string]string{
	`\d`: ".describe", `\dt`: ".tables", `\e`: ".edit", `\i`: ".read", `\o`: ".output", `\q`: ".quit", `\?`: ".help", `\watch`: ".watch",
}

// runDot runs the dot command that begins at an offset of a text; an error other than
// errExit has been printed.
func (s *Shell) runDot(ctx context.Context, src *sqlerr.Source, dir string, at int) error {
	line, _, _ := strings.Cut(src.Text[at:], "\n")
	ran := s.dispatchDot(ctx, dir, strings.TrimSpace(line))
	err := s.written(ran)
	if err != ran {
		s.printError(err, src, at)
		return err
	}
	if e, ok := err.(*sqlerr.Error); ok && e.Code == codeDot {
		s.printError(err, src, at)
	}
	return err
}

// codeDot marks errors of dot commands themselves; those of statements that they
// run have been printed by the statement.
const codeDot = "DOT_COMMAND"

func dotError(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(codeDot, format, args...)
}

func (s *Shell) dispatchDot(ctx context.Context, dir, line string) error {
	words, err := dotWords(line)
	if err != nil {
		return err
	}
	if len(words) == 0 {
		return dotError("expected a command after the point").WithHint(".help lists them")
	}
	name, args := words[0], words[1:]
	switch name {
	case `\x`:
		return s.toggleLine()
	case `\timing`:
		s.timer = !s.timer
		fmt.Fprintf(s.stderr(), "timing is %s\n", map[bool]string{true: "on", false: "off"}[s.timer])
		return nil
	}
	if alias, ok := psqlAliases[name]; ok {
		name = alias
	}
	c, err := findDot(name)
	if err != nil {
		return err
	}
	if len(args) < c.argsMin || len(args) > c.argsMax {
		return dotError("expected .%s %s", c.name, c.args)
	}
	return c.run(s, ctx, dir, args)
}

func (s *Shell) toggleLine() error {
	name := "line"
	if s.mode.Name == name {
		name = s.cfg.Mode
	}
	err := s.setMode(name)
	if err == nil {
		fmt.Fprintf(s.stderr(), "tables are printed in mode %s\n", s.mode.Name)
	}
	return err
}

// findDot returns the command that name, with its point, stands for.
func findDot(name string) (dotCommand, error) {
	table := dotCommands()
	bare := strings.ToLower(strings.TrimPrefix(name, "."))
	var found []dotCommand
	for _, c := range table {
		if c.name == bare {
			return c, nil
		}
		if bare != "" && strings.HasPrefix(c.name, bare) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		names := make([]string, len(table))
		for i, c := range table {
			names[i] = c.name
		}
		err := dotError("there is no command %s", name) // a backslash would come out doubled in %q
		if near := sqlerr.Nearest(bare, names); near != "" {
			return dotCommand{}, err.WithHint("did you mean .%s?", near)
		}
		return dotCommand{}, err.WithHint(".help lists them")
	case 1:
		return found[0], nil
	}
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = "." + c.name
	}
	return dotCommand{}, dotError("%s is short for %s", name, strings.Join(names, ", "))
}

// dotWords cuts a line at blanks; quotes, single or double, keep blanks in a word.
func dotWords(line string) ([]string, error) {
	var words []string
	line = strings.TrimRight(line, "; \t\r")
	for line != "" {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			break
		}
		if q := line[0]; q == '\'' || q == '"' {
			end := strings.IndexByte(line[1:], q)
			if end < 0 {
				return nil, dotError("quote is not closed: %s", line)
			}
			words = append(words, line[1:1+end])
			line = line[end+2:]
			continue
		}
		end := strings.IndexAny(line, " \t")
		if end < 0 {
			end = len(line)
		}
		words = append(words, line[:end])
		line = line[end:]
	}
	return words, nil
}

// dotStatement returns a command that runs one statement.
func dotStatement(text string) func(*Shell, context.Context, string, []string) error {
	return func(s *Shell, ctx context.Context, dir string, _ []string) error {
		return s.runStatement(ctx, dir, text)
	}
}

// runStatement runs a statement that the user did not type.
func (s *Shell) runStatement(ctx context.Context, dir, text string) error {
	echo := s.echo
	s.echo = false
	defer func() { s.echo = echo }()
	piece := sql.Piece{Span: sql.Span{End: len(text)}, Text: text}
	return s.runPiece(ctx, &sqlerr.Source{Text: text}, dir, piece)
}

func onOff(args []string) (bool, error) {
	switch strings.ToLower(args[0]) {
	case "on", "true", "yes", "1":
		return true, nil
	case "off", "false", "no", "0":
		return false, nil
	}
	return false, dotError("expected on or off, found %q", args[0])
}

func dotHelp(s *Shell, _ context.Context, _ string, args []string) error {
	table := dotCommands()
	if len(args) == 1 {
		c, err := findDot(args[0])
		if err != nil {
			return err
		}
		table = []dotCommand{c}
	}
	for _, c := range table {
		fmt.Fprintf(s.stdout(), "%-22s %s\n", strings.TrimSpace("."+c.name+" "+c.args), c.summary)
	}
	if len(args) == 0 {
		fmt.Fprintln(s.stdout(), "The schema ssql holds streams, queries, commits, progress, late_rows, bad_rows and errors as tables.")
	}
	return nil
}
