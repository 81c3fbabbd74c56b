package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ssql/checkpoint"
	"ssql/exec"
	"ssql/internal/catalog"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/sql"
)

// defineUnnamed stores and starts a query that is named like its targets, or resumes it.
func (s *Session) defineUnnamed(ctx context.Context, d *catalog.Definition, at sql.Span, wait bool, out Output) error {
	old, err := s.store.Query(ctx, d.Name)
	if err != nil {
		return err
	}
	if old != nil && !catalog.IsUnnamed(old.Definition) {
		if !catalog.SameDefinition(catalog.WithoutName(old.Definition), d.Text) {
			return sqlerr.At(at, "QUERY_ALREADY_EXISTS", "query %q was made by CREATE QUERY with another definition", old.Name).
				WithDetail("%s", catalog.DefinitionDiff(catalog.WithoutName(old.Definition), d.Text, "", "")).
				WithHint("a second query into the same table needs a name: CREATE QUERY name AS INSERT INTO %s ...", d.Targets()[0])
		}
		d.Text, d.Options = old.Definition, old.Options
	}
	if old == nil {
		if err := s.refuseSecondWriter(ctx, d); err != nil {
			return err
		}
	}
	return s.define(ctx, d, old, at, wait, out)
}

// define stores a query and starts it unless it says start = false. With wait it
// waits for the end of the query and says what it did.
func (s *Session) define(ctx context.Context, d *catalog.Definition, old *catalog.QueryRow, at sql.Span, wait bool, out Output) error {
	if j := s.jobOf(d.Name); j != nil {
		if catalog.SameDefinition(j.row.Definition, d.Text) {
			out.Notice(fmt.Sprintf("query %q runs already", j.row.Name))
			return nil
		}
		return sqlerr.At(at, "QUERY_RUNNING", "query %q runs with another definition", j.row.Name).
			WithDetail("%s", catalog.DefinitionDiff(j.row.Definition, d.Text, j.row.BaseDir, d.Dir)).
			WithHint("STOP QUERY %s first; the new definition then goes on where it stopped, if its state allows it", j.row.Name)
	}
	if !d.Start() {
		row, err := s.storeQuery(ctx, d, old, out)
		if err == nil {
			out.Message(fmt.Sprintf("query %q is stored; START QUERY %s starts it", row.Name, sql.IdentText(row.Name)))
		}
		return err
	}
	b, err := s.bindNow(ctx, d)
	if err != nil {
		return err
	}
	row, err := s.rowOf(b, old, out)
	if err != nil {
		return err
	}
	return s.startQuery(ctx, b, row, wait, false, out)
}

// storeQuery stores a definition that can go on from the checkpoint of its query, if there
// is one, and starts nothing.
func (s *Session) storeQuery(ctx context.Context, d *catalog.Definition, old *catalog.QueryRow, out Output) (*catalog.QueryRow, error) {
	b, err := s.bindNow(ctx, d)
	if err != nil {
		return nil, err
	}
	row, err := s.rowOf(b, old, out)
	if err != nil {
		return nil, err
	}
	if err := s.refuseRunning(row, old); err != nil {
		return nil, err
	}
	if err := s.checkFits(b, row); err != nil {
		if old != nil && old.Checkpoint != row.Checkpoint && sqlerr.Code(err) == checkpoint.CodeMissing {
			return nil, sqlerr.New(checkpoint.CodeMissing, "query %q has run, and its checkpoint is not in %q", row.Name, row.Checkpoint).
				WithHint("bring it there first: cp -r %s %s", sqlerr.ShellWord(old.Checkpoint), sqlerr.ShellWord(row.Checkpoint))
		}
		return nil, err
	}
	return row, s.store.SaveQuery(ctx, row)
}

// refuseRunning refuses to change a query that another process runs: it would go on with the
// definition of before, on the same checkpoint. E_LOCKED.
func (s *Session) refuseRunning(row, old *catalog.QueryRow) error {
	folders := []string{row.Checkpoint}
	if old != nil && old.Checkpoint != row.Checkpoint {
		folders = append(folders, old.Checkpoint)
	}
	for _, folder := range folders {
		if _, err := s.store.Claim(row).Check(s.cfg.FS, folder); err != nil {
			continue // the query of another database; its own start would be refused
		}
		if err := checkpoint.Free(s.cfg.FS, folder); err != nil {
			return err
		}
	}
	return nil
}

