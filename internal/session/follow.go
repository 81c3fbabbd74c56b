package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ssql/exec"
	"ssql/internal/duck"
	"ssql/sql"
)

// followPoll is how often SHOW PROGRESS FOLLOW looks for new batches.
const followPoll = 200 * time.Millisecond

// followProgress is SHOW PROGRESS [FOR q] FOLLOW: a line for each batch from now on, until
// the queries have ended or Ctrl-C.
func (s *Session) followProgress(ctx context.Context, st *sql.Show, out Output) error {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	s.waitFor(giveUp)
	followed, err := s.followed(ctx, st)
	if err != nil {
		return err
	}
	if len(followed) == 0 {
		out.Notice("no query runs here that could be followed")
		return nil
	}
	seen := map[string]int64{}
	for id := range followed {
		seen[id] = -1
	}
	err = s.batchesAfter(ctx, seen, func(*exec.Progress) {}) // what is there already
	for err == nil {
		ended := true
		for _, j := range followed {
			select {
			case <-j.done:
			default:
				ended = false
			}
		}
		err = s.batchesAfter(ctx, seen, func(p *exec.Progress) { out.Message(progressLine(p)) })
		if err != nil || ended {
			break
		}
		select {
		case <-time.After(followPoll):
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	return err
}

// followed returns the running queries that a statement names, by identity.
func (s *Session) followed(ctx context.Context, st *sql.Show) (map[string]*job, error) {
	out := map[string]*job{}
	if st.For == nil {
		for _, j := range s.jobs() {
			out[j.query.ID()] = j
		}
		return out, nil
	}
	rows, err := s.queries(ctx)
	if err != nil {
		return nil, err
	}
	row, err := findQuery(rows, *st.For)
	if err != nil {
		return nil, err
	}
	if j := s.jobOf(row.name); j != nil {
		out[j.query.ID()] = j
	}
	return out, nil
}

// batchesAfter gives the progress of the batches that come after those that were seen, and
// notes them.
func (s *Session) batchesAfter(ctx context.Context, seen map[string]int64, tell func(p *exec.Progress)) error {
	if err := s.progress.flush(ctx); err != nil {
		return err
	}
	return s.withConn(ctx, func(c *duck.Conn) error {
		for id, newest := range seen {
			err := c.Query(ctx, `SELECT progress::VARCHAR FROM ssql.progress WHERE query_id = ? AND batch > ? ORDER BY batch`, []any{id, newest}, func(row []any) error {
				p, err := exec.ParseProgress(text(row[0]))
				if err != nil {
					return err
				}
				seen[id] = p.BatchID
				tell(p)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// progressLine is a batch on one line.
func progressLine(p *exec.Progress) string {
	parts := []string{
		fmt.Sprintf("%s batch %d", p.Name, p.BatchID), count(p.NumInputRows, "row") + " read",
		fmt.Sprintf("%.0f rows/s", p.ProcessedRowsPerSecond), number(p.Sink.NumOutputRows) + " written",
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
