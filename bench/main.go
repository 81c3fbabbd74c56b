// Command bench measures ssql against DuckDB on one machine in one run: it makes
// its own data, runs both as whole processes in turn, checks that the results are
// equal, and prints both rates and their ratio.
//
//	go run ./bench w2 [-rows N] [-rounds N]
//
// Only the ratio means something: these machines are shared and noisy.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// workload is one benchmark: a row of the table below.
type workload struct {
	name, summary string
	run           func(o options) error
}

func workloads() []workload {
	return []workload{
		{"w2", "NDJSON files, 1,000 devices, TUMBLE 1 minute count and sum, append into a DuckDB table", runW2},
	}
}

func main() {
	// The DuckDB side runs in a process of its own: this program again.
	if len(os.Args) > 1 && os.Args[1] == oneShotCommand {
		exitOn(oneShot(os.Args[2:]))
		return
	}
	o, err := parseOptions(os.Args[1:])
	exitOn(err)
	for _, w := range workloads() {
		if w.name == o.workload {
			exitOn(w.run(o))
			return
		}
	}
	var names []string
	for _, w := range workloads() {
		names = append(names, fmt.Sprintf("  %s  %s", w.name, w.summary))
	}
	slices.Sort(names)
	fmt.Fprintf(os.Stderr, "usage: go run ./bench WORKLOAD [-rows N] [-rounds N] [-dir DIR]\n%s\n", strings.Join(names, "\n"))
	os.Exit(2)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
