package duck

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"ssql/internal/sqlerr"
)

// catalogVersion is the version of the tables in the schema ssql.
const catalogVersion = 4

// versionDDL makes the place of the version. It runs at every start, since asking for a
// table that is missing costs 20 ms: DuckDB looks for names like it.
//
// ssql.targets has the columns of the tables that queries store rows in, by position, as
// they were at the first start: what a table is compared with later.
const versionDDL = `CREATE SCHEMA IF NOT EXISTS ssql; CREATE TABLE IF NOT EXISTS ssql.catalog_version (version INTEGER);
CREATE TABLE IF NOT EXISTS ssql.targets (query VARCHAR, target VARCHAR, position INTEGER, name VARCHAR, "type" VARCHAR)`

// catalogDDL makes the schema ssql: what users can ask with ordinary SELECTs about
// their streams and queries, and what ssql itself needs to know after a restart. No
// table has a key: DuckDB never gives deleted rows of an indexed table back.
const catalogDDL = `
INSERT INTO ssql.catalog_version VALUES (4);

-- Which database this is: folders beside it keep the id, too.
CREATE TABLE ssql.database (id VARCHAR);
INSERT INTO ssql.database SELECT uuid();

-- What CREATE STREAM and CREATE VIEW over a stream declared, in order.
CREATE TABLE ssql.streams (
  name VARCHAR,
  kind VARCHAR,            -- stream or view
  definition VARCHAR,      -- the statement
  columns VARCHAR,         -- as in CREATE STREAM; those that were not declared are
                           -- inferred from a sample once, and pinned here
  base_dir VARCHAR,        -- where relative paths in it start; itself relative to the
                           -- folder of the database, unless the two have only the root
                           -- in common
  created_at TIMESTAMP,
  identity VARCHAR,        -- of a stream whose files were moved: what checkpoints know
                           -- it by; else NULL
  reads VARCHAR[]          -- of a view: the streams and views that it reads, also through
                           -- other views
);
CREATE TABLE ssql.queries (
  name VARCHAR,
  query_id VARCHAR,        -- identity in checkpoint and commits
  definition VARCHAR,      -- the statement
  base_dir VARCHAR,
  target VARCHAR,
  output_mode VARCHAR,
  checkpoint VARCHAR,      -- folder, as base_dir, if the user named one; NULL: beside the
                           -- database, where it is now
  options JSON,
  state VARCHAR,           -- created, running, stopped, failed or finished
  created_at TIMESTAMP,
  updated_at TIMESTAMP,
  home JSON,               -- the database file at the last start: a copy is elsewhere
  reads VARCHAR[]          -- the streams and views that it reads, also through views
);
-- The batches whose rows are in a table, written in the transaction of the rows.
-- The newest row of a query is its marker: deleting it stops the query.
CREATE TABLE ssql.commits (
  query VARCHAR,
  query_id VARCHAR,
  generation BIGINT,       -- run that wrote the batch
  batch BIGINT,
  digest UBIGINT,          -- of the plan of the batch
  batch_time TIMESTAMP,
  watermark TIMESTAMP,
  rows_in BIGINT,
  rows_out BIGINT,
  rows_late BIGINT,
  rows_bad BIGINT,
  rows_filtered BIGINT,
  committed_at TIMESTAMP,
  rows_deleted BIGINT      -- in update mode: rows that the result has no more
);
CREATE TABLE ssql.progress (
  query VARCHAR,
  query_id VARCHAR,
  run_id BIGINT,
  batch BIGINT,
  batch_time TIMESTAMP,
  progress JSON            -- field names of Spark's StreamingQueryProgress
);
CREATE TABLE ssql.late_rows (
  query VARCHAR,
  batch BIGINT,
  operator VARCHAR,        -- which dropped the row
  watermark TIMESTAMP,     -- that the row was behind
  event_time TIMESTAMP,
  late_by INTERVAL,        -- watermark - event_time
  "row" JSON,
  batch_time TIMESTAMP     -- when it arrived, in the query's time
);
CREATE TABLE ssql.bad_rows (
  query VARCHAR,
  batch BIGINT,
  stream VARCHAR,
  file VARCHAR,
  line BIGINT,             -- from 1; 0 where there are no lines
  "column" VARCHAR,        -- at fault; empty for the whole line
  reason VARCHAR,
  raw VARCHAR,             -- the line, cut
  batch_time TIMESTAMP
);
CREATE TABLE ssql.errors (
  query VARCHAR,
  query_id VARCHAR,
  batch BIGINT,
  code VARCHAR,
  message VARCHAR,
  occurred_at TIMESTAMP
);`

