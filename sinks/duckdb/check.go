package duckdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sql/types"
)

// openTarget finds the table of a sink, or makes it, and checks that every field can
// go into its column.
func openTarget(ctx context.Context, c *duck.Conn, o sinks.OpenContext, output int) (_ *target, err error) {
	t := &target{shown: o.Target, fields: o.Fields, stage: fmt.Sprintf("rows of %s, output %d", o.QueryID, output), schema: stageSchema(o.Fields)}
	parts, err := resolveTarget(ctx, c, o.Target)
	if err != nil {
		return nil, err
	}
	if t.name, err = duck.QuoteName(parts...); err != nil {
		return nil, err
	}
	if o.Unborn {
		if err := t.dropUnborn(ctx, c, o.Query); err != nil {
			return nil, err
		}
	}
	if err := t.find(ctx, c, o, parts); err != nil {
		return nil, err
	}
	defer func() {
		if err == nil {
			return
		}
		if e := t.unmake(ctx, c); e != nil {
			err = errors.Join(err, e)
		}
	}()
	if err := t.refuseKeys(ctx, c, o, parts); err != nil {
		return nil, err
	}
	if t.into, err = mapColumns(o, t.columns); err != nil {
		return nil, err
	}
	if err := t.sameColumns(ctx, c, o); err != nil {
		return nil, err
	}
	if err := t.requireFilled(ctx, c, parts); err != nil {
		return nil, err
	}
	if err := t.checkTypes(ctx, c, o); err != nil {
		return nil, err
	}
	if err := t.tryInsert(ctx, c); err != nil {
		return nil, err
	}
	if err := t.keepMade(ctx, c, o.Query); err != nil {
		return nil, err
	}
	t.signature, err = t.readSignature(ctx, c)
	return t, err
}

// tryInsert prepares the statement of every batch, so that what DuckDB refuses about it
// is refused before the start.
func (t *target) tryInsert(ctx context.Context, c *duck.Conn) error {
	stage, err := c.Stage(ctx, t.stage, t.schema)
	if err != nil {
		return err
	}
	_, err = c.Prepare(ctx, t.insertSQL(stage.View()))
	return t.refused(err)
}

