package session

import (
	"context"
	"fmt"
	"strings"

	"ssql/checkpoint"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// alterSink is ALTER SINK name SET LOCATION 'path': the files of the sink, with ssql's folder
// in or beside them, are in another place now. The next start of its query compares what is
// there with the checkpoint.
func (s *Session) alterSink(ctx context.Context, st *sql.AlterSink, r *Request, out Output) error {
	all, err := s.namedSinks(ctx)
	if err != nil {
		return err
	}
	n := all[strings.ToLower(st.Name.Name)]
	if n == nil {
		return noSuchSink(all, st.Name)
	}
	key := locationOption(n.spec.Options)
	if key == "" {
		return sqlerr.At(st.Location.Span, "UNSUPPORTED_STATEMENT", "sink %q is not in files: connector %q has no location", n.name, n.spec.Name)
	}
	writers, err := s.queries(ctx)
	if err != nil {
		return err
	}
	for _, q := range writers {
		if !q.writesTo(strings.ToLower(n.name)) {
			continue
		}
		if s.jobOf(q.name) != nil {
			return sqlerr.At(st.Name.Span, "SINK_IN_USE", "query %q writes to sink %q now", q.name, n.name).WithHint("STOP QUERY %s first", sql.IdentText(q.name))
		}
		if _, err := s.claim(q).Check(s.cfg.FS, q.checkpoint); err != nil {
			continue // it cannot run on this database
		}
		if err := checkpoint.Free(s.cfg.FS, q.checkpoint); err != nil {
			return err
		}
	}
	create, ok := parsedSink(n.definition)
	if !ok {
		return sqlerr.New(sqlerr.Internal, "definition of sink %q is no CREATE SINK", n.name)
	}
	create.Options = withOptions(create.Options, []sql.Option{locationSet(key, st.Location)})
	if _, err := s.declareSink(create, r.Dir); err != nil {
		return placeOver(err, st.Location.Span)
	}
	err = s.exec(ctx, `UPDATE ssql.streams SET definition = ?, base_dir = ? WHERE kind = 'sink' AND lower(name) = lower(?)`,
		sql.StatementText(create), s.db.Kept(r.Dir), n.name)
	if err == nil {
		out.Message(fmt.Sprintf("sink %q is in %q from now on", n.name, absolute(r.Dir, st.Location.Path)))
	}
	return err
}

func noSuchSink(all map[string]*namedSink, name sql.Ident) error {
	var names []string
	for _, n := range all {
		names = append(names, n.name)
	}
	return sqlerr.At(name.Span, "SINK_NOT_FOUND", "there is no sink %q", name.Name).
		WithNearest(name.Name, names, "SHOW SINKS lists them")
}
