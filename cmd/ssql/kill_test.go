package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// kills is how often each script must really have been killed while it ran.
var kills = flag.Int64("kills", 8, "kills of each script, at least; for a long test 50 and more")

// killRun is a script whose runs are killed, and the statements that show everything it
// has stored, but for what depends on when it ran.
type killRun struct {
	script string // its text, once test has read the file
	ask    string
}

// TestKilledAtAnyMomentEndsWithTheSameTable kills ssql with SIGKILL at random moments of
// its run, starts it again until it ends by itself, and compares everything that a
// batch stores with an undisturbed run: result, late rows and the log of commits.
func TestKilledAtAnyMomentEndsWithTheSameTable(t *testing.T) {
	run := &killRun{script: "testdata/kill.sql", ask: `SELECT * FROM quakes_per_hour ORDER BY ALL;
SELECT batch, event_time, row FROM ssql.late_rows ORDER BY ALL;
SELECT batch, watermark, rows_in, rows_out, rows_late, rows_bad FROM ssql.commits ORDER BY ALL`}
	run.test(t)
}

// TestKilledAtAnyMomentEndsWithTheSameFiles does the same with results in files, which it
// reads through their views and with plain globs.
func TestKilledAtAnyMomentEndsWithTheSameFiles(t *testing.T) {
	run := &killRun{script: "testdata/kill_files.sql", ask: `SELECT * FROM hours ORDER BY ALL;
SELECT window_start, quakes FROM read_parquet('hours/**/*.parquet', hive_partitioning = true) ORDER BY ALL;
SELECT * FROM log ORDER BY ALL;
SELECT event_time, mag FROM read_json('log.json') ORDER BY ALL;
SELECT magnitude, n FROM read_csv('strongest/*.csv') ORDER BY ALL;
SELECT batch, event_time, row FROM ssql.late_rows ORDER BY ALL;
SELECT query, batch, watermark, rows_in, rows_out, rows_late, rows_bad FROM ssql.commits ORDER BY ALL`}
	run.test(t)
}

// TestKilledAtAnyMomentEndsWithTheSameSet does the same with a statement set: two tables
// and two sinks of files under one checkpoint.
func TestKilledAtAnyMomentEndsWithTheSameSet(t *testing.T) {
	run := &killRun{script: "testdata/kill_set.sql", ask: `SELECT * FROM quakes_per_hour ORDER BY ALL;
SELECT * FROM magnitudes ORDER BY ALL;
SELECT * FROM hours ORDER BY ALL;
SELECT window_start, quakes FROM read_parquet('hours/**/*.parquet', hive_partitioning = true) ORDER BY ALL;
SELECT magnitude, n FROM read_csv('strongest/*.csv') ORDER BY ALL;
SELECT batch, operator, event_time, row FROM ssql.late_rows ORDER BY ALL;
SELECT query, batch, watermark, rows_in, rows_out, rows_late, rows_bad FROM ssql.commits ORDER BY ALL`}
	run.test(t)
}

// TestKilledAtAnyMomentEndsWithTheSameDeletes does the same with results that shrink: rows are
// deleted from tables, and written as deleted to a file, once.
func TestKilledAtAnyMomentEndsWithTheSameDeletes(t *testing.T) {
	run := &killRun{script: "testdata/kill_deletes.sql", ask: `SELECT * FROM digits ORDER BY ALL;
SELECT * FROM firsts ORDER BY ALL;
SELECT * FROM rare ORDER BY ALL;
SELECT * FROM changes ORDER BY ALL;
SELECT "before", "after", op, source.batch FROM read_json('changes.json', format = 'newline_delimited') ORDER BY ALL;
SELECT query, batch, watermark, rows_in, rows_out, rows_deleted, rows_late, rows_bad FROM ssql.commits ORDER BY ALL`}
	run.test(t)
}