// resolveTarget returns database, schema and table of a name as it was written. Tables of other
// attached databases are refused: DuckDB cannot write two databases in one
// transaction, and the marker is in this one.
func resolveTarget(ctx context.Context, c *duck.Conn, text string) ([]string, error) {
	parts, err := duck.ParseName(text)
	if err != nil {
		return nil, err
	}
	var here string
	var schemas []string
	err = c.Query(ctx, "SELECT current_database(), schema_name FROM duckdb_schemas() WHERE database_name = current_database()", nil, func(row []any) error {
		here = row[0].(string)
		schemas = append(schemas, row[1].(string))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("finding table %s: %w", text, err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(schemas, func(s string) bool { return strings.EqualFold(s, name) })
	}
	if len(parts) > 1 && strings.EqualFold(parts[0], here) && (len(parts) == 3 || !has(parts[0])) {
		parts = parts[1:]
	}
	switch {
	case len(parts) == 1:
		return []string{here, "main", parts[0]}, nil
	case len(parts) > 2:
		return nil, sqlerr.New("E_SINK_SCHEMA", "table %s is not in the database %q of the session", text, here).
			WithHint("a query can only write exactly once into the database that ssql was started with")
	case strings.EqualFold(parts[0], "ssql"):
		return nil, sqlerr.New("E_SINK_SCHEMA", "table %s is in the schema ssql, which is ssql's own", text).
			WithHint("name a table in another schema")
	case !has(parts[0]):
		return nil, sqlerr.New("E_SINK_SCHEMA", "table %s is in the schema %q, which does not exist", text, parts[0]).
			WithHint("CREATE SCHEMA %s", types.QuoteIdent(parts[0]))
	}
	return []string{here, parts[0], parts[1]}, nil
}

// find reads the columns of the table, which it makes if it does not exist. A query
// that has stored batches had a table: somebody dropped it, and it is not made
// again.
func (t *target) find(ctx context.Context, c *duck.Conn, o sinks.OpenContext, parts []string) error {
	head, err := readHead(ctx, c, o.QueryID)
	if err != nil {
		return fmt.Errorf("finding table %s: %w", o.Target, err)
	}
	missing := sqlerr.New("E_SINK_SCHEMA", "table %s does not exist, but query %q has stored rows in it", o.Target, o.Query).
		WithHint("restore the table, or drop the query and start it anew")
	if t.isNew = head.Batch == noBatch; t.isNew {
		var text string
		if text, missing = createSQL(t.name, o); missing == nil {
			// Asking for the table itself would cost 20 ms when it does not exist.
			if t.made, err = absent(ctx, c, parts); err != nil {
				return err
			}
			if _, err := c.Exec(ctx, text); err != nil {
				return t.unmade(err)
			}
		}
	}
	// DESCRIBE of the table itself does not take every quoted name.
	err = c.Query(ctx, "DESCRIBE SELECT * FROM "+t.name, nil, func(row []any) error {
		t.columns = append(t.columns, column{name: row[0].(string), typeName: row[1].(string)})
		return nil
	})
	if duck.Missing(err) && missing != nil {
		return missing
	}
	if err != nil {
		return fmt.Errorf("reading the columns of table %s: %w", o.Target, err)
	}
	return nil
}

// absent reports whether a database has no table or view of a name.
func absent(ctx context.Context, c *duck.Conn, parts []string) (bool, error) {
	n := int64(0)
	err := c.Query(ctx, `SELECT count(*) FROM information_schema.tables WHERE table_catalog = ? AND lower(table_schema) = lower(?) AND lower(table_name) = lower(?)`,
		[]any{parts[0], parts[1], parts[2]}, func(row []any) error {
			n, _ = row[0].(int64)
			return nil
		})
	return n == 0, err
}

// createSQL returns the statement that makes a table with the query's columns if it does
// not exist, or why there can be no such table.
func createSQL(name string, o sinks.OpenContext) (string, *sqlerr.Error) {
	parts := make([]string, len(o.Fields))
	seen := map[string]bool{}
	for i, f := range o.Fields {
		name := f.Name
		if i < len(o.Columns) {
			name = o.Columns[i]
		}
		if seen[strings.ToLower(name)] {
			return "", sqlerr.New("E_SINK_SCHEMA", "table %s would get two columns %q", o.Target, name).
				WithHint("give one of them another name with AS")
		}
		seen[strings.ToLower(name)] = true
		if strings.ContainsRune(name, 0) {
			return "", sqlerr.New("E_SINK_SCHEMA", "table %s would get a column %q, with a NUL character in its name", o.Target, name).
				WithHint("give it another name with AS")
		}
		parts[i] = types.QuoteIdent(name) + " " + storable(f.Type).String()
	}
	return "CREATE TABLE IF NOT EXISTS " + name + " (" + strings.Join(parts, ", ") + ")", nil
}

// unmade explains why the table could not be made.
func (t *target) unmade(err error) error {
	var se *duck.SQLError
	if errors.As(err, &se) && strings.Contains(se.Text, "is not an table") {
		return sqlerr.New("E_SINK_SCHEMA", "%s is a view, not a table", t.shown).WithHint("name another table; it is made if it does not exist")
	}
	return fmt.Errorf("making table %s: %w", t.shown, err)
}

// refuseKeys refuses a key on a table whose rows are replaced: DuckDB takes the same
// key twice in one transaction for a duplicate, also after a delete.
func (t *target) refuseKeys(ctx context.Context, c *duck.Conn, o sinks.OpenContext, parts []string) error {
	if o.Mode == types.Append {
		return nil
	}
	kind := ""
	err := c.Query(ctx, `SELECT constraint_type FROM duckdb_constraints()
WHERE constraint_type IN ('PRIMARY KEY', 'UNIQUE') AND database_name = $1 AND lower(schema_name) = lower($2) AND lower(table_name) = lower($3)
UNION ALL SELECT 'UNIQUE INDEX' FROM duckdb_indexes()
WHERE is_unique AND database_name = $1 AND lower(schema_name) = lower($2) AND lower(table_name) = lower($3)`,
		[]any{parts[0], parts[1], parts[2]}, func(row []any) error {
			kind = row[0].(string)
			return nil
		})
	if err != nil {
		return fmt.Errorf("reading the keys of table %s: %w", t.shown, err)
	}
	if kind == "" {
		return nil
	}
	return sqlerr.New("E_SINK_SCHEMA", "table %s has a %s, and DuckDB cannot replace rows under one in one transaction", t.shown, kind).
		WithHint("make the table without it: ssql replaces rows by the keys of the query")
}

// requireFilled refuses columns that the query gives no value although they must have
// one.
func (t *target) requireFilled(ctx context.Context, c *duck.Conn, parts []string) error {
	if len(t.into) == len(t.columns) {
		return nil
	}
	missing := ""
	err := c.Query(ctx, `SELECT column_name FROM duckdb_columns()
WHERE NOT is_nullable AND column_default IS NULL AND database_name = $1 AND lower(schema_name) = lower($2) AND lower(table_name) = lower($3)
ORDER BY column_index DESC`,
		[]any{parts[0], parts[1], parts[2]}, func(row []any) error {
			name := row[0].(string)
			if !slices.ContainsFunc(t.into, func(at int) bool { return t.columns[at].name == name }) {
				missing = name
			}
			return nil
		})
	if err != nil {
		return fmt.Errorf("reading the columns of table %s: %w", t.shown, err)
	}
	if missing == "" {
		return nil
	}
	return sqlerr.New("E_SINK_SCHEMA", "column %q of table %s must not be NULL, but the query gives it no value", missing, t.shown).
		WithHint("add it to the query, or give the column a default")
}

// storable returns the type of a column for values of t. A bare NULL becomes INTEGER,
// as in DuckDB's own CREATE TABLE AS.
func storable(t types.Type) types.Type {
	switch t.Kind {
	case types.Null:
		return types.Of(types.Int)
	case types.List:
		return types.ListOf(storable(*t.Elem))
	case types.Map:
		return types.MapOf(storable(*t.Key), storable(*t.Elem))
	case types.Struct:
		fields := slices.Clone(t.Fields)
		for i := range fields {
			fields[i].Type = storable(fields[i].Type)
		}
		return types.StructOf(fields...)
	}
	return t
}
