package streamtest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// Options are the conditions of a run. The zero value is the plain one.
type Options struct {
	ChunkRows     int // rows per chunk; 0: the default of exec
	SegmentRows   int // rows per segment of the input; 0: a file is one
	Workers       int // 0: one for each core
	SnapshotEvery int // batches between snapshots; 0: the default of exec

	// Reopen stops and opens a query again after each of its runs.
	Reopen bool
	// Fault crashes the disk at a write of the run; the script then goes on behind
	// it with what CrashMode and Seed left of the disk.
	Fault     vfs.Fault
	CrashMode vfs.CrashMode
	Seed      uint64
	// OnlySinks compares nothing on the way: Result.Sinks is all that counts.
	OnlySinks bool

	// Refused hears of each query that is refused while its relations are there; bind plans another
	// text in its place. Nil: nobody asks.
	Refused func(query string, err error, bind func(text string) error)

	// OpenSession makes the session of the verb sql; nil: the verb is refused.
	OpenSession func(ctx context.Context) (Session, error)
}

// Session runs the statements of the verb sql.
type Session interface {
	// Execute returns the rows and messages of one or more statements, as lines.
	Execute(ctx context.Context, text string) ([]string, error)
	Close() error
}

// Result is what came out of one run of a script.
type Result struct {
	Script   *Script
	Failures []*Failure
	// Answers are the lines that each step printed, by its place in Script.Steps; nil
	// for steps that were skipped.
	Answers [][]string
	// Sinks is what the sink of each query holds at the end.
	Sinks  map[string][]string
	Writes int // counted operations on the disk
	Crash  int // how often the machine crashed
}

// Failure is a step whose answer was not the expected one, or could not be had.
type Failure struct {
	Step    int // in Script.Steps; -1 for the file as a whole
	Want    []string
	Got     []string
	Err     error  // a fault of the script; Want and Got are then nil
	Context string // lines for the report: progress, checkpoint, plan
}

// Run runs a script. Faults of the script are failures too.
func Run(ctx context.Context, s *Script, o Options) *Result {
	r := &Result{Script: s, Answers: make([][]string, len(s.Steps)), Sinks: map[string][]string{}}
	if s.Golden != "" && s.Golden != s.InputsHash() && !o.OnlySinks {
		r.Failures = append(r.Failures, &Failure{Step: -1, Err: fmt.Errorf(
			"the golden is stale: its inputs had the hash %s when Spark answered, now %s; run tools/spark_golden.py --write", s.Golden, s.InputsHash())})
		return r
	}
	h := newHarness(ctx, s, o)
	defer h.close()
	for i, st := range s.Steps {
		if st.OnlySpark() {
			continue
		}
		answer, err := h.execute(st)
		if err != nil {
			r.Failures = append(r.Failures, &Failure{Step: i, Err: err})
			break // what follows would only be wrong in turn
		}
		r.Answers[i] = answer
		if o.OnlySinks {
			continue
		}
		if f := compare(s, i, answer); f != nil {
			f.Context = h.describe(st)
			r.Failures = append(r.Failures, f)
		}
	}
	for _, q := range h.order {
		rows := q.store.rows()
		slices.Sort(rows)
		r.Sinks[q.name] = rows
	}
	r.Writes, r.Crash = h.fs.Ops(), h.reboots
	return r
}

// execute runs one step. An error is a fault of the script; what the engine refuses is
// an answer.
func (h *harness) execute(st *Step) ([]string, error) {
	v, ok := lookupVerb(st.Verb)
	if !ok {
		var names []string
		for _, v := range verbs() {
			names = append(names, v.name)
		}
		return nil, fmt.Errorf("there is no verb %q; did you mean %q?", st.Verb, sqlerr.Nearest(st.Verb, names))
	}
	if err := v.check(st); err != nil {
		return nil, err
	}
	lines, err := h.protect(v, st)
	var fault *Error
	if errors.As(err, &fault) {
		return nil, errors.New(fault.Text)
	}
	if err != nil {
		return []string{errorLine(err)}, nil
	}
	return lines, nil
}

// protect makes a panic of the engine an answer, so that one script does not end the run
// of all others.
func (h *harness) protect(v verb, st *Step) (lines []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = sqlerr.New(sqlerr.Internal, "panic: %v at %s", p, panicSite(debug.Stack()))
		}
	}()
	return v.run(h, st)
}

