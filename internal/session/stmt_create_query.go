package session

import (
	"context"
	"fmt"

	"ssql/internal/catalog"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// createQuery is CREATE QUERY name WITH (...) AS INSERT ...
func (s *Session) createQuery(ctx context.Context, st *sql.CreateQuery, r *Request, out Output) error {
	if err := s.checkTargets(ctx, st.Inserts); err != nil {
		return err
	}
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	d, err := s.queryDefinition(st, r.Dir, cat)
	if err != nil {
		return err
	}
	return s.createDefined(ctx, d, creation{"QUERY", st.OrReplace, st.IfNotExists, st.Name}, r, out)
}

// queryDefinition returns the definition that CREATE QUERY writes, or CREATE SINK q INTO t,
// whose output mode is chosen as that of a materialized view.
func (s *Session) queryDefinition(st *sql.CreateQuery, dir string, cat *catalog.Snapshot) (*catalog.Definition, error) {
	options, err := settings.OfQuery(st.Options)
	if err != nil {
		return nil, err
	}
	d := &catalog.Definition{Name: st.Name.Name, Text: st.Text, Dir: dir, Inserts: st.Inserts, Options: options}
	if st.AsView {
		err = s.chooseMode(d, "update", "append", cat)
	}
	return d, err
}

// creation is what CREATE says besides the definition.
type creation struct {
	what                   string // QUERY or MATERIALIZED VIEW
	orReplace, ifNotExists bool
	name                   sql.Ident
}

// createDefined stores and starts a new query, or decides what an existing one of the
// name means.
func (s *Session) createDefined(ctx context.Context, d *catalog.Definition, c creation, r *Request, out Output) error {
	old, err := s.store.Query(ctx, d.Name)
	if err != nil {
		return err
	}
	if old != nil {
		same := catalog.SameDefinition(old.Definition, d.Text)
		switch {
		case same && old.State != catalog.Running:
			out.Notice(fmt.Sprintf("query %q exists already with this definition", old.Name))
		case same:
			out.Notice(fmt.Sprintf("query %q exists already with this definition, and runs", old.Name))
			return nil
		case c.ifNotExists:
			out.Notice(fmt.Sprintf("query %q exists already, with another definition, and stays as it is", old.Name))
			return nil
		case !c.orReplace:
			return sqlerr.At(c.name.Span, "QUERY_ALREADY_EXISTS", "query %q exists with another definition", old.Name).
				WithDetail("%s", catalog.DefinitionDiff(old.Definition, d.Text, old.BaseDir, d.Dir)).
				WithHint("CREATE OR REPLACE %s %s goes on with the new one if its state allows it", c.what, c.name.Name)
		}
	}
	if j := s.jobOf(d.Name); j != nil && c.orReplace {
		if err := s.stopToReplace(ctx, d, j); err != nil {
			return err
		}
	}
	return s.define(ctx, d, old, c.name.Span, r.Wait, out)
}

// stopToReplace stops a running query whose definition is to be replaced, after it has
// been found that the new one can go on from its checkpoint.
func (s *Session) stopToReplace(ctx context.Context, d *catalog.Definition, j *job) error {
	b, err := s.bindNow(ctx, d)
	if err == nil {
		err = s.checkFits(b, j.row)
	}
	if err != nil {
		return err
	}
	j.stop()
	return s.await(ctx, j)
}
