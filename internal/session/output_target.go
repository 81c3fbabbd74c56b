package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// refuseElsewhere refuses a target that a query cannot write to: rows and the marker of their
// batch go into the session's database file in one transaction. A table of the connection is
// gone with it, and another database has a transaction of its own.
func (s *Session) refuseElsewhere(ctx context.Context, target sql.Name) error {
	if s.pinned == nil { // nothing is attached, and no table is temporary
		return nil
	}
	last := target[len(target)-1]
	if len(target) == 1 || strings.EqualFold(target[0].Name, "temp") {
		temporary, err := exists(ctx, s.pinned, `SELECT 1 FROM duckdb_tables() WHERE "temporary" AND lower(table_name) = lower(?)`, last.Name)
		if err != nil || !temporary {
			return err
		}
		return sqlerr.At(last.Span, "UNSUPPORTED_INSERT", "%q is a temporary table, and a query writes to tables of the database file only", last.Name).
			WithHint("DROP TABLE %s, and INSERT INTO makes a table that stays; or choose another name", sql.IdentText(last.Name))
	}
	first := target[0]
	attached, err := exists(ctx, s.pinned, `SELECT 1 FROM duckdb_databases() WHERE NOT internal AND lower(database_name) = lower(?) AND database_name <> current_database()`, first.Name)
	if err != nil || !attached {
		return err
	}
	return sqlerr.At(first.Span, "UNSUPPORTED_INSERT", "%q is an attached database, and a query writes to tables of its own database file only", first.Name).
		WithHint("INSERT INTO %s, then copy its rows: INSERT INTO %s FROM %s", sql.IdentText(last.Name), target.SQL(), sql.IdentText(last.Name))
}

func exists(ctx context.Context, c *duck.Conn, query string, args ...any) (found bool, err error) {
	err = c.Query(ctx, query, args, func([]any) error {
		found = true
		return nil
	})
	return found, err
}

// placeAtColumn gives an error about the columns of a table the place of the one that it
// names: in the list of the INSERT, or in the select list, whose * may have brought it. What
// names none is about the table.
func placeAtColumn(err error, inserts []*sql.Insert) error {
	var refused *sqlerr.Error
	if !errors.As(err, &refused) || refused.Code != "E_SINK_SCHEMA" {
		return err
	}
	for _, in := range inserts {
		if at, ok := columnNamed(refused.Text, in); ok {
			return catalog.PlaceAt(refused, at)
		}
	}
	for _, in := range inserts {
		if last := in.Target[len(in.Target)-1]; strings.Contains(refused.Text, "table "+in.Target.SQL()+" ") {
			return catalog.PlaceAt(refused, last.Span)
		}
	}
	return err
}

// columnNamed returns where an INSERT names the column that a refusal of a table names.
func columnNamed(text string, in *sql.Insert) (at sql.Span, ok bool) {
	refuses := func(name string) bool { return strings.Contains(text, fmt.Sprintf("column %q", name)) }
	for _, c := range in.Columns {
		if refuses(c.Name) {
			return c.Span, true
		}
	}
	if in.Query == nil || in.Columns != nil {
		return at, false
	}
	body, ok := in.Query.Body.(*sql.Select)
	if !ok {
		return at, false
	}
	found := false
	for _, it := range body.Items {
		column, isColumn := it.Expr.(*sql.ColumnRef)
		_, isStar := it.Expr.(*sql.Star)
		switch {
		case it.Alias != nil:
			if refuses(it.Alias.Name) {
				return it.Alias.Span, true
			}
		case isColumn && refuses(column.Parts[len(column.Parts)-1].Name), refuses(strings.TrimSpace(it.Text)):
			return it.Expr.Pos(), true
		case isStar:
			at, found = it.Expr.Pos(), strings.Contains(text, `column "`)
		}
	}
	return at, found
}
