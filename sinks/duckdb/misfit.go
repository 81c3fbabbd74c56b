package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sql/types"
)

// misfitRowMax bounds the text of the row in an error.
const misfitRowMax = 300

// misfit finds the value of a batch that a table could not take and says so, in place of
// DuckDB's message, which is about a statement that the user has not written. Any other
// error, and one without such a value, comes back as it is. The transaction must be over.
func (s *Sink) misfit(ctx context.Context, c *duck.Conn, b *sinks.Batch, load *load, err error) error {
	var refused *duck.SQLError
	if sqlerr.Code(err) != "E_SINK_SCHEMA" || !errors.As(err, &refused) {
		return err
	}
	for i, p := range s.outlets {
		if p.target == nil || b.Outputs[i].Rows == 0 {
			continue
		}
		found, e := p.target.misfit(ctx, c, load.rows[i].View())
		if e != nil {
			return err // the refusal is what counts
		}
		if found != nil {
			return found
		}
	}
	return err
}

// misfit looks for a value in a view over rows that cannot be cast to its column.
func (t *target) misfit(ctx context.Context, c *duck.Conn, view string) (found *sqlerr.Error, err error) {
	row := make([]string, len(t.fields))
	for i, f := range t.fields {
		row[i] = fmt.Sprintf("%s: v.c%d", types.QuoteIdent(f.Name), i)
	}
	for i, f := range t.fields {
		col := t.columns[t.into[i]]
		if !strings.HasPrefix(t.casts[i], "CAST(") {
			continue
		}
		err := c.Query(ctx, fmt.Sprintf("SELECT CAST(v.c%[1]d AS VARCHAR), CAST({%[2]s} AS VARCHAR) FROM %[3]s AS v WHERE v.c%[1]d IS NOT NULL AND TRY_CAST(v.c%[1]d AS %[4]s) IS NULL LIMIT 1",
			i, strings.Join(row, ", "), view, col.typeName), nil, func(cells []any) error {
			value, _ := cells[0].(string)
			whole, _ := cells[1].(string)
			if len(whole) > misfitRowMax {
				whole = whole[:misfitRowMax] + "..."
			}
			found = sqlerr.New("E_SINK_SCHEMA", "value %s of %q does not fit column %q of table %s, which is %s", value, f.Name, col.name, t.shown, col.typeName).
				WithDetail("The row is %s.", strings.ToValidUTF8(whole, "")).
				WithHint("TRY_CAST(... AS %s) in the query gives NULL instead, a filter leaves the row out, or ALTER TABLE %s ALTER %s TYPE %s; nothing of the batch was stored",
					col.typeName, t.shown, types.QuoteIdent(col.name), storable(f.Type))
			return nil
		})
		if err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}
