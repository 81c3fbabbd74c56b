package session

import (
	"context"
	"fmt"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// createSink is CREATE SINK. With a query the sink is filled by a query of its name.
func (s *Session) createSink(ctx context.Context, st *sql.CreateSink, r *Request, out Output) error {
	all, err := s.store.Sinks(ctx)
	if err != nil {
		return err
	}
	old := all[strings.ToLower(st.Name.Name)]
	done, err := s.existingSink(ctx, st, old, r, out)
	if err != nil {
		return err
	}
	if !done {
		if err := s.saveSink(ctx, st, old, r); err != nil {
			return err
		}
	}
	if st.Query == nil {
		return nil
	}
	// The text is what the catalog keeps; the positions are those of the CREATE SINK.
	insert := &sql.Insert{
		Node:   sql.Node{Span: st.Span, Text: "INSERT INTO " + sql.IdentText(st.Name.Name) + " " + st.Query.Text},
		Target: sql.Name{st.Name}, Query: st.Query,
	}
	return s.insert(ctx, insert, r, out)
}

// existingSink decides what an existing sink of the name means; done says that it stays
// as it is.
func (s *Session) existingSink(ctx context.Context, st *sql.CreateSink, old *catalog.Sink, r *Request, out Output) (done bool, err error) {
	if old == nil {
		return false, nil
	}
	same := catalog.SameDefinition(withoutQuery(old.Definition), withoutQuery(st.Text)) && (old.BaseDir == r.Dir || catalog.IsAbsolute(optionNamed(st.Options, "path")))
	switch {
	case same:
		out.Notice(fmt.Sprintf("sink %q exists already with this definition", old.Name))
		return true, nil
	case st.IfNotExists:
		out.Notice(fmt.Sprintf("sink %q exists already, with another definition, and stays as it is", old.Name))
		return true, nil
	case st.OrReplace:
		return false, s.refuseSinkInUse(ctx, old.Name, st.Name.Span, "replaced")
	}
	return false, sqlerr.At(st.Name.Span, "SINK_ALREADY_EXISTS", "sink %q exists with another definition", old.Name).
		WithDetail("%s", catalog.DefinitionDiff(old.Definition, st.Text, old.BaseDir, r.Dir)).
		WithHint("CREATE OR REPLACE SINK %s replaces it", sql.IdentText(old.Name))
}

// saveSink checks a sink and stores it in place of an old one.
func (s *Session) saveSink(ctx context.Context, st *sql.CreateSink, old *catalog.Sink, r *Request) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	if cat.IsStream(sql.Name{st.Name}) {
		return sqlerr.At(st.Name.Span, "STREAM_ALREADY_EXISTS", "%q is a stream or a view over one", st.Name.Name).
			WithHint("choose another name for the sink")
	}
	if old == nil {
		if err := refuseTableName(cat, st.Name); err != nil {
			return err
		}
	}
	if _, err := s.store.DeclareSink(st, r.Dir); err != nil {
		return err
	}
	stored := *st
	stored.Query, stored.OrReplace, stored.IfNotExists = nil, false, false
	return s.store.InTransaction(ctx, func(c *duck.Conn) error {
		if _, err := c.Exec(ctx, `DELETE FROM ssql.streams WHERE lower(name) = lower(?)`, st.Name.Name); err != nil {
			return err
		}
		_, err := c.Exec(ctx, `INSERT INTO ssql.streams (name, kind, definition, base_dir, created_at) VALUES (?, 'sink', ?, ?, ?)`,
			st.Name.Name, sql.StatementText(&stored), s.db.Kept(r.Dir), s.now())
		return err
	})
}

// withoutQuery returns a CREATE SINK without the query that fills it.
func withoutQuery(definition string) string {
	if st, ok := catalog.ParsedSink(definition); ok {
		st.Query = nil
		return sql.StatementText(st)
	}
	return definition
}

// optionNamed returns the text of an option, "" without it.
func optionNamed(options []sql.Option, name string) string {
	for _, o := range options {
		if strings.EqualFold(o.Key.Name, name) {
			return settings.OptionText(o.Value)
		}
	}
	return ""
}
