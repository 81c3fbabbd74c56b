package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ssql/checkpoint"
	"ssql/exec"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/sql"
)

// defineUnnamed stores and starts a query that is named like its targets, or resumes it.
func (s *Session) defineUnnamed(ctx context.Context, d *definition, at sql.Span, wait bool, out Output) error {
	old, err := s.query(ctx, d.name)
	if err != nil {
		return err
	}
	if old != nil && !isUnnamed(old.definition) {
		if !sameDefinition(withoutName(old.definition), d.text) {
			return sqlerr.At(at, "QUERY_ALREADY_EXISTS", "query %q was made by CREATE QUERY with another definition", old.name).
				WithDetail("%s", definitionDiff(withoutName(old.definition), d.text, "", "")).
				WithHint("a second query into the same table needs a name: CREATE QUERY name AS INSERT INTO %s ...", d.targets()[0])
		}
		d.text, d.options = old.definition, old.options
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
func (s *Session) define(ctx context.Context, d *definition, old *queryRow, at sql.Span, wait bool, out Output) error {
	if j := s.jobOf(d.name); j != nil {
		if sameDefinition(j.row.definition, d.text) {
			out.Notice(fmt.Sprintf("query %q runs already", j.row.name))
			return nil
		}
		return sqlerr.At(at, "QUERY_RUNNING", "query %q runs with another definition", j.row.name).
			WithDetail("%s", definitionDiff(j.row.definition, d.text, j.row.baseDir, d.dir)).
			WithHint("STOP QUERY %s first; the new definition then goes on where it stopped, if its state allows it", j.row.name)
	}
	if !d.start() {
		row, err := s.storeQuery(ctx, d, old, out)
		if err == nil {
			out.Message(fmt.Sprintf("query %q is stored; START QUERY %s starts it", row.name, sql.IdentText(row.name)))
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
func (s *Session) storeQuery(ctx context.Context, d *definition, old *queryRow, out Output) (*queryRow, error) {
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
		if old != nil && old.checkpoint != row.checkpoint && sqlerr.Code(err) == checkpoint.CodeMissing {
			return nil, sqlerr.New(checkpoint.CodeMissing, "query %q has run, and its checkpoint is not in %q", row.name, row.checkpoint).
				WithHint("bring it there first: cp -r %s %s", sqlerr.ShellWord(old.checkpoint), sqlerr.ShellWord(row.checkpoint))
		}
		return nil, err
	}
	return row, s.saveQuery(ctx, row)
}

// refuseRunning refuses to change a query that another process runs: it would go on with the
// definition of before, on the same checkpoint. E_LOCKED.
func (s *Session) refuseRunning(row, old *queryRow) error {
	folders := []string{row.checkpoint}
	if old != nil && old.checkpoint != row.checkpoint {
		folders = append(folders, old.checkpoint)
	}
	for _, folder := range folders {
		if _, err := s.claim(row).Check(s.cfg.FS, folder); err != nil {
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
func (s *Session) rowOf(b *bound, old *queryRow, out Output) (*queryRow, error) {
	row := &queryRow{
		name: b.name, definition: b.text, baseDir: b.dir, target: strings.Join(b.targets(), ", "),
		mode: b.modes(), options: b.options, state: stateCreated, reads: b.reads,
	}
	switch {
	case old != nil:
		row.name, row.id, row.state, row.home = old.name, old.id, old.state, old.home
		b.name = old.name
	case len(b.inserts) > 1 && isUnnamed(b.text):
		out.Notice(fmt.Sprintf("the statement set is query %q", row.name))
	}
	return row, s.placeCheckpoint(row, old, b.dir, out)
}

// startQuery opens a query, stores it as running and launches it; with wait it comes
// back when a query with an end has ended.
func (s *Session) startQuery(ctx context.Context, b *bound, row *queryRow, wait, stored bool, out Output) error {
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
	home := s.database()
	row.id, row.state, row.home, row.reads = q.ID(), stateRunning, &home, b.reads
	if !row.isNamed() && row.named == "" {
		// What the removal of another query's has left when it was cut off is in nobody's way.
		_ = vfs.SweepRemoved(s.cfg.FS, filepath.Dir(row.checkpoint))
	}
	if err := s.saveQuery(ctx, row); err != nil {
		return joinErrors(err, q.Close())
	}
	resumed := q.Resumed()
	j.launch(q, when)
	if !wait {
		from := "started"
		if !resumed.New {
			from = fmt.Sprintf("resumed at batch %d", resumed.NextBatch)
		}
		out.Message(fmt.Sprintf("query %q %s; SHOW QUERIES shows it, STOP QUERY %s stops it", row.name, from, sql.IdentText(row.name)))
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
func (s *Session) refuseSecondWriter(ctx context.Context, d *definition) error {
	all, err := s.queries(ctx)
	if err != nil {
		return err
	}
	for _, row := range all {
		taken := row.targets()
		if len(taken) == 1 && len(d.inserts) == 1 {
			continue // the names differ, so CREATE QUERY has made the other
		}
		for _, in := range d.inserts {
			target := in.Target.SQL()
			if !slices.ContainsFunc(taken, func(t string) bool { return sql.Canonical(t) == sql.Canonical(target) }) {
				continue
			}
			return sqlerr.At(in.Target[len(in.Target)-1].Span, "QUERY_ALREADY_EXISTS", "query %q writes to %s already", row.name, target).
				WithHint("a second query into the same table needs a name: CREATE QUERY name AS ...; DROP QUERY %s ends the first", sql.IdentText(row.name))
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
	cat, err := s.relations(ctx)
	if err != nil {
		return err
	}
	for _, in := range inserts {
		if cat.isStream(in.Target) {
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
