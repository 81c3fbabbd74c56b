package session

import (
	"context"
	"sort"

	"ssql/internal/catalog"
	"ssql/sql"
)

// catchUp lets the queries that read a stream take up what was just inserted into it, so
// that the next statement of a script sees it: those that run are waited for, and those
// that had read all there was earlier in this session go on. A query that was stopped,
// or has a trigger of its own, is left alone.
func (s *Session) catchUp(ctx context.Context, stream string, out Output) error {
	rows, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	sort.Slice(rows, func(i, j int) bool { return sql.Canonical(rows[i].Name) < sql.Canonical(rows[j].Name) })
	for _, row := range rows {
		if source, err := s.sourceOf(ctx, row, stream); err != nil || source < 0 {
			continue // one that cannot be bound any more is not this statement's matter
		}
		if j := s.jobOf(row.Name); j != nil {
			if err := s.awaitCaughtUp(ctx, j); err != nil {
				return err
			}
			continue
		}
		s.mu.Lock()
		endedHere := s.ended[sql.Canonical(row.Name)]
		s.mu.Unlock()
		if endedHere && row.State == catalog.Finished && s.settings.Over(row.Options).Get("trigger") == "auto" {
			if err := s.resume(ctx, row, true, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// awaitCaughtUp waits until a running query has nothing left to read.
func (s *Session) awaitCaughtUp(ctx context.Context, j *job) error {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	s.waitFor(giveUp, stopsWaiting)
	select {
	case <-j.query.CaughtUp():
		return nil
	case <-j.done:
		if j.err != nil {
			return &QueryError{Name: j.row.Name, Err: j.unplaced()}
		}
		return nil
	case <-ctx.Done():
		return ErrInterrupted
	}
}
