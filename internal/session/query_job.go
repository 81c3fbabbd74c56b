package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ssql/exec"
	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
)

// job is a query that runs in this process.
type job struct {
	session  *Session
	row      *catalog.QueryRow
	waited   bool // a statement waits for its end and tells it
	keepsBad bool // ssql.bad_rows has bad rows of some source
	plan     *plan.Plan
	// stored says that the definition came from the catalog: positions in its errors
	// mean nothing in what was typed.
	stored bool
	query  *exec.Query
	cancel context.CancelFunc // gives the running batch up
	done   chan struct{}      // closed when everything is closed and stored
	err    error              // how it ended; valid after done

	mu       sync.Mutex
	stopping bool
	awaited  bool // AWAIT has waited for it
	totals   totals
	batch    chan struct{} // closed and replaced after every batch
	// followers get the progress of every batch.
	followers []chan<- *exec.Progress
}

// totals add the progress of a run up.
type totals struct {
	batches, rowsRead, rowsUsed, rowsFiltered, rowsLate, rowsBad, rowsOut, rowsDeleted int64

	rowsPartlyLate int64
	outputs        []exec.OutputProgress // of a statement set
	last           *exec.Progress
}

func (t *totals) add(p *exec.Progress) {
	t.batches++
	t.rowsRead += p.NumInputRows
	t.rowsUsed += p.RowsUsed
	t.rowsFiltered += p.RowsFiltered
	t.rowsLate += p.RowsLate
	t.rowsPartlyLate += p.RowsPartlyLate
	t.rowsBad += p.RowsBad
	t.rowsOut += p.Sink.NumOutputRows
	t.rowsDeleted += p.Sink.NumDeletedRows
	sums := slices.Clone(p.Outputs) // who has the totals so far keeps them
	for i := range t.outputs {
		o := &sums[i]
		o.NumInputRows += t.outputs[i].NumInputRows
		o.NumOutputRows += t.outputs[i].NumOutputRows
		o.NumDeletedRows += t.outputs[i].NumDeletedRows
		o.RowsUsed += t.outputs[i].RowsUsed
		o.RowsFiltered += t.outputs[i].RowsFiltered
		o.RowsLate += t.outputs[i].RowsLate
		o.RowsPartlyLate += t.outputs[i].RowsPartlyLate
		o.RowsBad += t.outputs[i].RowsBad
	}
	t.outputs, t.last = sums, p
}

func newJob(s *Session, row *catalog.QueryRow, wait bool) *job {
	return &job{session: s, row: row, waited: wait, done: make(chan struct{}), batch: make(chan struct{})}
}

// onBatch is exec.Config.OnBatch.
func (j *job) onBatch(p *exec.Progress, _ []exec.Rows) {
	j.mu.Lock()
	j.totals.add(p)
	close(j.batch)
	j.batch = make(chan struct{})
	for _, f := range j.followers {
		select {
		case f <- p:
		default: // SHOW PROGRESS FOLLOW is too slow
		}
	}
	j.mu.Unlock()
	j.session.progress.add(p)
}

// onNotice is exec.Config.OnNotice.
func (j *job) onNotice(text string) {
	j.session.cfg.Notify(fmt.Sprintf("query %q: %s", j.row.Name, text))
}

// snapshot returns the totals so far and a channel that is closed when they change.
func (j *job) snapshot() (totals, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.totals, j.batch
}

// stop asks the query to end after its running batch.
func (j *job) stop() {
	j.mu.Lock()
	j.stopping = true
	j.mu.Unlock()
	j.query.Stop()
}

func (j *job) setAwaited() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.awaited = true
}

// abort gives the running batch up; the next start runs it again.
func (j *job) abort() {
	j.stop()
	j.cancel()
}

// launch runs an opened query in its own goroutine. The context of the statement
// that launches it does not end it.
func (j *job) launch(q *exec.Query, t exec.Trigger) {
	s := j.session
	ctx, done := s.memory.watch(context.Background())
	ctx, cancel := context.WithCancel(ctx)
	j.query, j.cancel = q, cancel
	s.mu.Lock()
	s.running[strings.ToLower(j.row.Name)] = j
	s.mu.Unlock()
	go func() {
		defer cancel()
		err := causeOf(ctx, runGuarded(ctx, q, t))
		done()
		j.finish(err)
	}()
}

// runGuarded turns a panic in the goroutine of a query into its failure: it must not
// take the other queries and the prompt along.
func runGuarded(ctx context.Context, q *exec.Query, t exec.Trigger) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = sqlerr.New(sqlerr.Internal, "the query panicked: %v", r).
				WithHint("this is a bug in ssql; the batch was not committed, so nothing is lost")
		}
	}()
	return q.Run(ctx, t)
}

