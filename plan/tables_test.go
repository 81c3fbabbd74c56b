package plan

import (
	"errors"
	"testing"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// duckCatalog is a catalog whose DuckDB knows one query.
type duckCatalog struct {
	testCatalog
	query string
	asked []string
}

func (c *duckCatalog) Describe(query string) ([]types.Field, error) {
	c.asked = append(c.asked, query)
	if query != c.query {
		return nil, errors.New("no such query")
	}
	id := types.Field{Name: "id", Type: types.Of(types.Varchar), Nullable: true}
	return []types.Field{id, {Name: "n", Type: types.DecimalOf(38, 0), Nullable: true}, id}, nil
}

// What ssql cannot bind but reads tables only is DuckDB's, with its own types; names that
// come twice are told apart. The refusal of a query that DuckDB does not know either is
// ssql's, which has a place.
func TestDescribedTables(t *testing.T) {
	cat := &duckCatalog{testCatalog: declared(t, compatDeclarations),
		query: `SELECT id, sum(length(name)) OVER (ORDER BY id) AS n, id FROM "shops" WHERE name = (SELECT min(name) FROM "shops")`}
	const text = "SELECT s.k, x.n, x.id_1 FROM s JOIN (SELECT id, sum(length(name)) OVER (ORDER BY id) AS n, id FROM shops WHERE name = (SELECT min(name) FROM shops)) x ON s.k = x.id"
	p, err := bindText(cat, text, Options{})
	if err != nil {
		t.Fatalf("%v; DuckDB was asked %q", err, cat.asked)
	}
	scan, _ := findNode[*StaticScan](p.Outputs[0].Root)
	want := `(SELECT CAST("id" AS VARCHAR) AS "id", CAST("n" AS DECIMAL(38,0)) AS "n", CAST("id_1" AS VARCHAR) AS "id_1" FROM (` + cat.query + `) AS q("id", "n", "id_1"))`
	if scan == nil || scan.Table != want {
		t.Errorf("text\n got %s\nwant %s", scan.Table, want)
	}
	cat.query = ""
	if _, err := bindText(cat, text, Options{}); sqlerr.Code(err) != codeWindowFunction {
		t.Errorf("error %v, want that of ssql", err)
	}
	cat.asked = nil
	if _, err := bindText(cat, "SELECT s.k FROM s JOIN (SELECT k, sum(w) OVER () AS n FROM t) x ON s.k = x.k", Options{}); err == nil || len(cat.asked) > 0 {
		t.Errorf("a query on a stream: %v, DuckDB was asked %q", err, cat.asked)
	}
}
