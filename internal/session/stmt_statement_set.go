package session

import (
	"context"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql"
)

// statementSet is EXECUTE STATEMENT SET: one query with an output for each INSERT, named
// like its targets.
func (s *Session) statementSet(ctx context.Context, st *sql.StatementSet, r *Request, out Output) error {
	if err := s.checkTargets(ctx, st.Inserts); err != nil {
		return err
	}
	d, err := s.setDefinition(ctx, st, r)
	if err != nil {
		return err
	}
	return s.defineUnnamed(ctx, d, st.Span, r.Wait, out)
}

// setDefinition returns the definition of a statement set. Its name is that of the targets,
// in the order in which they were written first.
func (s *Session) setDefinition(ctx context.Context, st *sql.StatementSet, r *Request) (*definition, error) {
	d := &definition{text: st.Text, dir: r.Dir, inserts: st.Inserts, options: settings{}}
	names := make([]string, len(st.Inserts))
	for i, in := range st.Inserts {
		names[i] = in.Target[len(in.Target)-1].Name
	}
	d.name = strings.Join(names, "_")
	all, err := s.queries(ctx)
	if err != nil {
		return nil, err
	}
	sorted := func(targets []string) []string {
		targets = slices.Clone(targets)
		for i, t := range targets {
			targets[i] = sql.Canonical(t)
		}
		slices.Sort(targets)
		return targets
	}
	for _, row := range all {
		if isUnnamed(row.definition) && slices.Equal(sorted(row.targets()), sorted(d.targets())) {
			d.name = row.name
		}
	}
	return d, nil
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
			target := nameText(in.Target)
			if !slices.ContainsFunc(taken, func(t string) bool { return sql.Canonical(t) == sql.Canonical(target) }) {
				continue
			}
			return sqlerr.At(in.Target[len(in.Target)-1].Span, "QUERY_ALREADY_EXISTS", "query %q writes to %s already", row.name, target).
				WithHint("a second query into the same table needs a name: CREATE QUERY name AS ...; DROP QUERY %s ends the first", identText(row.name))
		}
	}
	return nil
}

// checkTargets checks where the outputs of a query go, and makes the tables of Flink
// sinks that are meant so.
func (s *Session) checkTargets(ctx context.Context, inserts []*sql.Insert) error {
	for i, in := range inserts {
		if err := s.sinkByUse(ctx, in.Target); err != nil {
			return err
		}
		if slices.ContainsFunc(inserts[:i], func(other *sql.Insert) bool { return sameTable(other.Target, in.Target) }) {
			last := in.Target[len(in.Target)-1]
			return sqlerr.At(last.Span, "UNSUPPORTED_STATEMENT", "two outputs of one query go to %q", last.Name).
				WithHint("write one INSERT INTO %s with UNION ALL of the two", nameText(in.Target))
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
