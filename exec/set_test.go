package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/checkpoint"
	"ssql/exec"
	"ssql/internal/duck"
	"ssql/internal/vfs"
	"ssql/plan"
	"ssql/sinks"
	"ssql/sinks/duckdb"
	"ssql/sinks/files"
	"ssql/sources"
	"ssql/sql/types"
)

// aSet has outputs in all modes, a join of the stream with itself, and one that reads
// another stream too.
const aSet = `EXECUTE STATEMENT SET BEGIN
INSERT INTO windows SELECT window_start, count(*) AS n FROM TUMBLE(a, event_time, INTERVAL '5' MINUTE) GROUP BY window_start, window_end;
INSERT INTO keys SELECT id, sum(v) AS v FROM a WHERE v > 1 GROUP BY id EMIT ON UPDATE;
INSERT INTO largest SELECT id, max(v) AS v FROM a GROUP BY id EMIT COMPLETE;
INSERT INTO pairs SELECT l.v AS l, r.v AS r FROM a l JOIN a r ON l.id = r.id AND l.event_time = r.event_time;
INSERT INTO both SELECT v FROM a UNION ALL SELECT v FROM b;
INSERT INTO firsts SELECT id, event_time FROM DEDUP(b, KEY (id, event_time));
END`

// feedSet gives a world of a and b rows in three steps.
func feedSet(w *world, step int) {
	switch step {
	case 0:
		w.feed("a", "x 1 12:01:00", "y 2 12:02:00", "x 3 12:09:00", "x 4 NULL")
		w.feed("b", "x 5 12:09:00")
	case 1:
		w.feed("a", "y 6 12:01:00", "x 7 12:21:00")
		w.feed("b", "x 5 12:09:00", "z 8 12:21:00")
	case 2:
		w.feed("a", "z 9 12:40:00")
		w.feed("b", "z 9 12:40:00", "z 9 12:40:00")
	}
}

// The tables of a set are those of its INSERTs run alone: both streams come equally far, so
// that the watermark is the same.
func TestSetEqualsItsMembers(t *testing.T) {
	set := newWorld(t, aSet, "a", "b")
	for step := range 3 {
		feedSet(set, step)
		set.mustRun()
	}
	for _, m := range set.inserts() {
		alone := newWorld(t, "EXECUTE STATEMENT SET BEGIN INSERT INTO "+m.Target+" "+m.Query.Text+"; END", "a", "b")
		for step := range 3 {
			feedSet(alone, step)
			alone.mustRun()
		}
		got, want := set.table(m.Target), alone.table(m.Target)
		slices.Sort(got)
		slices.Sort(want)
		equal(t, m.Target, got, want)
	}
}

// countingSource counts the segments that are read and the rows that come from them.
type countingSource struct {
	sources.Source
	segments, rows *int64
}

func (s *countingSource) Segments(ctx context.Context, r sources.Range) ([]sources.Segment, error) {
	segs, err := s.Source.Segments(ctx, r)
	for i, seg := range segs {
		segs[i] = &countingSegment{seg, s}
	}
	return segs, err
}

type countingSegment struct {
	sources.Segment
	of *countingSource
}

func (s *countingSegment) Read(ctx context.Context, c *sources.ReadContext, emit func(rec arrow.Record) error) error {
	*s.of.segments++
	return s.Segment.Read(ctx, c, func(rec arrow.Record) error {
		*s.of.rows += rec.NumRows()
		return emit(rec)
	})
}

