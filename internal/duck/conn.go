package duck

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/arrow/go/v17/arrow/array"
	duckdb "github.com/marcboeker/go-duckdb"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Conn is one connection to a database, for one goroutine. Statements are executed
// as they are: several in one text are all executed, so text must never be built
// from values.
//
// A statement that fails does not end a transaction in DuckDB. A COMMIT after it stores the
// rest if the statement was refused before it ran (a name that does not exist), and else it
// reports success and stores nothing. So Commit asks first; and after any error the caller
// must roll back.
type Conn struct {
	db     *DB
	handle *handle
	number int
	// mu is held while something runs, rows being read included, so that Discard
	// closes nothing under its feet.
	mu        sync.Mutex
	sql       *sql.Conn // nil: discarded
	stmts     map[string]*sql.Stmt
	stages    map[string]*Stage
	stageNext int // number of the next Stage
	inTx      bool
	spoilt    bool
}

// Stmt is a prepared statement of a Conn. DuckDB binds it again by itself when a table it
// uses has changed.
type Stmt struct {
	conn *Conn
	text string
}

// Exec runs statements and returns the number of rows that the last one changed.
func (c *Conn) Exec(ctx context.Context, text string, args ...any) (rows int64, err error) {
	if err := c.begin(); err != nil {
		return 0, err
	}
	defer c.mu.Unlock()
	if done, err := c.sabotaged(ctx, text); done {
		return 0, err
	}
	err = c.withoutICU(ctx, text, func(text string) error {
		res, err := c.sql.ExecContext(ctx, text, args...)
		if err := c.ran(err, "running a statement"); err != nil {
			return err
		}
		rows, err = res.RowsAffected()
		return err
	})
	return rows, err
}

// Query runs a statement and calls each for every row, with the values as the driver
// has them. The slice is valid during the call, which must not use the Conn.
func (c *Conn) Query(ctx context.Context, text string, args []any, each func(row []any) error) error {
	return c.Rows(ctx, text, args, func(rows *sql.Rows) error { return eachRow(rows, each) })
}

// Rows runs a statement and calls read with its rows, which are closed afterwards. read
// must not use the Conn.
func (c *Conn) Rows(ctx context.Context, text string, args []any, read func(rows *sql.Rows) error) error {
	if err := c.begin(); err != nil {
		return err
	}
	defer c.mu.Unlock()
	return c.withoutICU(ctx, text, func(text string) error {
		rows, err := c.sql.QueryContext(ctx, text, args...)
		return c.drain(rows, err, read)
	})
}

// withoutICU runs a statement in the form that needs no ICU extension: see times.go. What
// DuckDB refuses before it has run is run again with now() in UTC, and then with the times of
// its relations in UTC too.
func (c *Conn) withoutICU(ctx context.Context, text string, run func(text string) error) error {
	text = nullTreatment(castsOfNow(text))
	zoned := func(rel string) []string { return c.zonedColumns(ctx, rel) }
	if later, ok := ranLater(text, zoned); ok && run(inZones(later)) == nil {
		return nil
	}
	err := run(inZones(text))
	if !wantsUTC(err) {
		return err
	}
	plain, ok := inUTC(text)
	if ok {
		if again := run(inZones(plain)); !wantsUTC(again) {
			return again
		}
	}
	if plain == "" {
		return err
	}
	if plain, ok = tablesInUTC(plain, zoned); ok {
		if again := run(inZones(plain)); again == nil {
			return nil
		}
	}
	return err
}

// zonedColumns returns the columns of a relation that are times with a zone. One that cannot
// be looked at alone, as what a WITH of the statement names, has none.
func (c *Conn) zonedColumns(ctx context.Context, rel string) (names []string) {
	rows, err := c.sql.QueryContext(ctx, "DESCRIBE FROM "+rel)
	_ = c.drain(rows, err, func(rows *sql.Rows) error {
		return eachRow(rows, func(row []any) error {
			if fmt.Sprint(row[1]) == "TIMESTAMP WITH TIME ZONE" {
				names = append(names, fmt.Sprint(row[0]))
			}
			return nil
		})
	})
	return names
}

// QueryArrow runs a statement and returns its rows as Arrow records. They stay good when
// the database is closed. The end of ctx interrupts it.
func (c *Conn) QueryArrow(ctx context.Context, text string, args ...any) (array.RecordReader, error) {
	if err := c.begin(); err != nil {
		return nil, err
	}
	defer c.mu.Unlock()
	var reader array.RecordReader
	err := c.withoutICU(ctx, text, func(text string) (err error) {
		reader, err = c.arrow(ctx, text, args)
		return err
	})
	return reader, err
}

