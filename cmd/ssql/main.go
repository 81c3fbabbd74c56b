// Command ssql is a streaming SQL shell: see the README.
//
// Its tests run the binary: testdata/*.txtar are transcripts (-update writes them), pty_*
// types at a terminal, and kill_test kills it. The long form of the last is
//
//	go test ./cmd/ssql -run Killed -kills 50
//
// and that of the inputs and statements which may not use up 512 MiB of memory
//
//	go test ./cmd/ssql -run Bounded -bounded 2000 -timeout 2h
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"

	"ssql/internal/duck"
	"ssql/plan/expr"
)

// Exit codes; 3, 4 and 130 come from shell.ExitCode, 129 and 143 from a signal.
const (
	exitOK    = 0
	exitSQL   = 1
	exitUsage = 2
)

func main() {
	// A statement nested without bounds must end as an error, not take the machine.
	debug.SetMaxStack(256 << 20)
	keepPrivate()
	// The rest is DuckDB's, and of what cannot be collected: a statement is ended where that is more
	// than an eighth.
	debug.SetMemoryLimit(duck.ProcessBytes() / 8 * 3)
	duck.BoundAllocations()
	expr.BoundCopies(duck.ProcessBytes() / 10)
	os.Exit(run(context.Background(), os.Args[1:]))
}

// run does what the command line says and returns the exit code.
func run(ctx context.Context, args []string) int {
	if len(args) > 0 {
		switch args[0] {
		case "test":
			return runTests(ctx, args[1:])
		case "checkpoint":
			return runCheckpoint(args[1:])
		}
	}
	o, err := parseFlags(args)
	var unknown *unknownCommand
	switch {
	case errors.As(err, &unknown):
		fmt.Fprintf(os.Stderr, "ssql: %v\n", err)
		return exitUsage
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(usage)
		return exitOK
	case err != nil:
		fmt.Fprintf(os.Stderr, "ssql: %v\n%s", err, usage)
		return exitUsage
	case o.version:
		fmt.Println(versionText())
		return exitOK
	}
	sig := watchSignals()
	return sig.status(runSession(ctx, o, sig))
}
