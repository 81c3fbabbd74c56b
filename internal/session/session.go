// Package session runs statements: one statement in, rows or messages out. It
// holds one DuckDB database with the catalog of streams and queries in its schema
// ssql, and the queries that run.
//
// A statement on no stream goes to DuckDB as it was written; one on a stream is
// bound by plan and run by exec. The shell and the stream scripts are its callers.
//
// The files, in the order of a statement:
//
//	session.go dispatch.go     it is parsed and given to its handler
//	stmt_NAME.go               the handlers, named as their rows in the dispatch table
//	duckdb_*.go                what DuckDB gets as it was written, and what it answers
//	query_*.go                 a query: definition, define (stored and started),
//	                           place (of its checkpoint), compatibility (with it), open, job (it runs),
//	                           catchup, progress, summary
//	output*.go                 how an answer comes back
package session

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"ssql/checkpoint"
	"ssql/exec"
	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/sinks"
	"ssql/sources"
	"ssql/sql"
)

// Config is what a session is made of.
type Config struct {
	Database string // a DuckDB file, or ":memory:"
	ReadOnly bool   // open it for reading: nothing is stored, no query runs
	// Unnamed says that the user named no database: a file that Open makes and that holds
	// nothing at Close is removed.
	Unnamed bool
	Sources []sources.Spec
	// Sinks returns the connectors for results. db is the session's database, and print
	// takes the batches of the console.
	Sinks func(db *duck.DB, print func(*sinks.Batch) error) []sinks.Spec
	// Notify takes messages of background queries, from any goroutine; nil: nobody.
	Notify func(text string)
	// Program names the program and its version in checkpoints.
	Program string
	FS      vfs.FS     // nil: the operating system's
	Clock   exec.Clock // nil: the wall clock
}

// Session runs statements, one at a time. Interrupt, Running and Names may be called
// from any goroutine.
type Session struct {
	cfg   Config
	db    *duck.DB
	store *catalog.Store

	readOnly bool // the database is open for reading
	stored   bool // a statement may have stored something

	settings settings.Values
	noted    map[string]bool // foreign spellings that were explained
	pinned   *duck.Conn      // the connection that keeps the user's DuckDB state
	unpin    func()

	mu         sync.Mutex
	running    map[string]*job // by name in lower case
	ended      map[string]bool // queries of which a run has ended here, by canonical name
	foreground func()          // stops what the running statement waits for
	stopping   string          // what foreground then does, for the user
	inScript   bool            // the running statement is one of a script
	stopped    bool            // Interrupt was called during the running statement
	progress   *progressLog
	memory     *memoryWatch
	giveUp     func() // ends the running statement at once
}

// ErrInterrupted is a statement that Interrupt ended.
var ErrInterrupted = errors.New("interrupted")

// ErrTimeout is AWAIT whose time was up.
var ErrTimeout = errors.New("the time to wait is up")

// QueryError is the failure of a query that a statement waited for, in contrast to
// an error of the statement itself.
type QueryError struct {
	Name string
	Err  error
}

// Error returns the cause: the message already says what happened to which query.
func (e *QueryError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *QueryError) Unwrap() error { return e.Err }

// Request is one statement and where it comes from.
type Request struct {
	Piece  sql.Piece
	Source *sqlerr.Source // the text that the piece was cut from
	Dir    string         // where relative paths start
	// RunScript runs the statements of a file and prints what they answer; nil if the
	// caller cannot.
	RunScript func(ctx context.Context, path string) error
	// Wait says that the default trigger is available_now and that a statement which
	// starts a query with an end waits for it: scripts. Queries without an end run in the
	// background; WaitAll waits for them. Without Wait all queries do.
	Wait bool
}

// Open opens the database, making it if it is missing, with its catalog. It starts
// no query.
func Open(ctx context.Context, cfg Config) (*Session, error) {
	if cfg.FS == nil {
		cfg.FS = vfs.OS{}
	}
	if cfg.Notify == nil {
		cfg.Notify = func(string) {}
	}
	db, err := duck.Open(cfg.Database, duck.Options{Notice: cfg.Notify, ReadOnly: cfg.ReadOnly})
	if err != nil {
		return nil, err
	}
	s := &Session{cfg: cfg, db: db, settings: settings.Values{}, memory: newMemoryWatch(), noted: map[string]bool{}, running: map[string]*job{}, ended: map[string]bool{}}
	s.store = catalog.NewStore(db, cfg.Sources, func(print func(*sinks.Batch) error) []sinks.Spec { return cfg.Sinks(db, print) }, s.now)
	s.progress = newProgressLog(s)
	s.readOnly = db.ReadOnly()
	if !s.readOnly {
		err = s.withConn(ctx, func(c *duck.Conn) error { return duck.EnsureCatalog(ctx, c) })
	}
	if err == nil {
		err = s.store.Identify(ctx)
	}
	if err == nil {
		err = s.learnReads(ctx)
	}
	if err == nil {
		err = s.settleStates(ctx)
	}
	if err != nil {
		return nil, joinErrors(err, db.Close())
	}
	return s, nil
}

