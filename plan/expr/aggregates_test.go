package expr

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
	"ssql/state"
)

func TestAggregateTableIsSortedAndWhole(t *testing.T) {
	names := make([]string, len(aggregateSpecs))
	for i, s := range aggregateSpecs {
		names[i] = s.name
		if s.bind == nil || !strings.HasPrefix(s.usage, s.name+"(") {
			t.Errorf("row %q has no bind or the usage of another: %q", s.name, s.usage)
		}
		if s.canonical != "" && !IsAggregate(s.canonical) {
			t.Errorf("row %q stands for %q, which is no aggregate", s.name, s.canonical)
		}
	}
	if !sort.StringsAreSorted(names) {
		t.Error("the table is not sorted by name")
	}
	if !IsAggregate("COUNT") || IsAggregate("lower") {
		t.Error("IsAggregate is wrong about COUNT or lower")
	}
}

// aggColumn makes a column of texts.
func aggColumn(t testing.TB, typ types.Type, texts []string) arrow.Array {
	t.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, typ.Arrow())
	for _, s := range texts {
		if err := types.AppendText(b, typ, s); err != nil {
			t.Fatal(err)
		}
	}
	return b.NewArray()
}

// aggInput is one argument: its type and its values; a constant one has a literal.
type aggInput struct {
	t       types.Type
	values  []string
	literal Expr
}

func col(t types.Type, values ...string) aggInput { return aggInput{t: t, values: values} }

func bindFor(t testing.TB, name string, in []aggInput) (*Aggregate, error) {
	t.Helper()
	var args []Expr
	for i, a := range in {
		if a.literal != nil {
			args = append(args, a.literal)
		} else {
			args = append(args, &Column{Index: i, Name: fmt.Sprint("c", i), T: a.t, Null: true})
		}
	}
	return BindAggregate(name, args, len(args) == 0, sqlerr.Span{})
}

// aggCells is cells of one accumulator for two groups, behind a word that is not its own.
func aggCells(acc Accumulator) *Cells {
	stride := 1 + acc.WordCount()
	return &Cells{Slab: make([]uint64, 2*stride), Stride: stride, Offset: 1, Heap: &state.Heap{}}
}

// aggregateRows folds the rows into group 1, in parts, each in cells of its own that
// are then merged; group 0 must stay as it is without rows.
func aggregateRows(t testing.TB, agg *Aggregate, in []aggInput, rows, parts int) (string, error) {
	t.Helper()
	acc := agg.New()
	total := aggCells(acc)
	for p := range parts {
		from, to := rows*p/parts, rows*(p+1)/parts
		groups := make([]int32, to-from)
		var args []arrow.Array
		for i := range agg.Args {
			a := in[i]
			args = append(args, aggColumn(t, a.t, a.values[from:to]))
		}
		for i := range groups {
			groups[i] = 1
		}
		cells := aggCells(acc)
		if err := acc.Update(cells, groups, args); err != nil {
			return "", err
		}
		if parts == 1 {
			total = cells
		} else if err := acc.Merge(total, []int32{0, 1}, cells, []int32{0, 1}); err != nil {
			return "", err
		}
	}
	a, err := acc.Result(total, []int32{1, 0}, memory.DefaultAllocator)
	if err != nil {
		return "", err
	}
	if a.Len() != 2 || !arrow.TypeEqual(a.DataType(), agg.Type.Arrow()) {
		t.Errorf("result %s, want two values of %s", a, agg.Type)
	}
	if total.Slab[0] != 0 || total.Slab[total.Stride] != 0 {
		t.Error("a word of another accumulator was written")
	}
	return types.Text(a, 0) + " / " + types.Text(a, 1), nil
}

var (
	decimal102 = types.DecimalOf(10, 2)
	pointType  = types.StructOf(types.Field{Name: "a", Type: tInt, Nullable: true}, types.Field{Name: "b", Type: tVarchar, Nullable: true})
	literal    = func(t types.Type, v any) aggInput { return aggInput{t: t, literal: NewLiteral(t, v)} }
)

