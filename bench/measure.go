package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// program is one of the two that take turns.
type program struct {
	name       string
	statements string // which file of a workload it runs
	// command returns the process that runs a script in a database.
	command func(database, script string) []string
}

func ssqlProgram(name, binary string) program {
	return program{name, "ssql.sql", func(database, script string) []string {
		return []string{binary, database, script}
	}}
}

func duckdbProgram() program {
	return program{"duckdb", "duckdb.sql", func(database, script string) []string {
		return []string{"/proc/self/exe", oneShotCommand, database, script}
	}}
}

// side is a program with a workload.
type side struct {
	*program
	place   place // with a folder for its results of its own
	script  string
	samples []sample
}

func newSide(prog *program, w *workload, p place) (*side, error) {
	statements, err := w.statements(prog.statements)
	if err != nil {
		return nil, err
	}
	p.out = filepath.Join(p.out, prog.name)
	return &side{program: prog, place: p, script: p.scriptOf(statements)}, nil
}

func (s *side) database() string { return filepath.Join(s.place.out, "result.duckdb") }

// run runs the program once, from nothing.
func (s *side) run() (sample, error) {
	if err := os.RemoveAll(s.place.out); err != nil {
		return sample{}, err
	}
	if err := os.MkdirAll(s.place.out, 0o755); err != nil {
		return sample{}, err
	}
	script := filepath.Join(s.place.out, "script.sql")
	if err := os.WriteFile(script, []byte(s.script), 0o600); err != nil {
		return sample{}, err
	}
	return runProcess(s.command(s.database(), script))
}

// sample is one run of a process.
type sample struct {
	wall, cpu time.Duration
	rssBytes  int64
}

// runProcess runs a command to its end and measures the whole process.
func runProcess(args []string) (sample, error) {
	cmd := exec.Command(args[0], args[1:]...)
	var stderr tail
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return sample{}, fmt.Errorf("running %s: %w\n%s", filepath.Base(args[0]), err, stderr)
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

// takeTurns runs A B A B ..., after one round that warms the page cache.
func takeTurns(rounds int, sides ...*side) error {
	for round := -1; round < rounds; round++ {
		for _, s := range sides {
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

// medians returns the median of each measure.
func medians(samples []sample) sample {
	return sample{
		wall:     median(samples, func(s sample) time.Duration { return s.wall }),
		cpu:      median(samples, func(s sample) time.Duration { return s.cpu }),
		rssBytes: median(samples, func(s sample) int64 { return s.rssBytes }),
	}
}

func median[T int64 | time.Duration](samples []sample, of func(sample) T) T {
	v := make([]T, len(samples))
	for i, s := range samples {
		v[i] = of(s)
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// printHead prints the head of the table of measurements.
func printHead(programs []program) {
	fmt.Printf("A is %s, B is %s; A/B is how many times as fast A is: medians of whole processes, in turns\n", programs[0].name, programs[1].name)
	fmt.Printf("%-9s %9s %9s | %7s %8s | %9s %9s %6s | %6s %6s %6s | %6s %6s\n", "workload", "rows in", "rows out",
		"A/B", "A/B CPU", "A Mrows/s", "A wall ms", "B", "A CPU", "B", "s", "A MB", "B")
}

// printLine prints the medians of both sides and how many times as fast the first is.
func printLine(w *workload, rowsIn int, rowsOut string, sides []*side) {
	fmt.Printf("%-9s %9d %9s | ", w.name, rowsIn, rowsOut)
	if len(sides[0].samples) == 0 {
		fmt.Println("results equal")
		return
	}
	a, b := medians(sides[0].samples), medians(sides[1].samples)
	fmt.Printf("%7.2f %8.2f | %9.2f %9d %6d | %6.2f %6.2f %6s | %6d %6d\n",
		b.wall.Seconds()/a.wall.Seconds(), b.cpu.Seconds()/a.cpu.Seconds(), float64(rowsIn)/1e6/a.wall.Seconds(),
		a.wall.Milliseconds(), b.wall.Milliseconds(), a.cpu.Seconds(), b.cpu.Seconds(), "", a.rssBytes>>20, b.rssBytes>>20)
}