// settleStates corrects what a crash left: a query that is said to run, while nobody
// has its checkpoint open, has stopped.
func (s *Session) settleStates(ctx context.Context) error {
	if s.readOnly {
		return nil
	}
	rows, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	for _, q := range rows {
		if q.State != catalog.Running {
			continue
		}
		if _, err := s.store.Claim(q).Check(s.cfg.FS, q.Checkpoint); err != nil {
			continue // the checkpoint of the original, which this copy leaves alone
		}
		if held, err := checkpoint.Held(s.cfg.FS, q.Checkpoint); err != nil || held {
			continue // running elsewhere, or not for us to know; its start will tell
		}
		if err := s.store.SetQueryState(ctx, q.Name, catalog.Stopped); err != nil {
			return err
		}
	}
	return nil
}

// Close stops the running queries after their batch is committed, and closes the
// database.
func (s *Session) Close() error {
	err := joinErrors(s.stopAll(), s.progress.flush(context.Background()))
	if s.unpin != nil {
		s.unpin()
		s.unpin = nil
	}
	if s.cfg.Unnamed && !s.store.Owns.Load() {
		err = joinErrors(err, s.db.RemoveUnused(context.Background(), s.stored))
	}
	err = joinErrors(err, s.db.Close())
	if s.store.Temp != "" {
		err = joinErrors(err, os.RemoveAll(s.store.Temp))
	}
	return err
}

// Execute parses and runs one statement.
func (s *Session) Execute(ctx context.Context, r Request, out Output) error {
	s.mu.Lock()
	s.stopped, s.foreground, s.inScript = false, nil, r.Wait
	s.mu.Unlock()
	s.store.Forget()
	s.store.SetColumnsMax(s.settings.Integer("columns_max"))
	defer s.store.Forget() // a transaction that is rolled back takes what was stored with it
	s.memory.setMax(s.settings.Quantity("memory_bytes_max"))
	ctx, done := s.memory.watch(ctx)
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	before := s.giveUp
	s.giveUp = giveUp
	defer func() { s.giveUp = before }() // of RUN SCRIPT
	err := causeOf(ctx, s.execute(ctx, r, out))
	done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.foreground = nil
	if s.stopped && (err == nil || errors.Is(err, context.Canceled)) {
		return ErrInterrupted
	}
	return err
}

// What Interrupt does, as the user is told.
const (
	stopsQuery   = "stopping after the running batch; Ctrl-C again gives it up"
	stopsSelect  = "stopping"
	stopsWaiting = "only the waiting ends; the queries go on"
	stopsScript  = "the waiting ends, and the script with it"
)

// Interrupt asks the running statement to end soon, without losing anything: a query
// that it runs stops after the running batch, one that it only waits for goes on. It
// returns what happens, as a line for the user; "" when nothing can end so and the
// caller is to cancel the context.
func (s *Session) Interrupt() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.foreground == nil {
		return ""
	}
	s.foreground()
	if s.inScript && s.stopping == stopsWaiting {
		return stopsScript // queries that it has started end as it does
	}
	return s.stopping
}

// waitFor says how Interrupt ends what the statement waits for, and what the user is
// told then.
func (s *Session) waitFor(stop func(), stopping string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.foreground, s.stopping = stop, stopping
	if s.stopped {
		stop()
	}
}

// Running returns how many queries run in the background.
func (s *Session) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running)
}

// withConn lends a connection to f.
func (s *Session) withConn(ctx context.Context, f func(c *duck.Conn) error) error {
	c, release, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer release()
	return f(c)
}

// now returns the time for the catalog.
func (s *Session) now() time.Time {
	if s.cfg.Clock != nil {
		return s.cfg.Clock.Now().UTC()
	}
	return time.Now().UTC()
}
