package session

import (
	"context"
	"fmt"
	"time"

	"ssql/exec"
	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// awaitStatement is AWAIT QUERY q|ALL [UNTIL ...] [TIMEOUT d].
func (s *Session) awaitStatement(ctx context.Context, st *sql.Await, _ *Request, out Output) error {
	var jobs []*job
	if st.All {
		jobs = s.jobs()
	} else {
		row, err := s.queryNamed(ctx, st.Name)
		if err != nil {
			return err
		}
		if j := s.jobOf(row.Name); j != nil {
			jobs = append(jobs, j)
		} else if err := s.awaitStopped(ctx, row, st, out); err != nil {
			return err
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

// awaitStopped answers for a query that does not run here: nothing more will come of it.
func (s *Session) awaitStopped(ctx context.Context, row *catalog.QueryRow, st *sql.Await, out Output) error {
	switch {
	case row.State == catalog.Failed:
		return &QueryError{row.Name, sqlerr.At(st.Name.Span, "QUERY_FAILED", "query %q has failed", row.Name).
			WithHint("SHOW ERRORS FOR %s says why", sql.IdentText(row.Name))}
	case row.State == catalog.Finished && (st.Until == "" || st.Until == "IDLE"):
		return nil // it has read what was there
	case st.Until == "" || st.Until == "IDLE":
		out.Notice(fmt.Sprintf("query %q is %s: there is nothing to wait for; START QUERY %s starts it", row.Name, row.State, sql.IdentText(row.Name)))
		return nil
	}
	t, err := s.committed(ctx, row)
	if err != nil || t.reached(st) {
		return err
	}
	return sqlerr.At(st.Name.Span, "AWAIT_NOT_REACHED", "query %q is %s: %s", row.Name, row.State, t.progress(st)).
		WithHint("START QUERY %s, then AWAIT QUERY %[1]s", sql.IdentText(row.Name))
}

// committed is how far the batches of a query have come in all its runs.
func (s *Session) committed(ctx context.Context, row *catalog.QueryRow) (*totals, error) {
	t := &totals{}
	err := s.store.Each(ctx, `SELECT max(batch), coalesce(sum(rows_out), 0)::BIGINT, coalesce(sum(rows_in), 0)::BIGINT, epoch_us(max(watermark)) FROM ssql.commits WHERE query_id = ?`, []any{row.ID}, func(r []any) error {
		batch, some := r[0].(int64)
		if !some {
			return nil
		}
		t.last = &exec.Progress{BatchID: batch}
		t.rowsOut, t.rowsRead = r[1].(int64), r[2].(int64)
		t.last.WatermarkMicros, t.last.HasWatermark = r[3].(int64)
		return nil
	})
	return t, err
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
			return sqlerr.At(st.Name.Span, "E_TIMEOUT", "query %q: %s in %s", j.row.Name, t.progress(st), sql.IntervalText(types.Interval{Micros: st.TimeoutMicros})).Because(ErrTimeout)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// endedBefore judges a query that has ended while AWAIT waited for it.
func (j *job) endedBefore(st *sql.Await) error {
	if j.err != nil {
		return &QueryError{j.row.Name, j.unplaced()}
	}
	t, _ := j.snapshot()
	if st.Until == "" || st.Until == "IDLE" || t.reached(st) {
		return nil
	}
	return sqlerr.At(st.Name.Span, "AWAIT_NOT_REACHED", "query %q has ended: %s", j.row.Name, t.progress(st)).
		WithHint("SHOW PROGRESS FOR %s shows how far it came", sql.IdentText(j.row.Name))
}

// progress says how far a run has come of what AWAIT asks.
func (t *totals) progress(st *sql.Await) string {
	if t.last == nil {
		return "no batch has ended"
	}
	batch := fmt.Sprintf("batch %d", t.last.BatchID)
	switch st.Until {
	case "BATCH":
		return fmt.Sprintf("%s of %d", batch, st.UntilCount)
	case "ROWS":
		return fmt.Sprintf("%d of %d rows, %s", t.rowsOut, st.UntilCount, batch)
	case "WATERMARK":
		if !t.last.HasWatermark {
			return "no watermark yet, " + batch
		}
		return fmt.Sprintf("watermark %s of %s, %s", types.FormatTimestamp(t.last.WatermarkMicros), types.FormatTimestamp(st.UntilMicros), batch)
	}
	return fmt.Sprintf("%s, %s read", batch, sqlerr.CountOf(t.rowsRead, "row"))
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
