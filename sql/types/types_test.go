package types

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

func TestParseTimestamp(t *testing.T) {
	cases := []struct {
		text  string
		want  string // FormatTimestamp, "" for none
		zoned bool
	}{
		{"2024-01-01 00:00:05.123456", "2024-01-01 00:00:05.123456", false},
		{"2024-01-01T00:00:05Z", "2024-01-01 00:00:05", true},
		{"2024-01-01T00:00:05.5z", "2024-01-01 00:00:05.5", true},
		{"2024-01-01 00:00:05+02:00", "2023-12-31 22:00:05", true},
		{"2024-01-01 00:00:05+02", "2023-12-31 22:00:05", true},
		{"2024-01-01 00:00:05-0230", "2024-01-01 02:30:05", true},
		{"2024-01-01 00:00:05 UTC", "2024-01-01 00:00:05", true},
		{"2024-01-01 00:00:05.1234569", "2024-01-01 00:00:05.123456", false},
		{"2024-01-01 00:00:05.", "2024-01-01 00:00:05", false},
		{"2024-01-01", "2024-01-01 00:00:00", false},
		{"  2024-1-1 3:4:5 ", "2024-01-01 03:04:05", false},
		{"2024/01/02 03:04", "2024-01-02 03:04:00", false},
		{"2024-02-29 24:00:00", "2024-03-01 00:00:00", false},
		{"0001-01-01 00:00:00", "0001-01-01 00:00:00", false},
		{"9999-12-31 23:59:59.999999", "9999-12-31 23:59:59.999999", false},
		{"294246-01-01 00:00:00", "294246-01-01 00:00:00", false},
		{"-0043-03-15 00:00:00", "0044-03-15 (BC) 00:00:00", false},
		{"2024-02-30 00:00:00", "", false},
		{"2023-02-29 00:00:00", "", false},
		{"2024-13-01 00:00:00", "", false},
		{"2024-00-01 00:00:00", "", false},
		{"2024-01-00 00:00:00", "", false},
		{"2024-01-01 24:00:01", "", false},
		{"2024-01-01 23:60:00", "", false},
		{"2024-01-01 23:59:60", "", false},
		{"2024-01-01 00", "", false},
		{"2024-01-01x", "", false},
		{"2024-01/01", "", false},
		{"2024-01-01 00:00:05+2", "", false},
		{"2024-01-01 00:00:05 Europe/Berlin", "", false},
		{"999999-01-01 00:00:00", "", false},
		{"20240101", "", false},
		{"", "", false},
		{"now", "", false},
	}
	for _, c := range cases {
		micros, zoned, ok := ParseTimestamp([]byte(c.text))
		got := ""
		if ok {
			got = FormatTimestamp(micros)
		}
		if got != c.want || zoned != c.zoned {
			t.Errorf("ParseTimestamp(%q) = %q, zoned %v, want %q, %v", c.text, got, zoned, c.want, c.zoned)
		}
	}
}

func TestParseTimestampDoesNotAllocate(t *testing.T) {
	for _, text := range []string{"2024-01-01T00:00:05.123Z", " 2024-1-1 3:4:5", "no"} {
		b := []byte(text)
		if n := testing.AllocsPerRun(100, func() { ParseTimestamp(b); ParseDate(b); ParseDecimal(b, 10, 2) }); n > 0 {
			t.Errorf("%q: %v allocations", text, n)
		}
	}
}

// The calendar of package time is the reference for ours.
func TestDaysOfAgainstTime(t *testing.T) {
	for days := int64(-800_000); days < 3_000_000; days += 97 {
		year, month, day := DateOf(days)
		want := time.Unix(days*86400, 0).UTC()
		if year != want.Year() || month != int(want.Month()) || day != want.Day() || DaysOf(year, month, day) != days {
			t.Fatalf("day %d is %d-%d-%d and back %d, want %s", days, year, month, day, DaysOf(year, month, day), want)
		}
	}
}

