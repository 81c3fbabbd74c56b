package sql

import (
	"flag"
	"os"
	"strings"
	"testing"

	tidb "github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/format"
	"github.com/pingcap/tidb/pkg/parser/mysql"
)

var rewriteGoldens = flag.Bool("rewrite", false, "write the golden files of this package anew")

// probes are what TiDB's parser was measured on: why the
// skeleton exists. The first block is what the skeleton itself relies on.
var probes = []string{
	"SELECT c0 , f1 ( c2 , c3 ) FROM t4 WHERE c5 = c6 GROUP BY c7 , c8 HAVING c9 > c10",
	"SELECT c0 OR c1 AND NOT c2 = c3 << c4 + c5 * c6 ^ - c7",
	"SELECT c0 << c1 << c2 + c3 - c4 << c5",
	"SELECT c0 = c1 IS NULL",
	"SELECT c0 <=> c1 AND c2 IS NULL IS NULL",
	"SELECT c0 BETWEEN c1 << c2 AND c3 << c4 AND c5",
	"SELECT c0 NOT BETWEEN c1 AND c2",
	"SELECT c0 IN ( f1 ( c2 , c3 ) ) AND c4 NOT IN ( c5 )",
	"SELECT c0 = c1 LIKE f2 ( c3 ) AND c4 NOT LIKE f5 ( c6 , c7 )",
	"SELECT f0 ( ) , - - c1 , ~ f2 ( c3 )",
	"SELECT c0 FROM t1 LEFT JOIN t2 ON c3 JOIN t4 ON c5 , t6 NATURAL JOIN t7",
	"SELECT c0 FROM t1 JOIN t2 JOIN t3 ON c4 ON c5",
	"SELECT c0 FROM t1 JOIN t2 LEFT JOIN t3 USING ( c4 , c5 )",
	"SELECT c0 FROM t1 JOIN t2 NATURAL JOIN t3 ON c4",
	"SELECT c0 FROM t1 NATURAL JOIN t2 NATURAL LEFT JOIN t3",

	"SELECT c0 FROM t1 JOIN t2 CROSS JOIN t3 ON c4",
	"SELECT c0 FROM t1 CROSS JOIN ( t2 LEFT JOIN t3 ON c4 ) CROSS JOIN t5",
	"SELECT a.x FROM a FULL OUTER JOIN b ON a.x = b.x",
	"SELECT a.x FROM a FULL JOIN b ON a.x = b.x",
	"SELECT a.x FROM a ASOF JOIN b ON a.x = b.x",
	"SELECT a.x FROM a SEMI JOIN b ON a.x = b.x",
	"SELECT a.x FROM a ANTI JOIN b ON a.x = b.x",
	"SELECT a.x FROM a LEFT SEMI JOIN b ON a.x = b.x",
	"SELECT x FROM STREAM t",
	"SELECT x FROM STREAM(t)",
	"SELECT x FROM TUMBLE(s, ts, 5)",
	"SELECT x FROM TABLE(TUMBLE(s))",
	"SELECT x FROM 'file.csv'",
	"SELECT x FROM a.b.c",
	"SELECT x FROM (VALUES (1, 2)) t(a, b)",
	"SELECT x FROM t FOR SYSTEM_TIME AS OF y",
	"SELECT x FROM t EMIT",
	"SELECT x FROM t TABLESAMPLE BERNOULLI(5)",
	"SELECT x + INTERVAL 5 MINUTE",
	"SELECT f(x, INTERVAL '5' MINUTE)",
	"SELECT x + INTERVAL '5 minutes'",
	"SELECT x + INTERVAL 5 MINUTES",
	"SELECT CAST(x AS VARCHAR)",
	"SELECT CAST(x AS TIMESTAMP)",
	"SELECT x::INT",
	"SELECT TRY_CAST(x AS SIGNED)",
	"SELECT sum(x) FILTER FROM t",
	"SELECT sum(x) FILTER (WHERE y) FROM t",
	"SELECT array_agg(a ORDER BY b) FROM t",
	"SELECT first_value(x) FROM t",
	"SELECT x FROM t QUALIFY y = 1",
	"SELECT x FROM t GROUP BY ROLLUP (x)",
	"SELECT x FROM t GROUP BY CUBE (x)",
	"SELECT x FROM t GROUP BY GROUPING SETS ((x), ())",
	"SELECT x FROM t GROUP BY ALL",
	"SELECT a.b.c",
	"SELECT a.b.c.d",
	"SELECT (a).b",
	"SELECT a[1]",
	"SELECT [1, 2]",
	"SELECT {'a': 1}",
	"SELECT f(x -> x + 1)",
	"SELECT f(a => 1)",
	"SELECT a IS DISTINCT FROM b",
	"SELECT a SIMILAR TO 'b'",
	"SELECT a ILIKE 'b'",
	"SELECT a LIKE 'b' || '%'",
	"SELECT a + 1 || 'x'",
	"SELECT EXTRACT(EPOCH FROM ts)",
	"SELECT ts AT TIME ZONE 'UTC'",
	"SELECT x FROM t ORDER BY x NULLS LAST",
	"SELECT DISTINCT ON (x) y FROM t",
	"SELECT * EXCLUDE (x) FROM t",
	"SELECT x FROM t LIMIT ALL",
	"SELECT 'a' || 'b'",
	"SELECT E'a'",
	"SELECT $$x$$",
	"SELECT 1_000",
	"SELECT 1 --x",
	"SELECT 1 /*! + 1 */",
	"SELECT count (*) FROM t",
	"SELECT key FROM t",
	"SELECT rank, \"rank\" FROM t",
	"SELECT x FROM t FOR UPDATE",
	"SELECT @x",
}

