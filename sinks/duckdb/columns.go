package duckdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sql/types"
)

// mapColumns returns the column that each field goes to: those of the INSERT's
// column list, else those of the fields' names, else by position as in SQL. By
// position every column needs a field, and columns of the same names in another order
// are refused, since one of the two orders is a mistake.
func mapColumns(o sinks.OpenContext, columns []column) ([]int, error) {
	if o.Columns != nil {
		return byName(o, o.Columns, columns)
	}
	if !o.ByName {
		return byPosition(o, columns)
	}
	names := make([]string, len(o.Fields))
	for i, f := range o.Fields {
		names[i] = f.Name
	}
	return byName(o, names, columns)
}

func byName(o sinks.OpenContext, names []string, columns []column) ([]int, error) {
	if len(names) != len(o.Fields) {
		return nil, sqlerr.New("E_SINK_SCHEMA", "the column list names %s of table %s, but the query has %d", sqlerr.CountOf(len(names), "column"), o.Target, len(o.Fields)).
			WithHint("name as many columns as the query has")
	}
	into := make([]int, len(names))
	for i, name := range names {
		into[i] = slices.IndexFunc(columns, func(c column) bool { return strings.EqualFold(c.name, name) })
		if into[i] < 0 {
			return nil, sqlerr.New("E_SINK_SCHEMA", "table %s has no column %q; it has %s", o.Target, name, listColumns(columns)).
				WithHint("rename the column of the query with AS, or ALTER TABLE %s ADD COLUMN %s %s", o.Target, types.QuoteIdent(name), storable(o.Fields[i].Type))
		}
		if slices.Contains(into[:i], into[i]) {
			return nil, sqlerr.New("E_SINK_SCHEMA", "column %q of table %s is given twice", name, o.Target).
				WithHint("name each column once")
		}
	}
	return into, nil
}

func byPosition(o sinks.OpenContext, columns []column) ([]int, error) {
	into := make([]int, len(o.Fields))
	for i := range into {
		into[i] = i
	}
	if len(o.Fields) != len(columns) {
		e := sqlerr.New("E_SINK_SCHEMA", "table %s has %s (%s), but the query has %d", o.Target, sqlerr.CountOf(len(columns), "column"), listColumns(columns), len(o.Fields))
		for i, f := range o.Fields {
			if i >= len(columns) {
				return nil, e.WithHint("column %q of the query has no column in the table: ALTER TABLE %s ADD COLUMN %s %s, or leave it out", f.Name, o.Target, types.QuoteIdent(f.Name), storable(f.Type))
			}
		}
		return nil, e.WithHint("column %q of the table gets no value: add it to the query, or name the columns: INSERT INTO %s (...) SELECT", columns[len(o.Fields)].name, o.Target)
	}
	same, ordered := 0, 0
	for i, f := range o.Fields {
		if strings.EqualFold(f.Name, columns[i].name) {
			ordered++
		}
		if slices.ContainsFunc(columns, func(c column) bool { return strings.EqualFold(c.name, f.Name) }) {
			same++
		}
	}
	if same == len(columns) && ordered < same {
		return nil, sqlerr.New("E_SINK_SCHEMA", "the query has the columns of table %s in another order; the table has %s", o.Target, listColumns(columns)).
			WithHint("INSERT INTO %s BY NAME SELECT ..., or name the columns: INSERT INTO %s (...) SELECT", o.Target, o.Target)
	}
	return into, nil
}

func listColumns(columns []column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

// checkTypes finds how each field is read for its column, and refuses a cast that DuckDB
// does not have. Whether a value fits is seen when it comes.
func (t *target) checkTypes(ctx context.Context, c *duck.Conn, fields []types.Field) error {
	t.casts = make([]string, len(fields))
	for i, f := range fields {
		col := t.columns[t.into[i]]
		t.casts[i] = fmt.Sprintf("v.c%d", i)
		if f.Type.Kind == types.Null || strings.EqualFold(f.Type.String(), col.typeName) {
			continue
		}
		t.casts[i] = fmt.Sprintf("CAST(v.c%d AS %s)", i, col.typeName)
		possible, err := castable(ctx, c, f.Type, col.typeName)
		if err != nil {
			return fmt.Errorf("checking column %q of table %s: %w", col.name, t.shown, err)
		}
		if !possible {
			return sqlerr.New("E_SINK_SCHEMA", "column %q of table %s is %s, and %s of the query cannot be cast to it", col.name, t.shown, col.typeName, f.Type).
				WithHint("change the expression of the query, or the type of the column")
		}
	}
	return nil
}

// castable asks DuckDB whether it has a cast. It casts a sample: a missing cast is
// only noticed when a value meets it, and says so; that the sample itself does not
// fit is no refusal.
func castable(ctx context.Context, c *duck.Conn, from types.Type, to string) (bool, error) {
	_, err := c.Exec(ctx, "SELECT CAST("+sample(from)+" AS "+to+")")
	var se *duck.SQLError
	switch {
	case err == nil:
		return true, nil
	case !errors.As(err, &se):
		return false, err
	case se.Kind == "Conversion" && !strings.Contains(se.Text, "Unimplemented type for cast"):
		return true, nil
	case se.Kind == "Out of Range", se.Kind == "Invalid Input":
		return true, nil
	}
	return false, nil
}

// sample returns a value of a type, not NULL, as SQL.
func sample(t types.Type) string {
	switch t.Kind {
	case types.List:
		return "[" + sample(*t.Elem) + "]"
	case types.Map:
		return "MAP {" + sample(*t.Key) + ": " + sample(*t.Elem) + "}"
	case types.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = types.QuoteIdent(f.Name) + ": " + sample(f.Type)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case types.Null:
		return "NULL"
	case types.Date:
		return "DATE '2000-01-01'"
	case types.Timestamp:
		return "TIMESTAMP '2000-01-01'"
	case types.IntervalKind:
		return "INTERVAL 1 DAY"
	}
	return "CAST('1' AS " + t.String() + ")"
}

// stageSchema returns the columns of the stage: named by number, so that a name of the
// query needs no care.
func stageSchema(fields []types.Field) *arrow.Schema {
	plain := make([]types.Field, len(fields))
	for i, f := range fields {
		plain[i] = types.Field{Name: fmt.Sprintf("c%d", i), Type: f.Type}
	}
	return types.ArrowSchema(plain)
}
