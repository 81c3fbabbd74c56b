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
// does not have. Whether a value fits is seen when it comes; that a cast rounds is said
// before.
func (t *target) checkTypes(ctx context.Context, c *duck.Conn, o sinks.OpenContext) error {
	t.casts = make([]string, len(o.Fields))
	for i, f := range o.Fields {
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
		loses, err := rounds(ctx, c, f.Type, col.typeName)
		if err != nil {
			return fmt.Errorf("checking column %q of table %s: %w", col.name, t.shown, err)
		}
		if loses && o.Notice != nil {
			o.Notice(fmt.Sprintf("column %q of table %s is %s, which holds less than the %s of the query: values are rounded or cut to it. CAST(%s AS %s) in the query says so, ALTER TABLE %s ALTER %s TYPE %s keeps them",
				col.name, t.shown, col.typeName, f.Type, types.QuoteIdent(f.Name), col.typeName, t.shown, types.QuoteIdent(col.name), storable(f.Type)))
		}
	}
	return nil
}

// rounds asks DuckDB whether a cast changes a value without an error: whether a value with
// as many digits as its type has comes back as another.
func rounds(ctx context.Context, c *duck.Conn, from types.Type, to string) (bool, error) {
	fine := sampleOf(from, fineSamples)
	changed := false
	ask := fmt.Sprintf("SELECT CAST(CAST(%[1]s AS %[2]s) AS %[3]s) IS DISTINCT FROM %[1]s", fine, to, from)
	if from.Kind == types.Varchar {
		ask = fmt.Sprintf("SELECT TRY_CAST(CAST('1.7' AS %s) AS DOUBLE) = 2", to)
	}
	err := c.Query(ctx, ask, nil, func(row []any) error {
		changed, _ = row[0].(bool)
		return nil
	})
	var refused *duck.SQLError
	if errors.As(err, &refused) {
		return false, nil // a value that does not fit is no silent one
	}
	return changed, err
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

// plainSamples are values of types for which 1 is none.
var plainSamples = map[types.Kind]string{
	types.Null: "NULL", types.Date: "DATE '2000-01-01'", types.Timestamp: "TIMESTAMP '2000-01-01'", types.IntervalKind: "INTERVAL 1 DAY",
}

// fineSamples are values with as many digits as a type has, where that is more than 1 has.
var fineSamples = map[types.Kind]string{
	types.Null: "NULL", types.Date: "DATE '2000-01-01'", types.Timestamp: "TIMESTAMP '2000-01-01 01:02:03.456789'", types.IntervalKind: "INTERVAL 1 DAY",
	types.Float: "CAST(0.1234567 AS FLOAT)", types.Double: "CAST(0.123456789012345 AS DOUBLE)",
}

// sample returns a value of a type, not NULL, as SQL.
func sample(t types.Type) string { return sampleOf(t, plainSamples) }

func sampleOf(t types.Type, samples map[types.Kind]string) string {
	if text := samples[t.Kind]; text != "" {
		return text
	}
	switch t.Kind {
	case types.List:
		return "[" + sampleOf(*t.Elem, samples) + "]"
	case types.Map:
		return "MAP {" + sampleOf(*t.Key, samples) + ": " + sampleOf(*t.Elem, samples) + "}"
	case types.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = types.QuoteIdent(f.Name) + ": " + sampleOf(f.Type, samples)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case types.Decimal:
		if t.Scale > 0 && samples[types.Double] != "" {
			return "CAST('0." + strings.Repeat("0", int(t.Scale)-1) + "1' AS " + t.String() + ")"
		}
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
