package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sources"
	"ssql/sql"
	"ssql/sql/types"
)

// namedSink is what CREATE SINK declared, ready to be opened.
type namedSink struct {
	name       string
	definition string
	baseDir    string
	spec       *sinks.Spec
	options    sources.Values
	columns    []sql.ColumnDef // nil: those of the query
	path       string          // "" if it is not in the file system
	broken     error           // why the definition cannot be read; then nothing else is known
}

func parsedSink(definition string) (*sql.CreateSink, bool) {
	parsed, err := parseStored(definition)
	st, ok := parsed.(*sql.CreateSink)
	return st, ok && err == nil
}

// declareSink builds a sink from its parsed definition.
func (s *Session) declareSink(st *sql.CreateSink, dir string) (*namedSink, error) {
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
	n := &namedSink{name: st.Name.Name, baseDir: dir, spec: spec, options: options, columns: st.Columns}
	if spec.Place != nil {
		if n.path, err = spec.Place(n.options); err != nil {
			return nil, placeAtOption(err, st.Options, st.Name.Span)
		}
	}
	return n, nil
}

// createText returns the CREATE SINK, with an absolute path, so that it means the same
// wherever it is run.
func (n *namedSink) createText() string {
	st, ok := parsedSink(n.definition)
	if !ok {
		return n.definition
	}
	for i, o := range st.Options {
		if strings.EqualFold(o.Key.Name, "path") {
			st.Options[i].Value = absolute(n.baseDir, settings.OptionText(o.Value))
		}
	}
	return sql.StatementText(st)
}

// namedSinks returns every sink by name in lower case.
func (s *Session) namedSinks(ctx context.Context) (map[string]*namedSink, error) {
	out := map[string]*namedSink{}
	err := s.each(ctx, `SELECT name, definition, coalesce(base_dir, '') FROM ssql.streams WHERE kind = 'sink'`, nil, func(row []any) error {
		n := s.storedSink(text(row[0]), text(row[1]), s.db.Place(text(row[2])))
		out[strings.ToLower(n.name)] = n
		return nil
	})
	return out, err
}

// storedSink returns a sink of the catalog. One that cannot be read is known by its name only.
func (s *Session) storedSink(name, definition, dir string) *namedSink {
	broken := func(err error) *namedSink {
		return &namedSink{name: name, definition: definition, baseDir: dir, broken: unplaced(err, fmt.Sprintf("reading the definition of sink %q", name))}
	}
	parsed, err := parseStored(definition)
	if err != nil {
		return broken(err)
	}
	st, ok := parsed.(*sql.CreateSink)
	if !ok {
		return broken(sqlerr.New("E_CATALOG", "it is no CREATE SINK").WithHint("DROP SINK %s forgets it", sql.IdentText(name)))
	}
	n, err := s.declareSink(st, dir)
	if err != nil {
		return broken(err)
	}
	n.definition = definition
	return n
}

// sinkNamed returns the sink that a target is, nil if it is a table.
func (s *Session) sinkNamed(ctx context.Context, target sql.Name) (*namedSink, error) {
	if len(target) != 1 {
		return nil, nil
	}
	all, err := s.namedSinks(ctx)
	n := all[strings.ToLower(target[0].Name)]
	if n != nil && n.broken != nil {
		return nil, n.broken
	}
	return n, err
}

// targets sorts the targets of a stored query: tables as the query names them, and sinks.
func (s *Session) targets(ctx context.Context, q *queryRow) (tables []string, written []*namedSink, err error) {
	all, err := s.namedSinks(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, target := range q.targets() {
		if n := all[sinkKey(target)]; n != nil {
			written = append(written, n)
		} else {
			tables = append(tables, target)
		}
	}
	return tables, written, nil
}

// targets are where the rows of a stored query go, as its definition names them.
func (q *queryRow) targets() []string {
	d, err := storedDefinition(q)
	if err != nil {
		return []string{q.target} // DIAGNOSE says what is wrong with the definition
	}
	return d.targets()
}

// writesTo reports whether a query writes to the sink of a name in lower case.
func (q *queryRow) writesTo(key string) bool {
	return slices.ContainsFunc(q.targets(), func(t string) bool { return sinkKey(t) == key })
}

// sinkKey is the name of a sink that a query has stored as its target, in lower case.
func sinkKey(target string) string { return strings.ToLower(strings.Trim(target, `"`)) }

// isConsole reports whether the rows of a sink are only shown.
func (n *namedSink) isConsole() bool { return n != nil && n.spec.Name == "console" }

// columnTypes returns the types that columns are declared with, nil for none.
func columnTypes(columns []sql.ColumnDef) []types.Type {
	var out []types.Type
	for _, c := range columns {
		if c.Type == nil {
			return nil
		}
		out = append(out, *c.Type)
	}
	return out
}

// open opens the sink for an INSERT of a query. o has everything but what CREATE SINK says.
func (n *namedSink) open(b *bound, in *sql.Insert, o sinks.OpenContext) (sinks.Sink, error) {
	o.Target, o.Options = types.QuoteIdent(n.name), n.options
	if err := n.refuseLoop(b, in); err != nil {
		return nil, err
	}
	if n.columns != nil {
		if err := n.declareColumns(in, &o); err != nil {
			return nil, err
		}
	}
	sink, err := n.spec.Open(o)
	return sink, placeAt(err, in.Target[0].Span)
}

// declareColumns gives the columns of a query, which have the types of the sink already,
// the names that it declares.
func (n *namedSink) declareColumns(in *sql.Insert, o *sinks.OpenContext) error {
	at := in.Target[0].Span
	if len(n.columns) != len(o.Fields) {
		return sqlerr.At(at, "INSERT_COLUMN_ARITY_MISMATCH", "sink %q has %s, but the query has %d", n.name, sqlerr.CountOf(int64(len(n.columns)), "column"), len(o.Fields)).
			WithHint("select one column for each of the sink")
	}
	names := o.Columns
	o.Columns = nil
	for i, c := range n.columns {
		f := o.Fields[i]
		if names != nil && !strings.EqualFold(names[i], c.Name.Name) || o.ByName && !strings.EqualFold(f.Name, c.Name.Name) {
			return sqlerr.At(at, "UNRESOLVED_COLUMN", "column %d of sink %q is %q", i+1, n.name, c.Name.Name).
				WithHint("give the columns in the order of the sink")
		}
		o.Columns = append(o.Columns, c.Name.Name)
	}
	o.ByName = false
	return nil
}

// refuseLoop refuses a sink in a folder that its own query reads: it would read what it
// writes, for ever.
func (n *namedSink) refuseLoop(b *bound, in *sql.Insert) error {
	if n.path == "" {
		return nil
	}
	for _, ref := range b.plan.Sources {
		st, err := b.cat.stream(ref.Stream)
		if err != nil {
			return err
		}
		read := st.options.String("path")
		if read == "" {
			continue
		}
		read = filepath.Clean(absolute(st.options.BaseDir, fixedPart(read)))
		if n.path == read || strings.HasPrefix(n.path, strings.TrimSuffix(read, string(filepath.Separator))+string(filepath.Separator)) {
			return sqlerr.At(in.Target[0].Span, "INVALID_OPTION", "sink %q writes to %q, which is within what stream %q reads", n.name, n.path, st.row.name).
				WithHint("choose a path outside of %q: the query would read its own result", read)
		}
	}
	return nil
}

// fixedPart is the folder that a glob starts in.
func fixedPart(pattern string) string {
	at := strings.IndexAny(pattern, "*?[{")
	if at < 0 {
		return pattern
	}
	return filepath.Dir(pattern[:at] + "x")
}
