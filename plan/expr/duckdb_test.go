package expr

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	_ "github.com/marcboeker/go-duckdb"

	"ssql/sql/types"
)

// diffFields are the columns that the expressions of testdata/duckdb.txt refer to.
var diffFields = []types.Field{
	field("b", tBool), field("ti", types.Of(types.TinyInt)), field("si", types.Of(types.SmallInt)), field("i", tInt),
	field("l", tBigInt), field("ui", types.Of(types.UInt)), field("ul", types.Of(types.UBigInt)),
	field("f", types.Of(types.Float)), field("d", tDouble), field("d2", tDouble), field("dec", types.DecimalOf(10, 2)),
	field("wide", types.DecimalOf(30, 5)), field("s", tVarchar), field("s2", tVarchar), field("num", tVarchar),
	field("dt", tDate), field("ts", tTimestamp), field("ts2", tTimestamp), field("iv", tInterval),
	field("li", types.ListOf(tBigInt)), field("ls", types.ListOf(tVarchar)),
	field("st", types.StructOf(field("a", tInt), field("b", tVarchar))), field("j", tVarchar),
}

// diffRow returns random cells in the syntax of types.Text, at times NULL.
func diffRow(r *rand.Rand) []string {
	pick := func(items ...string) string { return items[r.Intn(len(items))] }
	number := func(most int64) string { return fmt.Sprint(r.Int63n(2*most+1) - most) }
	double := func() string {
		return pick("0", "1.5", "-2.5", "2.5", "1e-05", "1e20", "0.1", "100", "-0", "NaN", "Infinity", "-Infinity", fmt.Sprint(r.NormFloat64()*1000))
	}
	word := func() string {
		return pick("''", "abc", "ABC", "Hello World", "héllo", "a", "aXbXc", "  pad  ", "x,y,z", "50%", "under_score", "日本語", "it's", "a1b22c333")
	}
	when := func() string {
		return pick("2024-02-29 12:34:56.789", "1969-12-31 23:59:59.5", "2000-01-01 00:00:00", "1999-12-31 23:59:59.999999", "2024-12-30 06:00:00",
			types.FormatTimestamp(r.Int63n(4e15)-1e15))
	}
	cells := []string{
		pick("true", "false"), number(127), number(1000), number(100000), number(1e12), fmt.Sprint(r.Intn(100000)), fmt.Sprint(r.Int63()),
		pick("0", "1.5", "-2.25", "0.5", "1e10"), double(), double(), pick("0.00", "1.25", "-3.75", "99999.99", number(9999)+".50"),
		pick("0.00000", "123456789012345678.12345", "-1.00001", "2.50000"), word(), word(),
		pick("12", "-7", "3.5", "1e3", "0", "99"), when()[:10], when(), when(),
		pick("1 day", "-02:30:00", "1 month 3 days", "00:00:01.5", "1 year 2 months 40 days"),
		pick("[]", "[1, 2, 3]", "[5, NULL, 5]", "[-1]", "[9, 7, 8]"), pick("[]", "[a, b]", "[b, NULL, a]", "[zz]"),
		pick("{a: 1, b: x}", "{a: NULL, b: y}", "{a: -5, b: NULL}"),
		pick(`{"a": 1, "b": {"c": [1, 2.50, "xé", null]}, "a b": true}`, `[{"a": "p"}, {"a": null}, 3]`, `{"a": {"a": "q"}, "b": []}`, `["text"]`, `null`,
			`{"a": [[1, 2], [3]], "b": {"c": "7"}, "a": 2}`, `-12.0e2`, `{}`, `{"a": 12345678901234567890, "b": 1e-9}`),
	}
	for i := range cells {
		if r.Intn(8) == 0 {
			cells[i] = "NULL"
		}
	}
	return cells
}

// sqlCell writes a cell as SQL.
func sqlCell(cell string, t types.Type) string {
	if cell == "NULL" {
		return "NULL::" + t.String()
	}
	if cell == "''" {
		cell = ""
	}
	return "'" + strings.ReplaceAll(cell, "'", "''") + "'::" + t.String()
}