// Each case has its result type, then the value with rows / without any.
func TestAggregates(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []aggInput
		want string
	}{
		{"count", []aggInput{col(tInt, "1", "NULL", "3")}, "BIGINT 2 / 0"},
		{"count", []aggInput{col(tInt, "1", "NULL", "3"), col(tVarchar, "a", "b", "NULL")}, "BIGINT 1 / 0"},
		{"count_if", []aggInput{col(tBool, "true", "NULL", "false", "true")}, "BIGINT 2 / 0"},
		{"sum", []aggInput{col(tInt, "1", "NULL", "-3")}, "BIGINT -2 / NULL"},
		{"sum", []aggInput{col(types.Of(types.UTinyInt), "255", "255")}, "BIGINT 510 / NULL"},
		{"sum", []aggInput{col(types.Of(types.UBigInt), "18446744073709551615", "18446744073709551615")}, "DECIMAL(30,0) 36893488147419103230 / NULL"},
		{"sum", []aggInput{col(types.Of(types.Float), "0.5", "0.25")}, "DOUBLE 0.75 / NULL"},
		{"sum", []aggInput{col(tDouble, "0.1", "0.2", "NULL")}, "DOUBLE 0.30000000000000004 / NULL"},
		{"sum", []aggInput{col(tDouble, "Infinity", "-Infinity")}, "DOUBLE NaN / NULL"},
		{"sum", []aggInput{col(decimal102, "10.00", "0.01", "-3", "99999999.99")}, "DECIMAL(20,2) 100000007.00 / NULL"},
		{"try_sum", []aggInput{col(tBigInt, "9223372036854775807", "1")}, "BIGINT NULL / NULL"},
		{"try_sum", []aggInput{col(types.DecimalOf(38, 0), strings.Repeat("9", 38), "1")}, "DECIMAL(38,0) NULL / NULL"},
		{"avg", []aggInput{col(decimal102, "10.00", "0.01", "-3", "99999999.99")}, "DECIMAL(14,6) 25000001.750000 / NULL"},
		{"avg", []aggInput{col(types.DecimalOf(4, 4), "0.1", "0.9999", "NULL", "-0.0001")}, "DECIMAL(8,8) 0.36660000 / NULL"},
		{"avg", []aggInput{col(decimal102, "-0.01", "0", "0")}, "DECIMAL(14,6) -0.003333 / NULL"},
		{"avg", []aggInput{col(decimal102, "0.02", "0", "0")}, "DECIMAL(14,6) 0.006667 / NULL"},
		{"avg", []aggInput{col(tInt, "1", "2", "NULL")}, "DOUBLE 1.5 / NULL"},
		{"mean", []aggInput{col(tDouble, "NaN", "1")}, "DOUBLE NaN / NULL"},
		{"min", []aggInput{col(tInt, "NULL", "3", "-2")}, "INTEGER -2 / NULL"},
		{"max", []aggInput{col(types.Of(types.UBigInt), "18446744073709551615", "1")}, "UBIGINT 18446744073709551615 / NULL"},
		{"min", []aggInput{col(types.Of(types.TinyInt), "-128", "127")}, "TINYINT -128 / NULL"},
		{"min", []aggInput{col(tDouble, "NaN", "7")}, "DOUBLE 7 / NULL"},
		{"max", []aggInput{col(tDouble, "Infinity", "NaN", "1")}, "DOUBLE NaN / NULL"},
		{"min", []aggInput{col(tDouble, "-0", "0")}, "DOUBLE -0 / NULL"},
		{"max", []aggInput{col(types.Of(types.Float), "-1.5", "NaN")}, "FLOAT NaN / NULL"},
		{"min", []aggInput{col(tVarchar, "zebra", "Äpfel", "Zebra")}, "VARCHAR Zebra / NULL"},
		{"max", []aggInput{col(tVarchar, "zebra", "Äpfel", "''")}, "VARCHAR Äpfel / NULL"},
		{"min", []aggInput{col(tVarchar, "b", "''")}, "VARCHAR '' / NULL"},
		{"max", []aggInput{col(types.Of(types.Blob), "x'00ff'", "x'01'")}, "BLOB x'01' / NULL"},
		{"min", []aggInput{col(tDate, "2024-02-29", "1969-12-31", "9999-12-31", "0001-01-01")}, "DATE 0001-01-01 / NULL"},
		{"max", []aggInput{col(tTimestamp, "1969-12-31 23:59:59", "2024-01-01 00:00:00.000001")}, "TIMESTAMP 2024-01-01 00:00:00.000001 / NULL"},
		{"min", []aggInput{col(tBool, "true", "false", "NULL")}, "BOOLEAN false / NULL"},
		{"max", []aggInput{col(types.DecimalOf(38, 1), "-2.5", "1.5")}, "DECIMAL(38,1) 1.5 / NULL"},
		{"min", []aggInput{col(pointType, "{a: 1, b: x}", "{a: NULL, b: y}")}, "STRUCT(\"a\" INTEGER, \"b\" VARCHAR) {a: NULL, b: y} / NULL"},
		{"max", []aggInput{col(types.ListOf(tInt), "[1, 2]", "[1]", "[]")}, "INTEGER[] [1, 2] / NULL"},
		{"min_by", []aggInput{col(tVarchar, "a", "b", "c", "d"), col(tInt, "2", "NULL", "1", "1")}, "VARCHAR d / NULL"},
		{"max_by", []aggInput{col(tInt, "1", "NULL", "3"), col(tVarchar, "x", "z", "y")}, "INTEGER NULL / NULL"},
		{"max_by", []aggInput{col(pointType, "{a: 1, b: x}", "{a: 2, b: y}"), col(decimal102, "5", "4")}, "STRUCT(\"a\" INTEGER, \"b\" VARCHAR) {a: 1, b: x} / NULL"},
		{"first", []aggInput{col(tInt, "NULL", "2", "3")}, "INTEGER NULL / NULL"},
		{"first", []aggInput{col(tInt, "NULL", "2", "3"), literal(tBool, true)}, "INTEGER 2 / NULL"},
		{"any_value", []aggInput{col(tVarchar, "x", "y")}, "VARCHAR x / NULL"},
		{"last", []aggInput{col(tVarchar, "x", "y", "NULL")}, "VARCHAR NULL / NULL"},
		{"last_value", []aggInput{col(decimal102, "1", "2", "NULL"), literal(tBool, true)}, "DECIMAL(10,2) 2.00 / NULL"},
		{"var_pop", []aggInput{col(tDouble, "2", "4", "6", "8")}, "DOUBLE 5 / NULL"},
		{"variance", []aggInput{col(tInt, "2", "4", "6", "8")}, "DOUBLE 6.666666666666667 / NULL"},
		{"stddev", []aggInput{col(tDouble, "2", "4", "6", "8")}, "DOUBLE 2.581988897471611 / NULL"},
		{"stddev_pop", []aggInput{col(tDouble, "7", "NULL")}, "DOUBLE 0 / NULL"},
		{"stddev_samp", []aggInput{col(tDouble, "7")}, "DOUBLE NULL / NULL"},
		{"bool_and", []aggInput{col(tBool, "true", "NULL")}, "BOOLEAN true / NULL"},
		{"every", []aggInput{col(tBool, "true", "false")}, "BOOLEAN false / NULL"},
		{"some", []aggInput{col(tBool, "false", "true")}, "BOOLEAN true / NULL"},
		{"bit_and", []aggInput{col(tInt, "-1", "12", "10")}, "INTEGER 8 / NULL"},
		{"bit_or", []aggInput{col(types.Of(types.UTinyInt), "128", "1")}, "UTINYINT 129 / NULL"},
		{"bit_xor", []aggInput{col(tBigInt, "5", "NULL", "-1")}, "BIGINT -6 / NULL"},
		{"collect_list", []aggInput{col(tInt, "3", "NULL", "1", "3")}, "INTEGER[] [3, 1, 3] / []"},
		{"array_agg", []aggInput{col(tVarchar, "b", "''", "a,b")}, "VARCHAR[] [b, '', \"a,b\"] / NULL"},
		{"array_agg", []aggInput{col(tInt, "3", "NULL", "1")}, "INTEGER[] [3, NULL, 1] / NULL"},
		{"list", []aggInput{col(pointType, "{a: 1, b: NULL}", "NULL")}, "STRUCT(\"a\" INTEGER, \"b\" VARCHAR)[] [{a: 1, b: NULL}, NULL] / NULL"},
		{"collect_set", []aggInput{col(tInt, "3", "NULL", "1", "3")}, "INTEGER[] [1, 3] / []"},
		{"string_agg", []aggInput{col(tVarchar, "a", "NULL", "b"), literal(tVarchar, ", ")}, "VARCHAR a, b / NULL"},
		{"listagg", []aggInput{col(tVarchar, "a", "b")}, "VARCHAR ab / NULL"},
		{"histogram", []aggInput{col(tVarchar, "b", "a", "b", "NULL")}, "MAP(VARCHAR, UBIGINT) {a: 1, b: 2} / NULL"},
		{"mode", []aggInput{col(tInt, "2", "1", "1", "2", "NULL")}, "INTEGER 1 / NULL"},
		{"quantile", []aggInput{col(tInt, "1", "2", "3", "4"), literal(tDouble, 0.5)}, "INTEGER 2 / NULL"},
		{"quantile_disc", []aggInput{col(tVarchar, "c", "a", "b"), literal(tDouble, 1.0)}, "VARCHAR c / NULL"},
		{"quantile_cont", []aggInput{col(tInt, "1", "2", "3", "4"), literal(types.DecimalOf(2, 2), "0.25")}, "DOUBLE 1.75 / NULL"},
		{"percentile", []aggInput{col(decimal102, "1", "2"), literal(tDouble, 0.0)}, "DOUBLE 1 / NULL"},
		{"median", []aggInput{col(tDouble, "5", "1", "NULL", "2", "9")}, "DOUBLE 3.5 / NULL"},
		{"approx_percentile", []aggInput{col(tInt, "10", "30", "20", "NULL"), literal(tDouble, 0.5)}, "INTEGER 20 / NULL"},
		{"approx_percentile", []aggInput{col(tTimestamp, "2024-01-02 00:00:00", "1969-01-01 00:00:00"), literal(tDouble, 0.0)}, "TIMESTAMP 1969-01-01 00:00:00 / NULL"},
		{"approx_count_distinct", []aggInput{col(tVarchar, "a", "b", "a", "NULL", "c")}, "BIGINT 3 / 0"},
		{"approx_count_distinct", []aggInput{col(tDouble, "0", "-0", "1")}, "BIGINT 2 / 0"},
	} {
		t.Run(c.name+" "+c.in[0].t.String(), func(t *testing.T) {
			agg, err := bindFor(t, c.name, c.in)
			if err != nil {
				t.Fatal(err)
			}
			rows := len(c.in[0].values)
			for parts := 1; parts <= rows; parts++ {
				got, err := aggregateRows(t, agg, c.in, rows, parts)
				if err != nil {
					t.Fatal(err)
				}
				if got = agg.Type.String() + " " + got; got != c.want {
					t.Errorf("in %d parts: %s, want %s", parts, got, c.want)
				}
			}
		})
	}
}

