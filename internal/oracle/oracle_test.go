package oracle

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

var (
	caseCount = flag.Int("cases", 300, "how many random cases to run")
	firstSeed = flag.Uint64("seed", 1, "seed of the first case")
	only      = flag.String("only", "", "run rows of the grammar whose name contains this")
	scripts   = flag.String("scripts", "", "write the cases as stream scripts for Spark into this folder")
)

// failuresMax is after how many failing cases the test stops.
const failuresMax = 3

func TestCases(t *testing.T) {
	keep := func(name string) bool { return strings.Contains(name, *only) }
	var next, failed atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			d, err := OpenDuck()
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			for {
				n := next.Add(1) - 1
				if n >= int64(*caseCount) || failed.Load() >= failuresMax {
					return
				}
				c := New(*firstSeed+uint64(n), keep)
				if report := Check(c, d); report != "" {
					failed.Add(1)
					t.Error(report)
				}
			}
		}()
	}
	wg.Wait()
}

// TestSparkScripts writes the cases that Spark can answer, for its recorder to fill in and
// `ssql test` to compare.
func TestSparkScripts(t *testing.T) {
	if *scripts == "" {
		t.Skip("no folder given by -scripts")
	}
	keep := func(name string) bool { return strings.Contains(name, *only) }
	for n := range uint64(*caseCount) {
		text, ok := New(*firstSeed+n, keep).SparkScript()
		if !ok {
			continue
		}
		if err := os.WriteFile(filepath.Join(*scripts, fmt.Sprintf("seed_%d.test", *firstSeed+n)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
