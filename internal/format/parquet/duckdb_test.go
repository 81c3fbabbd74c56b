package parquet

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"ssql/sql/types"
)

func openDuckDB(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// spelling turns our spelling of values into DuckDB's.
var spelling = strings.NewReplacer("NaN", "nan", "Infinity", "inf", "{x: ", "{'x': ", ", y: ", ", 'y': ", "{k: ", "{k=", "[{y: ", "[{'y': ", "''", "")

// sameAsDuckDB compares what this package and DuckDB read of a file, as text. theirs says,
// per column, the expression over v that DuckDB shows; "" is v itself.
func sameAsDuckDB(t *testing.T, db *sql.DB, data []byte, encode bool, theirs map[string]string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f.parquet")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open("f", bytes.NewReader(data), int64(len(data)), 7, nil)
	if err != nil {
		t.Fatal(err)
	}
	fields := f.Fields()
	s := &Shape{Fields: fields, Encode: make([]bool, len(fields))}
	var shown []string
	for i, field := range fields {
		s.Encode[i] = encode
		v := types.QuoteIdent(field.Name)
		if x := theirs[field.Name]; x != "" {
			v = regexp.MustCompile(`\bv\b`).ReplaceAllString(x, v)
		}
		shown = append(shown, "coalesce(("+v+")::VARCHAR, 'NULL')")
	}
	got, err := read(t, s, data, 7)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(fmt.Sprintf("SELECT %s FROM read_parquet('%s')", strings.Join(shown, " || ' | ' || "), name))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var want []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		want = append(want, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	ours := strings.Split(strings.TrimSuffix(spelling.Replace(got), "\n"), "\n")
	if slices.Equal(ours, want) {
		return
	}
	for i := range min(len(ours), len(want)) {
		if ours[i] != want[i] {
			t.Fatalf("row %d of columns %v\ngot  %s\nwant %s", i, fields, ours[i], want[i])
		}
	}
	t.Fatalf("%d rows, want %d", len(ours), len(want))
}

// TestLikeDuckDB compares the readers on files that DuckDB writes: every type, several row
// groups, every compression.
func TestLikeDuckDB(t *testing.T) {
	db := openDuckDB(t)
	const columns = `SELECT i::TINYINT AS i8, (i * 300)::SMALLINT AS i16, i::INTEGER AS i32, i::UTINYINT AS u8, (i * 60)::USMALLINT AS u16, i::UINTEGER AS u32, (i * 1000000007)::UBIGINT AS u64,
		i % 3 = 0 AS truth, (i + 0.5)::FLOAT AS f32, CASE i % 5 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN '-inf'::DOUBLE ELSE (i + 0.5) / 8 END AS f64,
		(i * 0.01)::DECIMAL(4,2) AS d4, (i * 12.345)::DECIMAL(9,3) AS d9, (i * -12345678.9)::DECIMAL(18,4) AS d18, (i * 98765432109876.54321)::DECIMAL(38,10) AS d38,
		'text ' || (i % 4) AS few, repeat('é' || i, i::INTEGER % 5) AS many, 'blob'::BLOB AS bytes, DATE '1969-12-25' + i::INTEGER AS day,
		TIMESTAMP '1969-12-31 23:59:58.5' + INTERVAL (i * 333333) MICROSECOND AS us, (TIMESTAMP '1969-12-31 23:59:58' + INTERVAL (i) SECOND)::TIMESTAMP_S AS s,
		(TIMESTAMP '1969-12-31 23:59:58' + INTERVAL (i * 250) MILLISECOND)::TIMESTAMP_MS AS ms, (TIMESTAMP '1969-12-31 23:59:59.999995' + INTERVAL (i) MICROSECOND)::TIMESTAMP_NS AS ns, (TIMESTAMP '2024-01-01 10:00:00' + INTERVAL (i) HOUR)::TIMESTAMPTZ AS tz,
		CASE WHEN i % 4 > 0 THEN range(i % 4) END AS list, [[i], [], NULL] AS lists, {'x': i, 'y': 'b' || i} AS pair, CASE WHEN i % 2 = 0 THEN {'x': [{'y': i}], 'y': NULL::INTEGER} END AS deep,
		MAP {'k': i} AS map, MAP {'k': [i, NULL]} AS maps, ('e' || i % 2)::VARCHAR AS enumerated
		FROM range(100) t(i)`
	for _, compression := range []string{"uncompressed", "snappy", "gzip", "zstd", "brotli"} {
		name := filepath.Join(t.TempDir(), "f.parquet")
		query := fmt.Sprintf("COPY (SELECT CASE WHEN i8 %% 10 = 9 THEN NULL ELSE few END AS sometimes, * FROM (%s) ORDER BY i8) TO '%s' (FORMAT parquet, COMPRESSION %s, ROW_GROUP_SIZE 30)", columns, name, compression)
		if _, err := db.Exec(query); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, encode := range []bool{false, true} {
			sameAsDuckDB(t, db, data, encode, map[string]string{"tz": "v::TIMESTAMP", "ns": "v::TIMESTAMP", "s": "v::TIMESTAMP", "ms": "v::TIMESTAMP", "bytes": "'x''' || lower(hex(v)) || ''''"})
		}
	}
}

// TestLikeDuckDBOnArrow compares the readers on random files that Arrow writes: timestamps
// of every unit and as INT96, decimals of every width, dictionaries that are given up
// half-way, both kinds of pages.
func TestLikeDuckDBOnArrow(t *testing.T) {
	db := openDuckDB(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range 12 {
		var fields []arrow.Field
		add := func(name string, kind arrow.DataType) {
			fields = append(fields, arrow.Field{Name: name, Type: kind, Nullable: true})
		}
		for _, unit := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond} {
			add("at_"+unit.String(), &arrow.TimestampType{Unit: unit, TimeZone: "UTC"})
			add("wall_"+unit.String(), &arrow.TimestampType{Unit: unit})
		}
		for _, precision := range []int32{3, 9, 10, 18, 19, 38} {
			add(fmt.Sprintf("d%d", precision), &arrow.Decimal128Type{Precision: precision, Scale: 2})
		}
		add("key", arrow.BinaryTypes.String)
		add("id", arrow.BinaryTypes.String)
		schema := arrow.NewSchema(fields, nil)
		rec := randomRecord(random, schema, 500)
		var out bytes.Buffer
		options := []parquet.WriterProperty{
			parquet.WithCompression([]compress.Compression{compress.Codecs.Snappy, compress.Codecs.Zstd}[round%2]),
			parquet.WithDictionaryDefault(round%3 > 0), parquet.WithDictionaryPageSizeLimit(int64(200 + random.IntN(2000))), parquet.WithDataPageSize(int64(100 + random.IntN(1000))),
			parquet.WithDataPageVersion([]parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2}[round/2%2]),
		}
		table := array.NewTableFromRecords(schema, []arrow.Record{rec})
		err := pqarrow.WriteTable(table, &out, int64(50+random.IntN(500)), parquet.NewWriterProperties(options...), pqarrow.NewArrowWriterProperties(pqarrow.WithDeprecatedInt96Timestamps(round%4 == 3)))
		table.Release()
		rec.Release()
		if err != nil {
			t.Fatal(err)
		}
		theirs := map[string]string{}
		for _, f := range fields {
			if f.Type.ID() == arrow.TIMESTAMP {
				theirs[f.Name] = "v::TIMESTAMP"
			}
		}
		sameAsDuckDB(t, db, out.Bytes(), round%2 == 0, theirs)
	}
}

func randomRecord(random *rand.Rand, schema *arrow.Schema, rows int) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i, f := range schema.Fields() {
		for row := range rows {
			if random.IntN(8) == 0 {
				b.Field(i).AppendNull()
				continue
			}
			switch column := b.Field(i).(type) {
			case *array.TimestampBuilder:
				second := random.Int64N(4_000_000_000) - 1_000_000_000
				column.Append(arrow.Timestamp(second * int64(1e9) / int64(f.Type.(*arrow.TimestampType).Unit.Multiplier())))
			case *array.Decimal128Builder:
				digits := min(f.Type.(*arrow.Decimal128Type).Precision, 18)
				v := int64(1)
				for range digits {
					v *= 10
				}
				column.Append(decimal128.FromI64(random.Int64N(v) - v/2))
			case *array.StringBuilder:
				if f.Name == "key" {
					column.Append(fmt.Sprintf("key %d", random.IntN(12)))
				} else {
					column.Append(fmt.Sprintf("id %d ü", row))
				}
			}
		}
	}
	return b.NewRecord()
}

// TestTextThatIsNoUTF8 shows that such a value is a bad row, in a dictionary or not.
func TestTextThatIsNoUTF8(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	// The bytes of é, parted between two values, are UTF-8 as a whole.
	b.Field(0).(*array.StringBuilder).AppendValues([]string{"ok", "\xC3", "\xA9", "é", "\xFF", "ok"}, nil)
	rec := b.NewRecord()
	defer rec.Release()
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	defer table.Release()
	var out bytes.Buffer
	if err := pqarrow.WriteTable(table, &out, 100, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps()); err != nil {
		t.Fatal(err)
	}
	const bad = " \"s\" text is not valid UTF-8\n"
	want := "ok\nbad 2" + bad + "bad 3" + bad + "é\nbad 5" + bad + "ok\n"
	for _, encode := range []bool{false, true} {
		got, err := read(t, &Shape{Fields: []types.Field{field("s", types.Of(types.Varchar))}, Encode: []bool{encode}}, out.Bytes(), 10)
		if got != want || err != nil {
			t.Errorf("encode %v: got\n%s%v\nwant\n%s", encode, got, err, want)
		}
	}
}
