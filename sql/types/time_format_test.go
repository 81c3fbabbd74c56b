package types

import (
	"strings"
	"testing"
)

func TestTimeFormat(t *testing.T) {
	for _, c := range []struct {
		format, text string
		want         string // "" for a text that does not fit
		zoned        bool
	}{
		{"%d/%b/%Y:%H:%M:%S %z", "17/May/2015:08:05:32 +0200", "2015-05-17 06:05:32", true},
		{"%d/%b/%Y:%H:%M:%S %z", "17/may/2015:08:05:32 Z", "2015-05-17 08:05:32", true},
		{"%d/%b/%Y:%H:%M:%S", "17/May/2015:08:05:32 ", "2015-05-17 08:05:32", false},
		{"%d/%b/%Y", "31/Feb/2015", "", false},
		{"%d/%b/%Y", "17/Mai/2015", "", false},
		{"%A, %B %d %Y %I:%M %p", "Sunday, May 17 2015 12:05 am", "2015-05-17 00:05:00", false},
		{"%Y-%m-%d %H:%M %Z", "2024-07-01 12:00 Europe/Berlin", "2024-07-01 10:00:00", true},
		{"%Z %Y-%m-%d %H:%M", "Europe/Berlin 2024-01-01 12:00", "2024-01-01 11:00:00", true},
		{"%Y-%m-%d %Z", "2024-07-01 Nowhere/Land", "", true},
		{"%Y%m%d%H%M%S%g", "20240102030405678", "2024-01-02 03:04:05.678", false},
		{"%H:%M:%S,%f", "10:00:00,251", "1900-01-01 10:00:00.251", false},
		{"%H:%M:%S.%f", "10:00:00.000251", "1900-01-01 10:00:00.000251", false},
		{"%H:%M:%S.%f", "10:00:00.", "", false},
		{"%H:%M:%S.%f", "10:00:00.1234567", "", false},
		{"%H:%M:%S.%g", "10:00:00.5", "1900-01-01 10:00:00.5", false},
		{"%H:%M:%S.%g", "10:00:00.05", "1900-01-01 10:00:00.05", false},
		{"%H:%M:%S.%n", "10:00:00.25", "1900-01-01 10:00:00.25", false},
		{"%H:%M:%S.%n", "10:00:00.123456789", "1900-01-01 10:00:00.123456", false},
		{"%y-%j", "24-366", "2024-12-31 00:00:00", false},
		{"%y-%j", "23-366", "", false},
		{"100%% %Y", "100% 2024", "2024-01-01 00:00:00", false},
		{"%c", "2024-01-02 03:04:05", "2024-01-02 03:04:05", false},
		{"%Y", "2024x", "", false},
		{"%Y", "", "", false},
		{"epoch_s", "1431849932.5", "2015-05-17 08:05:32.5", true},
		{"epoch_ms", " -1 ", "1969-12-31 23:59:59.999", true},
		{"epoch_us", "1e3", "1970-01-01 00:00:00.001", true},
		{"EPOCH_NS", "-1", "1969-12-31 23:59:59.999999", true},
		{"epoch_s", "2015-05-17", "", true},
		{"epoch_s", "99999999999999", "", true},
	} {
		f, bad := ParseColumnFormat(c.format)
		if bad != "" {
			t.Errorf("%q has no code %q", c.format, bad)
			continue
		}
		micros, zoned, ok := f.Parse(c.text)
		got := ""
		if ok {
			got = FormatTimestamp(micros)
		}
		if got != c.want || ok && zoned != c.zoned {
			t.Errorf("%q by %q: got %q, zoned %v, want %q, %v", c.text, c.format, got, zoned, c.want, c.zoned)
		}
	}
	for format, want := range map[string]string{"yyyy": "yyyy", "": "''", "%Y-%Q": "%Y-%Q", "%": "%", "%-Y": "%-Y"} {
		if _, bad := ParseColumnFormat(format); bad != want {
			t.Errorf("%q: %q is no code, want %q", format, bad, want)
		}
	}
}

// FuzzTimeFormat shows that any format reads any text or refuses it, and that what is read
// is within what a TIMESTAMP can be.
func FuzzTimeFormat(f *testing.F) {
	for _, seed := range [][2]string{
		{"%d/%b/%Y:%H:%M:%S %z", "17/May/2015:08:05:32 +0000"}, {"%Y-%j %p%I", "2024-060 PM12"}, {"%a %A %B %c", "Sun Sunday May 2024-01-01 00:00:00"}, {"epoch_ns", "-1.5e3"},
		{"%n%f%g", "123456789123456123"}, {"%Z%z", "UTC+1"}, {"%% %-d", "% 1"}, {"%U%W%V%w%u%G", "535353722024"}, {"%x %X", ""}, {"%", "%"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, format, text string) {
		parsed, bad := ParseColumnFormat(format)
		if bad != "" || parsed == nil {
			return
		}
		micros, _, ok := parsed.Parse(text)
		if !ok || strings.HasPrefix(strings.ToLower(format), "epoch") {
			return
		}
		if year, _, _ := DateOf(floorDiv(micros, DayMicros)); year < -1 || year > 10000 {
			t.Fatalf("%q by %q is in the year %d", text, format, year)
		}
	})
}
