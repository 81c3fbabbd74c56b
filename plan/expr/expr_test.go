package expr

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// sheet is a record for tests with its columns as expressions.
type sheet struct {
	rec  arrow.Record
	cols map[string]Expr
}

// newSheet builds a record from columns and rows of cells divided by " | ".
func newSheet(t *testing.T, fields []types.Field, rows ...string) *sheet {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, types.ArrowSchema(fields))
	defer b.Release()
	for _, row := range rows {
		for i, cell := range strings.Split(row, " | ") {
			if err := types.AppendText(b.Field(i), fields[i].Type, cell); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := &sheet{rec: b.NewRecord(), cols: map[string]Expr{}}
	for i, f := range fields {
		s.cols[f.Name] = &Column{Index: i, Name: f.Name, T: f.Type, Null: f.Nullable}
	}
	return s
}

func field(name string, t types.Type) types.Field {
	return types.Field{Name: name, Type: t, Nullable: true}
}

// values evaluates e and returns the texts of the rows, joined by blanks.
func (s *sheet) values(t *testing.T, e Expr) string {
	t.Helper()
	a, err := e.Eval(&Ctx{NowMicros: 1_700_000_000_123_456, Seed: 1}, s.rec)
	if err != nil {
		t.Fatalf("%s: %v", e, err)
	}
	defer a.Release()
	if a.Len() != int(s.rec.NumRows()) {
		t.Fatalf("%s: %d rows, want %d", e, a.Len(), s.rec.NumRows())
	}
	texts := make([]string, a.Len())
	for i := range texts {
		texts[i] = types.Text(a, i)
	}
	return strings.Join(texts, " ")
}

// must returns a bound expression.
func must(t *testing.T) func(Expr, error) Expr {
	return func(e Expr, err error) Expr {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}

var noSpan sqlerr.Span

func intLit(v int64) Expr   { return NewLiteral(tInt, v) }
func text(v string) Expr    { return NewLiteral(tVarchar, v) }
func null() Expr            { return NewLiteral(types.Type{}, nil) }
func double(v float64) Expr { return NewLiteral(tDouble, v) }

// dictionary returns the sheet with its VARCHAR columns dictionary encoded.
func (s *sheet) dictionary(t *testing.T) *sheet {
	t.Helper()
	cols := make([]arrow.Array, s.rec.NumCols())
	fields := make([]arrow.Field, len(cols))
	for i, c := range s.rec.Columns() {
		fields[i] = s.rec.Schema().Field(i)
		cols[i] = c
		str, ok := c.(*array.String)
		if !ok {
			continue
		}
		b := array.NewDictionaryBuilder(memory.DefaultAllocator, types.ArrowDictionary).(*array.BinaryDictionaryBuilder)
		for j := range str.Len() {
			if str.IsNull(j) {
				b.AppendNull()
			} else if err := b.AppendString(str.Value(j)); err != nil {
				t.Fatal(err)
			}
		}
		cols[i] = b.NewArray()
		fields[i].Type = types.ArrowDictionary
	}
	return &sheet{rec: array.NewRecord(arrow.NewSchema(fields, nil), cols, s.rec.NumRows()), cols: s.cols}
}

func TestCompareWithConstants(t *testing.T) {
	s := newSheet(t, []types.Field{field("i", tBigInt), field("d", tDouble), field("s", tVarchar)},
		"1 | NaN | b", "2 | 1.5 | a", "NULL | NULL | NULL", "3 | Infinity | ''")
	cases := []struct {
		op   string
		l    string
		r    Expr
		want string
	}{
		{"=", "i", intLit(2), "false true NULL false"},
		{"<>", "i", intLit(2), "true false NULL true"},
		{"<", "i", intLit(2), "true false NULL false"},
		{"<=", "i", intLit(2), "true true NULL false"},
		{">", "i", intLit(2), "false false NULL true"},
		{">=", "i", intLit(2), "false true NULL true"},
		{"<=>", "i", intLit(2), "false true false false"},
		{"<=>", "i", null(), "false false true false"},
		{"=", "i", null(), "NULL NULL NULL NULL"},
		{">", "d", double(2), "true false NULL true"},
		{"<", "d", double(2), "false true NULL false"},
		{"<=", "s", text("a"), "false true NULL true"},
		{"=", "s", text("a"), "false true NULL false"},
	}
	for _, form := range []*sheet{s, s.dictionary(t)} {
		for _, c := range cases {
			e := must(t)(BindBinary(c.op, form.cols[c.l], c.r, noSpan))
			if got := form.values(t, e); got != c.want {
				t.Errorf("%s = %s, want %s", e, got, c.want)
			}
		}
	}
}

func TestEpochMsAndShift(t *testing.T) {
	s := newSheet(t, []types.Field{field("ms", tBigInt)}, "1000", "NULL", "-1")
	ts := must(t)(BindFunction("epoch_ms", []Expr{s.cols["ms"]}, noSpan))
	e := must(t)(BindBinary("-", ts, NewLiteral(tInterval, types.Interval{Micros: 1_000_000}), noSpan))
	want := `1970-01-01 00:00:00 NULL 1969-12-31 23:59:58.999`
	if got := s.values(t, e); got != want {
		t.Errorf("%s = %s, want %s", e, got, want)
	}
	if got, want := e.String(), `(epoch_ms("ms") - INTERVAL '00:00:01')`; got != want {
		t.Errorf("String() = %s, want %s", got, want)
	}
}
