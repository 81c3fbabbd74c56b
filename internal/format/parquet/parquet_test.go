package parquet

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	_ "github.com/marcboeker/go-duckdb" // writes some of the files

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/sql/types"
)

// written returns a file of records in Arrow's JSON form.
func written(t testing.TB, schema *arrow.Schema, rows string, groupRows int64, options ...pqarrow.WriterOption) []byte {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	var out bytes.Buffer
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	defer table.Release()
	err = pqarrow.WriteTable(table, &out, groupRows, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd)), pqarrow.NewArrowWriterProperties(options...))
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// read reads all groups of a file and renders what it says.
func read(t testing.TB, s *Shape, data []byte, chunkRows int) (string, error) {
	t.Helper()
	f, err := Open("f.parquet", bytes.NewReader(data), int64(len(data)), chunkRows, s.Keys())
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for g := range f.Groups() {
		first := int64(0)
		err = s.Read(t.Context(), f, g, format.Output{
			Emit: func(rec arrow.Record) error {
				for i := range int(rec.NumRows()) {
					cells := make([]string, rec.NumCols())
					for c := range cells {
						cells[c] = types.Text(rec.Column(c), i)
					}
					fmt.Fprintf(&out, "%s\n", strings.Join(cells, " | "))
				}
				if first == 0 {
					t.Error("a chunk before its begin")
				}
				return nil
			},
			Bad: func(b format.Bad) error {
				fmt.Fprintf(&out, "bad %d %q %s\n", b.Line, b.Column, b.Reason)
				return nil
			},
			Notice: func(text string) { fmt.Fprintf(&out, "notice %s\n", text) },
		}, func(row int64) { first = row })
		if err != nil {
			return out.String(), err
		}
	}
	return out.String(), nil
}

func field(name string, t types.Type) types.Field {
	return types.Field{Name: name, Type: t, Nullable: true}
}

