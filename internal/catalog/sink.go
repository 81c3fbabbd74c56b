package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ssql/internal/duck"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sources"
	"ssql/sql"
	"ssql/sql/types"
)

// Sink is what CREATE SINK declared, ready to be opened.
type Sink struct {
	Name       string
	Definition string
	BaseDir    string
	Spec       *sinks.Spec
	Options    sources.Values
	Columns    []sql.ColumnDef // nil: those of the query
	Path       string          // "" if it is not in the file system
	Broken     error           // why the definition cannot be read; then nothing else is known
}

// ParsedSink parses a stored definition; ok is false if it is no CREATE SINK.
func ParsedSink(definition string) (*sql.CreateSink, bool) {
	parsed, err := ParseStored(definition)
	st, ok := parsed.(*sql.CreateSink)
	return st, ok && err == nil
}

// DeclareSink builds a sink from its parsed definition.
func (s *Store) DeclareSink(st *sql.CreateSink, dir string) (*Sink, error) {
	spec, err := s.sinkConnectorOf(st)
	if err != nil {
		return nil, err
	}
	options, err := connectorOptions(spec.Name, spec.Options, st.Options, dir)
	if err != nil {
		return nil, err
	}
	options.Owner = s.folderClaim("sink", "E_SINK_ELSEWHERE", "E_SINK_CORRUPT", "ALTER SINK "+sql.IdentText(st.Name.Name)+" SET LOCATION 'another_folder'")
	for _, c := range st.Columns {
		if c.Format != nil {
			return nil, sqlerr.At(c.FormatAt, "UNSUPPORTED_FEATURE", "a column of a sink has no format").
				WithHint("write the text that it should hold: strftime(ts, %s)", types.QuoteText(*c.Format))
		}
	}
	n := &Sink{Name: st.Name.Name, BaseDir: dir, Spec: spec, Options: options, Columns: st.Columns}
	if spec.Place != nil {
		if n.Path, err = spec.Place(n.Options); err != nil {
			return nil, PlaceAtOption(err, st.Options, st.Name.Span)
		}
	}
	return n, nil
}

// CreateText returns the CREATE SINK, with an absolute path, so that it means the same
// wherever it is run.
func (n *Sink) CreateText() string {
	st, ok := ParsedSink(n.Definition)
	if !ok {
		return n.Definition
	}
	for i, o := range st.Options {
		if strings.EqualFold(o.Key.Name, "path") {
			st.Options[i].Value = Absolute(n.BaseDir, settings.OptionText(o.Value))
		}
	}
	return sql.StatementText(st)
}

func (s *Store) readSinks(ctx context.Context) (map[string]*Sink, error) {
	out := map[string]*Sink{}
	err := s.Each(ctx, `SELECT name, definition, coalesce(base_dir, '') FROM ssql.streams WHERE kind = 'sink'`, nil, func(row []any) error {
		n := s.storedSink(duck.Text(row[0]), duck.Text(row[1]), s.db.Place(duck.Text(row[2])))
		out[strings.ToLower(n.Name)] = n
		return nil
	})
	return out, err
}

// storedSink returns a sink of the catalog. One that cannot be read is known by its name only.
func (s *Store) storedSink(name, definition, dir string) *Sink {
	broken := func(err error) *Sink {
		return &Sink{Name: name, Definition: definition, BaseDir: dir, Broken: Unplaced(err, fmt.Sprintf("reading the definition of sink %q", name))}
	}
	parsed, err := ParseStored(definition)
	if err != nil {
		return broken(err)
	}
	st, ok := parsed.(*sql.CreateSink)
	if !ok {
		return broken(sqlerr.New("E_CATALOG", "it is no CREATE SINK").WithHint("DROP SINK %s forgets it", sql.IdentText(name)))
	}
	n, err := s.DeclareSink(st, dir)
	if err != nil {
		return broken(err)
	}
	n.Definition = definition
	return n
}

// SinkNamed returns the sink that a target is, nil if it is a table.
func (s *Store) SinkNamed(ctx context.Context, target sql.Name) (*Sink, error) {
	if len(target) != 1 {
		return nil, nil
	}
	all, err := s.Sinks(ctx)
	n := all[strings.ToLower(target[0].Name)]
	if n != nil && n.Broken != nil {
		return nil, n.Broken
	}
	return n, err
}

// Targets sorts the targets of a stored query: tables as the query names them, and sinks.
func (s *Store) Targets(ctx context.Context, q *QueryRow) (tables []string, written []*Sink, err error) {
	all, err := s.Sinks(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, target := range q.Targets() {
		if n := all[sinkKey(target)]; n != nil {
			written = append(written, n)
		} else {
			tables = append(tables, target)
		}
	}
	return tables, written, nil
}

// Targets are where the rows of a stored query go, as its definition names them.
func (q *QueryRow) Targets() []string {
	d, err := StoredDefinition(q)
	if err != nil {
		return []string{q.Target} // DIAGNOSE says what is wrong with the definition
	}
	return d.Targets()
}

// WritesTo reports whether a query writes to the sink of a name in lower case.
func (q *QueryRow) WritesTo(key string) bool {
	return slices.ContainsFunc(q.Targets(), func(t string) bool { return sinkKey(t) == key })
}

// sinkKey is the name of a sink that a query has stored as its target, in lower case.
func sinkKey(target string) string { return strings.ToLower(strings.Trim(target, `"`)) }

// IsConsole reports whether the rows of a sink are only shown.
func (n *Sink) IsConsole() bool { return n != nil && n.Spec.Name == "console" }

// ColumnTypes returns the types that columns are declared with, nil for none.
func ColumnTypes(columns []sql.ColumnDef) []types.Type {
	var out []types.Type
	for _, c := range columns {
		if c.Type == nil {
			return nil
		}
		out = append(out, *c.Type)
	}
	return out
}