func TestParseDecimal(t *testing.T) {
	cases := []struct{ text, want string }{
		{"1.5", "1.50"}, {"-1.005", "-1.01"}, {"1.0049", "1.00"}, {"  7 ", "7.00"}, {".5", "0.50"}, {"5.", "5.00"},
		{"1e3", "1000.00"}, {"1.5e-1", "0.15"}, {"0.001e3", "1.00"}, {"12345678.99", "12345678.99"}, {"+3", "3.00"},
		{"0", "0.00"}, {"-0", "0.00"}, {"0.004", "0.00"}, {"0.005", "0.01"}, {"99999999.994", "99999999.99"},
		{"99999999.995", ""}, {"123456789", ""}, {"1e400", ""}, {"1e-400", "0.00"}, {"0e400", "0.00"},
		{"", ""}, {"-", ""}, {".", ""}, {"1.2.3", ""}, {"1e", ""}, {"1e+", ""}, {"1x", ""}, {"0x10", ""}, {"NaN", ""},
	}
	for _, c := range cases {
		v, ok := ParseDecimal([]byte(c.text), 10, 2)
		got := ""
		if ok {
			got = string(AppendDecimal(nil, v, 2))
		}
		if got != c.want {
			t.Errorf("ParseDecimal(%q) = %q, want %q", c.text, got, c.want)
		}
	}
	const long = "-12345678901234567890123456789012345678"
	v, ok := ParseDecimal([]byte(long), 38, 0)
	if got := string(AppendDecimal(nil, v, 0)); !ok || got != long || got != v.ToString(0) {
		t.Errorf("38 digits read back as %s", got)
	}
}

