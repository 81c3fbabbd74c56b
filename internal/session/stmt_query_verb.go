package session

import (
	"context"
	"fmt"
	"strings"

	"ssql/checkpoint"
	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// queryVerb is START, STOP, PAUSE, RESUME, RESTART, CHECKPOINT and DROP QUERY, and REFRESH
// MATERIALIZED VIEW. Each may be said twice.
func (s *Session) queryVerb(ctx context.Context, st *sql.QueryVerb, r *Request, out Output) error {
	rows, err := s.queriesOf(ctx, st)
	if st.IfExists && sqlerr.Code(err) == "QUERY_NOT_FOUND" {
		out.Notice(fmt.Sprintf("query %q does not exist", st.Name.Name))
		return nil
	}
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := s.runVerb(ctx, st, row, r.Wait, out); err != nil {
			return err
		}
	}
	return nil
}

// queriesOf returns the queries that a verb is for.
func (s *Session) queriesOf(ctx context.Context, st *sql.QueryVerb) ([]*catalog.QueryRow, error) {
	if st.All {
		return s.store.Queries(ctx)
	}
	row, err := s.queryNamed(ctx, st.Name)
	return []*catalog.QueryRow{row}, err
}

func (s *Session) runVerb(ctx context.Context, st *sql.QueryVerb, row *catalog.QueryRow, wait bool, out Output) error {
	switch st.Verb {
	case "START", "RESUME":
		return s.resume(ctx, row, wait, out)
	case "STOP", "PAUSE":
		return s.halt(ctx, row, st.Now, out)
	case "RESTART":
		if err := s.halt(ctx, row, st.Now, out); err != nil {
			return err
		}
		return s.resume(ctx, row, wait, out)
	case "DROP":
		return s.dropQuery(ctx, row, out)
	case "CHECKPOINT":
		out.Message(fmt.Sprintf("query %q: every batch is durable when it is committed; SHOW CHECKPOINTS FOR %s lists them", row.Name, sql.IdentText(row.Name)))
		return nil
	case "REFRESH":
		return s.refresh(ctx, row, out)
	}
	return sqlerr.At(st.Span, "UNSUPPORTED_STATEMENT", "%s QUERY is not supported", st.Verb)
}

// refresh brings the result of a query up to date with what there is to read now.
func (s *Session) refresh(ctx context.Context, row *catalog.QueryRow, out Output) error {
	if j := s.jobOf(row.Name); j != nil {
		return s.awaitCaughtUp(ctx, j)
	}
	return s.resume(ctx, row, true, out)
}

// queryNamed returns the query that a statement names, or an error with the nearest name.
func (s *Session) queryNamed(ctx context.Context, name sql.Ident) (*catalog.QueryRow, error) {
	rows, err := s.store.Queries(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(rows))
	for i, q := range rows {
		if sql.Canonical(q.Name) == sql.Canonical(name.Name) {
			return q, nil
		}
		names[i] = q.Name
	}
	return nil, sqlerr.At(name.Span, "QUERY_NOT_FOUND", "query %q does not exist", name.Name).
		WithNearest(name.Name, names, "SHOW QUERIES lists them")
}

// resume starts a stored query where it stopped.
func (s *Session) resume(ctx context.Context, row *catalog.QueryRow, wait bool, out Output) error {
	if s.jobOf(row.Name) != nil {
		out.Notice(fmt.Sprintf("query %q runs already", row.Name))
		return nil
	}
	d, err := catalog.StoredDefinition(row)
	if err != nil {
		return err
	}
	b, err := s.bindNow(ctx, d)
	if err != nil {
		// Its positions are in the stored text, not in what was typed.
		return catalog.Unplaced(err, fmt.Sprintf("starting query %q", row.Name))
	}
	return s.startQuery(ctx, b, row, wait, true, out)
}

// halt stops a running query after its batch, or at once with now: then the batch
// runs again at the next start.
func (s *Session) halt(ctx context.Context, row *catalog.QueryRow, now bool, out Output) error {
	j := s.jobOf(row.Name)
	switch {
	case j == nil && row.State == catalog.Finished:
		// Rows that come later in a script are not for it any more: see catchUp.
		row.State = catalog.Stopped
		out.Notice(fmt.Sprintf("query %q had read what was there; it takes up nothing more until START QUERY %s", row.Name, sql.IdentText(row.Name)))
		return s.store.SetQueryState(ctx, row.Name, catalog.Stopped)
	case j == nil:
		out.Notice(fmt.Sprintf("query %q does not run here", row.Name))
		return nil
	}
	if now {
		j.abort()
	} else {
		j.stop()
	}
	if err := s.await(ctx, j); err != nil {
		return err
	}
	row.State = catalog.Stopped
	out.Message(j.summary())
	return nil
}

// dropQuery forgets a query: its definition, its progress through the input and its
// state. What it has written stays.
func (s *Session) dropQuery(ctx context.Context, row *catalog.QueryRow, out Output) error {
	stays, err := s.forgetQuery(ctx, row, out)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("query %q is dropped with its checkpoint", row.Name)
	if stays != "" {
		text = fmt.Sprintf("query %q is dropped; %s", row.Name, stays)
	}
	tables, written, err := s.store.Targets(ctx, row)
	if err != nil {
		return err
	}
	for _, sink := range written {
		text += fmt.Sprintf("; the files of sink %s stay (remove them, or choose another path, before a new query writes there)", sink.Name)
	}
	if len(tables) > 0 {
		stay := [...]string{"table", "stays with its", "it"}
		if len(tables) > 1 {
			stay = [...]string{"tables", "stay with their", "them"}
		}
		text += fmt.Sprintf("; %s %s %s rows (a new query into %s begins at the start of its streams and adds to them)",
			stay[0], strings.Join(tables, " and "), stay[1], stay[2])
	}
	out.Message(text)
	return nil
}

// forgetQuery stops a query if it runs here, and deletes its checkpoint and its row in the
// catalog. E_LOCKED refuses one that runs in another process. stays says what of the
// checkpoint is left, "" for nothing.
func (s *Session) forgetQuery(ctx context.Context, row *catalog.QueryRow, out Output) (stays string, err error) {
	if s.jobOf(row.Name) != nil {
		if err := s.halt(ctx, row, false, out); err != nil {
			return "", err
		}
	}
	if stays, err = s.removeCheckpoint(row); err != nil {
		return "", err
	}
	s.forgetEnding(row.Name)
	return stays, s.store.DeleteQuery(ctx, row.Name)
}

// removeCheckpoint deletes the folder of a query's checkpoint, unless it is not this
// database's, or the user has named it: such a folder may hold more.
func (s *Session) removeCheckpoint(row *catalog.QueryRow) (stays string, err error) {
	if row.Checkpoint == "" {
		return "", nil // in memory, and never started
	}
	claim := s.store.Claim(row)
	if _, err := claim.Check(s.cfg.FS, row.Checkpoint); sqlerr.Code(err) == claim.Code {
		return fmt.Sprintf("the checkpoint in %q is not this database's and stays", row.Checkpoint), nil
	}
	if lost := sqlerr.Code(s.lookForCheckpoint(row)); lost == checkpoint.CodeMissing || lost == claim.Code {
		return "its checkpoint was not here", nil
	}
	if row.IsNamed() {
		return fmt.Sprintf("its checkpoint stays in %q", row.Checkpoint), checkpoint.Free(s.cfg.FS, row.Checkpoint)
	}
	return "", checkpoint.Remove(s.cfg.FS, row.Checkpoint, claim)
}
