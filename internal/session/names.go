package session

import (
	"context"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/settings"
	"ssql/sources"
)

// NameKind is a kind of names that a shell completes.
type NameKind uint8

// The kinds.
const (
	Relations        NameKind = iota // streams, tables and views
	Streams                          // and views over them
	Sinks                            // of CREATE SINK
	Queries                          //
	Columns                          // of a relation
	Shows                            // what SHOW can show
	Settings                         // that SET takes
	QueryOptions                     // that CREATE QUERY takes
	ConnectorOptions                 // of a connector, that CREATE STREAM takes
	SinkOptions                      // of a connector, that CREATE SINK takes
)

// Names returns the names of a kind; of is the relation or connector whose names are
// asked for. What cannot be found out in the time of ctx is left out: names are a
// convenience.
func (s *Session) Names(ctx context.Context, kind NameKind, of string) []string {
	var out []string
	collect := func(row []any) error {
		out = append(out, duck.Text(row[0]))
		return nil
	}
	ask := func(statement string, args ...any) {
		_ = s.store.Each(ctx, statement, args, collect)
	}
	switch kind {
	case Relations:
		ask("SELECT name FROM ssql.streams UNION ALL SELECT table_name FROM information_schema.tables WHERE table_schema <> 'ssql' " +
			"UNION ALL SELECT 'ssql.' || table_name FROM information_schema.tables WHERE table_schema = 'ssql'")
	case Streams:
		ask("SELECT name FROM ssql.streams WHERE kind IN ('stream', 'view')")
	case Sinks:
		ask("SELECT name FROM ssql.streams WHERE kind = 'sink'")
	case Queries:
		ask("SELECT name FROM ssql.queries")
	case Columns:
		if cat, err := s.store.Snapshot(ctx); err == nil {
			if st, err := cat.Stream(of); err == nil && st != nil {
				return append(out, st.Plan.Order...)
			}
		}
		if quoted, err := duck.QuoteIdent(of); err == nil {
			ask("DESCRIBE " + quoted)
		}
	case Shows:
		for _, row := range showings() {
			out = append(out, row.what)
		}
	case Settings, QueryOptions:
		where := settings.InSession
		if kind == QueryOptions {
			where = settings.InQuery
		}
		for i := range settings.Table {
			if settings.Table[i].Scope&where != 0 {
				out = append(out, settings.Table[i].Name)
			}
		}
	case ConnectorOptions:
		for _, spec := range s.cfg.Sources {
			if strings.EqualFold(spec.Name, of) {
				out = optionNames(catalog.OptionsOfStream(&spec))
			}
		}
	case SinkOptions:
		for _, spec := range s.cfg.Sinks(s.db, nil) {
			if strings.EqualFold(spec.Name, of) {
				out = optionNames(spec.Options)
			}
		}
	}
	return out
}

func optionNames(options []sources.Option) (names []string) {
	for _, o := range options {
		names = append(names, o.Name)
	}
	return names
}
