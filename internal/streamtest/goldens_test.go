package streamtest_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"ssql/internal/streamtest"
)

const (
	goldens = "../../testdata/goldens"
	notYet  = goldens + "/not_yet.txt"

	differences = goldens + "/differences.txt"
)

var (
	rewrite = flag.Bool("rewrite", false, "write ssql's answers into the steps with differs=")
	shrink  = flag.Bool("shrink", false, "take what passes off not_yet.txt")
	report  = flag.String("report", "", "print the failures of goldens whose path holds this text")
)

// inParallel calls f for every item, on all cores.
func inParallel[T any](items []T, f func(item T)) {
	work := make(chan T)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for item := range work {
				f(item)
			}
		})
	}
	for _, item := range items {
		work <- item
	}
	close(work)
	wg.Wait()
}

// eachGolden calls f for every script and returns what it returns, by the name of the
// script below the folder.
func eachGolden(t *testing.T, f func(path string) string) map[string]string {
	t.Helper()
	paths, err := streamtest.Files(goldens)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string, len(paths))
	var mu sync.Mutex
	inParallel(paths, func(path string) {
		name, err := filepath.Rel(goldens, path)
		text := f(path)
		if err != nil {
			text = err.Error()
		}
		mu.Lock()
		defer mu.Unlock()
		out[filepath.ToSlash(name)] = text
	})
	return out
}

// onlyKnownDifferences reports whether a script fails in steps with differs= only. Any
// other failure makes its answers worth nothing.
func onlyKnownDifferences(r *streamtest.Result) bool {
	for _, f := range r.Failures {
		if f.Err != nil || r.Script.Steps[f.Step].Options["differs"] == "" {
			return false
		}
	}
	return true
}

// readNotYet returns the scripts that are known to fail. A line may say why behind a #.
func readNotYet(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(notYet)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if name := strings.TrimSpace(line); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// TestGoldens runs every script that Spark answered. Those that do not pass yet are
// listed; the list may only shrink.
func TestGoldens(t *testing.T) {
	got := eachGolden(t, func(path string) string {
		s, err := streamtest.Load(path)
		if err != nil {
			return err.Error()
		}
		r := streamtest.Run(context.Background(), s, streamtest.Options{})
		if *rewrite && onlyKnownDifferences(r) {
			if text := r.Rewrite(); text != s.Format() {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					return err.Error()
				}
			}
		}
		if len(r.Failures) == 0 || *rewrite && onlyKnownDifferences(r) {
			return ""
		}
		return r.Report(r.Failures[0])
	})
	var failing []string
	for name, text := range got {
		if text != "" {
			failing = append(failing, name)
		}
		if text != "" && *report != "" && strings.Contains(name, *report) {
			fmt.Println(text)
		}
	}
	slices.Sort(failing)
	t.Logf("%d of %d pass", len(got)-len(failing), len(got))
	listed := readNotYet(t)
	for _, name := range failing {
		if !slices.Contains(listed, name) {
			t.Errorf("fails and is not listed in not_yet.txt:\n%s", got[name])
		}
	}
	for _, name := range listed {
		if got[name] == "" && !*shrink {
			t.Errorf("%s passes: take it off not_yet.txt (-shrink does)", name)
		}
	}
	if *shrink {
		shrinkNotYet(t, failing)
	}
}

// shrinkNotYet keeps the lines of scripts that still fail.
func shrinkNotYet(t *testing.T, failing []string) {
	t.Helper()
	text, err := os.ReadFile(notYet)
	if err != nil {
		t.Fatal(err)
	}
	var kept strings.Builder
	for _, line := range strings.SplitAfter(string(text), "\n") {
		name, _, _ := strings.Cut(line, "#")
		if name = strings.TrimSpace(name); name == "" || slices.Contains(failing, name) {
			kept.WriteString(line)
		}
	}
	if err := os.WriteFile(notYet, []byte(kept.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestGoldenDifferences counts the blocks in which ssql says something else than Spark,
// by reason, against a committed list: a new difference is a line that somebody reads.
// Where the reason is only that late rows are counted one by one (D4), nothing else may
// differ.
func TestGoldenDifferences(t *testing.T) {
	paths, err := streamtest.Files(goldens)
	if err != nil {
		t.Fatal(err)
	}
	late := regexp.MustCompile(`  late=\d+`)
	count := map[string]int{}
	for _, path := range paths {
		s, err := streamtest.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range s.Steps {
			if st.SSQLWant == nil {
				continue
			}
			reason := st.Options["differs"]
			count[reason]++
			without := func(lines []string) string { return late.ReplaceAllString(strings.Join(lines, "\n"), "") }
			if reason == "" || reason == "D4" && without(st.Want) != without(st.SSQLWant) {
				t.Errorf("%s:%d: the reason %q does not explain the difference", path, st.Line, reason)
			}
		}
	}
	var got strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&got, "%s %d\n", reason, count[reason])
	}
	if *rewrite {
		if err := os.WriteFile(differences, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(differences)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("blocks by reason\n%swant, from %s\n%s", got.String(), differences, want)
	}
}
