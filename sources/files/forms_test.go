package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sources/sourcetest"
	"ssql/sql/types"
)

// parquetOf returns a Parquet file with columns a and b in row groups of three.
func parquetOf(t *testing.T, first, rows int, text string) string {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, nil)
	var list []string
	for i := range rows {
		list = append(list, fmt.Sprintf(`{"a":%d,"b":%q}`, first+i, text))
	}
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader("["+strings.Join(list, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	var out bytes.Buffer
	if err := pqarrow.WriteTable(table, &out, 3, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestWholeFilesConformance runs the contract over files that are read from start to
// end.
func TestWholeFilesConformance(t *testing.T) {
	for _, c := range []struct {
		suffix string
		make   func(t *testing.T, n int) string
	}{
		{".parquet", func(t *testing.T, n int) string { return parquetOf(t, 0, 5, fmt.Sprintf("file %d", n)) }},
		{".json", func(t *testing.T, n int) string { return arrayOf(n) }},
		{".json.gz", func(t *testing.T, n int) string { return gz(t, arrayOf(n)) }},
	} {
		t.Run(c.suffix, func(t *testing.T) {
			sourcetest.Run(t, func(t *testing.T) sourcetest.Subject {
				f := newFolder(t, map[string]string{"path": "*" + c.suffix})
				n := 0
				return sourcetest.Subject{
					Open: func(t *testing.T) sources.Source { return f.openRaw() },
					Feed: func(t *testing.T) (rows []string) {
						n++
						f.write(fmt.Sprintf("%d%s", n, c.suffix), c.make(t, n))
						for i := range 5 {
							rows = append(rows, fmt.Sprintf("%d | file %d", i, n))
						}
						return rows
					},
				}
			})
		})
	}
}

func arrayOf(n int) string {
	var list []string
	for i := range 5 {
		list = append(list, fmt.Sprintf("{\n  \"a\": %d, \"b\": \"file %d\"\n}", i, n))
	}
	return "\xEF\xBB\xBF [" + strings.Join(list, ", ") + "]\n"
}

// TestWholeFilesStillWritten waits for the end of a file that is not complete, however old it
// is, unless it is to be read as it is. Parquet that grows when it was read is refused; behind an array more may follow.
func TestWholeFilesStillWritten(t *testing.T) {
	for _, c := range []struct{ name, content, rows, broken string }{
		{"a.parquet", parquetOf(t, 1, 2, "x"), "1 | x\n2 | x", "bad a.parquet:0 the file is no Parquet file, or its end is missing: "},
		{"a.json", `[{"a":1,"b":"x"},{"a":2,"b":"x"}] `, "1 | x\n2 | x", "1 | x\nbad a.json:1 the value is not finished"},
	} {
		f := newFolder(t, nil)
		half := c.content[:len(c.content)*2/3]
		f.write(c.name, half)
		s := f.open(nil)
		s.now = func() time.Time { return f.clock.Add(time.Second) }
		f.want("half of "+c.name, f.batch(s), "")
		f.write(c.name, c.content)
		f.want("all of "+c.name, f.batch(s), c.rows)
		f.write(c.name, c.content+c.content)
		if c.name == "a.json" {
			f.want("grown "+c.name, f.batch(s), c.rows)
		} else if _, err := s.Next(t.Context(), sources.Limits{}); sqlerr.Code(err) != "E_SOURCE_CHANGED" {
			t.Errorf("grown %s: %v", c.name, err)
		}
		f = newFolder(t, nil)
		f.write(c.name, half)
		f.want("old half of "+c.name, f.batch(f.open(nil)), "")
		f.want("notices", strings.Join(f.notices, "\n"), fmt.Sprintf("file %q ends too early: it is not complete, and is read when it is; CREATE STREAM with the option incomplete_files = 'read' reads what is there", c.name))
		f.options = map[string]string{"incomplete_files": "read"}
		if got := f.batch(f.open(nil)); !strings.HasPrefix(got, c.broken) {
			t.Errorf("old half of %s: %s", c.name, got)
		}
	}
}

// TestMetadataColumns shows where rows come from in each kind of file.
func TestMetadataColumns(t *testing.T) {
	text := types.Of(types.Varchar)
	whole := types.Of(types.BigInt)
	for _, c := range []struct {
		name, content string
		want          string
	}{
		{"a.json", "{\"a\":1}\n\n{\"a\":2}\n", "in/a.json | 1 | 1 | 0 | 2026-01-01 00:00:01\nin/a.json | 2 | 3 | 9 | 2026-01-01 00:00:01"},
		{"a.json.gz", gz(t, "\xEF\xBB\xBF{\"a\":1}\n{\"a\":2}"), "in/a.json.gz | 1 | 1 | 3 | 2026-01-01 00:00:01\nin/a.json.gz | 2 | 2 | 11 | 2026-01-01 00:00:01"},
		{"a.csv", "\xEF\xBB\xBFb,a\n\"\n\",1\n,2\n", "in/a.csv | 1 | 2 | 7 | 2026-01-01 00:00:01\nin/a.csv | 2 | 4 | 13 | 2026-01-01 00:00:01"},
		{"a.ndjson", "[{\"a\":1},\n{\"a\":2}]", "in/a.ndjson | 1 | 1 | 1 | 2026-01-01 00:00:01\nin/a.ndjson | 2 | 2 | 10 | 2026-01-01 00:00:01"},
		{"a.parquet", parquetOf(t, 1, 2, "x"), "in/a.parquet | 1 | 1 | NULL | 2026-01-01 00:00:01\nin/a.parquet | 2 | 2 | NULL | 2026-01-01 00:00:01"},
	} {
		f := newFolder(t, map[string]string{"path": "in"})
		f.write("in/"+c.name, c.content)
		f.fields = []types.Field{{Name: "source", Type: text}, {Name: "a", Type: whole}, {Name: "n", Type: whole}, {Name: "at", Type: whole}, {Name: "came", Type: types.Of(types.Timestamp)}}
		f.metadata = []string{"file", "", "line", "offset", "modified"}
		f.want(c.name, f.batch(f.open(nil)), c.want)
		f.fields, f.metadata = f.fields[:1], f.metadata[:1]
		f.want("only metadata of "+c.name, f.batch(f.open(nil)), "in/"+c.name+"\nin/"+c.name)
	}
}

func TestParquetInfer(t *testing.T) {
	f := newFolder(t, map[string]string{"path": "."})
	f.write("a.parquet", parquetOf(t, 1, 4, "x"))
	fields, err := infer(t.Context(), f.values(), func(string) {})
	if got := fmt.Sprint(fields); err != nil || got != "[{b VARCHAR true} {a INTEGER true}]" {
		t.Errorf("got %s, %v", got, err)
	}
	f.write("0.parquet", "no such thing")
	f.want("a damaged file among others", f.batch(f.open(nil)), "1 | x\n2 | x\n3 | x\n4 | x\nbad 0.parquet:0 the file is no Parquet file, or its end is missing: "+
		"the last four bytes are not PAR1; write it again, whole, under another name ")
}

// TestParquetPacked names what a Parquet file is packed with, also of one that is young.
func TestParquetPacked(t *testing.T) {
	f := newFolder(t, map[string]string{"path": "."})
	f.write("a.parquet.gz", gz(t, parquetOf(t, 1, 4, "x")))
	const why = "the file is packed with gzip, which is not read of Parquet, whose columns are packed inside; unpack it first"
	if _, err := infer(t.Context(), f.values(), func(string) {}); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("inferred: %v", err)
	}
	s := f.open(nil)
	s.now = func() time.Time { return f.clock.Add(time.Second) }
	f.want("packed", f.batch(s), "bad a.parquet.gz:0 "+why+" ")
}

// TestUTF16 reads what is no UTF-16 as bad rows, and lets a file wait that ends in the middle
// of a character.
func TestUTF16(t *testing.T) {
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		encode := func(units ...uint16) (out string) {
			for _, u := range units {
				out += string(order.AppendUint16(nil, u))
			}
			return out
		}
		text := func(s string) string { return encode(utf16.Encode([]rune(s))...) }
		f := newFolder(t, map[string]string{"format": "csv"})
		whole := encode(0xFEFF) + text("a,b\n1,ü€😀\uFFFD\n2,") + encode(0xD83D) + text("\n3,") + encode(0xDE00) + text("x\n4,y\n")
		f.write("a.csv", whole)
		s := f.open(nil)
		f.want(name, f.batch(s), "1 | ü€😀\uFFFD\n4 | y\nbad a.csv:3 text is not valid UTF-8 2,\uFFFD\nbad a.csv:4 text is not valid UTF-8 3,\uFFFDx")

		f = newFolder(t, map[string]string{"format": "csv"})
		f.write("a.csv", encode(0xFEFF)+text("a,b\n1,x\n2,y")+"\r")
		s = f.open(nil)
		f.want(name+", half", f.batch(s), "")
		f.want("notices", strings.Join(f.notices, "\n"), `file "a.csv" ends too early: it is not complete, and is read when it is; CREATE STREAM with the option incomplete_files = 'read' reads what is there`)
		f.options["incomplete_files"] = "read"
		f.want(name+", half, read", f.batch(f.open(nil)), "1 | x\nbad a.csv:3 text is not valid UTF-8 2,y\uFFFD")
		f.write("a.csv.gz", gz(t, encode(0xFEFF)+text("a,b\n5,x\n6,y")+"\r"))
		f.want(name+", half, packed", f.batch(f.open(nil)), "1 | x\n5 | x\nbad a.csv:3 text is not valid UTF-8 2,y\uFFFD\nbad a.csv.gz:3 text is not valid UTF-8 6,y\uFFFD")
	}
}

// TestLinesOfCRGrow has a first line without its end that is read, before a carriage return
// behind it makes the file one that is read as a whole: no row comes twice unless that is said.
func TestLinesOfCRGrow(t *testing.T) {
	for changed, want := range map[string]string{"fail": "E_SOURCE_CHANGED", "read": "1 | x\n2 | y", "skip": ""} {
		f := newFolder(t, map[string]string{"format": "csv", "header": "false", "changed_files": changed})
		f.write("a.csv", "1,x")
		s := f.open(nil)
		f.want(changed, f.batch(s), "1 | x")
		f.add("a.csv", "\r2,y\r")
		r, err := s.Next(t.Context(), sources.Limits{})
		switch {
		case changed == "fail":
			if sqlerr.Code(err) != want || !strings.Contains(err.Error(), "before its first line had an end") {
				t.Errorf("fail: %v", err)
			}
			continue
		case err != nil:
			t.Fatal(err)
		}
		var rows []string
		if r != nil {
			rows, _ = sourcetest.Read(t, s, r, 100)
		}
		f.want(changed+", grown", strings.Join(rows, "\n"), want)
		if len(f.notices) != 1 || !strings.Contains(f.notices[0], "changed_files = '"+changed+"'") {
			t.Errorf("%s: notices %q", changed, f.notices)
		}
	}
}

func TestArrayInfer(t *testing.T) {
	f := newFolder(t, nil)
	f.write("a.json", "\xEF\xBB\xBF[\n  {\"id\": 1,\n   \"v\": {\"x\": 1.5}},\n  {\"id\": 2, \"v\": null}\n]\n")
	fields, err := infer(t.Context(), f.values(), func(string) {})
	if err != nil || len(fields) != 2 || fields[1].Type.String() != `STRUCT("x" DOUBLE)` {
		t.Errorf("got %v, %v", fields, err)
	}
}

// TestParquetColumns shows that a column without a value in the first file has the type that
// it has in another, and that columns which a file can never become are refused.
func TestParquetColumns(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, column arrow.DataType, rows string) {
		schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "v", Type: column, Nullable: true}}, nil)
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Release()
		table := array.NewTableFromRecords(schema, []arrow.Record{rec})
		defer table.Release()
		var out bytes.Buffer
		if err := pqarrow.WriteTable(table, &out, 100, parquet.NewWriterProperties(), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.parquet", arrow.Null, `[{"id":1,"v":null}]`)
	write("b.parquet", &arrow.Decimal128Type{Precision: 7, Scale: 2}, `[{"id":2,"v":"20.50"}]`)
	set, err := sources.CheckOptions("files", options(), []sources.Given{{Name: "path", Text: dir + "/*.parquet"}, {Name: "order", Text: "name"}})
	if err != nil {
		t.Fatal(err)
	}
	values := sources.Values{Set: set}
	fields, err := infer(t.Context(), values, func(string) {})
	if err != nil || len(fields) != 2 || fields[1].Type.String() != "DECIMAL(7,2)" {
		t.Errorf("columns %v, %v", fields, err)
	}
	for to, want := range map[types.Kind]string{types.Double: "", types.Varchar: "", types.BigInt: "", types.Date: "E_DECODE", types.Blob: "E_DECODE"} {
		fields[1].Type = types.Of(to)
		if err := checkColumns(values, fields); sqlerr.Code(err) != want && (err != nil || want != "") {
			t.Errorf("v as %v: %v, want %q", to, err, want)
		}
	}
}
