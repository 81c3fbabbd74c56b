package duckdb

import (
	"context"
	"database/sql"
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
func openTarget(ctx context.Context, c *duck.Conn, o sinks.OpenContext) (*target, error) {
	t := &target{shown: o.Target, stage: "rows of " + o.QueryID, schema: stageSchema(o.Fields)}
	schema, table, err := resolveTarget(ctx, c, o.Target)
	if err != nil {
		return nil, err
	}
	if t.name, err = qualify(ctx, c, schema, table); err != nil {
		return nil, err
	}
	if t.columns, err = readColumns(ctx, c, schema, table); err != nil {
		return nil, err
	}
	if len(t.columns) == 0 {
		if err := t.create(ctx, c, o); err != nil {
			return nil, err
		}
		if t.columns, err = readColumns(ctx, c, schema, table); err != nil {
			return nil, err
		}
	}
	if err := refuseKind(ctx, c, o, schema, table); err != nil {
		return nil, err
	}
	if t.into, err = mapColumns(o, t.columns); err != nil {
		return nil, err
	}
	if err := t.checkTypes(ctx, c, o.Fields); err != nil {
		return nil, err
	}
	t.signature, err = t.readSignature(ctx, c)
	return t, err
}

// resolveTarget returns schema and table of a name as it was written. Tables of other
// attached databases are refused: DuckDB cannot write two databases in one
// transaction, and the marker is in this one.
func resolveTarget(ctx context.Context, c *duck.Conn, text string) (schema, table string, err error) {
	parts, err := duck.ParseName(text)
	if err != nil {
		return "", "", err
	}
	var here string
	var schemas []string
	err = c.Query(ctx, "SELECT current_database(), schema_name FROM duckdb_schemas() WHERE database_name = current_database()", nil, func(row []any) error {
		here = row[0].(string)
		schemas = append(schemas, row[1].(string))
		return nil
	})
	if err != nil {
		return "", "", fmt.Errorf("finding table %s: %w", text, err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(schemas, func(s string) bool { return strings.EqualFold(s, name) })
	}
	if len(parts) > 1 && strings.EqualFold(parts[0], here) && (len(parts) == 3 || !has(parts[0])) {
		parts = parts[1:]
	}
	switch {
	case len(parts) == 1:
		return "main", parts[0], nil
	case len(parts) > 2:
		return "", "", sqlerr.New("E_SINK_SCHEMA", "table %s is not in the database %q of the session", text, here).
			WithHint("a query can only write exactly once into the database that ssql was started with")
	case strings.EqualFold(parts[0], "ssql"):
		return "", "", sqlerr.New("E_SINK_SCHEMA", "table %s is in the schema ssql, which is ssql's own", text).
			WithHint("name a table in another schema")
	case !has(parts[0]):
		return "", "", sqlerr.New("E_SINK_SCHEMA", "table %s is in the schema %q, which does not exist", text, parts[0]).
			WithHint("CREATE SCHEMA %s", types.QuoteIdent(parts[0]))
	}
	return parts[0], parts[1], nil
}

// qualify returns the full quoted name.
func qualify(ctx context.Context, c *duck.Conn, schema, table string) (name string, err error) {
	err = c.Query(ctx, "SELECT current_database()", nil, func(row []any) error {
		name, err = duck.QuoteName(row[0].(string), schema, table)
		return err
	})
	return name, err
}

// readColumns returns the columns of a table, none if it does not exist.
func readColumns(ctx context.Context, c *duck.Conn, schema, table string) ([]column, error) {
	var columns []column
	err := c.Rows(ctx, `SELECT column_name, data_type, is_nullable, column_default IS NOT NULL FROM duckdb_columns()
WHERE database_name = current_database() AND lower(schema_name) = lower(?) AND lower(table_name) = lower(?) ORDER BY column_index`,
		[]any{schema, table}, func(rows *sql.Rows) error {
			for rows.Next() {
				var col column
				if err := rows.Scan(&col.name, &col.typeName, &col.nullable, &col.filled); err != nil {
					return err
				}
				columns = append(columns, col)
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("reading the columns of table %s: %w", table, err)
	}
	return columns, nil
}

// refuseKind refuses a view, and a key on a table whose rows are replaced: DuckDB
// takes the same key twice in one transaction for a duplicate, also after a delete
// (reliability.md A19).
func refuseKind(ctx context.Context, c *duck.Conn, o sinks.OpenContext, schema, table string) error {
	var kind string
	err := c.Query(ctx, `SELECT 'view' FROM duckdb_views() WHERE database_name = current_database() AND lower(schema_name) = lower($1) AND lower(view_name) = lower($2)
UNION ALL SELECT constraint_type FROM duckdb_constraints() WHERE database_name = current_database() AND lower(schema_name) = lower($1) AND lower(table_name) = lower($2) AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')
UNION ALL SELECT 'UNIQUE INDEX' FROM duckdb_indexes() WHERE database_name = current_database() AND lower(schema_name) = lower($1) AND lower(table_name) = lower($2) AND is_unique`,
		[]any{schema, table}, func(row []any) error {
			if kind == "" {
				kind = row[0].(string)
			}
			return nil
		})
	switch {
	case err != nil:
		return fmt.Errorf("checking table %s: %w", o.Target, err)
	case kind == "view":
		return sqlerr.New("E_SINK_SCHEMA", "%s is a view, not a table", o.Target).WithHint("name another table; it is made if it does not exist")
	case kind != "" && o.Mode != sinks.Append:
		return sqlerr.New("E_SINK_SCHEMA", "table %s has a %s, and DuckDB cannot replace rows under one in one transaction", o.Target, kind).
			WithHint("make the table without it: ssql replaces rows by the keys of the query")
	}
	return nil
}

// create makes the table with the query's columns.
func (t *target) create(ctx context.Context, c *duck.Conn, o sinks.OpenContext) error {
	head, err := readHead(ctx, c, o.QueryID)
	if err != nil {
		return fmt.Errorf("making table %s: %w", o.Target, err)
	}
	if head.Batch != noBatch {
		return sqlerr.New("E_SINK_SCHEMA", "table %s does not exist, but query %q has stored batches up to %d in it", o.Target, o.Query, head.Batch).
			WithHint("restore the table, or drop the query and start it anew")
	}
	parts := make([]string, len(o.Fields))
	for i, f := range o.Fields {
		name := f.Name
		if o.Columns != nil {
			name = o.Columns[i]
		}
		for _, other := range o.Fields[:i] {
			if o.Columns == nil && strings.EqualFold(other.Name, name) {
				return sqlerr.New("E_SINK_SCHEMA", "table %s would get two columns %q", o.Target, name).
					WithHint("give one of them another name with AS")
			}
		}
		quoted, err := duck.QuoteIdent(name)
		if err != nil {
			return err
		}
		parts[i] = quoted + " " + storable(f.Type).String()
	}
	if _, err := c.Exec(ctx, "CREATE TABLE "+t.name+" ("+strings.Join(parts, ", ")+")"); err != nil {
		return fmt.Errorf("making table %s: %w", o.Target, t.refused(err))
	}
	return nil
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
