// Package duck is the one way ssql opens DuckDB files.
//
// DuckDB guards a file with a POSIX lock, which has two holes that lost rows in
// experiments: the kernel drops it when this process opens and
// closes the file in any other way, and a second open in one process succeeds and
// silently diverges. So a file is opened once per process and shared by everyone
// (registry.go), nobody else touches it, and a lock on a side file is held as long as
// the file is open (lock.go).
//
// A DB is released when nobody has used it for a while, so that another process
// can open the file, and opened again on demand. What runs inside is reached through
// Conn, one goroutine at a time.
package duck

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ssql/internal/sqlerr"
)

// Options say how a file is opened. The first Open of a file in a process decides;
// later ones share what it opened.
type Options struct {
	// MemoryBytes bounds DuckDB's memory; default: 25 % of what the process may
	// use, at most 2 GiB.
	MemoryBytes int64
	// Threads bounds DuckDB's threads; default: the cores.
	Threads int
	// IdleAfter is how long an unused file stays open; default 1 s, negative:
	// until Release or Close.
	IdleAfter time.Duration
	// LockWait is how long a file that another process holds is waited for; default
	// 30 s, negative: not at all.
	LockWait time.Duration
	// Notice takes messages for the user, such as which process is waited for. It
	// may be called from any goroutine. Default: nobody is told.
	Notice func(text string)
	// ReadOnly opens the file for reading: it must exist, and any number of processes may
	// read it at once. A file, or a folder, that cannot be written is opened so anyway,
	// with a notice.
	ReadOnly bool
	// Sabotage, for tests, says what becomes of a statement instead of being run.
	Sabotage func(statement string) Sabotage
}

// Sabotage is what a test does to a statement.
type Sabotage uint8

// The kinds. A statement that fails in silence fails in DuckDB and is reported as a success;
// a COMMIT that does so rolls back.
const (
	RunIt Sabotage = iota
	FailIt
	FailInSilence
)

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	if o.MemoryBytes == 0 {
		o.MemoryBytes = defaultMemoryBytes()
	}
	if o.IdleAfter == 0 {
		o.IdleAfter = time.Second
	}
	if o.LockWait == 0 {
		o.LockWait = 30 * time.Second
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	return o
}

// DB is a DuckDB database: a file, or memory. It is safe for concurrent use.
type DB struct {
	path string // absolute, links resolved; "" in memory
	o    Options
	// turn is a mutex whose taking can be given up: opening may wait for another
	// process. It guards the fields below.
	turn   chan struct{}
	handle *handle // nil: released
	uses   int     // Conns that are handed out
	timer  *time.Timer
	closed bool
	opened bool                   // it could be opened once
	made   bool                   // the file was missing when it was opened first
	id     atomic.Pointer[string] // that of the catalog, nil before DatabaseID
	owners int                    // Opens without Close, guarded by the registry
	// tables are the locks of Turn, by name.
	tables sync.Map
}

// Open opens a database file, making it if it is missing, or ":memory:". A file that
// this process has open already is shared. Every Open needs a Close.
//
// A file held by another process is waited for, then refused with E_SINK_LOCKED;
// other refusals are E_SINK_CORRUPT, E_SINK_IO, E_STORAGE_READONLY and
// E_STORAGE_FULL.
func Open(path string, o Options) (*DB, error) {
	db, err := files.open(path, o.withDefaults())
	if err != nil {
		return nil, err
	}
	// Open now, so that a bad file is refused here and not at its first use.
	_, release, err := db.Conn(context.Background())
	if err != nil {
		return nil, also(err, db.Close())
	}
	release()
	return db, nil
}

// Turn waits until nobody else in this process changes any of some tables and returns what
// gives them free. DuckDB lets two transactions change one table at once and then refuses the
// second one of two that delete the same rows. What ends ctx ends the waiting.
func (db *DB) Turn(ctx context.Context, tables []string) (release func(), err error) {
	names := slices.Compact(slices.Sorted(slices.Values(tables))) // in one order: no two wait for each other
	var held []chan struct{}
	release = func() {
		for _, turn := range held {
			<-turn
		}
	}
	for _, name := range names {
		made, _ := db.tables.LoadOrStore(name, make(chan struct{}, 1))
		turn := made.(chan struct{})
		select {
		case turn <- struct{}{}:
			held = append(held, turn)
		case <-ctx.Done():
			release()
			return nil, ctx.Err()
		}
	}
	return release, nil
}

