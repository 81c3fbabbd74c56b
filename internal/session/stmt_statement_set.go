package session

import (
	"context"
	"slices"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/settings"
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
func (s *Session) setDefinition(ctx context.Context, st *sql.StatementSet, r *Request) (*catalog.Definition, error) {
	d := &catalog.Definition{Text: st.Text, Dir: r.Dir, Inserts: st.Inserts, Options: settings.Values{}}
	names := make([]string, len(st.Inserts))
	for i, in := range st.Inserts {
		names[i] = in.Target[len(in.Target)-1].Name
	}
	d.Name = strings.Join(names, "_")
	all, err := s.store.Queries(ctx)
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
		if catalog.IsUnnamed(row.Definition) && slices.Equal(sorted(row.Targets()), sorted(d.Targets())) {
			d.Name = row.Name
		}
	}
	return d, nil
}