// finish closes a query whose Run has returned, and stores how it ended.
func (j *job) finish(err error) {
	s := j.session
	j.mu.Lock()
	state := catalog.Finished
	if j.stopping {
		state = catalog.Stopped
	}
	batch := j.query.Resumed().NextBatch // the one that failed, if any did
	if j.totals.last != nil {
		batch = j.totals.last.BatchID + 1
	}
	j.mu.Unlock()
	if state == catalog.Stopped && errors.Is(err, context.Canceled) {
		err = nil
	}
	// What follows must happen however the query ended.
	ctx := context.Background()
	err = joinErrors(err, j.query.Close(), s.progress.flush(ctx))
	if err != nil {
		state = catalog.Failed
		err = joinErrors(err, s.store.SaveError(ctx, j.row, batch, sqlerr.Code(err), err.Error()))
	}
	j.err = joinErrors(err, s.store.SetQueryState(ctx, j.row.Name, state))
	s.mu.Lock()
	s.ended[sql.Canonical(j.row.Name)] = true
	delete(s.running, strings.ToLower(j.row.Name))
	s.mu.Unlock()
	if j.err != nil && !j.waited {
		s.cfg.Notify(fmt.Sprintf("query %q failed\n%s", j.row.Name, sqlerr.Render(j.err, nil)))
	}
	close(j.done)
}

// forgetEnding forgets that a run of a query has ended in this session.
func (s *Session) forgetEnding(query string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ended, sql.Canonical(query))
}

// joinErrors is errors.Join, but one error stays itself, so that it keeps its code and
// its text when it is shown.
func joinErrors(errs ...error) error {
	var kept []error
	for _, err := range errs {
		if err != nil {
			kept = append(kept, err)
		}
	}
	if len(kept) == 1 {
		return kept[0]
	}
	return errors.Join(kept...)
}

// jobOf returns the running query of a name, nil if it does not run here.
func (s *Session) jobOf(name string) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[strings.ToLower(name)]
}

// jobs returns the running queries.
func (s *Session) jobs() []*job {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*job, 0, len(s.running))
	for _, j := range s.running {
		out = append(out, j)
	}
	return out
}

// stopAll stops every query after its running batch and waits for them.
func (s *Session) stopAll() error {
	all := s.jobs()
	for _, j := range all {
		j.stop()
	}
	var errs []error
	for _, j := range all {
		<-j.done
		errs = append(errs, j.err)
	}
	return joinErrors(errs...)
}

// WaitAll waits for the queries that a script has left running, unless it has used
// AWAIT on them. Interrupt stops them after their batch.
func (s *Session) WaitAll(ctx context.Context) error {
	var left []*job
	for _, j := range s.jobs() {
		j.mu.Lock()
		if !j.awaited {
			left = append(left, j)
		}
		j.mu.Unlock()
	}
	if len(left) == 0 {
		return nil
	}
	s.mu.Lock()
	s.stopped = false
	s.mu.Unlock()
	s.cfg.Notify(sqlerr.CountOf(int64(len(left)), "query") + " still running; Ctrl-C stops after the running batch")
	s.waitFor(func() {
		for _, j := range left {
			j.stop()
		}
	}, stopsQuery)
	var errs []error
	for _, j := range left {
		select {
		case <-j.done:
		case <-ctx.Done():
			j.abort()
			<-j.done
		}
		if j.err != nil {
			errs = append(errs, &QueryError{Name: j.row.Name, Err: j.unplaced()})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(errs) == 0 && s.stopped {
		return ErrInterrupted
	}
	return joinErrors(errs...)
}

// placed returns the error of the query for the statement that has started it: without positions
// in another text.
func (j *job) placed() error {
	if j.stored {
		return j.unplaced()
	}
	return sqlerr.Whole(j.err) // the statement may give it a place
}

// unplaced returns the error of the query for any other statement, in whose text its positions
// are not.
func (j *job) unplaced() error {
	moved := sqlerr.Whole(j.err)
	var e *sqlerr.Error
	if j.stored && errors.As(j.err, &e) {
		whole := *e // a start says by itself what was being done
		moved = &whole
	}
	moved.Span = sqlerr.Span{}
	return moved
}

// await waits until a query has ended. Interrupt stops it after its batch; the
// end of ctx gives the batch up.
func (s *Session) await(ctx context.Context, j *job) error {
	s.waitFor(j.stop, stopsQuery)
	select {
	case <-j.done:
	case <-ctx.Done():
		j.abort()
		<-j.done
	}
	if j.err != nil {
		return &QueryError{Name: j.row.Name, Err: j.placed()}
	}
	return ctx.Err()
}
