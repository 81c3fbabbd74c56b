package ndjson

import (
	"fmt"
	"strings"
	"testing"
)

// TestInferOutliers has one value among others that are alike.
func TestInferOutliers(t *testing.T) {
	for _, c := range []struct {
		many, odd string
		times     int
		want      string
	}{
		{`1`, `"n/a"`, 99, `BIGINT, 1 of 100 are not: line 50 n/a`},
		{`1`, `"n/a"`, 98, `VARCHAR`},
		{`1`, `"12"`, 99, `BIGINT`},
		{`1`, `"1.5"`, 99, `DOUBLE`},
		{`1`, `"0049"`, 99, `VARCHAR`},
		{`"x"`, `1`, 200, `VARCHAR`},
		{`"12"`, `"x"`, 200, `VARCHAR`},
		{`true`, `"?"`, 99, `BOOLEAN, 1 of 100 are not: line 50 ?`},
		{`true`, `"true"`, 99, `BOOLEAN`},
		{`"2026-01-01T00:00:00Z"`, `"yesterday"`, 99, `TIMESTAMP, 1 of 100 are not: line 50 yesterday`},
		{`{"x":1}`, `"none"`, 99, `STRUCT("x" BIGINT), 1 of 100 are not: line 50 none`},
		{`[1]`, `"none"`, 99, `BIGINT[], 1 of 100 are not: line 50 none`},
		{`{"x":1}`, `{"x":"none"}`, 99, `STRUCT("x" BIGINT), 1 of 100 are not: line 50 none`},
		{`1`, `null`, 99, `BIGINT`},
	} {
		var lines [][]byte
		for i := range c.times + 1 {
			value := c.many
			if i == 50 {
				value = c.odd
			}
			lines = append(lines, []byte(`{"a":`+value+`}`))
		}
		fields, outliers, err := Infer(lines)
		if err != nil {
			t.Fatal(err)
		}
		got := fields[0].Type.String()
		for _, o := range outliers {
			got += fmt.Sprintf(", %d of %d are not: line %d %s", o.Count, o.Of, o.First.Sample, o.First.Text)
			if !strings.HasPrefix(o.Column, "a") {
				t.Errorf("column %q", o.Column)
			}
		}
		if got != c.want {
			t.Errorf("%s and %s: got %s, want %s", c.many, c.odd, got, c.want)
		}
		readOdd(t, c.odd, c.want, Options{Fields: fields}, lines)
	}
}

// readOdd shows that the rows which are told are bad, and that no other is.
func readOdd(t *testing.T, odd, want string, o Options, lines [][]byte) {
	t.Helper()
	var in strings.Builder
	for _, line := range lines {
		in.Write(line)
		in.WriteByte('\n')
	}
	got := decode(t, newDecoder(t, o), 1000, in.String())
	if bad := strings.Count(got.String(), "bad"); (bad > 0) != strings.Contains(want, "are not") {
		t.Errorf("%s: %d bad rows, want %s", odd, bad, want)
	}
}
