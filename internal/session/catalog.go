package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/duck"
	"ssql/internal/owner"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// streamRow is a row of ssql.streams.
type streamRow struct {
	name       string
	view       bool   // a view over a stream
	definition string // the statement
	columns    string // as in CREATE STREAM, inferred ones included
	baseDir    string
	identity   string  // what checkpoints know a stream by whose files were moved; else ""
	adHoc      bool    // the files of a path in FROM
	reads      reading // of a view
}

// queryRow is a row of ssql.queries.
type queryRow struct {
	name       string
	id         string // identity in the checkpoint; "" before the first start
	definition string // the statement, CREATE QUERY or INSERT
	baseDir    string
	target     string
	mode       string
	checkpoint string // its folder, where it is now
	named      string // the folder as the catalog keeps it, if SET checkpoint named it
	options    settings.Values
	state      queryState
	home       *owner.Database // the database file at the last start; nil before it
	reads      reading
	broken     error // why the row cannot be read; then only its name counts
}

// queryState is where a query is in its life, as ssql.queries spells it.
type queryState string

// The states.
const (
	stateCreated  queryState = "created"  // never started
	stateRunning  queryState = "running"  // in this or another process
	stateStopped  queryState = "stopped"  // by STOP QUERY or the end of a session
	stateFailed   queryState = "failed"   // see ssql.errors
	stateFinished queryState = "finished" // its trigger ended
)

// streams returns every stream, and every view over streams, by name in lower case.
func (s *Session) streams(ctx context.Context) (map[string]*streamRow, error) {
	out := map[string]*streamRow{}
	err := s.withConn(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, `SELECT name, definition, coalesce("columns", ''), coalesce(base_dir, ''), kind, coalesce(identity, ''), to_json(reads)::VARCHAR FROM ssql.streams WHERE kind IN ('stream', 'view')`, nil,
			func(row []any) error {
				r := &streamRow{name: text(row[0]), definition: text(row[1]), columns: text(row[2]), baseDir: s.db.Place(text(row[3])), view: text(row[4]) == "view", identity: text(row[5])}
				out[strings.ToLower(r.name)] = r
				return r.reads.scan(row[6])
			})
	})
	return out, err
}

// saveStream stores a stream or view in place of one of the same name.
func (s *Session) saveStream(ctx context.Context, r *streamRow) error {
	kind := "stream"
	if r.view {
		kind = "view"
	}
	return s.inTransaction(ctx, func(c *duck.Conn) error {
		if _, err := c.Exec(ctx, `DELETE FROM ssql.streams WHERE lower(name) = lower(?)`, r.name); err != nil {
			return err
		}
		_, err := c.Exec(ctx, `INSERT INTO ssql.streams (name, kind, definition, "columns", base_dir, created_at, identity, reads) VALUES (?, ?, ?, ?, ?, ?, nullif(?, ''), `+readingValue+`)`,
			r.name, kind, r.definition, r.columns, s.db.Kept(r.baseDir), s.now(), r.identity, r.reads.value())
		return err
	})
}

func (s *Session) deleteStream(ctx context.Context, name string) error {
	return s.exec(ctx, `DELETE FROM ssql.streams WHERE lower(name) = lower(?)`, name)
}

// queries returns the queries in the order of their names.
func (s *Session) queries(ctx context.Context) ([]*queryRow, error) {
	var out []*queryRow
	err := s.withConn(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, `SELECT name, coalesce(query_id, ''), definition, coalesce(base_dir, ''), target, output_mode, coalesce(checkpoint, ''),
			options::VARCHAR, state, coalesce(home::VARCHAR, ''), to_json(reads)::VARCHAR FROM ssql.queries ORDER BY lower(name)`, nil,
			func(row []any) error {
				r := &queryRow{name: text(row[0]), id: text(row[1]), definition: text(row[2]), baseDir: s.db.Place(text(row[3])),
					target: text(row[4]), mode: text(row[5]), named: text(row[6]), state: queryState(text(row[8])), home: readHome(text(row[9]))}
				out = append(out, r)
				if err := json.Unmarshal([]byte(text(row[7])), &r.options); err != nil {
					r.broken = sqlerr.New("E_CATALOG", "the options of query %q cannot be read", r.name).Because(err).
						WithHint("DROP QUERY %s forgets it", sql.IdentText(r.name))
				}
				r.checkpoint = s.checkpointOf(r)
				return r.reads.scan(row[10])
			})
	})
	return out, err
}

