package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"ssql/internal/shell/render"
)

// defaultDatabase is the file that a session is on when none is named.
const defaultDatabase = "ssql.duckdb"

const usage = `usage: ssql [FLAGS] [DB] [SCRIPT.sql]
       ssql test PATH...
       ssql checkpoint show|verify DIR      (verify: of a query, or what a sink wrote)

Without a script, -c, -f or piped input it is a prompt. DB is a DuckDB file
(default ssql.duckdb, kept once something is stored in it) or ":memory:".

flags:
  -c SQL       run statements; may be repeated
  -f FILE      run a script; may be repeated
  -bail        stop at the first error (the default; .bail off goes on)
  -MODE        how tables are printed: -csv, -json, -jsonlines, -line, -markdown, ...
  -readonly    open the database for reading: nothing is stored, no query runs
  -init FILE   run a script first, instead of ~/.ssqlrc
  -no-init     run no script first
  -quiet       no notices, and no lines on what a statement has done: errors and answers only
  -version     print the version
`

// action is one thing to run: a script, or the text of a -c.
type action struct {
	file string
	text string
}

// options are the command line.
type options struct {
	database string
	actions  []action
	mode     string // output mode, "" for the default
	init     string
	noInit   bool
	quiet    bool
	readOnly bool
	unnamed  bool // database is the default
	version  bool
}

// parseFlags reads the command line. Flags may stand before and after the names, as
// DuckDB's users expect. flag.ErrHelp asks for the usage.
func parseFlags(args []string) (*options, error) {
	o := &options{database: defaultDatabase}
	fs := flag.NewFlagSet("ssql", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Func("c", "", func(text string) error { o.actions = append(o.actions, action{text: text}); return nil })
	fs.Func("f", "", func(file string) error { o.actions = append(o.actions, action{file: file}); return nil })
	fs.StringVar(&o.init, "init", "", "")
	fs.Bool("bail", true, "") // what a script does anyway; .bail off changes it
	fs.BoolVar(&o.noInit, "no-init", false, "")
	fs.BoolVar(&o.quiet, "quiet", false, "")
	fs.BoolVar(&o.readOnly, "readonly", false, "")
	fs.BoolVar(&o.version, "version", false, "")
	for _, m := range render.Modes() {
		fs.BoolFunc(m.Name, "", func(string) error { o.mode = m.Name; return nil })
	}
	var names []string
	for rest := args; len(rest) > 0; {
		if err := fs.Parse(rest); err != nil {
			return nil, err
		}
		rest = fs.Args()
		if len(rest) > 0 {
			names = append(names, rest[0])
			rest = rest[1:]
		}
	}
	return o, o.takeNames(names)
}

// takeNames reads the arguments without a dash: a database, a script, or both.
func (o *options) takeNames(names []string) error {
	isScript := func(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".sql") }
	switch {
	case len(names) == 0:
		o.unnamed = true
	case len(names) == 1 && isScript(names[0]):
		o.unnamed = true
		o.actions = append(o.actions, action{file: names[0]})
	case len(names) == 1:
		o.database = names[0]
	case len(names) == 2 && !isScript(names[0]):
		o.database = names[0]
		o.actions = append(o.actions, action{file: names[1]})
	default:
		return fmt.Errorf("expected a database and a script, found %s", strings.Join(names, " "))
	}
	if o.database == "" {
		return errors.New("the name of the database is empty")
	}
	if err := refuseCommand(o.database); err != nil {
		return err
	}
	if o.readOnly && o.database == ":memory:" {
		return errors.New("a database in memory is empty: it cannot be opened with -readonly")
	}
	return nil
}

// commands are words that other programs have commands for, with what ssql has.
var commands = map[string]string{
	"checkpoint": "ssql checkpoint show DIR", "checkpoints": "ssql checkpoint show DIR", "diagnose": `ssql DB -c "DIAGNOSE QUERY q"`,
	"explain": `ssql DB -c "EXPLAIN SELECT ..."`, "help": "ssql -help", "init": "ssql -init FILE", "query": `ssql DB -c "SELECT ..."`,
	"run": "ssql DB SCRIPT.sql", "shell": "ssql DB", "start": `ssql DB -c "START QUERY q"`, "status": `ssql DB -c "SHOW QUERIES"`, "stop": `ssql DB -c "STOP QUERY q"`,
	"test": "ssql test PATH", "tests": "ssql test PATH", "verify": "ssql checkpoint verify DIR", "version": "ssql -version",
}

// unknownCommand is a word that is meant as a command.
type unknownCommand struct{ name, instead string }

// Error says what to write.
func (e *unknownCommand) Error() string {
	return fmt.Sprintf("there is no command %q; did you mean %s? For a database of that name write ./%s", e.name, e.instead, e.name)
}

// refuseCommand refuses a word that is meant as a command: a database of that name would be made.
func refuseCommand(name string) error {
	instead, known := commands[strings.ToLower(name)]
	if _, err := os.Stat(name); !known || err == nil {
		return nil
	}
	return &unknownCommand{name, instead}
}
