package duckdb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sql/types"
)

// sameColumns refuses a table whose columns were renamed or moved since the query stored
// rows in it, where its fields go to columns by position: they would go to others than
// before. It keeps the columns that a new query finds.
func (t *target) sameColumns(ctx context.Context, c *duck.Conn, o sinks.OpenContext) error {
	if o.Columns != nil || o.ByName {
		return nil // the names say where each field goes
	}
	var before []column
	err := c.Query(ctx, `SELECT name, "type" FROM ssql.targets WHERE query = ? AND target = ? AND position >= 0 ORDER BY position`, []any{o.Query, t.name}, func(row []any) error {
		before = append(before, column{name: row[0].(string), typeName: row[1].(string)})
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the columns that query %q has stored rows in: %w", o.Query, err)
	}
	if !t.isNew && len(before) == len(t.columns) {
		for i, col := range t.columns {
			if strings.EqualFold(col.name, before[i].name) || strings.EqualFold(col.name, o.Fields[i].Name) {
				continue
			}
			return sqlerr.New("E_SINK_SCHEMA", "the columns of table %s are not those that query %q has stored rows in: column %d was %q, now it is %q", t.shown, o.Query, i+1, before[i].name, col.name).
				WithDetail("They were: %s\nThey are:  %s", listColumns(before), listColumns(t.columns)).
				WithHint("ALTER TABLE %s RENAME %s TO %s, or say which column each goes to: CREATE OR REPLACE QUERY %s AS INSERT INTO %s (%s) SELECT ...",
					t.shown, types.QuoteIdent(col.name), types.QuoteIdent(before[i].name), o.Query, t.shown, listColumns(t.columns))
		}
	}
	if slices.Equal(before, t.columns) {
		return nil
	}
	return t.keepColumns(ctx, c, o.Query)
}

// columnsKeptAtOnce bounds the parameters of a statement: binding n of them takes DuckDB n² steps. Where
// a crash leaves some of the columns, the next start stores all of them again.
const columnsKeptAtOnce = 64

// keepColumns stores the columns of the table as those that the query stores rows in.
func (t *target) keepColumns(ctx context.Context, c *duck.Conn, query string) error {
	if _, err := c.Exec(ctx, "DELETE FROM ssql.targets WHERE query = ? AND target = ? AND position >= 0", query, t.name); err != nil {
		return fmt.Errorf("keeping the columns of table %s: %w", t.shown, err)
	}
	position := 0
	for some := range slices.Chunk(t.columns, columnsKeptAtOnce) {
		rows := strings.TrimSuffix(strings.Repeat("(?, ?, ?, ?, ?), ", len(some)), ", ")
		var args []any
		for _, col := range some {
			args = append(args, query, t.name, position, col.name, col.typeName)
			position++
		}
		if _, err := c.Exec(ctx, "INSERT INTO ssql.targets VALUES "+rows, args...); err != nil {
			return fmt.Errorf("keeping the columns of table %s: %w", t.shown, err)
		}
	}
	return nil
}

// madeAt is the position, in ssql.targets, of the row that says that ssql has made the table.
const madeAt = -1

// keepMade stores that opening the sink has made the table.
func (t *target) keepMade(ctx context.Context, c *duck.Conn, query string) error {
	if !t.made {
		return nil
	}
	if err := t.forgetMade(ctx, c, query); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, "INSERT INTO ssql.targets VALUES (?, ?, ?, '', '')", query, t.name, madeAt); err != nil {
		return fmt.Errorf("keeping that table %s was made: %w", t.shown, err)
	}
	return nil
}

func (t *target) forgetMade(ctx context.Context, c *duck.Conn, query string) error {
	if _, err := c.Exec(ctx, "DELETE FROM ssql.targets WHERE query = ? AND target = ? AND position = ?", query, t.name, madeAt); err != nil {
		return fmt.Errorf("keeping whether table %s was made: %w", t.shown, err)
	}
	return nil
}

// dropUnborn drops the table that a query has made and stored nothing in, before it is made
// with the columns of another definition. A table that has rows, or is somebody else's, stays.
func (t *target) dropUnborn(ctx context.Context, c *duck.Conn, query string) error {
	made := false
	err := c.Query(ctx, "SELECT 1 FROM ssql.targets WHERE query = ? AND target = ? AND position = ?", []any{query, t.name, madeAt}, func([]any) error {
		made = true
		return nil
	})
	if err != nil || !made {
		return err
	}
	empty := true
	err = c.Query(ctx, "SELECT 1 FROM "+t.name+" LIMIT 1", nil, func([]any) error {
		empty = false
		return nil
	})
	if duck.Missing(err) {
		return nil
	}
	if err != nil || !empty {
		return err
	}
	if _, err := c.Exec(ctx, "DROP TABLE IF EXISTS "+t.name); err != nil {
		return fmt.Errorf("making table %s anew: %w", t.shown, err)
	}
	return t.forgetMade(ctx, c, query)
}
