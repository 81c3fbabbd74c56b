package catalog

import (
	"fmt"
	"slices"

	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
)

// Definition is a query as a statement gives it, before it is opened.
type Definition struct {
	Name    string
	Text    string          // the statement, which ssql.queries keeps
	Dir     string          // where its relative paths start
	Inserts []*sql.Insert   // one for each output
	Options settings.Values // of its WITH clause
}

// Span is where a definition says what it does.
func (d *Definition) Span() sql.Span {
	return sql.Span{Start: d.Inserts[0].Span.Start, End: d.Inserts[len(d.Inserts)-1].Span.End}
}

// Targets are where the rows go, as they were written.
func (d *Definition) Targets() []string {
	names := make([]string, len(d.Inserts))
	for i, in := range d.Inserts {
		names[i] = in.Target.SQL()
	}
	return names
}

// InsertOf returns the INSERT that an output of the plan was made of.
func (d *Definition) InsertOf(out *plan.Output) *sql.Insert {
	i := slices.Index(d.Targets(), out.Target)
	return d.Inserts[max(i, 0)]
}

// Start reports whether the definition starts at once.
func (d *Definition) Start() bool { return d.Options.Get("start") == "true" }

// StoredDefinition parses the definition of a stored query.
func StoredDefinition(row *QueryRow) (*Definition, error) {
	parsed, err := ParseStored(row.Definition)
	if err != nil {
		return nil, Unplaced(err, fmt.Sprintf("reading the definition of query %q", row.Name))
	}
	if row.Broken != nil {
		return nil, row.Broken
	}
	d := &Definition{Name: row.Name, Text: row.Definition, Dir: row.BaseDir, Options: row.Options}
	switch st := parsed.(type) {
	case *sql.Insert:
		d.Inserts = []*sql.Insert{st}
	case *sql.StatementSet:
		d.Inserts = st.Inserts
	case *sql.CreateQuery:
		d.Inserts = st.Inserts
	case *sql.CreateView:
		return MaterializedDefinition(st, row.BaseDir, row.Options)
	default:
		return nil, sqlerr.New("E_CATALOG", "the definition of query %q defines no query", row.Name).WithHint("DROP QUERY %s forgets it", sql.IdentText(row.Name))
	}
	return d, nil
}

// MaterializedDefinition returns the definition of the query of a materialized view.
func MaterializedDefinition(st *sql.CreateView, dir string, options settings.Values) (*Definition, error) {
	query, err := namedColumns(st)
	if err != nil {
		return nil, err
	}
	insert := &sql.Insert{Node: st.Node, Target: st.Name, Query: query}
	return &Definition{Name: st.Name[0].Name, Text: st.Text, Dir: dir, Inserts: []*sql.Insert{insert}, Options: options}, nil
}

// IsUnnamed reports whether a stored definition is an INSERT or a statement set without
// CREATE QUERY.
func IsUnnamed(definition string) bool { return FirstWord(definition) != "CREATE" }

// WithoutName returns what a CREATE QUERY runs, as a statement of its own.
func WithoutName(definition string) string {
	parsed, err := ParseStored(definition)
	st, ok := parsed.(*sql.CreateQuery)
	switch {
	case err != nil || !ok:
		return definition
	case len(st.Inserts) == 1:
		return sql.StatementText(st.Inserts[0])
	}
	return sql.StatementText(&sql.StatementSet{Inserts: st.Inserts})
}
