package session

import (
	"context"
	"fmt"

	"ssql/checkpoint"
	"ssql/internal/catalog"
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
	if s.jobOf(row.Name) != nil {
		return sqlerr.At(st.Name.Span, "QUERY_RUNNING", "query %q runs", row.Name).WithHint("STOP QUERY %s first", sql.IdentText(row.Name))
	}
	if err := s.refuseReset(ctx, row, st.Name.Span); err != nil {
		return err
	}
	if !st.Force {
		what := fmt.Sprintf("the rows that %s has stay, so everything that is read again is in it twice", row.Target)
		if st.Truncate {
			what = fmt.Sprintf("the rows of %s are deleted", row.Target)
		}
		return sqlerr.At(st.Span, "RESET_NEEDS_FORCE", "query %q would forget what it has read and begin again: %s", row.Name, what).
			WithHint("RESET QUERY %s %s OUTPUT FORCE does so", sql.IdentText(row.Name), map[bool]string{true: "TRUNCATE", false: "KEEP"}[st.Truncate])
	}
	if _, err := s.store.Claim(row).Check(s.cfg.FS, row.Checkpoint); err != nil {
		return err
	}
	if _, err := s.cfg.FS.Stat(row.Checkpoint); err == nil && row.IsNamed() {
		if err := checkpoint.Free(s.cfg.FS, row.Checkpoint); err != nil {
			return err
		}
		return sqlerr.At(st.Name.Span, "UNSUPPORTED_STATEMENT", "the checkpoint of query %q is in a folder that you named: %q", row.Name, row.Checkpoint).
			WithHint("delete the folder, which may hold more, and repeat RESET QUERY")
	}
	if _, err := s.removeCheckpoint(row); err != nil {
		return err
	}
	if st.Truncate {
		err := s.store.InTransaction(ctx, func(c *duck.Conn) error {
			for _, table := range row.Targets() {
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
	row.ID, row.State, row.Home = "", catalog.Created, nil
	if err := s.store.SaveQuery(ctx, row); err != nil {
		return err
	}
	s.forgetEnding(row.Name)
	out.Message(fmt.Sprintf("query %q is reset; START QUERY %s begins with the first row of its streams", row.Name, sql.IdentText(row.Name)))
	return nil
}

// refuseReset refuses to begin a query again whose result is in files: they belong to the
// identity that it would lose.
func (s *Session) refuseReset(ctx context.Context, q *catalog.QueryRow, at sql.Span) error {
	_, written, err := s.store.Targets(ctx, q)
	if err != nil || len(written) == 0 {
		return err
	}
	n := written[0]
	return sqlerr.At(at, "UNSUPPORTED_STATEMENT", "query %q writes to the files of sink %q, which a reset would leave as they are", q.Name, n.Name).
		WithHint("DROP QUERY %s, remove %q with ssql's folder in it or beside it, and create the query again", sql.IdentText(q.Name), n.Path)
}