func TestConversions(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	utc := func(u arrow.TimeUnit) arrow.DataType { return &arrow.TimestampType{Unit: u, TimeZone: "UTC"} }
	local := &arrow.TimestampType{Unit: arrow.Microsecond}
	for _, c := range []struct {
		name     string
		from     arrow.DataType
		values   string // JSON
		to       types.Type
		settings cell.Settings
		want     string
	}{
		{"as it is", arrow.PrimitiveTypes.Int64, `1,null`, types.Of(types.BigInt), cell.Settings{}, "1, NULL"},
		{"wider", arrow.PrimitiveTypes.Int8, `-1,127`, types.Of(types.BigInt), cell.Settings{}, "-1, 127"},
		{"narrower", arrow.PrimitiveTypes.Int64, `1,300,2`, types.Of(types.UTinyInt), cell.Settings{}, `1, bad 2 "v" expected UTINYINT, found 300, 2`},
		{"unsigned", arrow.PrimitiveTypes.Uint8, `255`, types.Of(types.Int), cell.Settings{}, "255"},
		{"unsigned of 64 bits", arrow.PrimitiveTypes.Uint64, `9223372036854775808,1`, types.Of(types.BigInt), cell.Settings{}, `bad 1 "v" expected BIGINT, found 9223372036854775808, 1`},
		{"float to double", arrow.PrimitiveTypes.Float32, `1.5,null`, types.Of(types.Double), cell.Settings{}, "1.5, NULL"},
		{"int to double", arrow.PrimitiveTypes.Uint32, `4294967295`, types.Of(types.Double), cell.Settings{}, "4294967295"},
		{"double to float", arrow.PrimitiveTypes.Float64, `0.1`, types.Of(types.Float), cell.Settings{}, "0.1"},
		{"decimal", &arrow.Decimal128Type{Precision: 10, Scale: 2}, `"123.45","-0.05"`, types.DecimalOf(10, 2), cell.Settings{}, "123.45, -0.05"},
		{"decimal of another scale", &arrow.Decimal128Type{Precision: 10, Scale: 2}, `"123.45","99999.99"`, types.DecimalOf(6, 3), cell.Settings{}, `123.450, bad 2 "v" expected DECIMAL(6,3), found 99999.99`},
		{"int to decimal", arrow.PrimitiveTypes.Int32, `7`, types.DecimalOf(6, 2), cell.Settings{}, "7.00"},
		{"null type", arrow.Null, `null,null`, types.Of(types.BigInt), cell.Settings{}, "NULL, NULL"},
		{"null type as text", arrow.Null, `null`, types.Of(types.Varchar), cell.Settings{}, "NULL"},
		{"null type as a struct", arrow.Null, `null`, types.StructOf(field("x", types.Of(types.Int))), cell.Settings{}, "NULL"},
		{"null type in a list", arrow.ListOf(arrow.Null), "[null]\n[]\nnull", types.ListOf(types.Of(types.Date)), cell.Settings{}, "[NULL], [], NULL"},
		{"decimal to double", &arrow.Decimal128Type{Precision: 7, Scale: 2}, `"20.50","-0.05",null`, types.Of(types.Double), cell.Settings{}, "20.5, -0.05, NULL"},
		{"decimal to int", &arrow.Decimal128Type{Precision: 7, Scale: 2}, `"20.00","20.50","-3.00","300.00"`, types.Of(types.TinyInt), cell.Settings{},
			`20, bad 2 "v" expected TINYINT, found 20.5, -3, bad 4 "v" expected TINYINT, found 300`},
		{"double to int", arrow.PrimitiveTypes.Float64, `3,3.5,1e300,-2,null`, types.Of(types.BigInt), cell.Settings{},
			`3, bad 2 "v" expected BIGINT, found 3.5, bad 3 "v" expected BIGINT, found 1e+300, -2, NULL`},
		{"float to decimal", arrow.PrimitiveTypes.Float32, `0.1,20.555,1e9`, types.DecimalOf(6, 2), cell.Settings{}, `0.10, 20.56, bad 3 "v" expected DECIMAL(6,2), found 1e+09`},
		{"double to decimal", arrow.PrimitiveTypes.Float64, `0.1,-7`, types.DecimalOf(6, 2), cell.Settings{}, `0.10, -7.00`},
		{"a date of milliseconds", arrow.FixedWidthTypes.Date64, `"2024-07-01"`, types.Of(types.Timestamp), cell.Settings{}, "2024-07-01 00:00:00"},
		{"local as text", local, `"2024-07-01 12:00:00"`, types.Of(types.Varchar), cell.Settings{}, "2024-07-01 12:00:00"},
		{"UTC as text", utc(arrow.Microsecond), `"2024-07-01 12:00:00"`, types.Of(types.Varchar), cell.Settings{}, "2024-07-01 12:00:00Z"},
		{"seconds", utc(arrow.Millisecond), `"2024-05-24 08:15:00.123"`, types.Of(types.Timestamp), cell.Settings{}, "2024-05-24 08:15:00.123"},
		{"micros", utc(arrow.Microsecond), `"2024-05-24 08:15:00.123456"`, types.Of(types.Timestamp), cell.Settings{}, "2024-05-24 08:15:00.123456"},
		{"nanos", utc(arrow.Nanosecond), `"1969-12-31 23:59:59.999999999"`, types.Of(types.Timestamp), cell.Settings{}, "1969-12-31 23:59:59.999999"},
		{"local", local, `"2024-07-01 12:00:00"`, types.Of(types.Timestamp), cell.Settings{Zone: paris}, "2024-07-01 10:00:00"},
		{"local is UTC", local, `"2024-07-01 12:00:00"`, types.Of(types.Timestamp), cell.Settings{}, "2024-07-01 12:00:00"},
		{"UTC in spite of a zone", utc(arrow.Microsecond), `"2024-07-01 12:00:00"`, types.Of(types.Timestamp), cell.Settings{Zone: paris}, "2024-07-01 12:00:00"},
		{"a date", arrow.FixedWidthTypes.Date32, `"2024-07-01"`, types.Of(types.Timestamp), cell.Settings{}, "2024-07-01 00:00:00"},
		{"epoch", arrow.PrimitiveTypes.Int64, `1517365101235`, types.Of(types.Timestamp), cell.Settings{EpochUnit: types.EpochMillis}, "2018-01-31 02:18:21.235"},
		{"no epoch", arrow.PrimitiveTypes.Int64, `1517365101235`, types.Of(types.Timestamp), cell.Settings{}, `E_DECODE: column "v" of file "f.parquet" is BIGINT, and the stream declares it TIMESTAMP`},
		{"text", arrow.BinaryTypes.String, `"x",null`, types.Of(types.Varchar), cell.Settings{}, "x, NULL"},
		{"bytes as text", arrow.BinaryTypes.Binary, `"aGk=","/w=="`, types.Of(types.Varchar), cell.Settings{}, `hi, bad 2 "v" text is not valid UTF-8`},
		{"number as text", arrow.PrimitiveTypes.Int32, `12`, types.Of(types.Varchar), cell.Settings{}, "12"},
		{"text is no number", arrow.BinaryTypes.String, `"12"`, types.Of(types.Int), cell.Settings{}, `E_DECODE: column "v" of file "f.parquet" is VARCHAR, and the stream declares it INTEGER`},
		{"bytes", &arrow.FixedSizeBinaryType{ByteWidth: 2}, `"aGk="`, types.Of(types.Blob), cell.Settings{}, "x'6869'"},
		{"time of day", arrow.FixedWidthTypes.Time64us, `"10:00:00"`, types.Of(types.Varchar), cell.Settings{}, "10:00:00.000000"},
		{"dictionary", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, `"a","b",null,"a"`, types.Of(types.Varchar), cell.Settings{}, "a, b, NULL, a"},
		{"list", arrow.ListOf(arrow.PrimitiveTypes.Int64), "[1,null]\nnull\n[]\n[300,1]", types.ListOf(types.Of(types.TinyInt)), cell.Settings{},
			`[1, NULL], NULL, [], bad 4 "v[]" expected TINYINT, found 300`},
		{"struct", arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}),
			"{\"x\":1,\"y\":\"a\"}\nnull\n{\"x\":null,\"y\":\"b\"}", types.StructOf(field("y", types.Of(types.Varchar)), field("z", types.Of(types.Int)), field("x", types.Of(types.Double))), cell.Settings{},
			`{y: a, z: NULL, x: 1}, NULL, {y: b, z: NULL, x: NULL}`},
		{"map", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), "[{\"key\":\"a\",\"value\":1}]\n[]", types.MapOf(types.Of(types.Varchar), types.Of(types.BigInt)), cell.Settings{}, `{a: 1}, {}`},
		{"struct is no number", arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32}), `{"x":1}`, types.Of(types.Int), cell.Settings{},
			`E_DECODE: column "v" of file "f.parquet" is STRUCT("x" INTEGER), and the stream declares it INTEGER`},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: c.from, Nullable: true}}, nil)
			values := strings.Split(c.values, ",")
			if strings.ContainsAny(c.values, "[{") {
				values = strings.Split(c.values, "\n") // a value per line
			}
			data := written(t, schema, `[{"v":`+strings.Join(values, `},{"v":`)+`}]`, 100, pqarrow.WithStoreSchema())
			got, err := read(t, &Shape{Fields: []types.Field{field("v", c.to)}, Settings: c.settings}, data, 100)
			got = strings.ReplaceAll(strings.TrimSuffix(got, "\n"), "\n", ", ")
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestInt96(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, Nullable: true}}, nil)
	data := written(t, schema, `[{"at":"2024-05-24 08:15:00.123456"},{"at":null}]`, 10, pqarrow.WithDeprecatedInt96Timestamps(true))
	got, err := read(t, &Shape{Fields: []types.Field{field("at", types.Of(types.Timestamp))}}, data, 10)
	if err != nil || got != "2024-05-24 08:15:00.123456\nNULL\n" {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestRows reads several groups in chunks: columns by name in another order, one that
// the file lacks, a bad row in the middle, and no column at all.
func TestRows(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "A", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	data := written(t, schema, `[{"A":1,"b":"x"},{"A":2,"b":"y"},{"A":300,"b":"z"},{"A":4,"b":null},{"A":5,"b":"v"},{"A":600,"b":"w"}]`, 4)
	for _, chunkRows := range []int{1, 2, 3, 10} {
		for _, c := range []struct {
			fields []types.Field
			want   string
		}{
			{[]types.Field{field("b", types.Of(types.Varchar)), field("c", types.Of(types.Int)), field("a", types.Of(types.TinyInt))},
				"x | NULL | 1\ny | NULL | 2\nNULL | NULL | 4\nv | NULL | 5\n"},
			{nil, "\n\n\n\n\n\n"},
		} {
			got, err := read(t, &Shape{Fields: c.fields}, data, chunkRows)
			var rows, rest strings.Builder
			for line := range strings.Lines(got) {
				if strings.HasPrefix(line, "bad") || strings.HasPrefix(line, "notice") {
					rest.WriteString(line)
				} else {
					rows.WriteString(line)
				}
			}
			wantRest := ""
			if c.fields != nil {
				const notice = "notice column \"c\" is not in file \"f.parquet\" and is NULL there\n"
				wantRest = notice + "bad 3 \"a\" expected TINYINT, found 300\n" + notice + "bad 6 \"a\" expected TINYINT, found 600\n"
			}
			if err != nil || rows.String() != c.want || rest.String() != wantRest {
				t.Errorf("chunks of %d: %v\ngot\n%swant\n%s%s", chunkRows, err, got, c.want, wantRest)
			}
		}
	}
}

func TestDamage(t *testing.T) {
	pair := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "p", Type: pair, Nullable: true}}, nil)
	rows := `[{"a":"` + strings.Repeat(`some text that is long","p":{"x":"text in it","y":7}},{"a":"`, 200) + `end"}]`
	data := written(t, schema, rows, 1000)
	if !Whole(bytes.NewReader(data), int64(len(data))) || Whole(bytes.NewReader(data), int64(len(data)-1)) || Whole(bytes.NewReader(nil), 0) {
		t.Error("Whole is wrong")
	}
	shape := &Shape{Fields: []types.Field{field("a", types.Of(types.Varchar)), field("p", types.StructOf(field("x", types.Of(types.Varchar)), field("y", types.Of(types.BigInt))))}}
	for _, cut := range []int{0, 3, 11, len(data) / 2, len(data) - 1} {
		if got, err := read(t, shape, data[:cut], 10); err == nil {
			t.Errorf("%d bytes: no error, %s", cut, got)
		}
	}
	// Any changed byte gives rows, a bad row or an error, and never ends the process.
	for i := 4; i < len(data)-8; i++ {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0xFF
		_, _ = read(t, shape, damaged, 100)
	}
}

