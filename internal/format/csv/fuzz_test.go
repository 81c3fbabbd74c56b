package csv

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"ssql/internal/format/formattest"
	"strings"
	"testing"
	"unicode/utf8"
)

// noNull is a text that no input of the tests holds, so that NULL does not hide ”.
const noNull = "\x01null"

// FuzzCSV shows for any bytes that cutting them at record ends changes nothing, and for
// those that encoding/csv reads that the rows are the same.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "1,2,3\n4,5,6", "1,2,3\r\n\r\n4,5,\r\n", "\"a\nb\",\"c\"\"d\",\"\"\n1,2\n", "5\" pipe,x\"y,\"\n", "1,\"2\n3,4,5\n6,\"\"\"\n,7\n",
		"a;b;c\n\"x\"y;1;2\n", "é,\xff,z\n", "\"\"\"\",\"\",\"\"\"\"\"\"\n", " , \"1\" ,2\n   \n\t\n", "'a','b''c','\n'\n", "\"a\\\"b\",\"\\\\\",\"\\x\"\n",
		"1,\"5 inch,3\n2,\"a\nb\",c\n3,\"6 inch,4\n4,x,\"\n\"\n", "1,\"x\n" + strings.Repeat("2,y\n", 12) + "3,z\"\n",
		strings.Repeat("field", 20) + ",\"" + strings.Repeat("\"\"", 40) + "\",z\n",
	} {
		for kind := range byte(4) {
			f.Add([]byte(seed), uint16(len(seed)/2), kind)
		}
	}
	dialects := []Dialect{
		{Delimiter: ',', Quote: '"', Escape: '"', Null: noNull},
		{Delimiter: ';', Quote: '"', Escape: '"', Null: noNull},
		{Delimiter: ',', Quote: '"', Escape: '\\', Null: noNull},
		{Delimiter: ',', Null: noNull},
	}
	f.Fuzz(func(t *testing.T, in []byte, cut uint16, kind byte) {
		dialect := dialects[int(kind)%len(dialects)]
		o := Options{Dialect: dialect, Fields: texts()}
		whole := decode(t, newDecoder(t, o), 7, string(in))
		checkCuts(t, o, in, int(cut), whole)
		if dialect.Quote == '"' && dialect.Escape == '"' {
			compareStandard(t, dialect.Delimiter, in, whole)
		}
	})
}

// checkCuts decodes the input in two blocks, cut at a record end near the given place.
func checkCuts(t *testing.T, o Options, in []byte, cut int, whole formattest.Result) {
	t.Helper()
	cut = min(cut, len(in))
	end := o.lastEnd(in[:cut])
	if again, records := o.ends(in[:cut], math.MaxInt64); again != end {
		t.Fatalf("lastEnd(%q) = %d, but %d records end at %d", in[:cut], end, records, again)
	}
	got := decode(t, newDecoder(t, o), 3, string(in[:end]), string(in[end:]))
	if got.String() != whole.String() {
		t.Fatalf("%q cut at %d: got\n%swant\n%s", in, end, got, whole)
	}
}

// compareStandard compares with encoding/csv where that takes the whole input. It drops
// carriage returns before newlines in quotes, and one at the end.
func compareStandard(t *testing.T, delimiter byte, in []byte, got formattest.Result) {
	t.Helper()
	if !utf8.Valid(in) || bytes.HasSuffix(in, []byte("\r")) {
		return
	}
	r := csv.NewReader(bytes.NewReader(in))
	r.Comma, r.FieldsPerRecord = rune(delimiter), -1
	var rows []string
	bad := 0
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return
		}
		switch line := strings.Join(fields, " | "); {
		case len(fields) == 3:
			rows = append(rows, line)
		case len(fields) > 1 || len(bytes.TrimSpace([]byte(line))) > 0 || strings.Contains(string(in), `"`):
			bad++
		}
	}
	ours := make([]string, len(got.Rows))
	for i, row := range got.Rows {
		ours[i] = strings.ReplaceAll(row, "\r\n", "\n")
	}
	if !slices.Equal(ours, rows) {
		t.Fatalf("%q\ngot  %q\nwant %q", in, ours, rows)
	}
	if !bytes.Contains(in, []byte(`"`)) && len(got.Bad) != bad {
		t.Fatalf("%q: %d bad records, want %d: %v", in, len(got.Bad), bad, got.Bad)
	}
}

// TestRandomCuts is the property of FuzzCSV over inputs of the bytes that matter.
func TestRandomCuts(t *testing.T) {
	const alphabet = "\"\"\",,\n\r\\a1é"
	random := newRandom(t)
	runes := []rune(alphabet)
	for range 3000 {
		in := make([]rune, random.IntN(40))
		for i := range in {
			in[i] = runes[random.IntN(len(runes))]
		}
		for _, escape := range []byte{'"', '\\'} {
			o := Options{Dialect: Dialect{Delimiter: ',', Quote: '"', Escape: escape, Null: noNull}, Fields: texts()}
			text := []byte(string(in))
			whole := decode(t, newDecoder(t, o), 7, string(text))
			checkCuts(t, o, text, random.IntN(len(text)+1), whole)
			if escape == '"' {
				compareStandard(t, ',', text, whole)
			}
		}
	}
}

// TestRandomRows writes rows with encoding/csv and reads them back.
func TestRandomRows(t *testing.T) {
	random := newRandom(t)
	values := []string{"", " ", "plain", "a,b", "say \"hi\"", "two\nlines", "\"", "été", strings.Repeat("long ", 20), "1.5", "\\"}
	for round := range 50 {
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.UseCRLF = round%2 == 0
		var want []string
		for range random.IntN(30) {
			row := make([]string, 3)
			for i := range row {
				row[i] = values[random.IntN(len(values))]
				if w.UseCRLF {
					row[i] = strings.ReplaceAll(row[i], "\n", " ") // the writer would change it
				}
			}
			want = append(want, strings.Join(row, " | "))
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		o := Options{Dialect: Dialect{Delimiter: ',', Quote: '"', Escape: '"', Null: noNull}, Fields: texts(), Encode: []bool{true, false, true}}
		got := decode(t, newDecoder(t, o), 4, text.String())
		if !slices.Equal(got.Rows, want) || len(got.Bad) > 0 {
			t.Fatalf("round %d: got\n%swant\n%s", round, got, fmt.Sprint(want))
		}
	}
}
