package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

// crashCase is a way to publish whose every write is made the last one before a crash.
type crashCase struct {
	name    string
	options string
	mode    types.Mode
}

var crashCases = []crashCase{
	{"files in folders", "format=json partition_by=k path=/data/out", types.Append},
	{"a file that grows", "format=json single_file=true path=/data/out.json", types.Append},
	{"a result in folders", "format=json partition_by=k path=/data/out", types.Complete},
	{"a result in one file", "format=json single_file=true path=/data/out.json", types.Complete},
}

const crashBatches = 5

// recordOf returns the rows of a batch: always a, and others that come and go.
func recordOf(batch int64) arrow.Record {
	rows := []sinktest.Row{{Minute: batch, K: "a", N: batch * 10}, {Minute: batch, K: "a", N: batch*10 + 1}}
	if batch%2 == 1 {
		rows = append(rows, sinktest.Row{Minute: batch, K: "b", N: batch*10 + 2})
	}
	if batch == 3 {
		rows = nil // an empty batch
	}
	return sinktest.Record(rows...)
}

// numbers are the values of column n in the rows of a batch.
func numbers(batch int64) []int64 {
	var out []int64
	rec := recordOf(batch)
	for i := range int(rec.NumRows()) {
		var n int64
		fmt.Sscan(rec.Column(2).ValueStr(i), &n)
		out = append(out, n)
	}
	return out
}

// life runs the query from where the sink is to its end, or to the first error.
func (c *crashCase) life(t *testing.T, fsys vfs.FS, generation int64) error {
	o := sinktest.Context("", c.mode)
	o.Options = values(t, "/", c.options)
	s, err := Open(fsys, o)
	if err != nil {
		return err
	}
	defer s.Close()
	head, ok, err := s.Head(context.Background(), o.QueryID)
	if err != nil {
		return err
	}
	next := int64(0)
	if ok {
		next = head.Batch + 1
	}
	for ; next < crashBatches; next++ {
		if err := s.Write(context.Background(), sinktest.Batch(o, generation, next, recordOf(next))); err != nil {
			return err
		}
	}
	return nil
}

// TestCrashAtEveryWrite crashes at every operation of a run, in every way a disk can be
// left, looks at the folder as a reader with a glob does, crashes once more somewhere in
// the recovery, lets the query end and looks again.
func TestCrashAtEveryWrite(t *testing.T) {
	for i := range crashCases {
		c := &crashCases[i]
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for k := 1; ; k++ {
				disk := newDisk(t)
				in := vfs.NewInjector(disk, vfs.Fault{At: k, Err: vfs.ErrCrashed})
				err := c.life(t, in, 1)
				if err == nil {
					c.check(t, disk, true)
					if k < 70 {
						t.Errorf("a run has %d operations only", k)
					}
					return
				}
				if !errors.Is(err, vfs.ErrCrashed) {
					t.Fatalf("crash at %d: %v", k, err)
				}
				for _, mode := range vfs.CrashModes() {
					c.recover(t, disk, mode, uint64(k))
				}
				if t.Failed() {
					t.Fatalf("crash at operation %d, the last of:\n%s", k, strings.Join(in.Trace(), "\n"))
				}
			}
		})
	}
}

// TestDiskFailsAtEveryWrite has a full disk at every operation of a run: the sink takes
// nothing more, no reader sees a part, and the next run, with room again, ends.
func TestDiskFailsAtEveryWrite(t *testing.T) {
	for i := range crashCases {
		c := &crashCases[i]
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for k := 1; ; k++ {
				disk := newDisk(t)
				err := c.life(t, vfs.NewInjector(disk, vfs.Fault{At: k, Err: syscall.ENOSPC}), 1)
				if err == nil {
					return
				}
				if !errors.Is(err, syscall.ENOSPC) || sqlerr.Code(err) != "E_STORAGE_FULL" {
					t.Fatalf("a full disk at %d gives %v", k, err)
				}
				c.check(t, disk, false)
				if err := c.life(t, disk, 2); err != nil {
					t.Fatalf("the run after a full disk at %d: %v", k, err)
				}
				c.check(t, disk, true)
			}
		})
	}
}

func newDisk(t *testing.T) *vfs.Mem {
	t.Helper()
	m := vfs.NewMem()
	if err := vfs.MakeDir(m, "/data"); err != nil {
		t.Fatal(err)
	}
	return m
}

// recover looks at what a crash has left, crashes within the recovery, and ends.
func (c *crashCase) recover(t *testing.T, disk *vfs.Mem, mode vfs.CrashMode, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, uint64(mode)))
	rounds := 1
	if mode == vfs.KeepSome || mode == vfs.TearLast { // they leave something else each time
		rounds = 2
	}
	for range rounds {
		left := disk.CrashClone(rng, mode)
		c.check(t, left, false)
		in := vfs.NewInjector(left, vfs.Fault{At: 1 + rng.IntN(60), Err: vfs.ErrCrashed})
		if err := c.life(t, in, 2); err != nil && !errors.Is(err, vfs.ErrCrashed) {
			t.Errorf("%s: the second run failed: %v", mode, err)
			return
		}
		left = left.CrashClone(rng, vfs.CrashModes()[rng.IntN(len(vfs.CrashModes()))])
		c.check(t, left, false)
		if err := c.life(t, left, 3); err != nil {
			t.Errorf("%s: the third run failed: %v", mode, err)
			return
		}
		c.check(t, left, true)
		c.checkRows(t, left.CrashClone(rng, vfs.LoseAll), crashBatches-1, true)
	}
}