// query returns the query of a name, nil if there is none.
func (s *Session) query(ctx context.Context, name string) (*queryRow, error) {
	all, err := s.queries(ctx)
	for _, q := range all {
		if strings.EqualFold(q.name, name) {
			return q, err
		}
	}
	return nil, err
}

// saveQuery stores a query in place of one of the same name.
func (s *Session) saveQuery(ctx context.Context, r *queryRow) error {
	options, err := json.Marshal(r.options)
	if err != nil {
		return fmt.Errorf("storing the options of query %q: %w", r.name, err)
	}
	return s.inTransaction(ctx, func(c *duck.Conn) error {
		if _, err := c.Exec(ctx, `DELETE FROM ssql.queries WHERE lower(name) = lower(?)`, r.name); err != nil {
			return err
		}
		now := s.now()
		_, err := c.Exec(ctx, `INSERT INTO ssql.queries (name, query_id, definition, base_dir, target, output_mode, checkpoint,
			options, state, created_at, updated_at, home, reads) VALUES (?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?, nullif(?, '')::JSON, `+readingValue+`)`,
			r.name, r.id, r.definition, s.db.Kept(r.baseDir), r.target, r.mode, r.named, string(options), string(r.state), now, now, homeText(r.home), r.reads.value())
		return err
	})
}

func (s *Session) setQueryState(ctx context.Context, name string, state queryState) error {
	return s.exec(ctx, `UPDATE ssql.queries SET state = ?, updated_at = ? WHERE lower(name) = lower(?)`, string(state), s.now(), name)
}

func (s *Session) deleteQuery(ctx context.Context, name string) error {
	return s.exec(ctx, `DELETE FROM ssql.queries WHERE lower(name) = lower(?)`, name)
}

// saveError stores the failure of a query in a batch.
func (s *Session) saveError(ctx context.Context, q *queryRow, batch int64, code, message string) error {
	return s.exec(ctx, `INSERT INTO ssql.errors (query, query_id, batch, code, message, occurred_at) VALUES (?, ?, ?, ?, ?, ?)`,
		q.name, q.id, batch, code, message, s.now())
}

func (s *Session) exec(ctx context.Context, statement string, args ...any) error {
	return s.withConn(ctx, func(c *duck.Conn) error {
		_, err := c.Exec(ctx, statement, args...)
		return err
	})
}

// inTransaction runs f and commits what it did, or undoes it.
func (s *Session) inTransaction(ctx context.Context, f func(c *duck.Conn) error) error {
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

// text returns a value of the driver as text; NULL is "".
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.999999")
	}
	return fmt.Sprint(v)
}

// each runs a query of ours and calls f for every row.
func (s *Session) each(ctx context.Context, statement string, args []any, f func(row []any) error) error {
	return s.withConn(ctx, func(c *duck.Conn) error { return c.Query(ctx, statement, args, f) })
}

// send runs a query of ours and gives its rows to out.
func (s *Session) send(ctx context.Context, statement string, args []any, out Output) error {
	return s.withConn(ctx, func(c *duck.Conn) error {
		reader, err := c.QueryArrow(ctx, statement, args...)
		if err != nil {
			return err
		}
		defer reader.Release()
		return sendReader(reader, reader.Schema(), out)
	})
}

// sendReader gives the rows of a result to out, under a schema that may name types
// better than the records do.
func sendReader(reader array.RecordReader, schema *arrow.Schema, out Output) error {
	table, err := out.Table(schema)
	if err != nil {
		return err
	}
	rows := int64(0)
	for reader.Next() {
		rec := retyped(reader.Record(), schema)
		rows += rec.NumRows()
		err := table.Write(rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
	if err := reader.Err(); err != nil && rows == 0 {
		return err
	}
	return joinErrors(reader.Err(), table.Close())
}
