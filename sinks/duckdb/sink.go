// Package duckdb is the sink into tables of the session's DuckDB database, exactly
// once: the rows of a batch and its marker are one transaction.
//
// A batch is a few prepared statements over an Arrow view, so its cost beyond the
// rows is below a millisecond and the write of DuckDB's log. Result tables never
// get a key or an index: update mode deletes the rows of
// the batch's keys and inserts the new ones.
package duckdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sinks"
)

// Name is the name of the connector.
const Name = "duckdb"

// Spec returns the connector's row for a database.
func Spec(db *duck.DB) sinks.Spec {
	return sinks.Spec{
		Name:    Name,
		Summary: "tables of the DuckDB database, exactly once",
		Open:    func(o sinks.OpenContext) (sinks.Sink, error) { return Open(db, []sinks.OpenContext{o}, Options{}) },
		OpenAll: func(outputs []sinks.OpenContext) (sinks.Sink, error) { return Open(db, outputs, Options{}) },
	}
}

// Options are for tests; the zero value is how the sink is used.
type Options struct {
	Faults sinks.Faults
	// Now is the clock of ssql.commits.committed_at; default time.Now.
	Now func() time.Time
}

// Sink writes the batches of one query: all of its tables change in one transaction,
// which is that of the marker.
type Sink struct {
	db      *duck.DB
	query   string // its name
	opts    Options
	outlets []outlet      // by output
	head    *sinks.Marker // the newest marker in the database; nil: not read yet
	// compared says that the heads of all places are known to be those of the last batch.
	compared bool
	closed   bool
}

// noBatch is the head of a query that has not stored anything.
const noBatch = -1

// Open makes the tables that are missing, and checks that the columns of each output can
// go into those that are there. A table that is gone although the query has stored batches
// is refused: somebody dropped it. Outputs whose Rows is set go there.
func Open(db *duck.DB, outputs []sinks.OpenContext, opts Options) (*Sink, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := &Sink{db: db, query: outputs[0].Query, opts: opts}
	ctx := context.Background()
	c, release, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening the sink of query %q: %w", s.query, err)
	}
	defer release()
	if err := duck.EnsureCatalog(ctx, c); err != nil {
		return nil, fmt.Errorf("opening the sink of query %q: %w", s.query, err)
	}
	for i, o := range outputs {
		p := outlet{rows: o.Rows, view: o.Target}
		if o.Rows == nil {
			if p.target, err = openTarget(ctx, c, o, i); err != nil {
				if e := s.unmake(ctx, c); e != nil {
					err = errors.Join(err, e)
				}
				return nil, err
			}
		}
		s.outlets = append(s.outlets, p)
	}
	return s, s.show(ctx)
}

// Transactional reports true: rows and marker are one transaction.
func (s *Sink) Transactional() bool { return true }

// headHere returns the newest marker of a query in the database.
func (s *Sink) headHere(ctx context.Context, queryID string) (m sinks.Marker, ok bool, err error) {
	c, release, err := s.db.Conn(ctx)
	if err != nil {
		return m, false, fmt.Errorf("reading the marker of query %q: %w", s.query, err)
	}
	defer release()
	m, err = readHead(ctx, c, queryID)
	if err != nil {
		return m, false, fmt.Errorf("reading the marker of query %q: %w", s.query, err)
	}
	if s.opts.Faults.Unguarded {
		return sinks.Marker{}, false, nil
	}
	return m, m.Batch != noBatch, nil
}

// writeHere stores what of a batch goes into the database.
func (s *Sink) writeHere(ctx context.Context, b *sinks.Batch) error {
	if s.closed {
		return sqlerr.New(sqlerr.Internal, "the sink of query %q is closed", s.query)
	}
	c, release, err := s.db.Conn(ctx)
	if err != nil {
		return s.doing(b, err)
	}
	defer release()
	if s.head == nil {
		m, err := readHead(ctx, c, b.QueryID)
		if err != nil {
			return s.doing(b, err)
		}
		s.head = &m
	}
	if !s.opts.Faults.Unguarded && (b.Batch <= s.head.Batch || b.Generation < s.head.Generation) {
		return s.fenced(b, *s.head)
	}
	if err := s.store(ctx, c, b); err != nil {
		return s.doing(b, err)
	}
	return nil
}