// check compares what a reader sees with the batches that have a manifest. Before a
// recovery part of the newest may be missing; at the end everything is there.
func (c *crashCase) check(t *testing.T, disk *vfs.Mem, ended bool) {
	t.Helper()
	newest := newestBatch(t, disk)
	if ended {
		if newest != crashBatches-1 {
			t.Fatalf("the query ended, but the newest manifest is of batch %d", newest)
		}
		checkSwept(t, disk)
	}
	c.checkRows(t, disk, newest, ended)
}

// checkRows compares the rows alone. What was removed may come back when power is lost.
func (c *crashCase) checkRows(t *testing.T, disk *vfs.Mem, newest int64, ended bool) {
	t.Helper()
	if c.mode == types.Complete {
		c.checkComplete(t, disk, newest, ended)
		return
	}
	var must, may []int64
	for b := range newest + 1 {
		may = append(may, numbers(b)...)
		if b < newest || ended {
			must = append(must, numbers(b)...)
		}
	}
	var got []int64
	for _, text := range visible(t, disk) {
		lines := strings.SplitAfter(text, "\n")
		if last := lines[len(lines)-1]; last != "" && !strings.Contains(c.options, "single_file") {
			t.Errorf("a file ends within a row: %q", last)
		}
		for _, line := range lines[:len(lines)-1] {
			got = append(got, numberOf(t, line))
		}
	}
	slices.Sort(got)
	for i, n := range got {
		if !slices.Contains(may, n) || i > 0 && got[i-1] == n {
			t.Errorf("row %d is there, uncommitted or twice: %v, committed are %v", n, got, may)
		}
	}
	for _, n := range must {
		if !slices.Contains(got, n) {
			t.Errorf("row %d is missing from %v", n, got)
		}
	}
}

// checkSwept checks that nothing stays of batches that were not finished.
func checkSwept(t *testing.T, disk *vfs.Mem) {
	t.Helper()
	for _, state := range []string{"/data/out/_ssql", "/data/out.json.ssql"} {
		for _, dir := range []string{"stage", "manifest"} {
			names, err := disk.List(path.Join(state, dir))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			for _, n := range names {
				if strings.HasSuffix(n, vfs.TempSuffix) {
					t.Errorf("%s stays in %s", n, dir)
				}
			}
		}
	}
}

// checkComplete checks that every file holds the rows of one batch, the newest or, while
// it is published, the one before.
func (c *crashCase) checkComplete(t *testing.T, disk *vfs.Mem, newest int64, ended bool) {
	t.Helper()
	for name, text := range visible(t, disk) {
		allowed := []string{c.fileOf(newest, name)}
		if !ended {
			allowed = append(allowed, c.fileOf(newest-1, name))
		}
		if !slices.Contains(allowed, text) {
			t.Errorf("file %s holds %q, want one of %q", name, text, allowed)
		}
	}
	if ended && len(visible(t, disk)) != 1 {
		t.Errorf("files at the end: %v", visible(t, disk))
	}
	// What both results have is there at every moment.
	if !ended && newest > 0 && c.holdsA(newest) && c.holdsA(newest-1) && len(visible(t, disk)) == 0 {
		t.Errorf("nothing is there between the results of batches %d and %d", newest-1, newest)
	}
}

// holdsA reports whether the result of a batch has its first file.
func (c *crashCase) holdsA(batch int64) bool {
	return strings.Contains(c.options, "single_file") || len(numbers(batch)) > 0
}

// fileOf is the text of a file in the result of a batch.
func (c *crashCase) fileOf(batch int64, name string) string {
	var text strings.Builder
	if batch < 0 {
		return "there is no result yet"
	}
	inFolders := strings.Contains(c.options, "partition_by")
	for _, n := range numbers(batch) {
		k := "a"
		if n%10 == 2 {
			k = "b"
		}
		switch {
		case !inFolders:
			fmt.Fprintf(&text, `{"w":"1970-01-01T00:%02d:00Z","k":"%s","n":%d}`+"\n", batch, k, n)
		case strings.Contains(name, "k="+k+"/"):
			fmt.Fprintf(&text, `{"w":"1970-01-01T00:%02d:00Z","n":%d}`+"\n", batch, n)
		}
	}
	return text.String()
}

func numberOf(t *testing.T, line string) int64 {
	t.Helper()
	var row struct{ N int64 }
	if err := json.Unmarshal([]byte(line), &row); err != nil {
		t.Errorf("line %q: %v", line, err)
	}
	return row.N
}

// newestBatch returns the batch of the newest manifest, -1 if there is none.
func newestBatch(t *testing.T, disk *vfs.Mem) int64 {
	t.Helper()
	for _, dir := range []string{"/data/out/_ssql/manifest", "/data/out.json.ssql/manifest"} {
		names, err := manifests(disk, dir)
		if err != nil || len(names) == 0 {
			continue
		}
		m, err := readManifest(disk, path.Join(dir, names[len(names)-1]))
		if err != nil {
			t.Fatalf("a manifest that has its name cannot be read: %v", err)
		}
		return m.Batch
	}
	return -1
}

// visible returns the files that a reader with the glob **/*.json finds, by name.
func visible(t *testing.T, disk *vfs.Mem) map[string]string {
	t.Helper()
	found := map[string]string{}
	var walk func(dir string)
	walk = func(dir string) {
		names, err := disk.List(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			name := path.Join(dir, n)
			if info, err := disk.Stat(name); err == nil && info.Dir {
				walk(name)
			} else if strings.HasSuffix(n, ".json") && !strings.HasPrefix(n, ".") {
				text, err := vfs.ReadFile(disk, name)
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				found[name] = string(text)
			}
		}
	}
	walk("/data")
	return found
}
