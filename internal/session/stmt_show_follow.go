package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ssql/exec"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// followBuffer is how many batches may wait to be shown; more are left out, so that a slow
// terminal holds no query up.
const followBuffer = 1024

// followProgress is SHOW PROGRESS [FOR q] FOLLOW: a line for the newest batch and for each
// from now on, until the queries have ended or Ctrl-C. It leaves the database alone, which
// other processes may want to open.
func (s *Session) followProgress(ctx context.Context, st *sql.Show, out Output) error {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	s.waitFor(giveUp, stopsWaiting)
	jobs, err := s.followed(ctx, st)
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		out.Notice("no query runs here that could be followed")
		return nil
	}
	batches, ended := make(chan *exec.Progress, followBuffer), make(chan struct{})
	for _, j := range jobs {
		if last := j.follow(batches); last != nil {
			out.Message(progressLine(last))
		}
		defer j.unfollow(batches)
	}
	go func() {
		for _, j := range jobs {
			<-j.done
		}
		close(ended)
	}()
	for {
		select {
		case p := <-batches:
			out.Message(progressLine(p))
		case <-ctx.Done():
			return ErrInterrupted
		case <-ended:
			for len(batches) > 0 {
				out.Message(progressLine(<-batches))
			}
			return nil
		}
	}
}

// follow has the progress of every batch from now on sent to a channel, unless it is full,
// and returns that of the newest one, nil before it.
func (j *job) follow(to chan<- *exec.Progress) *exec.Progress {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.followers = append(j.followers, to)
	return j.totals.last
}

func (j *job) unfollow(to chan<- *exec.Progress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.followers = slices.DeleteFunc(j.followers, func(c chan<- *exec.Progress) bool { return c == to })
}

// followed returns the running queries that a statement names.
func (s *Session) followed(ctx context.Context, st *sql.Show) ([]*job, error) {
	if st.For == nil {
		return s.jobs(), nil
	}
	row, err := s.queryNamed(ctx, *st.For)
	if err != nil {
		return nil, err
	}
	if j := s.jobOf(row.Name); j != nil {
		return []*job{j}, nil
	}
	return nil, nil
}

// progressLine is a batch on one line.
func progressLine(p *exec.Progress) string {
	parts := []string{
		fmt.Sprintf("%s batch %d", p.Name, p.BatchID), sqlerr.CountOf(p.NumInputRows, "row") + " read",
		fmt.Sprintf("%.0f rows/s", p.ProcessedRowsPerSecond), sqlerr.Number(p.Sink.NumOutputRows) + " written",
	}
	if at := p.EventTime["watermark"]; at != "" {
		parts = append(parts, "watermark "+strings.TrimSuffix(strings.Replace(at, "T", " ", 1), ".000Z"))
	}
	open := int64(0)
	for _, o := range p.StateOperators {
		open += o.NumRowsTotal
	}
	parts = append(parts, fmt.Sprintf("open %d", open), fmt.Sprintf("late %d", p.RowsLate), fmt.Sprintf("bad %d", p.RowsBad))
	return strings.Join(parts, " | ")
}
