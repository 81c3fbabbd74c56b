package duck

import (
	"context"
	"errors"
	"os"
)

// holdsNothing asks whether a file has nothing but ssql's empty tables. (To list macros DuckDB
// writes down all of its own functions: this takes 100 ms.)
const holdsNothing = `SELECT count(*) = 0 FROM (
	SELECT name FROM ssql.streams UNION ALL SELECT name FROM ssql.queries UNION ALL SELECT query FROM ssql.commits
	UNION ALL SELECT query FROM ssql.late_rows UNION ALL SELECT query FROM ssql.bad_rows UNION ALL SELECT query FROM ssql.errors
	UNION ALL SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() AND NOT internal AND schema_name <> 'ssql'
	UNION ALL SELECT view_name FROM duckdb_views() WHERE database_name = current_database() AND NOT internal
	UNION ALL SELECT sequence_name FROM duckdb_sequences() WHERE database_name = current_database()
	UNION ALL SELECT type_name FROM duckdb_types() WHERE database_name = current_database() AND NOT internal
	UNION ALL SELECT function_name FROM duckdb_functions() WHERE database_name = current_database() AND NOT internal
	UNION ALL SELECT schema_name FROM duckdb_schemas() WHERE database_name = current_database() AND NOT internal AND schema_name NOT IN ('main', 'ssql'))`

// RemoveUnused removes the file if this process has made it and it holds nothing. written says
// that statements of this process may have stored something. Nobody else can open the file
// meanwhile: its lock is held from before it is asked until it is gone. It is called before
// Close; connections in use keep the file.
func (db *DB) RemoveUnused(ctx context.Context, written bool) error {
	if written || !db.alone() {
		if nothing, err := db.holdsNothing(ctx); err != nil || !nothing {
			return err
		}
	}
	db.turn <- struct{}{}
	defer db.unlock()
	if db.handle == nil || !db.made || db.uses > 0 || db.path == "" {
		return nil // without a handle: it was given free for others after it was asked
	}
	h := db.handle
	db.handle = nil
	lock := h.lock
	h.lock = nil
	err := h.close()
	for _, path := range []string{db.path + ".wal", db.path} {
		if e := os.Remove(path); err == nil && !errors.Is(e, os.ErrNotExist) {
			err = mapError(e, "removing the unused database "+quoted(db.path))
		}
	}
	return also(err, lock.release())
}

// alone reports whether no other process can have had the file since this one made it.
func (db *DB) alone() bool {
	db.turn <- struct{}{}
	defer db.unlock()
	return db.handle != nil && db.handle.made
}

func (db *DB) holdsNothing(ctx context.Context) (nothing bool, err error) {
	c, release, err := db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	err = c.Query(ctx, holdsNothing, nil, func(row []any) error {
		nothing = row[0] == true
		return nil
	})
	return nothing, err
}

// makeAgain gives a file that was opened before and is missing now its catalog: another process
// may have removed it as unused. It is called with the lock held.
func (db *DB) makeAgain(ctx context.Context) error {
	id := db.id.Load()
	if id == nil {
		return nil
	}
	c, err := db.handle.take(ctx, db)
	if err != nil {
		return err
	}
	defer db.handle.putBack(c)
	if err := EnsureCatalog(ctx, c); err != nil {
		return err
	}
	_, err = c.Exec(ctx, "UPDATE ssql.database SET id = ?", *id)
	return err
}
