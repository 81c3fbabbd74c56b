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

// alterSink is ALTER SINK name SET LOCATION 'path': the files of the sink, with ssql's folder
// in or beside them, are in another place now. The next start of its query compares what is
// there with the checkpoint.
func (s *Session) alterSink(ctx context.Context, st *sql.AlterSink, r *Request, out Output) error {
	all, err := s.store.Sinks(ctx)
	if err != nil {
		return err
	}
	n := all[strings.ToLower(st.Name.Name)]
	if n == nil {
		return noSuchSink(all, st.Name)
	}
	key := locationOption(n.Spec.Options)
	if key == "" {
		return sqlerr.At(st.Location.Span, "UNSUPPORTED_STATEMENT", "sink %q is not in files: connector %q has no location", n.Name, n.Spec.Name)
	}
	writers, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	for _, q := range writers {
		if !q.WritesTo(strings.ToLower(n.Name)) {
			continue
		}
		if s.jobOf(q.Name) != nil {
			return sqlerr.At(st.Name.Span, "SINK_IN_USE", "query %q writes to sink %q now", q.Name, n.Name).WithHint("STOP QUERY %s first", sql.IdentText(q.Name))
		}
		if _, err := s.store.Claim(q).Check(s.cfg.FS, q.Checkpoint); err != nil {
			continue // it cannot run on this database
		}
		if err := checkpoint.Free(s.cfg.FS, q.Checkpoint); err != nil {
			return err
		}
	}
	create, ok := catalog.ParsedSink(n.Definition)
	if !ok {
		return sqlerr.New(sqlerr.Internal, "definition of sink %q is no CREATE SINK", n.Name)
	}
	create.Options = catalog.WithOptions(create.Options, []sql.Option{locationSet(key, st.Location)})
	if _, err := s.store.DeclareSink(create, r.Dir); err != nil {
		return catalog.PlaceOver(err, st.Location.Span)
	}
	err = s.store.Exec(ctx, `UPDATE ssql.streams SET definition = ?, base_dir = ? WHERE kind = 'sink' AND lower(name) = lower(?)`,
		sql.StatementText(create), s.db.Kept(r.Dir), n.Name)
	if err == nil {
		out.Message(fmt.Sprintf("sink %q is in %q from now on", n.Name, catalog.Absolute(r.Dir, st.Location.Path)))
	}
	return err
}

func noSuchSink(all map[string]*catalog.Sink, name sql.Ident) error {
	var names []string
	for _, n := range all {
		names = append(names, n.Name)
	}
	return sqlerr.At(name.Span, "SINK_NOT_FOUND", "there is no sink %q", name.Name).
		WithNearest(name.Name, names, "SHOW SINKS lists them")
}
