package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

// refusals are folders and options that cannot be; want is the whole message, "" for what
// can.
var refusals = []struct {
	name    string
	options string
	mode    types.Mode
	columns []string // nil: those of sinktest.Fields
	before  func(t *testing.T, disk *vfs.Mem)
	want    string
}{
	{name: "no path", options: "format=csv",
		want: `MISSING_OPTION connector "files" needs the option path`},
	{name: "a folder of somebody else", options: "path=/d",
		before: func(t *testing.T, disk *vfs.Mem) { put(t, disk, "/d/theirs.csv", "1") },
		want:   `E_SINK_SCHEMA folder "/d" holds "theirs.csv", which is not ssql's`},
	{name: "hidden files do not count", options: "path=/d",
		before: func(t *testing.T, disk *vfs.Mem) { put(t, disk, "/d/.gitkeep", "") },
		want:   ""},
	{name: "a file in the place of the folder", options: "path=/d",
		before: func(t *testing.T, disk *vfs.Mem) { put(t, disk, "/d", "1") },
		want:   `E_SINK_SCHEMA path "/d" is a file, expected a folder`},
	{name: "a file of somebody else", options: "path=/d.csv single_file=true format=csv",
		before: func(t *testing.T, disk *vfs.Mem) { put(t, disk, "/d.csv", "1") },
		want:   `E_SINK_SCHEMA file "/d.csv" is there already and is not ssql's`},
	{name: "another query", options: "path=/d format=json",
		before: func(t *testing.T, disk *vfs.Mem) { write(t, disk, "path=/d format=json", "other", types.Append) },
		want:   `E_SINK_SCHEMA "/d" holds the result of another query: "q" with the identity other`},
	{name: "another format", options: "path=/d format=csv",
		before: func(t *testing.T, disk *vfs.Mem) { write(t, disk, "path=/d format=json", "id-of-q", types.Append) },
		want:   `E_SINK_SCHEMA the files in "/d" have another shape than query "q" gives them now`},
	{name: "another mode", options: "path=/d format=json",
		before: func(t *testing.T, disk *vfs.Mem) { write(t, disk, "path=/d format=json", "id-of-q", types.Complete) },
		want:   `E_SINK_SCHEMA the files in "/d" have another shape than query "q" gives them now`},
	{name: "a partition that is no column", options: "path=/d partition_by=k,x",
		want: `UNRESOLVED_COLUMN query "q" has no column "x" that its files could be partitioned by`},
	{name: "nothing but partitions", options: "path=/d partition_by=k,w,n",
		want: `INVALID_OPTION all columns of query "q" name folders, the files would be empty`},
	{name: "one partitioned file", options: "path=/d partition_by=k single_file=true",
		want: `INVALID_OPTION one file cannot be partitioned by "k"`},
	{name: "one Parquet file that grows", options: "path=/d single_file=true",
		want: `INVALID_OPTION a Parquet file cannot grow, as single_file asks for`},
	{name: "one Parquet file that is replaced", options: "path=/d single_file=true", mode: types.Complete,
		want: ""},
	{name: "a column twice", options: "path=/d", columns: []string{"a", "b", "A"},
		want: `COLUMN_ALREADY_EXISTS column "A" would be twice in the files of query "q"`},
	{name: "a column of changes", options: "path=/d", mode: types.Update, columns: []string{"a", "Op", "c"},
		want: `E_SINK_SCHEMA in update mode the files have a column "op" of their own, and query "q" has one too`},
	{name: "a column of changes with another name", options: "path=/d op_column=change", mode: types.Update, columns: []string{"a", "Op", "c"},
		want: ""},
	{name: "a compression of another format", options: "path=/d format=csv compression=snappy",
		want: `INVALID_OPTION format "csv" has no compression "snappy"`},
	{name: "held by another process", options: "path=/d",
		before: func(t *testing.T, disk *vfs.Mem) {
			must(t, vfs.MakeDir(disk, "/d/_ssql"))
			_, err := disk.Lock("/d/_ssql/LOCK", []byte("pid 7"))
			must(t, err)
		},
		want: `E_SINK_LOCKED "/d" is being written to: locked by pid 7`},
	{name: "a damaged manifest", options: "path=/d",
		before: func(t *testing.T, disk *vfs.Mem) { damage(t, disk, 200) },
		want:   `E_SINK_CORRUPT manifest "/d/_ssql/manifest/00000000000000000000" is damaged: its checksum does not fit`},
	{name: "no manifest at all", options: "path=/d",
		before: func(t *testing.T, disk *vfs.Mem) { damage(t, disk, 2) },
		want:   `E_SINK_CORRUPT manifest "/d/_ssql/manifest/00000000000000000000" does not begin as a manifest does`},
	{name: "a file that grew behind our back", options: "path=/d.json format=json single_file=true",
		before: func(t *testing.T, disk *vfs.Mem) {
			write(t, disk, "path=/d.json format=json single_file=true", "id-of-q", types.Append)
			put(t, disk, "/d.json", "{}\n")
		},
		want: `E_SINK_CORRUPT file "/d.json" has 3 bytes, but batch 0 of query "q" left it with 43`},
	{name: "a file that is gone", options: "path=/d.json format=json single_file=true",
		before: func(t *testing.T, disk *vfs.Mem) {
			write(t, disk, "path=/d.json format=json single_file=true", "id-of-q", types.Append)
			must(t, disk.Remove("/d.json"))
		},
		want: `E_SINK_CORRUPT file "/d.json" of batch 0 of query "q" is gone`},
	{name: "a file of a folder that was taken away", options: "path=/d format=json",
		before: func(t *testing.T, disk *vfs.Mem) {
			write(t, disk, "path=/d format=json", "id-of-q", types.Append)
			must(t, disk.Remove("/d/part-0000000000-00000.json"))
		},
		want: ""},
}