// probe returns what TiDB makes of a text, spelled out by itself.
func probe(sql string) string {
	p := tidb.New()
	mode, err := mysql.GetSQLMode(sqlMode)
	if err != nil {
		return err.Error()
	}
	p.SetSQLMode(mode)
	stmts, _, err := p.ParseSQL(sql)
	if err != nil {
		return "error at " + sql[min(nearOffset(sql, err.Error()), len(sql)):]
	}
	var b strings.Builder
	flags := format.RestoreStringSingleQuotes | format.RestoreKeyWordUppercase | format.RestoreStringWithoutCharset |
		format.RestoreBracketAroundBinaryOperation
	if err := stmts[0].Restore(format.NewRestoreCtx(flags, &b)); err != nil {
		return err.Error()
	}
	return b.String()
}

// TestTiDBProbe shows an upgrade of TiDB's parser that accepts, refuses or reads
// something else than before.
func TestTiDBProbe(t *testing.T) {
	var b strings.Builder
	for _, sql := range probes {
		b.WriteString(sql + "\n  " + probe(sql) + "\n")
	}
	const golden = "testdata/tidb_probe.txt"
	if *rewriteGoldens {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range got {
		if i >= len(wanted) || got[i] != wanted[i] {
			t.Fatalf("line %d of %s differs, see -rewrite: %s", i+1, golden, got[i])
		}
	}
	if len(got) != len(wanted) {
		t.Fatalf("%s has %d lines, want %d", golden, len(wanted), len(got))
	}
}

// TestSkeleton shows what TiDB gets to read.
func TestSkeleton(t *testing.T) {
	for text, want := range map[string]string{
		"a.b + f(x, INTERVAL '1 day')":          "SELECT c0 + f1 ( c2 , c3 )",
		"a || 'x' LIKE b || '%'":                "SELECT c0 << c1 LIKE f2 ( c3 << c4 )",
		"(x::int)[2] AT TIME ZONE 'UTC' IN (1)": "SELECT f5 ( f3 ( f0 ( f2 ( c1 ) ) , c4 ) , c6 ) IN ( f7 ( c8 ) )",
		"(SELECT 1) IS NOT DISTINCT FROM -a":    "SELECT c0 <=> f1 ( - c2 )",
	} {
		p, err := newParser(text, 0, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		err = p.isolated(func() error {
			p.emit("SELECT", 0)
			if err := p.expr(levelAny); err != nil {
				return err
			}
			if got, _ := sqlText(p.out); got != want {
				t.Errorf("%s\n got %s\nwant %s", text, got, want)
			}
			return p.finish()
		})
		if err != nil {
			t.Error(rendered(err, text))
		}
	}
}

// TestLostOperandIsNoticed makes TiDB lose an operand: hooks that the converter did
// not meet are an error, never a wrong answer.
func TestLostOperandIsNoticed(t *testing.T) {
	p, err := newParser("a + b", 0, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	err = p.isolated(func() error {
		p.emit("SELECT", 0)
		if err := p.expr(levelAny); err != nil {
			return err
		}
		p.out = p.out[:2] // SELECT c0
		sel, c, err := p.parseSkeleton()
		if err != nil {
			return err
		}
		if _, err := c.expr(sel.Fields.Fields[0].Expr); err != nil {
			return err
		}
		return c.finish()
	})
	if err == nil || !strings.Contains(err.Error(), `left out "b"`) {
		t.Errorf("got %v", err)
	}
}
