package main

import (
	"errors"
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

// killsWanted is how many times the query must really have been killed while it ran.
const killsWanted = 50

// TestKilledAtAnyMomentEndsWithTheSameTable kills ssql with SIGKILL at random moments of
// its run, starts it again until it ends by itself, and compares everything that a
// batch stores with an undisturbed run: result, late rows and the log of commits.
func TestKilledAtAnyMomentEndsWithTheSameTable(t *testing.T) {
	script, err := filepath.Abs("testdata/kill.sql")
	if err != nil {
		t.Fatal(err)
	}
	want, length := undisturbed(t, script)
	seed := time.Now().UnixNano()
	rng := rand.New(rand.NewSource(seed))
	t.Logf("seed %d, an undisturbed run takes %v", seed, length)
	var kills atomic.Int64
	for round := 0; kills.Load() < killsWanted && !t.Failed(); round++ {
		t.Run(fmt.Sprint("round", round), func(t *testing.T) {
			for life := 0; life < 4; life++ {
				seed := rng.Int63()
				t.Run(fmt.Sprint("life", life), func(t *testing.T) {
					t.Parallel()
					kills.Add(oneLife(t, script, want, length, seed))
				})
			}
		})
	}
}

// oneLife kills a query several times, sometimes while it recovers from the last
// death, lets it end and compares. It returns how often it was killed.
func oneLife(t *testing.T, script, want string, length time.Duration, seed int64) (kills int64) {
	rng := rand.New(rand.NewSource(seed))
	dir := t.TempDir()
	for range 6 {
		if killAfter(t, dir, script, time.Duration(rng.Int63n(int64(length)))) {
			kills++
		}
	}
	if out, err := ssqlIn(dir, "kill.duckdb", script).CombinedOutput(); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, out)
	}
	if got := stored(t, dir); got != want {
		t.Errorf("seed %d ends with another result:\n%s\nwant\n%s", seed, got, want)
	}
	return kills
}

func ssqlIn(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(binary, "ssql"), args...)
	cmd.Dir = dir
	return cmd
}

func undisturbed(t *testing.T, script string) (result string, length time.Duration) {
	t.Helper()
	dir := t.TempDir()
	start := time.Now()
	if out, err := ssqlIn(dir, "kill.duckdb", script).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	length = time.Since(start)
	return stored(t, dir), length
}

// killAfter starts the script and kills it after a while. It reports false if the
// script had ended before.
func killAfter(t *testing.T, dir, script string, after time.Duration) bool {
	t.Helper()
	cmd := ssqlIn(dir, "kill.duckdb", script)
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

// stored is everything the query left in the database that does not depend on when
// it ran.
func stored(t *testing.T, dir string) string {
	t.Helper()
	const ask = `SELECT * FROM quakes_per_hour ORDER BY ALL;
SELECT batch, event_time, row FROM ssql.late_rows ORDER BY ALL;
SELECT batch, watermark, rows_in, rows_out, rows_late, rows_bad FROM ssql.commits ORDER BY ALL`
	cmd := ssqlIn(dir, "-csv", "kill.duckdb", "-c", ask)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("reading the result: %v\n%s", err, out)
	}
	return string(out)
}
