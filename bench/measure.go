package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// options are the flags of a run.
type options struct {
	workload string
	rows     int
	files    int
	rounds   int
	dir      string
}

func parseOptions(args []string) (options, error) {
	o := options{}
	if len(args) == 0 {
		return o, nil
	}
	o.workload = args[0]
	f := flag.NewFlagSet("bench "+o.workload, flag.ContinueOnError)
	f.IntVar(&o.rows, "rows", 2_000_000, "rows of input")
	f.IntVar(&o.files, "files", 20, "files, one batch each")
	f.IntVar(&o.rounds, "rounds", 7, "rounds; the two sides take turns")
	f.StringVar(&o.dir, "dir", filepath.Join(os.TempDir(), "ssql-bench"), "folder for data and results, kept between runs")
	return o, f.Parse(args[1:])
}

// sample is one run of a process.
type sample struct {
	wall, cpu time.Duration
	rssBytes  int64
}

// runProcess runs a command to its end and measures the whole process.
func runProcess(name string, args ...string) (sample, error) {
	cmd := exec.Command(name, args...)
	var stderr tail
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return sample{}, fmt.Errorf("running %s: %w\n%s", filepath.Base(name), err, stderr)
	}
	s := sample{wall: wall, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.rssBytes = u.Maxrss * 1024
	}
	return s, nil
}

// tail keeps the end of what is written to it.
type tail []byte

// Write keeps the last 4 kB.
func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	if n := len(*t) - 4096; n > 0 {
		*t = (*t)[n:]
	}
	return len(p), nil
}

// side is one of the two programs that take turns.
type side struct {
	name    string
	prepare func() error
	run     func() (sample, error)
	samples []sample
}

// takeTurns runs A B A B ..., after one round that warms the page cache.
func takeTurns(rounds int, sides ...*side) error {
	for round := -1; round < rounds; round++ {
		for _, s := range sides {
			if err := s.prepare(); err != nil {
				return err
			}
			m, err := s.run()
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if round >= 0 {
				s.samples = append(s.samples, m)
			}
		}
	}
	return nil
}

func median[T int64 | time.Duration](samples []sample, of func(sample) T) T {
	v := make([]T, len(samples))
	for i, s := range samples {
		v[i] = of(s)
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// report prints the medians of both sides and the ratio of their rates.
func report(rows int, a, b *side) {
	rate := func(s *side) float64 {
		return float64(rows) / 1e6 / median(s.samples, func(x sample) time.Duration { return x.wall }).Seconds()
	}
	fmt.Printf("%-14s %12s %12s %16s %10s\n", "", "wall ms", "M rows/s", "CPU s / M rows", "RSS MB")
	for _, s := range []*side{a, b} {
		wall := median(s.samples, func(x sample) time.Duration { return x.wall })
		cpu := median(s.samples, func(x sample) time.Duration { return x.cpu })
		rss := median(s.samples, func(x sample) int64 { return x.rssBytes })
		fmt.Printf("%-14s %12.0f %12.2f %16.3f %10d\n", s.name, wall.Seconds()*1000, rate(s), cpu.Seconds()/(float64(rows)/1e6), rss>>20)
	}
	fmt.Printf("ratio %s / %s: %.2f (medians of %d rounds, whole processes, in turns)\n", a.name, b.name, rate(a)/rate(b), len(a.samples))
}

// removeAll removes files that may be absent.
func removeAll(paths ...string) error {
	var errs []error
	for _, p := range paths {
		errs = append(errs, os.RemoveAll(p))
	}
	return errors.Join(errs...)
}