func TestInterval(t *testing.T) {
	cases := []struct{ text, want string }{
		{"1 day", "1 day"}, {"2 days", "2 days"}, {"-3 hours", "-03:00:00"}, {"3 days ago", "-3 days"},
		{"1 year 2 weeks 5 milliseconds", "1 year 14 days 00:00:00.005"}, {"1.5 days", "1 day 12:00:00"},
		{"1.5 months", "1 month 15 days"}, {"1:30", "01:30:00"}, {"-1:30:05.5", "-01:30:05.5"}, {"1d 2h", "1 day 02:00:00"},
		{"90 MINUTES", "01:30:00"}, {"0 days", "00:00:00"}, {"14 months", "1 year 2 months"}, {"1 day -25 hours", "1 day -25:00:00"},
		{"1", ""}, {"", ""}, {"day", ""}, {"1 fortnight", ""}, {"1:60", ""}, {"9999999999 months", ""}, {"9223372036854775807 hours", ""},
	}
	for _, c := range cases {
		i, ok := ParseInterval(c.text)
		got := ""
		if ok {
			got = FormatInterval(i)
		}
		if got != c.want {
			t.Errorf("ParseInterval(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// Every text reads back as itself, so that the cells of a stream script mean what a
// result would print as.
func TestAppendTextRoundTrip(t *testing.T) {
	structType := StructOf(Field{Name: "a", Type: Of(Int)}, Field{Name: "b c", Type: Of(Varchar)})
	cases := []struct {
		t     Type
		cells []string
	}{
		{Of(Boolean), []string{"true", "false", "NULL"}},
		{Of(TinyInt), []string{"-128", "127"}}, {Of(SmallInt), []string{"-32768"}}, {Of(Int), []string{"2147483647"}},
		{Of(BigInt), []string{"-9223372036854775808", "9223372036854775807"}},
		{Of(UTinyInt), []string{"255"}}, {Of(USmallInt), []string{"65535"}}, {Of(UInt), []string{"4294967295"}}, {Of(UBigInt), []string{"18446744073709551615"}},
		{Of(Float), []string{"1.5", "NaN"}},
		{Of(Double), []string{"0.1", "-0", "NaN", "Infinity", "-Infinity", "1e-7", "1e+300", "100"}},
		{DecimalOf(10, 2), []string{"1.50", "-0.05", "NULL"}}, {DecimalOf(38, 0), []string{"99999999999999999999999999999999999999"}},
		{Of(Varchar), []string{"abc", "''", `"NULL"`, "NULL", `" x"`, `"a | b"`, `"it's"`, `"line\nbreak"`, "a,b", "日本語", `"."`}},
		{Of(Blob), []string{"x'0aff'", "x''"}},
		{Of(Date), []string{"2024-02-29", "0001-01-01", "9999-12-31"}},
		{Of(Timestamp), []string{"2024-02-29 12:00:00.5", "1969-12-31 23:59:59.999999", "0001-01-01 00:00:00"}},
		{Of(IntervalKind), []string{"1 year 2 days 03:04:05.6", "00:00:00", "-1 day"}},
		{ListOf(Of(BigInt)), []string{"[]", "[1, NULL, 3]", "NULL"}},
		{ListOf(ListOf(Of(Varchar))), []string{`[[a, "b, c"], [], ['', "[x]"]]`}},
		{structType, []string{`{a: 1, b c: x}`, `{a: NULL, b c: "y: z"}`, "NULL"}},
		{MapOf(Of(Varchar), Of(Int)), []string{"{a: 1, b: NULL}", "{}"}},
		{MapOf(Of(Timestamp), ListOf(structType)), []string{"{2024-01-01 00:00:00: [{a: 1, b c: ''}]}"}},
	}
	for _, c := range cases {
		b := array.NewBuilder(memory.DefaultAllocator, c.t.Arrow())
		for _, cell := range c.cells {
			if err := AppendText(b, c.t, cell); err != nil {
				t.Errorf("%s: %v", c.t, err)
			}
		}
		a := b.NewArray()
		for i, cell := range c.cells {
			if got := Text(a, i); got != cell {
				t.Errorf("%s: %s reads back as %s", c.t, cell, got)
			}
		}
		a.Release()
		b.Release()
	}
}

func TestAppendTextRefuses(t *testing.T) {
	cases := []struct {
		t          Type
		cell, want string
	}{
		{Of(Int), "2147483648", `expected a value of type INTEGER, found "2147483648"`},
		{Of(Boolean), "yes", `expected a value of type BOOLEAN, found "yes"`},
		{Of(Timestamp), "today", `expected a value of type TIMESTAMP, found "today"`},
		{DecimalOf(3, 1), "1000", `expected a value of type DECIMAL(3,1), found "1000"`},
		{Of(Varchar), `"open`, `expected a string with closing quotes, found "open`},
		{ListOf(Of(Int)), "1, 2", `expected a value of type INTEGER[], found "1, 2"`},
		{ListOf(Of(Int)), "[1, x]", `expected a value of type INTEGER, found "x"`},
		{Of(Blob), "0aff", `expected a value of type BLOB, found "0aff"`},
	}
	for _, c := range cases {
		b := array.NewBuilder(memory.DefaultAllocator, c.t.Arrow())
		if err := AppendText(b, c.t, c.cell); err == nil || err.Error() != c.want {
			t.Errorf("%s, %s: %v, want %s", c.t, c.cell, err, c.want)
		}
		b.Release()
	}
}

// Whatever is read prints as a text that reads as the same instant, and package time
// agrees on texts of its own format.
func FuzzTimestamp(f *testing.F) {
	for _, s := range []string{"2024-01-01T00:00:05.123Z", "2024-01-01 00:00:05+02:00", "0001-01-01", "-4-1-1 0:0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		micros, _, ok := ParseTimestamp([]byte(s))
		want, err := time.Parse("2006-01-02T15:04:05.999999Z07:00", s)
		if err == nil && len(s) < 40 && strings.Count(s, ",") == 0 && (!ok || micros != want.UnixMicro()) {
			// An hour offset beyond 23 is an error to package time only.
			t.Fatalf("ParseTimestamp(%q) = %d, %v, want %d", s, micros, ok, want.UnixMicro())
		}
		if !ok {
			return
		}
		text := FormatTimestamp(micros)
		if strings.Contains(text, "(BC)") {
			return
		}
		if again, _, ok := ParseTimestamp([]byte(text)); !ok || again != micros {
			t.Fatalf("%q reads as %s, which reads as %d, %v", s, text, again, ok)
		}
	})
}

func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"1.5", "-0.005", "1e3", "99999999.995", "12345678901234567890123456789012345678"} {
		f.Add(s, int32(38), int32(2))
	}
	f.Fuzz(func(t *testing.T, s string, precision, scale int32) {
		precision = 1 + max(precision, -precision)%38
		scale = max(scale, -scale) % (precision + 1)
		if precision < 1 || scale < 0 {
			return
		}
		v, ok := ParseDecimal([]byte(s), precision, scale)
		if !ok {
			return
		}
		text := AppendDecimal(nil, v, scale)
		if got, want := string(text), v.ToString(scale); got != want {
			t.Fatalf("%q prints as %s, want %s", s, got, want)
		}
		if again, ok := ParseDecimal(text, precision, scale); !ok || again != v {
			t.Fatalf("%q reads as %s, which does not read back", s, text)
		}
	})
}

func BenchmarkParseTimestamp(b *testing.B) {
	for _, text := range []string{"2024-01-01 00:00:05", "2024-01-01T00:00:05.123Z", "2024-01-01T00:00:05.123456+02:00", "2024-01-01"} {
		b.Run(fmt.Sprint(len(text)), func(b *testing.B) {
			in := []byte(text)
			for b.Loop() {
				ParseTimestamp(in)
			}
		})
	}
}

func TestQuote(t *testing.T) {
	if got, want := QuoteText(`it's "x"`)+QuoteIdent(`it's "x"`), `'it''s "x"'"it's ""x"""`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