// A set reads each stream once, whatever its INSERTs do with the rows, and counts bad rows
// and event times once; every output accounts for all rows.
func TestSetReadsOnce(t *testing.T) {
	w := newWorld(t, aSet, "a", "b")
	read := map[string]*[2]int64{}
	w.change = func(c *exec.Config) {
		c.Workers = 1 // the counters are not made for more
		for i, ref := range c.Plan.Sources {
			if read[ref.Stream] == nil {
				read[ref.Stream] = new([2]int64)
			}
			c.Sources[i] = &countingSource{c.Sources[i], &read[ref.Stream][0], &read[ref.Stream][1]}
		}
	}
	feedSet(w, 0)
	w.mustRun()
	if *read["a"] != [2]int64{1, 4} || *read["b"] != [2]int64{1, 1} {
		t.Errorf("read %v segments and rows of a, %v of b, want one with 4 rows, and one with 1", *read["a"], *read["b"])
	}
	equal(t, "batches", w.takeBatches(), []string{"0 in=5 out=12 wm=1970-01-01 00:00:00 bad=1", "1 in=0 out=3 wm=12:09:00"})
	if got := w.progress[0].EventTime["max"]; got != "2026-09-10T12:09:00.000Z" {
		t.Errorf("greatest event time %s", got)
	}
	var lines []string
	for _, o := range w.progress[0].Outputs {
		lines = append(lines, fmt.Sprintf("%s %s: %d = %d + %d + %d + %d, out %d", o.Target, o.OutputMode, o.NumInputRows, o.RowsUsed, o.RowsFiltered, o.RowsLate, o.RowsBad, o.NumOutputRows))
	}
	equal(t, "outputs", lines, []string{
		"both append: 5 = 4 + 0 + 0 + 1, out 4",
		"firsts append: 1 = 1 + 0 + 0 + 0, out 1",
		"keys update: 4 = 2 + 1 + 0 + 1, out 2",
		"largest complete: 4 = 3 + 0 + 0 + 1, out 2",
		"pairs append: 8 = 6 + 0 + 0 + 2, out 3",
		"windows append: 4 = 3 + 0 + 0 + 1, out 0",
	})
	equal(t, "bad rows", []string{fmt.Sprint(len(w.table("bad_rows")))}, []string{"1"})
}

// crashSet is a set of which %s is a table of a database that outlives the machine, and the
// two others are folders of CSV files on its disk.
const crashSet = `EXECUTE STATEMENT SET BEGIN
INSERT INTO windows SELECT window_start, count(*) AS n FROM TUMBLE(a, event_time, INTERVAL '5' MINUTE) GROUP BY window_start, window_end;
INSERT INTO %s SELECT id, sum(v) AS v FROM a GROUP BY id EMIT ON UPDATE;
INSERT INTO raw SELECT id, v FROM a WHERE v > 1;
END`

// setLife is one life of crashSet.
type setLife struct {
	t     *testing.T
	w     *world
	disk  *crashDisk
	db    *duck.DB
	table string
}

// liveSet runs the set over two steps and returns what its places hold. A run that a
// crash at a write ends is followed by another on what is left.
func liveSet(t *testing.T, db *duck.DB, at int, mode vfs.CrashMode) (held []string, writes int) {
	t.Helper()
	l := &setLife{t: t, disk: newCrashDisk(vfs.Fault{At: at, Err: vfs.ErrCrashed, Sticky: true}), db: db, table: fmt.Sprint("keys", at)}
	l.w = newWorld(t, fmt.Sprintf(crashSet, l.table), "a")
	l.w.disk = l.disk
	l.w.change = func(c *exec.Config) {
		var err error
		if c.Sink, err = l.open(c.Plan.Outputs); err != nil {
			c.Sink = &brokenSink{err: err}
		}
	}
	for step, rows := range [][]string{
		{"x 1 12:01:00", "y 2 12:02:00", "x 3 12:09:00"}, {"y 6 12:01:00", "x 7 12:21:00", "z 9 12:40:00"},
	} {
		l.w.feed("a", rows...)
		err := l.w.run()
		if _, gone := l.disk.Stat("ckpt"); errors.Is(gone, vfs.ErrCrashed) { // also when the run came to its end before it noticed
			l.disk.Mem = l.disk.Mem.CrashClone(rand.New(rand.NewPCG(uint64(at), 7)), mode)
			l.disk.Injector = vfs.NewInjector(l.disk.Mem, vfs.Fault{})
			err = l.w.run()
		}
		if err != nil {
			t.Fatalf("crash at write %d (%s), step %d: %v", at, mode, step, err)
		}
	}
	return append(l.keys(), l.files("/raw", "/windows")...), l.disk.Ops()
}