// rowOf returns what the catalog is to keep of a query. old is what it keeps, nil for
// a new one.
func (s *Session) rowOf(b *bound, old *catalog.QueryRow, out Output) (*catalog.QueryRow, error) {
	row := &catalog.QueryRow{
		Name: b.Name, Definition: b.Text, BaseDir: b.Dir, Target: strings.Join(b.Targets(), ", "),
		Mode: b.modes(), Options: b.Options, State: catalog.Created, Reads: b.reads,
	}
	switch {
	case old != nil:
		row.Name, row.ID, row.State, row.Home = old.Name, old.ID, old.State, old.Home
		b.Name = old.Name
	case len(b.Inserts) > 1 && catalog.IsUnnamed(b.Text):
		out.Notice(fmt.Sprintf("the statement set is query %q", row.Name))
	}
	return row, s.store.PlaceCheckpoint(row, old, s.settings.Get("checkpoint"), b.Dir, out.Notice)
}

// startQuery opens a query, stores it as running and launches it; with wait it comes
// back when a query with an end has ended.
func (s *Session) startQuery(ctx context.Context, b *bound, row *catalog.QueryRow, wait, stored bool, out Output) error {
	if err := s.refuseShared(ctx, row); err != nil {
		return err
	}
	when := settings.Trigger(b.settings, b.plan.EveryMicros(), wait)
	wait = wait && when.Kind != exec.ProcessingTime
	j := newJob(s, row, wait)
	j.plan, j.stored = b.plan, stored
	q, err := s.openQuery(ctx, b, j, out)
	if err != nil {
		return err
	}
	home := s.store.Database()
	row.ID, row.State, row.Home, row.Reads = q.ID(), catalog.Running, &home, b.reads
	if !row.IsNamed() && row.Named == "" {
		// What the removal of another query's has left when it was cut off is in nobody's way.
		_ = vfs.SweepRemoved(s.cfg.FS, filepath.Dir(row.Checkpoint))
	}
	if err := s.store.SaveQuery(ctx, row); err != nil {
		return joinErrors(err, q.Close())
	}
	resumed := q.Resumed()
	j.launch(q, when)
	if !wait {
		from := "started"
		if !resumed.New {
			from = fmt.Sprintf("resumed at batch %d", resumed.NextBatch)
		}
		out.Message(fmt.Sprintf("query %q %s; SHOW QUERIES shows it, STOP QUERY %s stops it", row.Name, from, sql.IdentText(row.Name)))
		return nil
	}
	if err := s.await(ctx, j); err != nil {
		return err
	}
	out.Message(j.summary())
	if note := j.openNote(); note != "" {
		out.Notice(note)
	}
	return nil
}

// refuseSecondWriter refuses a new query without a name of its own that has a target in
// common with a statement set: rows would come twice where one query was meant.
func (s *Session) refuseSecondWriter(ctx context.Context, d *catalog.Definition) error {
	all, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	for _, row := range all {
		taken := row.Targets()
		if len(taken) == 1 && len(d.Inserts) == 1 {
			continue // the names differ, so CREATE QUERY has made the other
		}
		for _, in := range d.Inserts {
			target := in.Target.SQL()
			if !slices.ContainsFunc(taken, func(t string) bool { return sql.Canonical(t) == sql.Canonical(target) }) {
				continue
			}
			return sqlerr.At(in.Target[len(in.Target)-1].Span, "QUERY_ALREADY_EXISTS", "query %q writes to %s already", row.Name, target).
				WithHint("a second query into the same table needs a name: CREATE QUERY name AS ...; DROP QUERY %s ends the first", sql.IdentText(row.Name))
		}
	}
	return nil
}

// checkTargets checks where the outputs of a query go, and makes the tables of Flink
// sinks that are meant so.
func (s *Session) checkTargets(ctx context.Context, inserts []*sql.Insert) error {
	for i, in := range inserts {
		if err := s.refuseElsewhere(ctx, in.Target); err != nil {
			return err
		}
		if err := s.sinkByUse(ctx, in.Target); err != nil {
			return err
		}
		if slices.ContainsFunc(inserts[:i], func(other *sql.Insert) bool { return sameTable(other.Target, in.Target) }) {
			last := in.Target[len(in.Target)-1]
			return sqlerr.At(last.Span, "UNSUPPORTED_STATEMENT", "two outputs of one query go to %q", last.Name).
				WithHint("write one INSERT INTO %s with UNION ALL of the two", in.Target.SQL())
		}
	}
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	for _, in := range inserts {
		if cat.IsStream(in.Target) {
			at := in.Target[len(in.Target)-1]
			return sqlerr.At(at.Span, "UNSUPPORTED_INSERT", "a query on a stream cannot write into stream %q", at.Name).
				WithHint("INSERT INTO a table; a later query can read the table")
		}
	}
	return nil
}

// sameTable reports whether two names may be those of one table: a schema or database that
// only one of them has says nothing.
func sameTable(a, b sql.Name) bool {
	for i := range min(len(a), len(b)) {
		if !strings.EqualFold(a[len(a)-1-i].Name, b[len(b)-1-i].Name) {
			return false
		}
	}
	return true
}
