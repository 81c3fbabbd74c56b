package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/session"
	"ssql/internal/sqlerr"
	"ssql/internal/streamtest"
	"ssql/sources/stdin"
	"ssql/sql"
	"ssql/sql/types"
)

// runTests is `ssql test [-rewrite] [-sweep] PATH...`: it runs stream scripts, files or
// all *.test below folders, and reports what differs.
func runTests(ctx context.Context, args []string) int {
	fs := flag.NewFlagSet("ssql test", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	rewrite := fs.Bool("rewrite", false, "")
	sweep := fs.Bool("sweep", false, "")
	verbs := fs.Bool("verbs", false, "")
	if err := fs.Parse(args); err != nil || fs.NArg() == 0 && !*verbs {
		fmt.Fprint(os.Stderr, "ssql: expected test [-rewrite] [-sweep] PATH..., or test -verbs\n"+usage)
		return exitUsage
	}
	if *verbs {
		if err := streamtest.PrintVerbs(os.Stdout); err != nil {
			return exitSQL
		}
		return exitOK
	}
	paths, err := streamtest.Files(fs.Args()...)
	if err != nil {
		fmt.Fprintf(os.Stderr, "ssql: %v\n", err)
		return exitUsage
	}
	passed, failed := 0, 0
	for _, path := range paths {
		if report := runTest(ctx, path, *rewrite, *sweep); report != "" {
			fmt.Print(report)
			failed++
			continue
		}
		passed++
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		return exitSQL
	}
	return exitOK
}

// runTest runs one script and returns the report of what went wrong, "" if nothing did.
// With rewrite the answers go into the file instead.
func runTest(ctx context.Context, path string, rewrite, sweep bool) string {
	script, err := streamtest.Load(path)
	if err != nil {
		return fmt.Sprintf("%s: %v\n", path, err)
	}
	plain := streamtest.Options{OpenSession: openTestSession}
	base := streamtest.Run(ctx, script, plain)
	if rewrite {
		if err := os.WriteFile(path, []byte(base.Rewrite()), 0o644); err != nil {
			return fmt.Sprintf("%s: %v\n", path, err)
		}
		return ""
	}
	if len(base.Failures) > 0 {
		return base.Report(base.Failures[0])
	}
	if !sweep || script.NoSweep != "" {
		return ""
	}
	for _, s := range streamtest.Sweeps() {
		o := s.Options
		o.OpenSession = openTestSession
		if r := streamtest.Run(ctx, script, o); len(r.Failures) > 0 {
			return "with " + s.Name + ": " + r.Report(r.Failures[0])
		}
	}
	if script.CanCrash() {
		if err := streamtest.CrashSweep(ctx, base, 0); err != nil {
			return err.Error() + "\n"
		}
	}
	return ""
}

// testSession runs the verb sql of a stream script in a database in memory.
type testSession struct{ session *session.Session }

func openTestSession(ctx context.Context) (streamtest.Session, error) {
	s, err := session.Open(ctx, session.Config{Database: ":memory:", Sources: sourceConnectors(stdin.New(os.Stdin)), Sinks: sinkConnectors})
	if err != nil {
		return nil, err
	}
	return &testSession{s}, nil
}

// Execute runs statements; rows and messages come back in the spelling of stream scripts.
func (t *testSession) Execute(ctx context.Context, text string) ([]string, error) {
	pieces, fault := sql.Split(text)
	var lines lineOutput
	src := &sqlerr.Source{Text: text}
	for _, p := range pieces {
		if err := t.session.Execute(ctx, session.Request{Piece: p, Source: src, Wait: true}, &lines); err != nil {
			return lines.lines, err
		}
	}
	return lines.lines, fault
}

func (t *testSession) Close() error { return t.session.Close() }

// lineOutput collects what statements answer.
type lineOutput struct{ lines []string }

var (
	_ session.Output      = (*lineOutput)(nil)
	_ session.TableWriter = (*lineOutput)(nil)
)

func (l *lineOutput) Table(*arrow.Schema) (session.TableWriter, error) { return l, nil }
func (l *lineOutput) Message(text string)                              { l.lines = append(l.lines, strings.Split(text, "\n")...) }
func (l *lineOutput) Notice(text string)                               { l.Message("NOTE: " + text) }
func (l *lineOutput) Close() error                                     { return nil }

func (l *lineOutput) Write(rec arrow.Record) error {
	for row := range int(rec.NumRows()) {
		cells := make([]string, rec.NumCols())
		for i, a := range rec.Columns() {
			cells[i] = strings.Clone(types.Text(a, row)) // the record is gone soon
		}
		l.lines = append(l.lines, strings.Join(cells, " | "))
	}
	return nil
}
