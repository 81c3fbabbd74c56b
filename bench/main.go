// Command bench measures ssql on one machine in one run: it makes its own data, runs
// two programs as whole processes in turn, checks that their results are equal, and
// prints the ratios of time and of CPU time.
//
//	go run ./bench [flags] WORKLOAD...             ssql against DuckDB in one shot
//	go run ./bench [flags] pair BASE HEAD WORKLOAD...  two ssqls: binaries or revisions
//	go run ./bench -short                          all workloads, small: equal results only
//
// Only the ratios mean something: these machines are shared and noisy. CPU time is steadier
// than time. docs/PERFORMANCE.md keeps what was measured.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if ok, err := child(os.Args[1:]); ok {
		exitOn(err)
		return
	}
	exitOn(run(os.Args[1:]))
}

// options are the flags of a run.
type options struct {
	rows, parts int // 0: what the workload says
	rounds      int
	short       bool
	dir         string
}

// shortRows and shortParts are the size of every workload with -short.
const shortRows, shortParts = 20_000, 4

func run(args []string) error {
	o := options{}
	f := flag.NewFlagSet("bench", flag.ExitOnError)
	f.IntVar(&o.rows, "rows", 0, "rows of input; 0 is the workload's own number")
	f.IntVar(&o.parts, "parts", 0, "files of each input; 0 is the workload's own number")
	f.IntVar(&o.rounds, "rounds", 7, "rounds; the two sides take turns")
	f.BoolVar(&o.short, "short", false, "few rows and one round: compare the results only")
	f.StringVar(&o.dir, "dir", filepath.Join(os.TempDir(), "ssql-bench"), "folder for data and results; data is kept for the next run")
	f.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench [flags] [pair BASE HEAD] WORKLOAD...")
		f.PrintDefaults()
		for _, w := range workloadTable {
			fmt.Fprintf(os.Stderr, "  %-9s %s\n", w.name, w.summary)
		}
	}
	if err := f.Parse(args); err != nil {
		return err
	}
	names := f.Args()
	b := &bench{options: o}
	if len(names) >= 3 && names[0] == "pair" {
		b.base, b.head, names = names[1], names[2], names[3:]
	}
	if o.short && len(names) == 0 {
		for _, w := range workloadTable {
			names = append(names, w.name)
		}
	}
	if len(names) == 0 {
		f.Usage()
		os.Exit(2)
	}
	return b.run(names)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