// open opens the places of the outputs as one sink.
func (l *setLife) open(outputs []*plan.Output) (sinks.Sink, error) {
	id := ""
	if report, err := checkpoint.Inspect(l.disk, "ckpt"); err == nil {
		id = report.QueryID
	}
	modes := map[types.Mode]types.Mode{types.Append: types.Append, types.Update: types.Update}
	var places []sinks.OpenContext
	for _, out := range outputs {
		o := sinks.OpenContext{Query: "q", QueryID: id, Target: out.Target, Mode: modes[out.Mode], Keys: out.KeyColumns}
		for _, c := range out.Columns {
			o.Fields = append(o.Fields, c.Field)
		}
		if out.Target != l.table {
			set, err := sources.CheckOptions("connector", files.Spec().Options, []sources.Given{{Name: "path", Text: "/" + out.Target}, {Name: "format", Text: "csv"}})
			if err != nil {
				l.t.Fatal(err)
			}
			o.Options = sources.Values{BaseDir: "/", Set: set}
			rows, err := files.Open(l.disk, o)
			if err != nil {
				return nil, err
			}
			o.Rows = &hidden{rows} // DuckDB cannot see the disk in memory
		}
		places = append(places, o)
	}
	return duckdb.Open(l.db, places, duckdb.Options{})
}

// hidden is a sink that DuckDB cannot read.
type hidden struct{ sinks.Sink }

// brokenSink is one that could not be opened.
type brokenSink struct {
	sinks.Sink
	err error
}

func (s *brokenSink) Transactional() bool { return true }
func (s *brokenSink) Close() error        { return nil }
func (s *brokenSink) Head(context.Context, string) (sinks.Marker, bool, error) {
	return sinks.Marker{}, false, s.err
}

// keys lists the rows of the table.
func (l *setLife) keys() []string {
	l.t.Helper()
	c, release, err := l.db.Conn(context.Background())
	if err != nil {
		l.t.Fatal(err)
	}
	defer release()
	var out []string
	if err := c.Query(context.Background(), "SELECT id, v FROM "+l.table+" ORDER BY ALL", nil, func(row []any) error {
		out = append(out, fmt.Sprintf("keys %v %v", row[0], row[1]))
		return nil
	}); err != nil {
		l.t.Fatal(err)
	}
	return out
}

// files lists the lines of the files in folders.
func (l *setLife) files(folders ...string) []string {
	l.t.Helper()
	var out []string
	for _, dir := range folders {
		names, err := l.disk.List(dir)
		if err != nil {
			l.t.Fatal(err)
		}
		for _, name := range names {
			if !strings.HasPrefix(name, "part") {
				continue
			}
			text, err := vfs.ReadFile(l.disk, dir+"/"+name)
			if err != nil {
				l.t.Fatal(err)
			}
			for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
				out = append(out, dir+" "+line)
			}
		}
	}
	return out
}

// A crash at any write changes nothing in any of the places of a set.
func TestSetWithACrashAtEveryWrite(t *testing.T) {
	db, err := duck.Open(":memory:", duck.Options{IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	want, writes := liveSet(t, db, 0, vfs.KeepAll)
	equal(t, "rows", want, []string{
		"keys x 11", "keys y 8", "keys z 9",
		"/raw y,2", "/raw x,3", "/raw y,6", "/raw x,7", "/raw z,9",
		"/windows 2026-09-10T12:00:00Z,2", "/windows 2026-09-10T12:05:00Z,1", "/windows 2026-09-10T12:20:00Z,1",
	})
	modes := []vfs.CrashMode{vfs.KeepAll, vfs.KeepSome, vfs.LoseAll}
	for at := 1; at <= writes; at++ {
		mode := modes[at%len(modes)]
		got, _ := liveSet(t, db, at, mode)
		equal(t, fmt.Sprintf("rows after a crash at write %d of %d (%s)", at, writes, mode), got, want)
	}
}
