package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec"
	"ssql/internal/duck"
	"ssql/sql/types"
)

// tables reads DuckDB's tables for joins with streams.
type tables struct{ session *Session }

var _ exec.Tables = tables{}

// Snapshot implements exec.Tables. Every column is cast to the type that the planner
// was told, which costs nothing where it has it.
func (t tables) Snapshot(ctx context.Context, text string, fields []types.Field) ([]arrow.Record, error) {
	items := make([]string, len(fields))
	for i, f := range fields {
		name := types.QuoteIdent(f.Name)
		items[i] = "CAST(" + name + " AS " + f.Type.String() + ") AS " + name
	}
	var out []arrow.Record
	err := t.session.withConn(ctx, func(c *duck.Conn) error {
		reader, err := c.QueryArrow(ctx, "SELECT "+strings.Join(items, ", ")+" FROM "+text)
		if err != nil {
			return err
		}
		defer reader.Release()
		for reader.Next() {
			rec, err := copyRecord(reader.Record())
			if err != nil {
				return err
			}
			out = append(out, rec)
		}
		return reader.Err()
	})
	return out, err
}

// copyRecord copies a record of DuckDB, whose memory must be released by count, into
// memory that Go frees: a join keeps it for as long as it likes.
func copyRecord(rec arrow.Record) (arrow.Record, error) {
	columns := make([]arrow.Array, rec.NumCols())
	for i, a := range rec.Columns() {
		c, err := array.Concatenate([]arrow.Array{a}, memory.DefaultAllocator)
		if err != nil {
			return nil, fmt.Errorf("copying a table: %w", err)
		}
		columns[i] = c
	}
	return array.NewRecord(rec.Schema(), columns, rec.NumRows()), nil
}
