package duck

import (
	"context"
	"path/filepath"
	"testing"
)

func TestSmoke(t *testing.T) {
	p := filepath.Join(t.TempDir(), "ssql.duckdb")
	db, err := Open(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	c, rel, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := EnsureCatalog(ctx, c); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(ctx, "CREATE TABLE t(a int); insert into t values (1),(2)"); err != nil {
		t.Fatal(err)
	}
	rel()
	if err := db.Release(); err != nil {
		t.Fatal(err)
	}
	c, rel, err = db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c.Query(ctx, "select count(*), current_database(), current_setting('search_path') from t, ssql.commits right join ssql.catalog_version on true", nil, func(row []any) error { t.Log(row...); return nil })
	rel()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