// Unmake implements sinks.Maker.
func (s *Sink) Unmake(ctx context.Context) error {
	c, release, err := s.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("dropping the new table of query %q: %w", s.query, err)
	}
	defer release()
	return s.unmake(ctx, c)
}

func (s *Sink) unmake(ctx context.Context, c *duck.Conn) error {
	for _, p := range s.outlets {
		if p.target == nil {
			continue
		}
		if err := p.target.unmake(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the use of the sink and closes the places elsewhere: the database belongs to
// the session. It may be called twice.
func (s *Sink) Close() error {
	s.closed = true
	var errs []error
	for _, p := range s.outlets {
		if p.rows != nil {
			errs = append(errs, p.rows.Close())
		}
	}
	return errors.Join(errs...)
}

// store runs the transaction of a batch. Any error before the commit rolls back,
// since DuckDB would commit what came before a failed statement.
func (s *Sink) store(ctx context.Context, c *duck.Conn, b *sinks.Batch) error {
	load, err := s.load(ctx, c, b)
	if err != nil {
		return err
	}
	defer load.clear()
	release, err := s.db.Turn(ctx, s.tables())
	if err != nil {
		return err
	}
	defer release()
	if err = c.Begin(ctx); err == nil {
		err = s.fill(ctx, c, b, load)
	}
	if err == nil && s.opts.Faults.BeforeCommit != nil {
		err = s.opts.Faults.BeforeCommit(b)
	}
	if err != nil {
		rollbackErr := c.Rollback()
		if rollbackErr != nil || duck.Poisoned(err) {
			// A failed Discard says nothing new: the first error is the reason.
			_ = s.db.Discard(c)
			return err
		}
		return s.misfit(ctx, c, b, load, err)
	}
	if err := s.commit(ctx, c, b); err != nil {
		return err
	}
	m := b.Marker
	s.head = &m
	for _, p := range s.outlets {
		if p.target != nil {
			p.target.reclaim(ctx, c)
		}
	}
	if s.opts.Faults.AfterCommit != nil {
		return s.opts.Faults.AfterCommit(b)
	}
	return nil
}

// tables are those that a batch changes, other queries' perhaps, too.
func (s *Sink) tables() (names []string) {
	for _, p := range s.outlets {
		if p.target != nil {
			names = append(names, strings.ToLower(p.target.name))
		}
	}
	return names
}

// commit makes the transaction of a batch durable. What DuckDB says of a COMMIT is not taken for
// it, neither success nor failure: the marker tells.
func (s *Sink) commit(ctx context.Context, c *duck.Conn, b *sinks.Batch) error {
	failed := c.Commit()
	if sqlerr.Code(failed) == "E_ROLLED_BACK" {
		return failed
	}
	if failed != nil {
		return s.settle(ctx, c, b, failed)
	}
	m, err := readHead(ctx, c, b.QueryID)
	if err == nil && m == b.Marker {
		return nil
	}
	if err == nil {
		err = sqlerr.New("E_SINK_IO", "DuckDB has confirmed the COMMIT, and the newest marker is that of batch %d", m.Batch).
			WithHint("nothing of the batch is stored; start the query again, which runs it once more")
	}
	return s.settle(ctx, c, b, err)
}

// fill writes marker, rows and side rows inside the transaction. The marker comes
// first, so that a stale process does no work.
func (s *Sink) fill(ctx context.Context, c *duck.Conn, b *sinks.Batch, load *load) error {
	if err := s.mark(ctx, c, b); err != nil {
		return err
	}
	for i, p := range s.outlets {
		if p.target == nil {
			continue
		}
		if err := p.target.unchanged(ctx, c); err != nil {
			return err
		}
		if err := p.target.write(ctx, c, &b.Outputs[i], load.rows[i], load.deletes[i]); err != nil {
			return err
		}
	}
	for i, side := range b.Side {
		if err := writeSide(ctx, c, b, side.Table, load.side[i]); err != nil {
			return err
		}
	}
	return nil
}

// load is where DuckDB finds the rows of a batch.
type load struct {
	rows    []*duck.Stage // by outlet; nil if they go elsewhere
	deletes []*duck.Stage // of Output.Deletes, by outlet; nil if there are none
	side    []*duck.Stage // as Batch.Side
}

// load puts the rows of a batch into stages, which cannot be made inside of its
// transaction.
func (s *Sink) load(ctx context.Context, c *duck.Conn, b *sinks.Batch) (_ *load, err error) {
	l := &load{rows: make([]*duck.Stage, len(s.outlets)), deletes: make([]*duck.Stage, len(s.outlets))}
	defer func() {
		if err != nil {
			l.clear()
		}
	}()
	for i, p := range s.outlets {
		if p.target == nil {
			continue
		}
		out := &b.Outputs[i]
		if l.rows[i], err = p.target.staged(ctx, c, "", out.Records); err != nil {
			return nil, err
		}
		if len(out.Deletes) == 0 {
			continue
		}
		if l.deletes[i], err = p.target.staged(ctx, c, ", deleted", out.Deletes); err != nil {
			return nil, err
		}
	}
	for _, side := range b.Side {
		stage, err := c.Stage(ctx, side.Table, side.Record.Schema())
		if err != nil {
			return nil, err
		}
		l.side = append(l.side, stage)
		if err := stage.Set([]arrow.Record{side.Record}); err != nil {
			return nil, fmt.Errorf("storing ssql.%s: %w", side.Table, err)
		}
	}
	return l, nil
}

// staged puts rows of a target into the stage of its name and a suffix.
func (t *target) staged(ctx context.Context, c *duck.Conn, suffix string, records []arrow.Record) (*duck.Stage, error) {
	stage, err := c.Stage(ctx, t.stage+suffix, t.schema)
	if err != nil {
		return nil, err
	}
	return stage, stage.Set(records)
}

// clear gives the rows back.
func (l *load) clear() {
	for _, s := range slices.Concat(l.rows, l.deletes, l.side) {
		if s != nil {
			s.Clear()
		}
	}
}

// settle finds out what became of a commit that failed: 14 of 30 power cuts left it
// durable though it was never acknowledged. Only the file knows.
func (s *Sink) settle(ctx context.Context, c *duck.Conn, b *sinks.Batch, failed error) error {
	s.head = nil
	if err := s.db.Discard(c); err != nil && !errors.Is(err, failed) {
		failed = fmt.Errorf("%w (and then: %v)", failed, err)
	}
	fresh, release, err := s.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("%w (whether the batch is stored is not known, since the database cannot be opened again: %v)", failed, err)
	}
	defer release()
	m, err := readHead(ctx, fresh, b.QueryID)
	if err != nil {
		return fmt.Errorf("%w (whether the batch is stored is not known, since its marker cannot be read: %v)", failed, err)
	}
	if m == b.Marker {
		return nil
	}
	return s.refused(failed)
}

// refused explains why DuckDB did not commit.
func (s *Sink) refused(failed error) error {
	var names []string
	for _, p := range s.outlets {
		if p.target != nil {
			names = append(names, p.target.shown)
		}
	}
	if len(names) == 0 {
		return failed
	}
	return (&target{shown: strings.Join(names, " or ")}).refused(failed)
}

// doing says which batch an error stopped.
func (s *Sink) doing(b *sinks.Batch, err error) error {
	return fmt.Errorf("storing batch %d of query %q: %w", b.Batch, s.query, err)
}
