package streamtest_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ssql/internal/streamtest"
)

// crashes bounds the crash sweep of a script: two scripts that have DuckDB fold their aggregates
// took a third of the time of all. `go test ./internal/streamtest -run Scripts -crashes 0`
// tries every write.
var crashes = flag.Int("crashes", 30, "writes of a script to crash at; 0: all")

// TestScripts runs the scripts that ssql alone answers for, and their sweeps.
func TestScripts(t *testing.T) {
	paths, err := streamtest.Files("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		s, err := streamtest.Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Golden != "" {
			continue // TestGoldens runs those
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			base := streamtest.Run(context.Background(), s, streamtest.Options{})
			if *rewrite {
				if err := os.WriteFile(path, []byte(base.Rewrite()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, f := range base.Failures {
				t.Error(base.Report(f))
			}
			if s.NoSweep != "" || t.Failed() {
				return
			}
			sweep(t, base)
			points := *crashes
			if strings.Contains(path, "/recovery/") {
				points = 0
			}
			if s.CanCrash() {
				if err := streamtest.CrashSweep(context.Background(), base, points); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// sweep runs the sweeps that compare every step.
func sweep(t *testing.T, base *streamtest.Result) {
	t.Helper()
	for _, sw := range streamtest.Sweeps() {
		r := streamtest.Run(context.Background(), base.Script, sw.Options)
		for _, f := range r.Failures {
			t.Errorf("sweep %s: %s", sw.Name, r.Report(f))
		}
	}
}

// passing returns the plain results of the goldens that pass.
func passing(t *testing.T) []*streamtest.Result {
	t.Helper()
	var out []*streamtest.Result
	results := make(chan *streamtest.Result, 1000)
	eachGolden(t, func(path string) string {
		s, err := streamtest.Load(path)
		if err != nil {
			return ""
		}
		if r := streamtest.Run(context.Background(), s, streamtest.Options{}); len(r.Failures) == 0 {
			results <- r
		}
		return ""
	})
	close(results)
	for r := range results {
		out = append(out, r)
	}
	if len(out) < 200 {
		t.Fatalf("only %d goldens pass", len(out))
	}
	return out
}

// TestSweeps runs every golden that passes in small chunks, with several workers, and with
// a restart after every run: all answers must stay the same.
func TestSweeps(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	inParallel(passing(t), func(base *streamtest.Result) {
		if base.Script.NoSweep == "" {
			sweep(t, base)
		}
	})
}

// TestCrashSweep crashes every golden that passes at some of its writes, those of the
// seed at all of them.
func TestCrashSweep(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	inParallel(passing(t), func(base *streamtest.Result) {
		points := 4
		if strings.Contains(base.Script.Name, "/seed/") {
			points = 0
		}
		if !base.Script.CanCrash() {
			return
		}
		if err := streamtest.CrashSweep(context.Background(), base, points); err != nil {
			t.Error(err)
		}
	})
}
