package session

import (
	"context"
	"time"

	"ssql/internal/sqlerr"
	"ssql/sql"
)

// awaitStatement is AWAIT QUERY q|ALL [UNTIL ...] [TIMEOUT d].
func (s *Session) awaitStatement(ctx context.Context, st *sql.Await, _ *Request, _ Output) error {
	var jobs []*job
	if st.All {
		jobs = s.jobs()
	} else {
		row, err := s.queryNamed(ctx, st.Name)
		if err != nil {
			return err
		}
		if j := s.jobOf(row.name); j != nil {
			jobs = append(jobs, j)
		} else if row.state == stateFailed {
			return &QueryError{row.name, sqlerr.At(st.Name.Span, "QUERY_FAILED", "query %q has failed", row.name).
				WithHint("SELECT * FROM ssql.errors says why")}
		}
	}
	var timeout <-chan time.Time
	if st.TimeoutMicros > 0 {
		timer := time.NewTimer(time.Duration(st.TimeoutMicros) * time.Microsecond)
		defer timer.Stop()
		timeout = timer.C
	}
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	s.waitFor(giveUp, stopsWaiting)
	for _, j := range jobs {
		j.setAwaited()
		if err := j.awaitUntil(ctx, st, timeout); err != nil {
			return err
		}
	}
	return nil
}

// awaitUntil waits until the query has ended or has come as far as the statement asks.
func (j *job) awaitUntil(ctx context.Context, st *sql.Await, timeout <-chan time.Time) error {
	var idle <-chan struct{}
	if st.Until == "IDLE" {
		idle = j.query.CaughtUp()
	}
	for {
		t, batch := j.snapshot()
		if st.Until != "" && t.reached(st) {
			return nil
		}
		select {
		case <-batch:
		case <-idle:
			return nil
		case <-j.done:
			return j.endedBefore(st)
		case <-timeout:
			return sqlerr.At(st.Span, "E_TIMEOUT", "query %q has not come that far", j.row.name).Because(ErrTimeout)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// endedBefore judges a query that has ended while AWAIT waited for it.
func (j *job) endedBefore(st *sql.Await) error {
	if j.err != nil {
		return &QueryError{j.row.name, j.err}
	}
	t, _ := j.snapshot()
	if st.Until == "" || st.Until == "IDLE" || t.reached(st) {
		return nil
	}
	return sqlerr.At(st.Span, "AWAIT_NOT_REACHED", "query %q has ended and has not come that far", j.row.name).
		WithHint("SHOW PROGRESS FOR %s shows how far it came", identText(j.row.name))
}

// reached reports whether a run has come as far as AWAIT asks.
func (t *totals) reached(st *sql.Await) bool {
	if t.last == nil {
		return false
	}
	switch st.Until {
	case "BATCH":
		return t.last.BatchID >= st.UntilCount
	case "ROWS":
		return t.rowsOut >= st.UntilCount
	case "WATERMARK":
		return t.last.HasWatermark && t.last.WatermarkMicros >= st.UntilMicros
	}
	return false
}
