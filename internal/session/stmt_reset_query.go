package session

import (
	"context"
	"fmt"

	"ssql/checkpoint"
	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// resetQuery is RESET QUERY: the query forgets its checkpoint and begins again at its
// next start, under a new identity. It needs FORCE, since nothing brings back what is
// forgotten, and without TRUNCATE OUTPUT rows are written a second time.
func (s *Session) resetQuery(ctx context.Context, st *sql.ResetQuery, _ *Request, out Output) error {
	row, err := s.queryNamed(ctx, st.Name)
	if err != nil {
		return err
	}
	if s.jobOf(row.name) != nil {
		return sqlerr.At(st.Name.Span, "QUERY_RUNNING", "query %q runs", row.name).WithHint("STOP QUERY %s first", sql.IdentText(row.name))
	}
	if err := s.refuseReset(ctx, row, st.Name.Span); err != nil {
		return err
	}
	if !st.Force {
		what := fmt.Sprintf("the rows that %s has stay, so everything that is read again is in it twice", row.target)
		if st.Truncate {
			what = fmt.Sprintf("the rows of %s are deleted", row.target)
		}
		return sqlerr.At(st.Span, "RESET_NEEDS_FORCE", "query %q would forget what it has read and begin again: %s", row.name, what).
			WithHint("RESET QUERY %s %s OUTPUT FORCE does so", sql.IdentText(row.name), map[bool]string{true: "TRUNCATE", false: "KEEP"}[st.Truncate])
	}
	if _, err := s.claim(row).Check(s.cfg.FS, row.checkpoint); err != nil {
		return err
	}
	if _, err := s.cfg.FS.Stat(row.checkpoint); err == nil && row.isNamed() {
		if err := checkpoint.Free(s.cfg.FS, row.checkpoint); err != nil {
			return err
		}
		return sqlerr.At(st.Name.Span, "UNSUPPORTED_STATEMENT", "the checkpoint of query %q is in a folder that you named: %q", row.name, row.checkpoint).
			WithHint("delete the folder, which may hold more, and repeat RESET QUERY")
	}
	if _, err := s.removeCheckpoint(row); err != nil {
		return err
	}
	if st.Truncate {
		err := s.inTransaction(ctx, func(c *duck.Conn) error {
			for _, table := range row.targets() {
				if _, err := c.Exec(ctx, "DELETE FROM "+table); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	// Last: until then the start refuses a query without its checkpoint, and RESET QUERY can
	// be repeated.
	row.id, row.state, row.home = "", stateCreated, nil
	if err := s.saveQuery(ctx, row); err != nil {
		return err
	}
	s.forgetEnding(row.name)
	out.Message(fmt.Sprintf("query %q is reset; START QUERY %s begins with the first row of its streams", row.name, sql.IdentText(row.name)))
	return nil
}

// refuseReset refuses to begin a query again whose result is in files: they belong to the
// identity that it would lose.
func (s *Session) refuseReset(ctx context.Context, q *queryRow, at sql.Span) error {
	_, written, err := s.targets(ctx, q)
	if err != nil || len(written) == 0 {
		return err
	}
	n := written[0]
	return sqlerr.At(at, "UNSUPPORTED_STATEMENT", "query %q writes to the files of sink %q, which a reset would leave as they are", q.name, n.name).
		WithHint("DROP QUERY %s, remove %q with ssql's folder in it or beside it, and create the query again", sql.IdentText(q.name), n.path)
}