// TestKilledAtAnyMomentEndsWithTheSameTablesOfTwoWriters does the same with two queries that
// write into each of two tables at once: each has a marker of its own.
func TestKilledAtAnyMomentEndsWithTheSameTablesOfTwoWriters(t *testing.T) {
	run := &killRun{script: "testdata/kill_writers.sql", ask: `SELECT * FROM quakes_seen ORDER BY ALL;
SELECT * FROM per_hour ORDER BY ALL;
SELECT query, event_time, row FROM ssql.late_rows ORDER BY ALL;
SELECT query, max(batch), count(*), sum(rows_in), sum(rows_out), sum(rows_late) FROM ssql.commits GROUP BY query ORDER BY ALL`}
	run.test(t)
}

// TestKilledAtAnyMomentEndsWithTheSameNamedSources does the same with a query whose sources go by
// names (IDENTIFIED BY): it begins with one, gains a second before it and exchanges them, each
// with what was read of it.
func TestKilledAtAnyMomentEndsWithTheSameNamedSources(t *testing.T) {
	run := &killRun{script: "testdata/kill_names.sql", ask: `SELECT * FROM per_hour ORDER BY ALL;
SELECT event_time, row FROM ssql.late_rows ORDER BY ALL;
SELECT sum(rows_in), sum(rows_late), sum(rows_bad) FROM ssql.commits`}
	run.test(t)
}

func (run *killRun) test(t *testing.T) {
	text, err := os.ReadFile(run.script)
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	// Each run has the script in its own folder, since paths in it start there.
	run.script = strings.ReplaceAll(string(text), "../../../examples", examples)
	want, length := run.undisturbed(t)
	seed := time.Now().UnixNano()
	rng := rand.New(rand.NewSource(seed))
	t.Logf("seed %d, an undisturbed run takes %v", seed, length)
	var killed atomic.Int64
	for round := 0; killed.Load() < *kills && !t.Failed(); round++ {
		t.Run(fmt.Sprint("round", round), func(t *testing.T) {
			for life := 0; life < 4; life++ {
				seed := rng.Int63()
				t.Run(fmt.Sprint("life", life), func(t *testing.T) {
					t.Parallel()
					killed.Add(run.oneLife(t, want, length, seed))
				})
			}
		})
	}
}

// oneLife kills a query several times, sometimes while it recovers from the last
// death, lets it end and compares. It returns how often it was killed.
func (run *killRun) oneLife(t *testing.T, want string, length time.Duration, seed int64) (kills int64) {
	rng := rand.New(rand.NewSource(seed))
	dir := run.folder(t)
	for range 6 {
		if killAfter(t, dir, time.Duration(rng.Int63n(int64(length)))) {
			kills++
		}
	}
	if out, err := ssqlIn(dir, "kill.duckdb", "kill.sql").CombinedOutput(); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, out)
	}
	if got := run.stored(t, dir); got != want {
		t.Errorf("seed %d ends with another result:\n%s\nwant\n%s", seed, got, want)
	}
	return kills
}

// folder makes a folder with the script.
func (run *killRun) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kill.sql"), []byte(run.script), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func ssqlIn(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(binary, "ssql"), args...)
	cmd.Dir = dir
	return cmd
}

func (run *killRun) undisturbed(t *testing.T) (result string, length time.Duration) {
	t.Helper()
	dir := run.folder(t)
	start := time.Now()
	if out, err := ssqlIn(dir, "kill.duckdb", "kill.sql").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	length = time.Since(start)
	return run.stored(t, dir), length
}

// killAfter starts the script and kills it after a while. It reports false if the
// script had ended before.
func killAfter(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	cmd := ssqlIn(dir, "kill.duckdb", "kill.sql")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	if err == nil {
		return false
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return true
		}
	}
	t.Fatalf("ssql did not die of the signal: %v\n%s", err, out.String())
	return false
}

// stored is everything the queries left that does not depend on when they ran.
func (run *killRun) stored(t *testing.T, dir string) string {
	t.Helper()
	cmd := ssqlIn(dir, "-csv", "kill.duckdb", "-c", run.ask)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("reading the result: %v\n%s", err, out)
	}
	return string(out)
}