// upgrade makes the next version of a version.
type upgrade struct {
	ddl  string
	fill func(ctx context.Context, c *Conn) error // what is behind the DDL; nil: nothing
}

// upgrades are by the version that they begin with.
var upgrades = map[int64]upgrade{
	1: {ddl: `ALTER TABLE ssql.commits ADD COLUMN rows_deleted BIGINT DEFAULT 0`},
	2: {ddl: `CREATE TABLE ssql.database (id VARCHAR); INSERT INTO ssql.database SELECT uuid();
ALTER TABLE ssql.streams ADD COLUMN identity VARCHAR; ALTER TABLE ssql.queries ADD COLUMN home JSON`, fill: keepPlaces},
	// What is read is NULL until a session has bound the definitions.
	3: {ddl: `ALTER TABLE ssql.streams ADD COLUMN reads VARCHAR[]; ALTER TABLE ssql.queries ADD COLUMN reads VARCHAR[]`},
}

// EnsureCatalog makes the schema ssql if it is missing, and brings an older one up to date. A schema of a newer ssql is
// refused, since this one would not keep what that one promises.
func EnsureCatalog(ctx context.Context, c *Conn) error {
	if err := c.Begin(ctx); err != nil {
		return err
	}
	if err := fillCatalog(ctx, c); err != nil {
		return also(refuseForeign(err, c.db.path), c.Rollback())
	}
	return c.Commit()
}

// fillCatalog is called in a transaction.
func fillCatalog(ctx context.Context, c *Conn) error {
	if _, err := c.Exec(ctx, versionDDL); err != nil {
		return err
	}
	var version sql.NullInt64
	err := c.Rows(ctx, "SELECT max(version) FROM ssql.catalog_version", nil, func(rows *sql.Rows) error {
		rows.Next()
		return rows.Scan(&version)
	})
	switch {
	case err != nil || version.Int64 == catalogVersion:
		return err
	case version.Int64 > catalogVersion:
		return sqlerr.New("E_SINK_SCHEMA", "the schema ssql of the database %q has version %d, this program knows %d", c.db.path, version.Int64, catalogVersion).
			WithHint("use the newer ssql that wrote it")
	}
	if !version.Valid {
		_, err = c.Exec(ctx, catalogDDL)
		return err
	}
	for v := version.Int64; v < catalogVersion && err == nil; v++ {
		_, err = c.Exec(ctx, fmt.Sprintf("%s; UPDATE ssql.catalog_version SET version = %d", upgrades[v].ddl, v+1))
		if err == nil && upgrades[v].fill != nil {
			err = upgrades[v].fill(ctx, c)
		}
	}
	return err
}

// DatabaseID returns the id of the database, "" before there is a catalog.
func DatabaseID(ctx context.Context, c *Conn) (id string, err error) {
	err = c.Query(ctx, "SELECT id FROM ssql.database", nil, func(row []any) error {
		id, _ = row[0].(string)
		return nil
	})
	c.db.id.Store(&id)
	if Missing(err) {
		err = nil
	}
	return id, err
}

// Missing reports whether an error says that a table, a schema or a database does not exist.
func Missing(err error) bool {
	var se *SQLError
	if !errors.As(err, &se) || !strings.Contains(se.Text, "does not exist") {
		return false
	}
	return se.Kind == "Catalog" || se.Kind == "Binder" && strings.HasPrefix(se.Text, "Catalog ")
}

// refuseForeign explains tables of somebody else in the schema ssql.
func refuseForeign(err error, path string) error {
	var se *SQLError
	if !errors.As(err, &se) || (se.Kind != "Catalog" && se.Kind != "Binder") {
		return err
	}
	return sqlerr.New("E_SINK_SCHEMA", "the schema ssql of the database %q holds something else", path).Because(err).
		WithHint("rename that schema: ssql keeps its catalog there")
}
