package sql

import (
	"strings"
	"testing"
)

func TestFilePaths(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`SELECT * FROM 'a.csv' JOIN 'b''s.csv' USING (k)`, `a.csv b's.csv`},
		{`FROM 'a.csv'`, `a.csv`},
		{`SELECT 'x.csv' FROM t WHERE f = 'y.csv'`, ``},
		{`SELECT trim(BOTH 'x' FROM 'y'), extract(year FROM '2026-01-01')`, ``},
		{`SELECT (SELECT max(a) FROM 'b.csv'), trim((SELECT a FROM 'c.csv'))`, `b.csv c.csv`},
		{`SELECT * FROM read_csv('a.csv', delim = ';'), read_parquet(['b', 'c'], union_by_name = true), glob('d/*')`, `a.csv b c d/*`},
		{`COPY t TO 'out.csv' (DELIMITER ',')`, `out.csv`},
		{`COPY (SELECT * FROM 'in.csv') TO 'out.csv'`, `in.csv out.csv`},
		{`COPY t FROM 'in.csv'`, `in.csv`},
		{`ATTACH 'a.db' AS a`, `a.db`},
		{`ATTACH DATABASE IF NOT EXISTS 'a.db'`, `a.db`},
		{`EXPORT DATABASE 'dir'; `, `dir`},
		{`INSERT INTO t VALUES ('a.csv')`, ``},
		{`CREATE TABLE t AS FROM 'a.csv' -- FROM 'b.csv'`, `a.csv`},
		{``, ``},
	} {
		var got []string
		for _, f := range FilePaths(c.text) {
			got = append(got, f.Path)
			if quoted := c.text[f.Span.Start:f.Span.End]; stringValue(quoted) != f.Path {
				t.Errorf("%s: %q stands at the place of %q", c.text, quoted, f.Path)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, strings.Join(got, " "), c.want)
		}
	}
}
