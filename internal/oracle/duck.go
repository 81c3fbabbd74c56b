package oracle

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	duckdb "github.com/marcboeker/go-duckdb"

	"ssql/sql/types"
)

// Duck answers queries in batch. Known differences from the engine, which follows Spark,
// are kept out of the cases or written around:
//
//   - sum of integers is HUGEINT in DuckDB and never overflows: domains that Sum stay
//     within BIGINT in any order, and the result is cast.
//   - avg of integers is exact in DuckDB and a sum of doubles in Spark: domains that Avg
//     give the same in both.
//   - avg of decimals is a double in DuckDB: it is computed in whole numbers instead.
//   - sums of doubles depend on the order of the rows: they are exact in the domains that
//     are not Approx, and compared with a tolerance in the others.
//   - NaN is equal to itself and greater than all else in both; 0 and -0 are one value in
//     both, and which of them is shown is left open.
type Duck struct {
	db   *sql.DB
	conn *sql.Conn
}

// OpenDuck opens a database in memory with one thread.
func OpenDuck() (*Duck, error) {
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false&threads=1&memory_limit=512MB")
	if err != nil {
		return nil, fmt.Errorf("opening DuckDB: %w", err)
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		return nil, fmt.Errorf("opening DuckDB: %w", err)
	}
	return &Duck{db, conn}, nil
}

// Close closes the database.
func (d *Duck) Close() error { return d.db.Close() }

// Answer returns the rows that the sink must hold after a case in which no row is late.
func (d *Duck) Answer(c *Case) ([]Row, error) {
	seq := int64(0)
	tables := make([][]Row, len(c.Streams))
	for _, f := range c.Feeds {
		for i, rows := range f.Rows {
			for _, r := range rows {
				tables[i] = append(tables[i], append(Row{seq}, r...))
				seq++
			}
		}
	}
	var out []Row
	err := d.conn.Raw(func(dc any) error {
		a, err := duckdb.NewArrowFromConn(dc.(driver.Conn))
		if err != nil {
			return err
		}
		for i, s := range c.Streams {
			if err := load(a, s.Name, append([]Column{{Name: "seq", Type: types.Of(types.BigInt)}}, s.Cols...), tables[i]); err != nil {
				return fmt.Errorf("loading %s into DuckDB: %w", s.Name, err)
			}
		}
		if t := c.Table; t != nil {
			if err := load(a, t.Table.Name, t.Table.Cols, t.Rows); err != nil {
				return fmt.Errorf("loading %s into DuckDB: %w", t.Table.Name, err)
			}
		}
		out, err = query(a, c.Query.DuckSQL(c.finalMicros()))
		return err
	})
	return out, err
}

// load makes a table of rows.
func load(a *duckdb.Arrow, name string, cols []Column, rows []Row) error {
	rec := record(cols, rows)
	defer rec.Release()
	reader, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	if err != nil {
		return err
	}
	defer reader.Release()
	free, err := a.RegisterView(reader, "arrived")
	if err != nil {
		return err
	}
	defer free()
	// Through a table, because a view over Arrow records can be read but once.
	_, err = query(a, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT * FROM arrived", name))
	return err
}

func query(a *duckdb.Arrow, text string) ([]Row, error) {
	reader, err := a.QueryContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	defer reader.Release()
	var out []Row
	for reader.Next() {
		rows, err := rowsOf(reader.Record())
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, reader.Err()
}