// arrow is QueryArrow with the lock held.
func (c *Conn) arrow(ctx context.Context, text string, args []any) (array.RecordReader, error) {
	var reader array.RecordReader
	err := c.sql.Raw(func(dc any) error {
		a, err := duckdb.NewArrowFromConn(dc.(driver.Conn))
		if err != nil {
			return err
		}
		defer interruptWhenDone(ctx, dc)()
		reader, err = a.QueryContext(ctx, text, args...)
		return err
	})
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := c.ran(err, "running a query"); err != nil {
		if reader != nil {
			reader.Release()
		}
		return nil, err
	}
	return reader, nil
}

// Prepare returns the prepared form of a statement. It is made once per Conn and
// kept, so it may be asked for in every batch.
func (c *Conn) Prepare(ctx context.Context, text string) (*Stmt, error) {
	if err := c.begin(); err != nil {
		return nil, err
	}
	defer c.mu.Unlock()
	if c.stmts[text] != nil {
		return &Stmt{c, text}, nil
	}
	form := text
	err := c.withoutICU(ctx, text, func(text string) error {
		form = text
		_, err := c.prepared(ctx, text)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Stmt{c, form}, nil
}

// prepared is called with the lock held.
func (c *Conn) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	if s := c.stmts[text]; s != nil {
		return s, nil
	}
	s, err := c.sql.PrepareContext(ctx, text)
	if err != nil {
		return nil, mapError(err, "preparing a statement in "+quoted(c.handle.path))
	}
	c.stmts[text] = s
	return s, nil
}

// Exec runs the statement and returns the number of rows it changed.
func (s *Stmt) Exec(ctx context.Context, args ...any) (rows int64, err error) {
	c := s.conn
	if err := c.begin(); err != nil {
		return 0, err
	}
	defer c.mu.Unlock()
	stmt, err := c.prepared(ctx, s.text)
	if err != nil {
		return 0, err
	}
	if done, err := c.sabotaged(ctx, s.text); done {
		return 0, err
	}
	res, err := stmt.ExecContext(ctx, args...)
	if err := c.ran(err, "running a statement"); err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Rows runs the statement and calls read with its rows, which are closed
// afterwards.
func (s *Stmt) Rows(ctx context.Context, args []any, read func(rows *sql.Rows) error) error {
	c := s.conn
	if err := c.begin(); err != nil {
		return err
	}
	defer c.mu.Unlock()
	stmt, err := c.prepared(ctx, s.text)
	if err != nil {
		return err
	}
	if done, err := c.sabotaged(ctx, s.text); done {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	return c.drain(rows, err, read)
}

// Begin starts a transaction.
func (c *Conn) Begin(ctx context.Context) error {
	if err := c.control(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	c.inTx = true
	return nil
}

// Commit makes the transaction durable. E_ROLLED_BACK says that nothing of it was: a statement
// has failed before, and DuckDB would have reported success. Any other error means that the
// outcome is not known: call Discard and look. It cannot be cancelled, for the same reason.
func (c *Conn) Commit() error {
	if err := c.CanCommit(context.Background()); err != nil {
		return also(err, c.Rollback())
	}
	c.inTx = false
	return c.control(context.Background(), "COMMIT")
}

// CanCommit returns E_ROLLED_BACK if a statement of the running transaction has failed, so
// that a COMMIT would keep nothing of it. Without a transaction it does nothing.
func (c *Conn) CanCommit(ctx context.Context) error {
	if err := c.begin(); err != nil {
		return err
	}
	defer c.mu.Unlock()
	stmt, err := c.prepared(ctx, "SELECT 1")
	if err == nil {
		_, err = stmt.ExecContext(ctx)
	}
	if err == nil {
		return nil
	}
	return sqlerr.New(codeRolledBack, "nothing of the transaction was stored: a statement in it has failed").
		Because(err).WithHint("ROLLBACK, and run its statements again")
}

// sabotaged does what a test wants of a statement.
func (c *Conn) sabotaged(ctx context.Context, text string) (done bool, err error) {
	if c.db.o.Sabotage == nil {
		return false, nil
	}
	what := c.db.o.Sabotage(text)
	if what == RunIt {
		return false, nil
	}
	// It must fail when it runs: what is refused before leaves a transaction as it is.
	if text == "COMMIT" {
		_, err = c.sql.ExecContext(ctx, "ROLLBACK")
	} else {
		_, err = c.sql.ExecContext(ctx, "SELECT error('sabotage of ' || ?)", text)
	}
	if what == FailInSilence {
		return true, nil
	}
	if err == nil {
		err = errors.New("IO Error: sabotage of COMMIT")
	}
	return true, mapError(err, "running a statement")
}

// Rollback undoes the transaction. Without one it does nothing.
func (c *Conn) Rollback() error {
	if !c.inTx {
		return nil
	}
	c.inTx = false
	return c.control(context.Background(), "ROLLBACK")
}

func (c *Conn) control(ctx context.Context, text string) error {
	if err := c.begin(); err != nil {
		return err
	}
	defer c.mu.Unlock()
	stmt, err := c.prepared(ctx, text)
	if err != nil {
		return err
	}
	if done, err := c.sabotaged(ctx, text); done {
		c.spoilt = c.spoilt || err != nil
		return err
	}
	if _, err := stmt.ExecContext(ctx); err != nil {
		c.spoilt = true
		return mapError(err, text+" in "+quoted(c.handle.path))
	}
	return nil
}

// Checkpoint writes the log back into the file, which also gives the space of deleted
// rows back. It is refused while other transactions run. What is committed is safe
// with and without it.
func (c *Conn) Checkpoint(ctx context.Context) error {
	_, err := c.Exec(ctx, "CHECKPOINT "+types.QuoteIdent(catalogName(c.handle.path)))
	return err
}

// Spoil keeps the connection from being reused: it has settings or temporary tables
// that others must not see.
func (c *Conn) Spoil() { c.spoilt = true }

// Database returns the database of the connection.
func (c *Conn) Database() *DB { return c.db }

// begin takes the lock, or says that the connection is gone.
func (c *Conn) begin() error {
	c.mu.Lock()
	if c.sql == nil {
		c.mu.Unlock()
		return sqlerr.New("E_SINK_IO", "the connection to the database %q was closed after a failure", c.handle.path).
			WithHint("run the statement again")
	}
	for _, s := range c.stages {
		s.reader.rewind()
	}
	return nil
}

// ran returns the error of a statement that has been executed, or refuses what it says
// because it read a stage twice.
func (c *Conn) ran(err error, doing string) error {
	if err != nil {
		return mapError(err, doing+" in "+quoted(c.handle.path))
	}
	for name, s := range c.stages {
		if s.reader.ends > 1 {
			return sqlerr.New(sqlerr.Internal, "a statement read the records of %q %d times, which can be read once", name, s.reader.ends)
		}
	}
	return nil
}

// drain reads the rows of a query and closes them. DuckDB has computed them all by
// then.
func (c *Conn) drain(rows *sql.Rows, err error, read func(rows *sql.Rows) error) error {
	err = c.ran(err, "running a query")
	if rows == nil {
		return err
	}
	if err == nil {
		err = read(rows)
	}
	if err == nil {
		err = rows.Err()
	}
	if closeErr := rows.Close(); err == nil {
		err = closeErr
	}
	return mapError(err, "reading rows from "+quoted(c.handle.path))
}

// eachRow scans rows into one slice.
func eachRow(rows *sql.Rows, each func(row []any) error) error {
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	row, into := make([]any, len(names)), make([]any, len(names))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
	return nil
}

// raw calls f with the Arrow side of the driver's connection.
func (c *Conn) raw(f func(a *duckdb.Arrow) error) error {
	return c.sql.Raw(func(dc any) error {
		a, err := duckdb.NewArrowFromConn(dc.(driver.Conn))
		if err != nil {
			return err
		}
		return f(a)
	})
}

// reusable rolls back what was left open and reports whether another user may get the
// connection.
func (c *Conn) reusable() bool {
	if err := c.Rollback(); err != nil {
		return false
	}
	for _, s := range c.stages {
		s.Clear()
	}
	return !c.spoilt
}

// close waits for what runs and closes the connection for good. Errors are of no
// use: the statements die with it.
func (c *Conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sql == nil {
		return
	}
	for _, s := range c.stmts {
		_ = s.Close()
	}
	for _, s := range c.stages {
		s.drop(c)
	}
	_ = c.sql.Close()
	c.sql = nil
}
