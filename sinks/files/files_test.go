package files

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/duck"
	"ssql/internal/vfs"
	"ssql/sinks"
	"ssql/sinks/sinktest"
	"ssql/sources"
	"ssql/sql/types"
)

// variant is a way to write files that passes the conformance test.
type variant struct {
	name    string
	options string // "format=csv single_file=true"
}

var variants = []variant{
	{"parquet", "format=parquet"},
	{"parquet in zstd", "format=parquet compression=zstd"},
	{"csv without header, with a text for NULL", "format=csv header=false null_text=NULL"},
	{"csv in gzip", "format=csv compression=gzip"},
	{"json in zstd", "format=json compression=zstd"},
	{"debezium", "format=debezium_json"},
	{"one csv file", "format=csv single_file=true"},
	{"one json file in gzip", "format=json single_file=true compression=gzip"},
}

// values parses options of a test and gives them their types.
func values(t testing.TB, dir, text string) sources.Values {
	t.Helper()
	var given []sources.Given
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		given = append(given, sources.Given{Name: name, Text: value})
	}
	set, err := sources.CheckOptions("connector", options(), given)
	if err != nil {
		t.Fatal(err)
	}
	return sources.Values{BaseDir: dir, Set: set}
}

// testPlace is a folder that sinks write to, and a DuckDB that reads it.
type testPlace struct {
	dir     string
	options string
	db      *duck.DB
	sinks   map[string]*Sink // the last one by target
}

func openDB(t *testing.T) *duck.DB {
	t.Helper()
	db, err := duck.Open(":memory:", duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func newPlace(t *testing.T, db *duck.DB, options string) *testPlace {
	return &testPlace{dir: t.TempDir(), options: options, db: db, sinks: map[string]*Sink{}}
}

func (p *testPlace) Open(t *testing.T, o sinks.OpenContext) (sinks.Sink, error) {
	o.Options = values(t, p.dir, p.options+" path="+url.PathEscape(o.Target))
	s, err := Open(vfs.OS{}, o)
	if err != nil {
		return nil, err
	}
	p.sinks[o.Target] = s
	return s, nil
}

func (p *testPlace) Rows(t *testing.T, target string) []string {
	t.Helper()
	return p.query(t, p.sinks[target].Select())
}

func (p *testPlace) query(t *testing.T, text string) []string {
	t.Helper()
	c, release, err := p.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	reader, err := c.QueryArrow(context.Background(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer reader.Release()
	var records []arrow.Record
	for reader.Next() {
		reader.Record().Retain()
		records = append(records, reader.Record())
	}
	if err := reader.Err(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return sinktest.Texts(records...)
}

func TestConformance(t *testing.T) {
	db := openDB(t)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			sinktest.Run(t, func(t *testing.T) sinktest.Place { return newPlace(t, db, v.options) })
		})
	}
	t.Run("one parquet file", func(t *testing.T) {
		sinktest.Complete(t, newPlace(t, db, "format=parquet single_file=true"))
	})
}

// TestPartitions partitions by the columns w and k, also by texts that no folder can be
// called, and reads everything back through the folders.
func TestPartitions(t *testing.T) {
	db := openDB(t)
	odd := []string{"a", "", "NULL", "..", ".hidden", "a/b", `a\b`, "50%", "k=v", "x y", "*?[a]", "{a,b}", "ü", nullFolder, "a+b", "'q'", `"`, "\n", ":", "null", "Null", "~", "trailing ", "#", "%2F", "%5F_HIVE_DEFAULT_PARTITION__"}
	for _, format := range []string{"parquet", "csv", "json", "debezium_json"} {
		t.Run(format, func(t *testing.T) {
			p := newPlace(t, db, "partition_by=K,w format="+format)
			o := sinktest.Context("t", types.Append)
			s := sinktest.MustOpen(t, p, o)
			var rows []sinktest.Row
			var want []string
			for i, k := range odd {
				rows = append(rows, sinktest.Row{Minute: int64(i % 2), K: k, N: int64(i)})
				shown := k
				if k == "" {
					shown = "NULL" // an empty text cannot name a folder
				}
				text := array.NewStringBuilder(memory.DefaultAllocator)
				text.Append(shown)
				if shown != "NULL" {
					shown = types.Text(text.NewArray(), 0)
				}
				want = append(want, fmt.Sprintf("1970-01-01 00:0%d:00 | %s | %d", i%2, shown, i))
			}
			sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(rows...)))
			sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 1, sinktest.Record(sinktest.Row{Minute: 0, K: "a", N: 99})))
			sinktest.WantRows(t, p, "t", append(want, "1970-01-01 00:00:00 | a | 99")...)
			found, err := filepath.Glob(filepath.Join(p.dir, "t", "k=a", "w=1970-01-01T00%3A00%3A00Z", "part-*"))
			if err != nil || len(found) != 2 {
				t.Errorf("files of one partition: %q, %v", found, err)
			}
		})
	}
}

// A value that is too long for the name of a folder keeps its beginning and a digest: two of
// them stay apart, and the batch is stored.
func TestLongPartitionValues(t *testing.T) {
	db := openDB(t)
	for _, part := range []string{"x", "ü", "/", "%"} {
		p := newPlace(t, db, "partition_by=K,w format=parquet")
		o := sinktest.Context("t", types.Append)
		s := sinktest.MustOpen(t, p, o)
		long := strings.Repeat(part, 300)
		sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(
			sinktest.Row{K: long + "1", N: 1}, sinktest.Row{K: long + "2", N: 2}, sinktest.Row{K: long + "1", N: 3})))
		folders, err := filepath.Glob(filepath.Join(p.dir, "t", "k=*"))
		if err != nil || len(folders) != 2 {
			t.Errorf("folders of %q: %q, %v", part, folders, err)
		}
		for _, folder := range folders {
			if name := filepath.Base(folder); len(name) > folderBytesMax || !utf8.ValidString(name) || !strings.Contains(name, "~") {
				t.Errorf("folder %q", name)
			}
		}
	}
}
