// Package catalog keeps what a database knows of streams, views over them, sinks and queries: rows of the
// tables of its schema ssql, their definitions, and the folders that belong to them.
//
//	store.go          Store: rows in and out
//	snapshot.go       Snapshot: what the planner asks about names, for one statement
//	stream.go sink.go view.go query.go
//	                  a row as what it declares: ready to be planned and opened
//	files.go inferred.go reading.go
//	                  streams of files in FROM, of a sample, with options of one reading
//	reads.go          what a query or view reads
//	place.go          where checkpoints are, and whose folders they are
//	definitions.go create_text.go
//	                  stored statements: parsed, compared, written down
package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"ssql/internal/duck"
	"ssql/internal/owner"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sources"
	"ssql/sql"
)

// Store is what a database keeps of streams, views, sinks and queries, in its schema ssql, and where it
// keeps their folders. Its methods may be called from any goroutine.
type Store struct {
	db         *duck.DB
	sources    []sources.Spec
	sinkSpecs  func(print func(*sinks.Batch) error) []sinks.Spec
	now        func() time.Time
	databaseID string      // kept in the database, "" in memory
	Owns       atomic.Bool // a folder may have been told that it is the database's
	kept       kept
	columnsMax atomic.Int64 // of a sample
	Temp       string       // the folder of checkpoints of a database in memory
}

// NewStore returns the store of a database; sinks gets where the rows of the console go.
func NewStore(db *duck.DB, sources []sources.Spec, sinks func(print func(*sinks.Batch) error) []sinks.Spec, now func() time.Time) *Store {
	return &Store{db: db, sources: sources, sinkSpecs: sinks, now: now}
}

func (s *Store) withConn(ctx context.Context, f func(c *duck.Conn) error) error {
	c, release, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer release()
	return f(c)
}

// StreamRow is a row of ssql.streams.
type StreamRow struct {
	Name       string
	View       bool   // a view over a stream
	Definition string // the statement
	Columns    string // as in CREATE STREAM, inferred ones included
	BaseDir    string
	Identity   string  // what checkpoints know a stream by whose files were moved; else ""
	AdHoc      bool    // the files of a path in FROM
	Reads      Reading // of a view
}

// QueryRow is a row of ssql.queries.
type QueryRow struct {
	Name       string
	ID         string // identity in the checkpoint; "" before the first start
	Definition string // the statement, CREATE QUERY or INSERT
	BaseDir    string
	Target     string
	Mode       string
	Checkpoint string // its folder, where it is now
	Named      string // the folder as the catalog keeps it, if SET checkpoint named it
	Options    settings.Values
	State      QueryState
	Home       *owner.Database // the database file at the last start; nil before it
	Reads      Reading
	Broken     error // why the row cannot be read; then only its name counts
}

// QueryState is where a query is in its life, as ssql.queries spells it.
type QueryState string

// The states.
const (
	Created  QueryState = "created"  // never started
	Running  QueryState = "running"  // in this or another process
	Stopped  QueryState = "stopped"  // by STOP QUERY or the end of a session
	Failed   QueryState = "failed"   // see ssql.errors
	Finished QueryState = "finished" // its trigger ended
)

func (s *Store) readStreams(ctx context.Context) (map[string]*StreamRow, error) {
	out := map[string]*StreamRow{}
	err := s.withConn(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, `SELECT name, definition, coalesce("columns", ''), coalesce(base_dir, ''), kind, coalesce(identity, ''), to_json(reads)::VARCHAR FROM ssql.streams WHERE kind IN ('stream', 'view')`, nil,
			func(row []any) error {
				r := &StreamRow{Name: duck.Text(row[0]), Definition: duck.Text(row[1]), Columns: duck.Text(row[2]), BaseDir: s.db.Place(duck.Text(row[3])), View: duck.Text(row[4]) == "view", Identity: duck.Text(row[5])}
				out[strings.ToLower(r.Name)] = r
				return r.Reads.scan(row[6])
			})
	})
	return out, err
}

// SaveStream stores a stream or view in place of one of the same name.
func (s *Store) SaveStream(ctx context.Context, r *StreamRow) error {
	kind := "stream"
	if r.View {
		kind = "view"
	}
	return s.InTransaction(ctx, func(c *duck.Conn) error {
		if _, err := c.Exec(ctx, `DELETE FROM ssql.streams WHERE lower(name) = lower(?)`, r.Name); err != nil {
			return err
		}
		_, err := c.Exec(ctx, `INSERT INTO ssql.streams (name, kind, definition, "columns", base_dir, created_at, identity, reads) VALUES (?, ?, ?, ?, ?, ?, nullif(?, ''), `+ReadingValue+`)`,
			r.Name, kind, r.Definition, r.Columns, s.db.Kept(r.BaseDir), s.now(), r.Identity, r.Reads.Value())
		return err
	})
}

