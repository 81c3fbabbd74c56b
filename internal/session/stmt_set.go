package session

import (
	"context"
	"strings"

	"ssql/internal/duck"
	"ssql/internal/settings"
	"ssql/sql"
)

// set is SET key = value. A key that is DuckDB's goes there; without a key every
// setting is listed.
func (s *Session) set(ctx context.Context, st *sql.Set, _ *Request, out Output) error {
	switch {
	case st.Option == nil:
		return s.showSettings(ctx, "", out)
	case st.Nothing:
		return nil
	}
	setting, err := settings.Find(st.Option.Key, settings.InSession)
	if err != nil {
		if theirs, e := s.isDuckSetting(ctx, st.Option.Key.Name); e != nil || !theirs {
			return joinErrors(e, err)
		}
		return s.passthrough(ctx, st.Node, "SET", "", out)
	}
	value, err := setting.Parse(st.Option)
	if err != nil {
		return err
	}
	s.setValue(setting.Name, value)
	return nil
}

// reset is RESET key, or RESET for all of ours.
func (s *Session) reset(ctx context.Context, st *sql.Reset, _ *Request, out Output) error {
	if st.Key == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settings = settings.Values{}
		return nil
	}
	if st.Nothing {
		return nil
	}
	setting, err := settings.Find(*st.Key, settings.InSession)
	if err != nil {
		if theirs, e := s.isDuckSetting(ctx, st.Key.Name); e != nil || !theirs {
			return joinErrors(e, err)
		}
		return s.passthrough(ctx, st.Node, "RESET", "", out)
	}
	s.setValue(setting.Name, setting.Default)
	return nil
}

// setValue replaces the map: queries that start read it from other goroutines.
func (s *Session) setValue(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = s.settings.Over(settings.Values{name: value})
}

// isDuckSetting reports whether DuckDB has a setting of a name.
func (s *Session) isDuckSetting(ctx context.Context, name string) (found bool, err error) {
	if strings.EqualFold(name, "variable") {
		return true, nil // SET VARIABLE x = 1
	}
	err = s.withConn(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, "SELECT 1 FROM duckdb_settings() WHERE lower(name) = lower(?)", []any{name}, func([]any) error {
			found = true
			return nil
		})
	})
	return found, err
}

// showSettings lists our settings, those whose names are LIKE a pattern.
func (s *Session) showSettings(_ context.Context, like string, out Output) error {
	t := newTextTable("name", "value", "default", "description")
	for i := range settings.Table {
		row := &settings.Table[i]
		if row.Scope&settings.InSession == 0 || !likeMatches(like, row.Name) {
			continue
		}
		t.add(row.Name, s.settings.Get(row.Name), row.Default, row.Summary)
	}
	return t.send(out)
}