func openDuckDB(t *testing.T) *sql.Conn {
	t.Helper()
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false&threads=1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// randomCells returns the rows of the comparison.
func randomCells(rows int) [][]string {
	r := rand.New(rand.NewSource(1))
	cells := make([][]string, rows)
	for i := range cells {
		cells[i] = diffRow(r)
	}
	return cells
}

func randomSheet(t *testing.T, rows int) *sheet {
	t.Helper()
	var lines []string
	for _, cells := range randomCells(rows) {
		lines = append(lines, strings.Join(cells, " | "))
	}
	return newSheet(t, diffFields, lines...)
}

// loadRows fills table t of DuckDB with the rows of randomSheet.
func loadRows(t *testing.T, c *sql.Conn, rows int) {
	t.Helper()
	var tuples []string
	for n, cells := range randomCells(rows) {
		values := []string{fmt.Sprint(n)}
		for i, cell := range cells {
			values = append(values, sqlCell(cell, diffFields[i].Type))
		}
		tuples = append(tuples, "("+strings.Join(values, ", ")+")")
	}
	names := []string{"n"}
	for _, f := range diffFields {
		names = append(names, f.Name)
	}
	query := "CREATE TABLE t AS SELECT * FROM (VALUES " + strings.Join(tuples, ", ") + ") v(" + strings.Join(names, ", ") + ")"
	if _, err := c.ExecContext(context.Background(), query); err != nil {
		t.Fatal(err)
	}
}

// duckValues returns type and values of an expression in DuckDB, "error" for a
// refusal.
func duckValues(t *testing.T, c *sql.Conn, text string) (typ string, values []string) {
	t.Helper()
	rows, err := c.QueryContext(context.Background(), "SELECT x::VARCHAR, typeof(x) FROM (SELECT n, ("+text+") AS x FROM t) ORDER BY n")
	if err != nil {
		return "error", []string{err.Error()}
	}
	defer rows.Close()
	for rows.Next() {
		var v sql.NullString
		if err := rows.Scan(&v, &typ); err != nil {
			t.Fatal(err)
		}
		if !v.Valid {
			v.String = "NULL"
		}
		values = append(values, v.String)
	}
	if err := rows.Err(); err != nil {
		return "error", []string{err.Error()}
	}
	return typ, values
}

// ourValues is duckValues for the kernels.
func ourValues(t *testing.T, s *sheet, text string) (typ string, values []string) {
	t.Helper()
	e, err := parseExpr(t, s.cols, text)
	if err != nil {
		return "error", []string{err.Error()}
	}
	typ = e.Type().String()
	if e, err = BindCast(e, tVarchar, false, noSpan); err != nil {
		t.Fatal(err)
	}
	a, err := e.Eval(&Ctx{}, s.rec)
	if err != nil {
		return "error", []string{err.Error()}
	}
	defer a.Release()
	texts := stringValues(a)
	for i := range texts {
		if a.IsNull(i) {
			texts[i] = "NULL"
		}
	}
	return typ, texts
}

// TestAgainstDuckDB evaluates every line of testdata/duckdb.txt over random rows,
// here and in DuckDB, and compares types and values.
func TestAgainstDuckDB(t *testing.T) {
	c := openDuckDB(t)
	loadRows(t, c, 60)
	s := randomSheet(t, 60)
	forms := []*sheet{s, s.dictionary(t)}
	file, err := os.ReadFile("testdata/duckdb.txt")
	if err != nil {
		t.Fatal(err)
	}
	compared, called := 0, map[string]bool{}
	for _, line := range strings.Split(string(file), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, call := range callOf.FindAllStringSubmatch(line, -1) {
			called[call[1]] = true
		}
		line, ours, differs := strings.Cut(line, "  => ")
		wantType, want := duckValues(t, c, line)
		if differs && wantType != "error" {
			wantType = ours // the type that stands for DuckDB's
		}
		for _, form := range forms {
			gotType, got := ourValues(t, form, line)
			// DuckDB writes the names of fields without quotes where it can.
			if gotType = strings.ReplaceAll(gotType, `"`, ""); gotType != wantType {
				t.Errorf("%s\n is %s, in DuckDB %s\n %v\n %v", line, gotType, wantType, got, want)
				break
			}
			if gotType == "error" {
				continue
			}
			if i := firstDifference(got, want); i >= 0 {
				t.Errorf("%s\n row %d is %q, in DuckDB %q", line, i, got[i], want[i])
				break
			}
		}
		compared++
	}
	if compared < 700 {
		t.Errorf("only %d expressions were compared", compared)
	}
	for _, name := range duckdbNames(t, c) {
		if !called[name] && notComparable[name] == "" {
			t.Errorf("function %s, which DuckDB has too, is in no line of testdata/duckdb.txt", name)
		}
	}
}

var callOf = regexp.MustCompile(`([a-z_0-9]+)\(`)

// notComparable are functions that DuckDB has too, and why their values are not compared.
var notComparable = map[string]string{
	"now": "pinned to the batch", "current_date": "pinned to the batch", "random": "pinned to the batch", "uuid": "pinned to the batch",
	"row":        "the fields have no names in DuckDB",
	"element_at": "of a MAP the value as in Spark, a list in DuckDB",
	"timezone":   "DuckDB has it in an extension",
}

// duckdbNames returns our functions that DuckDB has too.
func duckdbNames(t *testing.T, c *sql.Conn) []string {
	t.Helper()
	rows, err := c.QueryContext(context.Background(), "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'macro')")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	has := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		has[name] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range FunctionNames() {
		if has[name] {
			out = append(out, name)
		}
	}
	return out
}

// firstDifference returns the first row in which the values differ, -1 for none. The
// sign of NaN is no difference, it is not visible in SQL, nor is the last digit of a
// DOUBLE: the mathematical libraries of C and Go round a few functions differently.
func firstDifference(got, want []string) int {
	for i := range want {
		if i >= len(got) {
			return i
		}
		if got[i] == want[i] || strings.TrimPrefix(want[i], "-") == "nan" && got[i] == "nan" {
			continue
		}
		x, errX := strconv.ParseFloat(got[i], 64)
		y, errY := strconv.ParseFloat(want[i], 64)
		inDigits := len(want[i]) >= 15 && strings.Contains(want[i], ".")
		if errX != nil || errY != nil || !inDigits || math.Abs(x-y) > 1e-15*math.Abs(y) {
			return i
		}
	}
	return -1
}