func TestParametersAreKeptForTheFingerprint(t *testing.T) {
	in := []aggInput{col(tInt), literal(tDouble, 0.25)}
	agg, err := bindFor(t, "quantile", in)
	if err != nil {
		t.Fatal(err)
	}
	if agg.Name != "quantile_disc" || len(agg.Args) != 1 || len(agg.Params) != 1 || agg.Params[0] != in[1].literal {
		t.Errorf("quantile(c0, 0.25) binds to %s with arguments %v and parameters %v", agg.Name, agg.Args, agg.Params)
	}
	if agg, err = bindFor(t, "median", in[:1]); err != nil || agg.Name != "median" || len(agg.Params) != 0 {
		t.Errorf("median(c0) binds to %+v, %v", agg, err)
	}
}

func TestQuantilesTakeAListOfFractions(t *testing.T) {
	fractions := &Literal{t: types.ListOf(tDouble), arr: aggColumn(t, types.ListOf(tDouble), []string{"[0, 0.5, 1]"})}
	for name, want := range map[string]string{
		"quantile_disc":     "[1, 2, 4] / NULL",
		"quantile_cont":     "[1, 2.5, 4] / NULL",
		"approx_percentile": "[1, 2, 4] / NULL",
	} {
		in := []aggInput{col(tInt, "4", "1", "3", "2"), {t: fractions.t, literal: fractions}}
		agg, err := bindFor(t, name, in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := aggregateRows(t, agg, in, 4, 2); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
}

func TestSumOverflowIsAnErrorOfItsGroup(t *testing.T) {
	for _, c := range []aggInput{
		col(tBigInt, "9223372036854775807", "1"),
		col(types.DecimalOf(38, 0), strings.Repeat("9", 38), "1"),
	} {
		agg, err := bindFor(t, "sum", []aggInput{c})
		if err != nil {
			t.Fatal(err)
		}
		for parts := 1; parts <= 2; parts++ {
			_, err := aggregateRows(t, agg, []aggInput{c}, 2, parts)
			var ge *GroupError
			if !errors.As(err, &ge) || ge.Group != 1 || sqlerr.Code(err) != "ARITHMETIC_OVERFLOW" {
				t.Errorf("sum of %s in %d parts: error %v, want ARITHMETIC_OVERFLOW of group 1", c.t, parts, err)
			}
		}
	}
}

func TestAggregatesRefuseWhatTheyCannotTake(t *testing.T) {
	x := aggInput{t: tInt}
	for _, c := range []struct {
		name string
		in   []aggInput
		code string
	}{
		{"sum", []aggInput{{t: tVarchar}}, "DATATYPE_MISMATCH"},
		{"avg", []aggInput{{t: tDate}}, "DATATYPE_MISMATCH"},
		{"max", []aggInput{{t: types.MapOf(tInt, tInt)}}, "DATATYPE_MISMATCH"},
		{"bool_and", []aggInput{x}, "DATATYPE_MISMATCH"},
		{"bit_or", []aggInput{{t: tDouble}}, "DATATYPE_MISMATCH"},
		{"stddev", []aggInput{{t: tBool}}, "DATATYPE_MISMATCH"},
		{"median", []aggInput{{t: tVarchar}}, "DATATYPE_MISMATCH"},
		{"sum", []aggInput{x, x}, "WRONG_NUM_ARGS"},
		{"sum", nil, "WRONG_NUM_ARGS"},
		{"quantile", []aggInput{x}, "WRONG_NUM_ARGS"},
		{"quantile", []aggInput{x, literal(tDouble, 1.5)}, "INVALID_PARAMETER_VALUE"},
		{"quantile", []aggInput{x, x}, "INVALID_PARAMETER_VALUE"},
		{"first", []aggInput{x, literal(tInt, int64(1))}, "DATATYPE_MISMATCH"},
		{"approx_percentile", []aggInput{x, literal(tDouble, 0.5), literal(tInt, int64(0))}, "INVALID_PARAMETER_VALUE"},
		{"nothing", []aggInput{x}, "UNRESOLVED_ROUTINE"},
	} {
		if _, err := bindFor(t, c.name, c.in); sqlerr.Code(err) != c.code {
			t.Errorf("%s over %d arguments: %v, want %s", c.name, len(c.in), err, c.code)
		}
	}
	if _, err := BindAggregate("sum", nil, true, sqlerr.Span{}); sqlerr.Code(err) != "WRONG_NUM_ARGS" {
		t.Errorf("sum(*): %v", err)
	}
}

// bigColumn has n random integers below limit.
func bigColumn(n int, limit int64) []string {
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprint(rng.Int64N(limit))
	}
	return values
}

func TestApproxPercentileStaysNearTheRank(t *testing.T) {
	const n = 200_000
	in := []aggInput{col(tBigInt, bigColumn(n, n)...), literal(tDouble, 0.9), literal(tInt, int64(1000))}
	agg, err := bindFor(t, "approx_percentile", in)
	if err != nil {
		t.Fatal(err)
	}
	for _, parts := range []int{1, 7} {
		text, err := aggregateRows(t, agg, in, n, parts)
		if err != nil {
			t.Fatal(err)
		}
		var got int64
		if _, err := fmt.Sscan(text, &got); err != nil {
			t.Fatal(err)
		}
		if off := got - 0.9*n; off < -n/250 || off > n/250 {
			t.Errorf("in %d parts: %d is %d off the rank %d", parts, got, off, int64(0.9*n))
		}
	}
}

func TestApproxCountDistinctIsNear(t *testing.T) {
	for _, n := range []int{300, 5_000, 100_000} {
		values := make([]string, n)
		for i := range values {
			values[i] = fmt.Sprint("user-", i)
		}
		in := []aggInput{col(tVarchar, values...), literal(tDouble, 0.01)}
		agg, err := bindFor(t, "approx_count_distinct", in)
		if err != nil {
			t.Fatal(err)
		}
		text, err := aggregateRows(t, agg, in, n, 3)
		if err != nil {
			t.Fatal(err)
		}
		var got int
		if _, err := fmt.Sscan(text, &got); err != nil {
			t.Fatal(err)
		}
		if off := got - n; off < -n/30 || off > n/30 {
			t.Errorf("%d distinct values are estimated as %d", n, got)
		}
	}
}

func TestBagsPackEqualValues(t *testing.T) {
	const n = 50_000
	in := []aggInput{col(tInt, bigColumn(n, 10)...)}
	agg, err := bindFor(t, "mode", in)
	if err != nil {
		t.Fatal(err)
	}
	acc := agg.New()
	c := aggCells(acc)
	if err := acc.Update(c, make([]int32, n), []arrow.Array{aggColumn(t, tInt, in[0].values)}); err != nil {
		t.Fatal(err)
	}
	if size := len(c.Heap.Blob(c.Words(0)[0])); size > 2*bagSlack {
		t.Errorf("%d values of ten kinds take %d bytes", n, size)
	}
}

func TestEncodedValuesCompareLikeValues(t *testing.T) {
	for _, c := range []struct {
		t    types.Type
		rows []string // ascending
	}{
		{tBool, []string{"NULL", "false", "true"}},
		{tInt, []string{"NULL", "-2147483648", "-1", "0", "2147483647"}},
		{types.Of(types.UBigInt), []string{"0", "9223372036854775808", "18446744073709551615"}},
		{tDouble, []string{"-Infinity", "-1.5", "0", "1e-300", "2", "Infinity", "NaN"}},
		{types.Of(types.Float), []string{"-Infinity", "-1.5", "0", "2", "Infinity", "NaN"}},
		{types.DecimalOf(38, 2), []string{"-123456789012345678901234567890.00", "-0.01", "0", "99999999999999999999.99"}},
		{tVarchar, []string{"NULL", "''", `"\x00"`, `"\x00a"`, "a", `"a\x00"`, "aa", "é"}},
		{types.ListOf(tInt), []string{"NULL", "[]", "[NULL]", "[1]", "[1, NULL]", "[1, 2]", "[2]"}},
		{pointType, []string{"NULL", "{a: NULL, b: z}", "{a: 1, b: NULL}", "{a: 1, b: a}"}},
		{tDate, []string{"0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31"}},
	} {
		a := aggColumn(t, c.t, c.rows)
		b := array.NewBuilder(memory.DefaultAllocator, c.t.Arrow())
		last := ""
		for i := range c.rows {
			p := appendEncoded(nil, a, i)
			if string(p) <= last {
				t.Errorf("%s: %s is not encoded as greater than %s", c.t, c.rows[i], c.rows[max(i, 1)-1])
			}
			last = string(p)
			if n, err := encodedSize(c.t, append(p, 7)); err != nil || n != len(p) {
				t.Errorf("%s: %s has %d bytes, found %d, %v", c.t, c.rows[i], len(p), n, err)
			}
			if rest, err := decodeInto(b, c.t, append(p, 7)); err != nil || len(rest) != 1 {
				t.Errorf("%s: %s cannot be read: %v", c.t, c.rows[i], err)
			}
		}
		back := b.NewArray()
		for i := range c.rows {
			if got := types.Text(back, i); got != types.Text(a, i) {
				t.Errorf("%s: %s reads as %s", c.t, c.rows[i], got)
			}
		}
	}
}

func FuzzDecodeEncoded(f *testing.F) {
	kinds := []types.Type{tInt, tVarchar, types.ListOf(tVarchar), pointType, types.MapOf(tVarchar, tDouble), types.DecimalOf(20, 2)}
	f.Add(uint8(2), []byte{tagValue, tagValue, 'a', 0, 0, tagEnd})
	f.Fuzz(func(t *testing.T, kind uint8, p []byte) {
		typ := kinds[int(kind)%len(kinds)]
		n, sizeErr := encodedSize(typ, p)
		b := array.NewBuilder(memory.DefaultAllocator, typ.Arrow())
		rest, err := decodeInto(b, typ, p)
		if (err == nil) != (sizeErr == nil) || err == nil && len(rest) != len(p)-n {
			t.Errorf("%s of %x: size %d, %v; left %d, %v", typ, p, n, sizeErr, len(rest), err)
		}
	})
}
