package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ssql/sql/types"
)

// The commands of this file read and write files or ask the database.

func dotExit(*Shell, context.Context, string, []string) error { return errExit }

func dotPrint(s *Shell, _ context.Context, _ string, args []string) error {
	fmt.Fprintln(s.stdout(), strings.Join(args, " "))
	return nil
}

func dotRead(s *Shell, ctx context.Context, dir string, args []string) error {
	return s.RunFile(ctx, absolute(dir, args[0]))
}

func dotOutput(s *Shell, _ context.Context, dir string, args []string) error {
	s.endRedirect()
	if len(args) == 0 {
		return nil
	}
	if command, ok := strings.CutPrefix(strings.Join(args, " "), "|"); ok {
		p, err := s.openPipe(command)
		if err != nil {
			return err
		}
		s.redirected = p
		return nil
	}
	if len(args) > 1 {
		return dotError("expected one file, found %s", strings.Join(args, " ")).WithHint("a name with blanks needs quotes")
	}
	f, err := os.OpenFile(absolute(dir, args[0]), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return dotError("output file %q cannot be written: %v", args[0], err)
	}
	s.redirected = f
	return nil
}

func dotOnce(s *Shell, ctx context.Context, dir string, args []string) error {
	if len(args) == 0 {
		return dotError("expected .once FILE")
	}
	if err := dotOutput(s, ctx, dir, args); err != nil {
		return err
	}
	s.once = true
	return nil
}

func dotSchema(s *Shell, ctx context.Context, dir string, args []string) error {
	where := ""
	if len(args) == 1 {
		where = " AND name ILIKE " + types.QuoteText(args[0])
	}
	return s.runStatement(ctx, dir, `SELECT name, "sql" FROM (`+
		`SELECT table_name AS name, "sql", schema_name, database_name FROM duckdb_tables() WHERE NOT internal UNION ALL `+
		`SELECT view_name, "sql", schema_name, database_name FROM duckdb_views() WHERE NOT internal UNION ALL `+
		`SELECT name, definition, 'main', current_database() FROM ssql.streams) `+
		`WHERE schema_name <> 'ssql' AND database_name = current_database()`+where+` ORDER BY name`)
}

// dotDescribe is psql's \d: what there is, or the columns of one of it.
func dotDescribe(s *Shell, ctx context.Context, dir string, args []string) error {
	if len(args) == 0 {
		return dotTables(s, ctx, dir, nil)
	}
	return s.runStatement(ctx, dir, "DESCRIBE "+named(args[0]))
}

func dotTables(s *Shell, ctx context.Context, dir string, args []string) error {
	like := ""
	if len(args) == 1 {
		like = " LIKE " + types.QuoteText(args[0])
	}
	return s.runStatement(ctx, dir, "SHOW TABLES"+like)
}

// named returns a name as a statement has it: in quotes, unless it is one word or several
// between dots.
func named(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return types.QuoteIdent(name)
}

var plainName = regexp.MustCompile(`^[\pL_][\pL\pN_$]*(\.[\pL_][\pL\pN_$]*)*$`)

// absolute resolves a path as statements of the same text would.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) || dir == "" {
		return path
	}
	return filepath.Join(dir, path)
}