// Path returns the absolute path of the file, "" for a database in memory.
func (db *DB) Path() string { return db.path }

// Catalog returns the name that DuckDB has for the database.
func (db *DB) Catalog() string { return catalogName(db.path) }

// Conn returns a connection for one goroutine, opening the file if it had been
// released. Connections are reused: statements and stages prepared on one are
// there when it comes back. The caller calls release when done; a transaction left
// open is rolled back by it.
func (db *DB) Conn(ctx context.Context) (c *Conn, release func(), err error) {
	if err := db.lock(ctx); err != nil {
		return nil, nil, err
	}
	defer db.unlock()
	if db.closed {
		return nil, nil, sqlerr.New(sqlerr.Internal, "the database %q is closed", db.path)
	}
	if db.handle == nil {
		if err := db.open(ctx); err != nil {
			return nil, nil, err
		}
	}
	if c, err = db.handle.take(ctx, db); err != nil {
		return nil, nil, err
	}
	db.uses++
	if db.timer != nil {
		db.timer.Stop()
	}
	done := false
	return c, func() {
		if !done {
			done = true
			db.give(c)
		}
	}, nil
}

// open opens the file, for reading if that is all that it allows. It is called with the lock held.
func (db *DB) open(ctx context.Context) (err error) {
	db.handle, err = openHandle(ctx, db.path, db.o)
	if err == nil && !db.opened {
		db.made = db.handle.made
	} else if err == nil && db.handle.made {
		err = db.makeAgain(ctx)
	}
	if err == nil || db.o.ReadOnly || db.path == "" || db.opened || sqlerr.Code(err) != "E_STORAGE_READONLY" {
		db.opened = db.opened || err == nil
		return err
	}
	o := db.o
	o.ReadOnly = true
	h, e := openHandle(ctx, db.path, o)
	if e != nil {
		return err // what was wanted says more
	}
	db.handle, db.o, db.opened = h, o, true
	o.Notice(fmt.Sprintf("the database %q cannot be written here, and is opened for reading", db.path))
	return nil
}

// ReadOnly reports whether the file is open for reading only.
func (db *DB) ReadOnly() bool {
	db.turn <- struct{}{}
	defer db.unlock()
	return db.o.ReadOnly && db.path != ""
}

// give takes a connection back and starts the idle time after the last one.
func (db *DB) give(c *Conn) {
	db.turn <- struct{}{}
	defer db.unlock()
	db.uses--
	if c.handle == db.handle { // else it was discarded meanwhile
		db.handle.putBack(c)
	}
	if db.uses > 0 || db.path == "" || db.o.IdleAfter < 0 {
		return
	}
	if db.timer == nil {
		db.timer = time.AfterFunc(db.o.IdleAfter, func() {
			if err := db.Release(); err != nil {
				db.o.Notice("releasing the database file: " + err.Error())
			}
		})
		return
	}
	db.timer.Reset(db.o.IdleAfter)
}

// Release closes the file if nobody uses it, so that other processes can open it; the
// next Conn opens it again. What was committed is safe even if it returns an error. A
// database in memory stays, since closing would empty it.
func (db *DB) Release() error {
	db.turn <- struct{}{}
	defer db.unlock()
	if db.uses > 0 || db.path == "" {
		return nil
	}
	return db.closeHandle()
}

// Close gives up one Open. The last one closes the file; connections still in use
// fail from then on. Calling it again does nothing.
func (db *DB) Close() error { return files.close(db) }

// Discard closes the file under everybody, waiting for running statements, because its
// state in this process is in doubt: a failed COMMIT may have been durable. Only a
// fresh open tells. c is the connection that met the failure; if the file has been
// opened anew since, nothing happens. A database in memory cannot be reopened and
// stays.
func (db *DB) Discard(c *Conn) error {
	db.turn <- struct{}{}
	defer db.unlock()
	if c.handle != db.handle || db.path == "" {
		return nil
	}
	db.handle = nil
	return c.handle.abandon()
}

// closeHandle is called with the lock held.
func (db *DB) closeHandle() error {
	if db.timer != nil {
		db.timer.Stop()
	}
	if db.handle == nil {
		return nil
	}
	h := db.handle
	db.handle = nil
	return h.close()
}

// shut is the last Close.
func (db *DB) shut() error {
	db.turn <- struct{}{}
	defer db.unlock()
	db.closed = true
	return db.closeHandle()
}

func (db *DB) lock(ctx context.Context) error {
	select {
	case db.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (db *DB) unlock() { <-db.turn }