// panicSite returns where a panic happened: the first line of ours behind the runtime's.
func panicSite(stack []byte) string {
	_, behind, _ := strings.Cut(string(stack), "\npanic(")
	for _, line := range strings.Split(behind, "\n") {
		if at := strings.Index(line, ".go:"); at >= 0 && strings.HasPrefix(line, "\t") && !strings.Contains(line, "/runtime/") {
			return strings.TrimSpace(line)
		}
	}
	return "an unknown place"
}

// errorLine is how a script shows an error: `error: CLASS: message`.
func errorLine(err error) string {
	if f := faultOf(err); f != nil {
		return errorMark + "InjectedFault: " + f.Error()
	}
	text := err.Error()
	var e *sqlerr.Error
	if errors.As(err, &e) {
		text = e.Error()
	}
	return errorMark + strings.SplitN(text, "\n", 2)[0]
}

const errorMark = "error: "

// compare returns nil if a step printed what was expected.
func compare(s *Script, i int, answer []string) *Failure {
	st := s.Steps[i]
	want, bySpark := s.Expected(st)
	failed := len(answer) == 1 && strings.HasPrefix(answer[0], errorMark)
	if want == nil {
		switch {
		case failed:
			return &Failure{Step: i, Want: []string{}, Got: answer}
		case s.lacksBlock(st, answer):
			return &Failure{Step: i, Err: fmt.Errorf("%s has no expected block, and answered %s; ssql test -rewrite writes it", st.directive, lineCount(len(answer)))}
		}
		return nil
	}
	want = unescape(want)
	if bySpark && failed && st.Verb == "query" && s.refusedAtFirstRun(i, answer[0]) {
		return nil
	}
	if len(want) > 0 && strings.HasPrefix(want[0], errorMark) {
		if failed && (want[0] == answer[0] || bySpark && sameClass(want[0], answer[0])) {
			return nil
		}
		return &Failure{Step: i, Want: want, Got: answer}
	}
	if !slices.Contains(st.Args, "ordered") {
		want = sortRows(st, want)
	}
	if slices.Equal(want, answer) || st.Verb == "query" && slices.Equal(withoutNotNull(want), withoutNotNull(answer)) {
		return nil
	}
	return &Failure{Step: i, Want: want, Got: answer}
}

// lacksBlock reports whether an answer passes unseen: a test without a block would be green whatever
// comes. What defines a query or starts it again may say nothing.
func (s *Script) lacksBlock(st *Step, answer []string) bool {
	return st.wantAt == 0 && s.Golden == "" && len(answer) > 0 && st.Verb != "query" && st.Verb != "restart"
}

func lineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// refusedAtFirstRun reports whether Spark refuses the query of step i, too, but only when
// its first batch is due.
func (s *Script) refusedAtFirstRun(i int, answer string) bool {
	for _, st := range s.Steps[i+1:] {
		if st.Verb == "run" && st.Name() == s.Steps[i].Name() {
			return len(st.Want) == 1 && strings.HasPrefix(st.Want[0], errorMark) && sameClass(st.Want[0], answer)
		}
	}
	return false
}

// sortRows sorts the expected rows of each batch: the format does not order them, but
// a script may have been written by hand.
func sortRows(st *Step, lines []string) []string {
	if st.Verb != "run" && st.Verb != "sink" {
		return lines
	}
	out := slices.Clone(lines)
	for from := 0; from < len(out); {
		if strings.HasPrefix(out[from], "batch ") {
			from++
			continue
		}
		to := from
		for to < len(out) && !strings.HasPrefix(out[to], "batch ") {
			to++
		}
		slices.Sort(out[from:to])
		from = to
	}
	return out
}

// describe returns what a report shows besides the difference.
func (h *harness) describe(st *Step) string {
	q := h.queries[strings.ToLower(st.Name())]
	if q == nil {
		return ""
	}
	var b strings.Builder
	if n := len(q.events); n > 0 {
		fmt.Fprintf(&b, "progress: %s\n", q.events[n-1].JSON())
	}
	if lines, err := q.checkpointLines(); err == nil {
		fmt.Fprintf(&b, "checkpoint: %s\n", strings.Join(lines, ", "))
	}
	plan, err := h.explain(&Step{Args: []string{q.name}})
	if err == nil {
		fmt.Fprintf(&b, "plan:\n  %s\n", strings.Join(plan, "\n  "))
	}
	return b.String()
}