func (s *Store) DeleteStream(ctx context.Context, name string) error {
	return s.Exec(ctx, `DELETE FROM ssql.streams WHERE lower(name) = lower(?)`, name)
}

func (s *Store) readQueries(ctx context.Context) ([]*QueryRow, error) {
	out := []*QueryRow{} // none is known, too
	err := s.withConn(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, `SELECT name, coalesce(query_id, ''), definition, coalesce(base_dir, ''), target, output_mode, coalesce(checkpoint, ''),
			options::VARCHAR, state, coalesce(home::VARCHAR, ''), to_json(reads)::VARCHAR FROM ssql.queries ORDER BY lower(name)`, nil,
			func(row []any) error {
				r := &QueryRow{Name: duck.Text(row[0]), ID: duck.Text(row[1]), Definition: duck.Text(row[2]), BaseDir: s.db.Place(duck.Text(row[3])),
					Target: duck.Text(row[4]), Mode: duck.Text(row[5]), Named: duck.Text(row[6]), State: QueryState(duck.Text(row[8])), Home: readHome(duck.Text(row[9]))}
				out = append(out, r)
				if err := json.Unmarshal([]byte(duck.Text(row[7])), &r.Options); err != nil {
					r.Broken = sqlerr.New("E_CATALOG", "the options of query %q cannot be read", r.Name).Because(err).
						WithHint("DROP QUERY %s forgets it", sql.IdentText(r.Name))
				}
				r.Checkpoint = s.CheckpointOf(r)
				return r.Reads.scan(row[10])
			})
	})
	return out, err
}

// Query returns the query of a name, nil if there is none.
func (s *Store) Query(ctx context.Context, name string) (*QueryRow, error) {
	all, err := s.Queries(ctx)
	for _, q := range all {
		if strings.EqualFold(q.Name, name) {
			return q, err
		}
	}
	return nil, err
}

// SaveQuery stores a query in place of one of the same name.
func (s *Store) SaveQuery(ctx context.Context, r *QueryRow) error {
	options, err := json.Marshal(r.Options)
	if err != nil {
		return fmt.Errorf("storing the options of query %q: %w", r.Name, err)
	}
	return s.InTransaction(ctx, func(c *duck.Conn) error {
		if _, err := c.Exec(ctx, `DELETE FROM ssql.queries WHERE lower(name) = lower(?)`, r.Name); err != nil {
			return err
		}
		now := s.now()
		_, err := c.Exec(ctx, `INSERT INTO ssql.queries (name, query_id, definition, base_dir, target, output_mode, checkpoint,
			options, state, created_at, updated_at, home, reads) VALUES (?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?, nullif(?, '')::JSON, `+ReadingValue+`)`,
			r.Name, r.ID, r.Definition, s.db.Kept(r.BaseDir), r.Target, r.Mode, r.Named, string(options), string(r.State), now, now, homeText(r.Home), r.Reads.Value())
		return err
	})
}

func (s *Store) SetQueryState(ctx context.Context, name string, state QueryState) error {
	return s.Exec(ctx, `UPDATE ssql.queries SET state = ?, updated_at = ? WHERE lower(name) = lower(?)`, string(state), s.now(), name)
}

func (s *Store) DeleteQuery(ctx context.Context, name string) error {
	return s.Exec(ctx, `DELETE FROM ssql.queries WHERE lower(name) = lower(?)`, name)
}

// SaveError stores the failure of a query in a batch.
func (s *Store) SaveError(ctx context.Context, q *QueryRow, batch int64, code, message string) error {
	return s.Exec(ctx, `INSERT INTO ssql.errors (query, query_id, batch, code, message, occurred_at) VALUES (?, ?, ?, ?, ?, ?)`,
		q.Name, q.ID, batch, code, message, s.now())
}

// Exec runs a statement that writes rows of the catalog.
func (s *Store) Exec(ctx context.Context, statement string, args ...any) error {
	defer s.Forget()
	return s.withConn(ctx, func(c *duck.Conn) error {
		_, err := c.Exec(ctx, statement, args...)
		return err
	})
}

// InTransaction runs f and commits what it did, or undoes it.
func (s *Store) InTransaction(ctx context.Context, f func(c *duck.Conn) error) error {
	defer s.Forget()
	return s.withConn(ctx, func(c *duck.Conn) error {
		if err := c.Begin(ctx); err != nil {
			return err
		}
		if err := f(c); err != nil {
			// The connection rolls back when it is given back, too; the first error is
			// the one to tell.
			_ = c.Rollback()
			return err
		}
		return c.Commit()
	})
}

// Each runs a query of ours and calls f for every row.
func (s *Store) Each(ctx context.Context, statement string, args []any, f func(row []any) error) error {
	return s.withConn(ctx, func(c *duck.Conn) error { return c.Query(ctx, statement, args, f) })
}