// What goes wrong where rows are taken is no damage of the file, whose rows would be lost as bad ones:
// neither a panic, nor the end of the reading.
func TestFaultsOfWhoTakesTheRows(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	data := written(t, schema, `[{"a":1},{"a":2},{"a":3}]`, 3)
	f, err := Open("f.parquet", bytes.NewReader(data), int64(len(data)), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	shape := &Shape{Fields: []types.Field{field("a", types.Of(types.BigInt))}}
	run := func(ctx context.Context, emit func()) (panicked any, err error) {
		defer func() { panicked = recover() }()
		return nil, shape.Read(ctx, f, 0, format.Output{
			Emit:   func(arrow.Record) error { emit(); return nil },
			Bad:    func(b format.Bad) error { t.Errorf("a bad row: %s", b.Reason); return nil },
			Notice: func(string) {},
		}, func(int64) {})
	}
	if panicked, err := run(t.Context(), func() { panic("a bug") }); panicked != "a bug" {
		t.Errorf("a panic became %v, %v", err, panicked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := run(ctx, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("ended in the first chunk: %v", err)
	}
	if _, err := run(ctx, func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended before: %v", err)
	}
}

// page returns a page with a header as parquet.thrift has it.
func page(data string, sum uint32) []byte {
	number := func(b []byte, head byte, v int64) []byte { return binary.AppendVarint(append(b, head), v) }
	b := number(number(number(nil, 0x15, 0), 0x15, int64(len(data))), 0x15, int64(len(data)))
	b = number(b, 0x15, int64(int32(sum)))
	b = append(b, 0x1C)                     // data_page_header
	b = number(number(b, 0x15, 3), 0x15, 0) // values, encoding
	b = append(b, 0x3C, 0x18, 2, 'x', 'y')  // statistics: binary
	b = append(b, 0x19, 0x25, 2, 4, 0x11, 0, 0)
	return append(append(b, 0), data...)
}

func TestChecksums(t *testing.T) {
	sum := crc32.ChecksumIEEE
	good := append(page("first", sum([]byte("first"))), page("second page", sum([]byte("second page")))...)
	if err := checkSums(good); err != nil {
		t.Error(err)
	}
	for i := len(good) - len("second page"); i < len(good); i++ {
		bad := bytes.Clone(good)
		bad[i] ^= 4
		if err := checkSums(bad); err == nil || !strings.HasPrefix(err.Error(), "page 2 is damaged: its checksum is ") {
			t.Errorf("byte %d flipped: %v", i, err)
		}
	}
	for i := range good {
		_ = checkSums(good[:i]) // what ends early is the library's
	}
}

// TestListBehindAnother reads a list that is not the first column of the file.
func TestListBehindAnother(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true}}, nil)
	got, err := read(t, &Shape{Fields: []types.Field{field("l", types.ListOf(types.Of(types.BigInt)))}}, written(t, schema, `[{"a":"x","l":[1,2]},{"a":"y","l":null}]`, 10), 10)
	if err != nil || got != "[1, 2]\nNULL\n" {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestDuckDBFiles reads what DuckDB writes, with the types that it gives.
func TestDuckDBFiles(t *testing.T) {
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	name := filepath.Join(t.TempDir(), "f.parquet")
	_, err = db.Exec(`COPY (SELECT i::TINYINT AS tiny, i::UINTEGER AS u, i / 4 AS real, (i / 4)::FLOAT AS f, (i * 1.25)::DECIMAL(18,3) AS d, 'text ' || i AS s, i % 2 = 0 AS b,
		DATE '2024-01-01' + i::INT AS day, TIMESTAMP '2024-01-01 00:00:00.123456' + INTERVAL (i) HOUR AS at, TIMESTAMP_NS '2024-01-01 00:00:00.000000001' AS ns, [i, NULL] AS l, {'x': i, 'y': [i]} AS st, MAP {'k': i} AS m
		FROM range(3) t(i) UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) TO '` + name + `' (FORMAT parquet)`)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open("f", bytes.NewReader(data), int64(len(data)), 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	fields := f.Fields()
	var list []string
	for _, f := range fields {
		list = append(list, f.Name+" "+f.Type.String())
	}
	const wantFields = `tiny TINYINT, u UINTEGER, real DOUBLE, f FLOAT, d DECIMAL(18,3), s VARCHAR, b BOOLEAN, day DATE, at TIMESTAMP, ns TIMESTAMP, l BIGINT[], st STRUCT("x" BIGINT, "y" BIGINT[]), m MAP(VARCHAR, BIGINT)`
	if got := strings.Join(list, ", "); got != wantFields {
		t.Errorf("fields\n%s\nwant\n%s", got, wantFields)
	}
	got, err := read(t, &Shape{Fields: fields}, data, 2)
	want := `0 | 0 | 0 | 0 | 0.000 | text 0 | true | 2024-01-01 | 2024-01-01 00:00:00.123456 | 2024-01-01 00:00:00 | [0, NULL] | {x: 0, y: [0]} | {k: 0}
1 | 1 | 0.25 | 0.25 | 1.250 | text 1 | false | 2024-01-02 | 2024-01-01 01:00:00.123456 | 2024-01-01 00:00:00 | [1, NULL] | {x: 1, y: [1]} | {k: 1}
2 | 2 | 0.5 | 0.5 | 2.500 | text 2 | true | 2024-01-03 | 2024-01-01 02:00:00.123456 | 2024-01-01 00:00:00 | [2, NULL] | {x: 2, y: [2]} | {k: 2}
NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL
`
	if err != nil || got != want {
		t.Errorf("%v, got\n%swant\n%s", err, got, want)
	}
}

// BenchmarkRead reads 1 M sensor rows of five columns.
func BenchmarkRead(b *testing.B) {
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	name := filepath.Join(b.TempDir(), "f.parquet")
	if _, err := db.Exec(`COPY (SELECT 'dev-' || (i * 7919 % 1000) AS device_id, 'e' || i AS event_id, TIMESTAMP '2026-11-30 12:00:00' + INTERVAL (i * 7) MILLISECOND AS event_time,
		15 + (i % 2000) / 100 AS temp FROM range(1000000) t(i)) TO '` + name + `' (FORMAT parquet, COMPRESSION zstd)`); err != nil {
		b.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	f, err := Open("f", bytes.NewReader(data), int64(len(data)), 8192, []string{"device_id"})
	if err != nil {
		b.Fatal(err)
	}
	fields := f.Fields()
	s := &Shape{Fields: fields, Encode: []bool{true}}
	rows := int64(0)
	for b.Loop() {
		for g := range f.Groups() {
			err := s.Read(b.Context(), f, g, format.Output{Emit: func(rec arrow.Record) error { rows += rec.NumRows(); return nil }}, func(int64) {})
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
