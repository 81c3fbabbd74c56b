package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sql/types"
)

// target is the table of a sink: its name, which of its columns each field goes to, and
// the statements of a batch.
type target struct {
	shown   string // the name as the user wrote it
	name    string // quoted and qualified
	stage   string // name of the stage of its rows
	schema  *arrow.Schema
	fields  []types.Field // of the query
	isNew   bool          // the query had stored nothing when the table was checked
	made    bool          // opening the sink has made it
	columns []column      // of the table, in order
	into    []int         // per field, index into columns
	casts   []string      // per field, what it is read as from the stage
	// signature are names and types when it was checked; another one means that it
	// was altered.
	signature string
	// replaced counts the rows that were deleted since the last checkpoint of the file.
	// Until then DuckDB keeps them, and every DELETE reads them.
	replaced int64
}

// replacedMax is how many deleted rows are worth a checkpoint, of about 50 ms. At
// three times as many a batch in update mode takes 7 ms instead of 2.
const replacedMax = 1 << 20

// column is a column of an existing table.
type column struct {
	name     string
	typeName string // in DuckDB's spelling
}

// unmake drops a table that was made when the sink was opened.
func (t *target) unmake(ctx context.Context, c *duck.Conn) error {
	if !t.made {
		return nil
	}
	t.made = false
	if _, err := c.Exec(ctx, "DROP TABLE IF EXISTS "+t.name); err != nil {
		return fmt.Errorf("dropping the new table %s: %w", t.shown, err)
	}
	return nil
}

// write stores the rows of an output in its mode; deletes is nil without Deletes.
func (t *target) write(ctx context.Context, c *duck.Conn, out *sinks.Output, rows, deletes *duck.Stage) error {
	var removals []string
	switch {
	case out.Mode == types.Complete:
		removals = append(removals, "DELETE FROM "+t.name)
	case out.Mode == types.Update && out.Keys != nil:
		if out.Rows > 0 {
			removals = append(removals, t.deleteSQL(out, out.Records, rows.View()))
		}
		if deletes != nil {
			removals = append(removals, t.deleteSQL(out, out.Deletes, deletes.View()))
		}
	}
	for _, remove := range removals {
		n, err := run(ctx, c, remove)
		if err != nil {
			return t.refused(err)
		}
		t.replaced += n
	}
	if out.Rows > 0 {
		_, err := run(ctx, c, t.insertSQL(rows.View()))
		return t.refused(err)
	}
	return nil
}

// run executes a statement whose text is the same for every batch, so that it is
// prepared once.
func run(ctx context.Context, c *duck.Conn, text string) (rows int64, err error) {
	stmt, err := c.Prepare(ctx, text)
	if err != nil {
		return 0, err
	}
	return stmt.Exec(ctx)
}

// reclaim gives the space of deleted rows back when there are many. The batch is
// stored by then, so a failure is no failure of it: other transactions put it off to
// the next time, and after a failing disk the file is opened anew.
func (t *target) reclaim(ctx context.Context, c *duck.Conn) {
	if t.replaced < replacedMax {
		return
	}
	t.replaced = 0
	if err := c.Checkpoint(ctx); duck.Poisoned(err) {
		_ = c.Database().Discard(c)
	}
}

// insertSQL returns the statement that adds all rows of a view.
func (t *target) insertSQL(view string) string {
	names := make([]string, len(t.into))
	for i, at := range t.into {
		names[i] = types.QuoteIdent(t.columns[at].name)
	}
	return "INSERT INTO " + t.name + " (" + strings.Join(names, ", ") + ") SELECT " + strings.Join(t.casts, ", ") + " FROM " + view + " AS v"
}

// deleteSQL returns the statement that removes the rows whose keys are in a view, which has
// the records; without key columns that is the one row. NULL keys match each other. The window column is compared with =, which lets DuckDB
// read only the part of the table from the least window of the batch on: 0.5 ms for
// 1000 keys at 5 M rows, where IS NOT DISTINCT FROM takes 47 ms. Only the totals of
// a ROLLUP have no window.
func (t *target) deleteSQL(out *sinks.Output, records []arrow.Record, view string) string {
	if len(out.Keys) == 0 {
		return "DELETE FROM " + t.name
	}
	matches := make([]string, len(out.Keys))
	for i, key := range out.Keys {
		operator := " IS NOT DISTINCT FROM "
		if key == out.WindowColumn && !hasNull(records, key) {
			operator = " = "
		}
		matches[i] = "t." + types.QuoteIdent(t.columns[t.into[key]].name) + operator + t.casts[key]
	}
	return "DELETE FROM " + t.name + " AS t USING " + view + " AS v WHERE " + strings.Join(matches, " AND ")
}

func hasNull(records []arrow.Record, column int) bool {
	for _, rec := range records {
		if rec.Column(column).NullN() > 0 {
			return true
		}
	}
	return false
}

// unchanged refuses a table that was dropped or altered since it was checked. It is
// part of every transaction: reading no row costs 0.05 ms.
func (t *target) unchanged(ctx context.Context, c *duck.Conn) error {
	signature, err := t.readSignature(ctx, c)
	if duck.Missing(err) {
		return sqlerr.New("E_SINK_SCHEMA", "table %s was dropped while the query was running", t.shown).
			WithHint("restore the table and start the query again, or drop the query and start it anew")
	}
	if err != nil {
		return err
	}
	if signature != t.signature {
		return sqlerr.New("E_SINK_SCHEMA", "table %s was altered while the query was running: its columns were %s, now they are %s", t.shown, t.signature, signature).
			WithHint("start the query again: it goes on if its columns still fit the table")
	}
	return nil
}

// readSignature returns names and types of the table's columns.
func (t *target) readSignature(ctx context.Context, c *duck.Conn) (string, error) {
	stmt, err := c.Prepare(ctx, "SELECT * FROM "+t.name+" LIMIT 0")
	if err != nil {
		return "", err
	}
	var parts []string
	err = stmt.Rows(ctx, nil, func(rows *sql.Rows) error {
		columns, err := rows.ColumnTypes()
		if err != nil {
			return err
		}
		for _, col := range columns {
			parts = append(parts, types.QuoteIdent(col.Name())+" "+col.DatabaseTypeName())
		}
		return nil
	})
	return strings.Join(parts, ", "), err
}

// refused explains why DuckDB did not take the rows.
func (t *target) refused(err error) error {
	var se *duck.SQLError
	if !errors.As(err, &se) {
		return err
	}
	text, _, _ := strings.Cut(se.Text, "\n")
	if se.Kind == "TransactionContext" && strings.Contains(text, "Conflict") {
		return sqlerr.New("E_SINK_LOCKED", "rows of table %s are being changed by another transaction", t.shown).Because(se).
			WithHint("end that transaction, then start the query again; nothing of the batch was stored")
	}
	return sqlerr.New("E_SINK_SCHEMA", "table %s did not take the rows: %s", t.shown, text).Because(&duck.SQLError{Kind: se.Kind, Text: text}).
		WithHint("change the query, with TRY_CAST or a filter, or the table; nothing of the batch was stored")
}
