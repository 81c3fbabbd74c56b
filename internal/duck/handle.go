package duck

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	duckdb "github.com/marcboeker/go-duckdb"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

const (
	// lockPoll is the time between two tries to get a file that another process
	// holds.
	lockPoll = 25 * time.Millisecond
	// idleConnsMax bounds the connections kept for reuse; each holds prepared
	// statements.
	idleConnsMax = 8
	// StageDatabase is the instance's own database in memory, which holds the views
	// over Arrow records.
	StageDatabase = "memory"
)

// handle is one opening of a database. Its DB guards it.
type handle struct {
	path string
	sql  *sql.DB
	lock *sideLock // nil in memory, and for reading
	// readOnly says that the file is open for reading.
	readOnly bool
	made     bool // the file was missing
	idle     []*Conn
	all      map[*Conn]struct{}
	next     int // number of the next Conn, for the names of its stages
}

// openHandle opens a database and waits while another process holds it.
func openHandle(ctx context.Context, path string, o Options) (*handle, error) {
	deadline := time.Now().Add(o.LockWait)
	told := false
	for {
		h, err := tryOpen(path, o)
		var held *heldError
		if !errors.As(err, &held) {
			return h, err
		}
		if !time.Now().Before(deadline) {
			return nil, sqlerr.New("E_SINK_LOCKED", "the database %q is open in %s", path, held.holder()).
				WithHint("close it there, or wait for that process to end; nothing was changed")
		}
		if !told {
			told = true
			o.Notice(fmt.Sprintf("waiting for the database %q, which is open in %s", path, held.holder()))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// tryOpen opens a database; a *heldError says that another process holds it.
func tryOpen(path string, o Options) (*handle, error) {
	h := &handle{path: path, all: map[*Conn]struct{}{}}
	if _, err := os.Stat(path); path != "" && o.ReadOnly && errors.Is(err, os.ErrNotExist) {
		return nil, sqlerr.New("E_STORAGE_READONLY", "the database %q does not exist, and is to be opened for reading", path).
			WithHint("name one that exists, or leave out -readonly")
	}
	if path != "" && !o.ReadOnly {
		lock, err := takeSideLock(path + ".lock")
		if err != nil {
			return nil, err
		}
		h.lock = lock
		_, err = os.Stat(path)
		h.made = errors.Is(err, os.ErrNotExist)
	}
	if err := filesLeft(); err != nil {
		return nil, also(mapError(err, "opening the database "+quoted(path)), h.close())
	}
	if err := h.attach(o); err != nil {
		if held := heldBy(err); held != nil {
			err = held
		} else {
			err = mapError(err, "opening the database "+quoted(path))
		}
		return nil, also(err, h.close())
	}
	return h, nil
}

// filesMin is how many files DuckDB opens at once to open a database. Where it may not, it throws
// what nobody catches, and the process is gone.
const filesMin = 8

// filesLeft makes sure that the process may open so many.
func filesLeft() error {
	for range filesMin {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return err
		}
		defer f.Close()
	}
	return nil
}

// attach opens an instance in memory and the database in it. The instance's own
// database holds the stages: DuckDB makes the view over an Arrow stream a
// permanent one, and a view over a pointer must not get into a file. Attaching also
// lets the name be chosen: as ssql.duckdb itself is called ssql, nobody could say
// ssql.commits in it.
func (h *handle) attach(o Options) error {
	name := catalogName(h.path)
	use := "USE " + types.QuoteIdent(name)
	h.readOnly = o.ReadOnly && h.path != ""
	attached := false
	connector, err := duckdb.NewConnector(dsn(o), func(conn driver.ExecerContext) error {
		if !attached {
			return nil // the connection that attaches
		}
		_, err := conn.ExecContext(context.Background(), use+"; "+zoneMacro, nil)
		return err
	})
	if err != nil {
		return err
	}
	h.sql = sql.OpenDB(connector)
	// The handle keeps connections itself. One that is given up must really be closed:
	// it may have a transaction or settings.
	h.sql.SetMaxIdleConns(-1)
	path := h.path
	if path == "" {
		path = ":memory:"
	}
	attach := "ATTACH " + types.QuoteText(path) + " AS " + types.QuoteIdent(name)
	if h.readOnly {
		attach += " (READ_ONLY)"
	}
	_, err = h.sql.Exec(attach)
	if err == nil && h.path != "" && !h.readOnly {
		err = cutTornLog(h.path)
	}
	if err == nil && h.readOnly {
		use, err = h.borrowCatalog(name)
	}
	if err == nil {
		err = registerZones(context.Background(), h.sql)
	}
	attached = true
	return err
}

// catalogName returns the name of a database file inside DuckDB: its base name up to
// the first point, as DuckDB has it, but for names that would make schema.table
// ambiguous.
func catalogName(path string) string {
	if path == "" {
		return "db"
	}
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	switch strings.ToLower(name) {
	case "", "main", "memory", "temp", "system", "ssql", "information_schema", "pg_catalog":
		name += "_db"
	}
	return name
}

// take returns an idle connection or a new one.
func (h *handle) take(ctx context.Context, db *DB) (*Conn, error) {
	if n := len(h.idle); n > 0 {
		c := h.idle[n-1]
		h.idle = h.idle[:n-1]
		return c, nil
	}
	sc, err := h.sql.Conn(ctx)
	if err != nil {
		return nil, mapError(err, "connecting to the database "+quoted(h.path))
	}
	h.next++
	c := &Conn{db: db, handle: h, sql: sc, number: h.next, stmts: map[string]*sql.Stmt{}, stages: map[string]*Stage{}}
	h.all[c] = struct{}{}
	return c, nil
}

// putBack keeps a connection for reuse unless it is spoilt.
func (h *handle) putBack(c *Conn) {
	if c.reusable() && len(h.idle) < idleConnsMax {
		h.idle = append(h.idle, c)
		return
	}
	c.close()
	delete(h.all, c)
	h.idle = slices.DeleteFunc(h.idle, func(o *Conn) bool { return o == c })
}

// close closes all connections and the file, whose log it writes back first. After an
// error the file is closed too, and what was committed is in its log.
func (h *handle) close() error {
	for c := range h.all {
		c.close()
	}
	var err error
	if h.sql != nil {
		err = h.checkpoint()
		err = also(err, mapError(h.sql.Close(), "closing the database "+quoted(h.path)))
	}
	return also(err, h.lock.release())
}

// abandon closes the file and leaves its log as it is: what DuckDB believes to be
// committed may not be what is on the disk, and a checkpoint would write the former.
func (h *handle) abandon() error {
	for c := range h.all {
		c.close()
	}
	_, err := h.sql.Exec("PRAGMA disable_checkpoint_on_shutdown")
	err = also(err, h.sql.Close())
	return also(mapError(err, "closing the database "+quoted(h.path)), h.lock.release())
}

// checkpoint writes the log back into the file. DuckDB does it at a close too, but
// keeps an error to itself. Without a log there is nothing to do.
func (h *handle) checkpoint() error {
	info, err := os.Stat(h.path + ".wal")
	if h.path == "" || h.readOnly || err != nil || info.Size() == 0 {
		return nil
	}
	_, err = h.sql.Exec("CHECKPOINT " + types.QuoteIdent(catalogName(h.path)))
	return mapError(err, "writing back the log of the database "+quoted(h.path))
}