// TestRefused opens a sink in each of them.
func TestRefused(t *testing.T) {
	for _, test := range refusals {
		t.Run(test.name, func(t *testing.T) {
			disk := vfs.NewMem()
			if test.before != nil {
				test.before(t, disk)
			}
			o := sinktest.Context("", test.mode, 0, 1)
			o.Columns = test.columns
			o.Options = values(t, "/", test.options)
			_, err := Open(disk, o)
			got := ""
			if err != nil {
				got = sqlerr.Code(err) + " " + err.Error()[strings.Index(err.Error(), sqlerr.Code(err)+": ")+len(sqlerr.Code(err)+": "):]
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, disk *vfs.Mem, name, text string) {
	t.Helper()
	must(t, vfs.MakeDir(disk, filepath.Dir(name)))
	must(t, vfs.WriteFile(disk, name, []byte(text)))
}

// write stores one batch of a query.
func write(t *testing.T, fsys vfs.FS, options, queryID string, mode types.Mode) {
	t.Helper()
	o := sinktest.Context("", mode)
	o.QueryID, o.Options = queryID, values(t, "/", options)
	s, err := Open(fsys, o)
	must(t, err)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{K: "a", N: 1})))
}

// damage changes one byte of a manifest.
func damage(t *testing.T, disk *vfs.Mem, at int64) {
	t.Helper()
	write(t, disk, "path=/d", "id-of-q", types.Append)
	f, err := disk.OpenWrite("/d/_ssql/manifest/00000000000000000000")
	must(t, err)
	_, err = f.WriteAt([]byte("#"), at)
	must(t, err)
	must(t, f.Close())
}

// TestManifestsAreBounded writes many batches and counts what ssql keeps to itself.
func TestManifestsAreBounded(t *testing.T) {
	disk := vfs.NewMem()
	o := sinktest.Context("", types.Append)
	o.Options = values(t, "/", "path=/d format=csv")
	s, err := Open(disk, o)
	must(t, err)
	const batches = 3*manifestsKept + 50
	for b := range int64(batches) {
		sinktest.MustWrite(t, s, sinktest.Batch(o, 1, b, sinktest.Record(sinktest.Row{K: "a", N: b})))
		names, err := manifests(disk, "/d/_ssql/manifest")
		must(t, err)
		if len(names) > manifestsKept+manifestsSlack || int64(len(names)) < min(b+1, manifestsKept) {
			t.Fatalf("%d manifests after batch %d", len(names), b)
		}
	}
	staged, err := disk.List("/d/_ssql/stage")
	if err != nil || len(staged) > 0 {
		t.Errorf("staged files that stay: %q, %v", staged, err)
	}
	if got := s.head.Totals; got != (totals{Files: batches, Rows: batches, Bytes: got.Bytes}) {
		t.Errorf("totals %+v", got)
	}
	s, err = Open(disk, o)
	must(t, err)
	sinktest.WantHead(t, s, o.QueryID, sinktest.Batch(o, 1, batches-1).Marker, true)
}

// TestNoValueLeavesTheFolder writes partitions of texts that are paths, to a real disk.
func TestNoValueLeavesTheFolder(t *testing.T) {
	dir := t.TempDir()
	o := sinktest.Context("", types.Append)
	o.Options = values(t, dir, "path=out partition_by=k format=json")
	s, err := Open(vfs.OS{}, o)
	must(t, err)
	var rows []sinktest.Row
	for _, k := range []string{"..", ".", "../x", "/etc", "a/../../b", `..\x`, "~", "-rf", "con", "a\x00b"} {
		rows = append(rows, sinktest.Row{K: k})
	}
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(rows...)))
	var found []string
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".json") {
			rel, _ := filepath.Rel(dir, filepath.Dir(path))
			found = append(found, rel)
		}
		return err
	}))
	want := []string{"out/k=%2E", "out/k=%2E.", "out/k=%2E.%2Fx", "out/k=%2E.%5Cx", "out/k=%2Fetc", "out/k=-rf", "out/k=a%00b", "out/k=a%2F..%2F..%2Fb", "out/k=con", "out/k=~"}
	slices.Sort(found)
	if fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("folders\n%q\nwant\n%q", found, want)
	}
	if outside, err := os.ReadDir(dir); err != nil || len(outside) != 1 {
		t.Errorf("beside the folder: %v, %v", outside, err)
	}
	long := sinktest.Batch(o, 1, 1, sinktest.Record(sinktest.Row{K: strings.Repeat("/../x", 60)}))
	sinktest.MustWrite(t, s, long)
	if outside, err := os.ReadDir(dir); err != nil || len(outside) != 1 {
		t.Errorf("beside the folder: %v, %v", outside, err)
	}
}

func content(t *testing.T, disk *vfs.Mem, name string) string {
	t.Helper()
	data, err := vfs.ReadFile(disk, name)
	must(t, err)
	return string(data)
}
