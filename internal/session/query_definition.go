package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// definition is a query as a statement gives it, before it is opened.
type definition struct {
	name    string
	text    string          // the statement, which ssql.queries keeps
	dir     string          // where its relative paths start
	inserts []*sql.Insert   // one for each output
	options settings.Values // of its WITH clause
}

// span is where a definition says what it does.
func (d *definition) span() sql.Span {
	return sql.Span{Start: d.inserts[0].Span.Start, End: d.inserts[len(d.inserts)-1].Span.End}
}

// targets are where the rows go, as they were written.
func (d *definition) targets() []string {
	names := make([]string, len(d.inserts))
	for i, in := range d.inserts {
		names[i] = in.Target.SQL()
	}
	return names
}

// insertOf returns the INSERT that an output of the plan was made of.
func (d *definition) insertOf(out *plan.Output) *sql.Insert {
	i := slices.Index(d.targets(), out.Target)
	return d.inserts[max(i, 0)]
}

// bound is a definition whose names are resolved.
type bound struct {
	*definition
	cat      *relations
	plan     *plan.Plan
	settings settings.Values // of the session, with those of the query on top
	reads    reading
}

// bind plans a definition against the catalog of a statement.
func (s *Session) bind(d *definition, cat *relations) (*bound, error) {
	b := &bound{definition: d, cat: cat, settings: s.settings.Over(d.options)}
	inserts := make([]plan.Insert, len(d.inserts))
	var err error
	for i, target := range d.targets() {
		if inserts[i], err = s.planned(target, d.inserts[i], b.settings, cat); err != nil {
			return nil, err
		}
	}
	b.reads, err = cat.readsOf(func() (err error) {
		b.plan, err = plan.BindSet(inserts, cat, planOptions(cat.ctx, b.settings, false))
		return err
	})
	return b, err
}

// bindNow plans a definition against the catalog as it is.
func (s *Session) bindNow(ctx context.Context, d *definition) (*bound, error) {
	cat, err := s.relations(ctx)
	if err != nil {
		return nil, err
	}
	return s.bind(d, cat)
}

// planned is an INSERT as the planner sees it: with what its target, if that is a sink of
// CREATE SINK, says of the result.
func (s *Session) planned(target string, st *sql.Insert, v settings.Values, cat *relations) (plan.Insert, error) {
	m := plan.Insert{Target: target, Query: st.Query}
	named, err := s.sinkNamed(cat.ctx, st.Target)
	if named != nil {
		m.Assign = columnTypes(named.columns)
		m.Changes = v.Get("output_mode") == "auto" && named.options.String("format") == "debezium_json"
	}
	return m, err
}

// canonical is the text of the definition that a checkpoint keeps. The order of the INSERTs
// does not matter.
func (b *bound) canonical() string {
	texts := make([]string, len(b.plan.Outputs))
	for i, out := range b.plan.Outputs {
		texts[i] = sql.Canonical(b.insertOf(out).Text)
	}
	return strings.Join(texts, "; ")
}

// planOptions are what the settings say to the planner. A SELECT may choose its mode.
func planOptions(ctx context.Context, v settings.Values, isSelect bool) plan.Options {
	o := plan.Options{ANSI: v.Boolean("ansi"), Retraction: v.Boolean("retraction"), Limits: v.PlanLimits(), Context: ctx}
	switch v.Get("output_mode") {
	case "update":
		o.Mode = types.Update
	case "complete":
		o.Mode = types.Complete
	case "auto":
		o.AutoMode = isSelect
	}
	if v.Get("watermark_policy") == "max" {
		o.Policy = plan.MaxPolicy
	}
	return o
}

// isUnnamed reports whether a stored definition is an INSERT or a statement set without
// CREATE QUERY.
func isUnnamed(definition string) bool { return firstWord(definition) != "CREATE" }

// withoutName returns what a CREATE QUERY runs, as a statement of its own.
func withoutName(definition string) string {
	parsed, err := parseStored(definition)
	st, ok := parsed.(*sql.CreateQuery)
	switch {
	case err != nil || !ok:
		return definition
	case len(st.Inserts) == 1:
		return sql.StatementText(st.Inserts[0])
	}
	return sql.StatementText(&sql.StatementSet{Inserts: st.Inserts})
}

// modes names the output mode, or one for each target where they differ.
func (b *bound) modes() string {
	modes := map[string]string{}
	for _, out := range b.plan.Outputs {
		modes[out.Target] = out.Mode.String()
	}
	var list []string
	for _, target := range b.targets() {
		list = append(list, modes[target])
	}
	if len(slices.Compact(slices.Clone(list))) == 1 {
		return list[0]
	}
	return strings.Join(list, ", ")
}

// start reports whether the definition starts at once.
func (d *definition) start() bool { return d.options.Get("start") == "true" }

// storedDefinition parses the definition of a stored query.
func storedDefinition(row *queryRow) (*definition, error) {
	parsed, err := parseStored(row.definition)
	if err != nil {
		return nil, unplaced(err, fmt.Sprintf("reading the definition of query %q", row.name))
	}
	if row.broken != nil {
		return nil, row.broken
	}
	d := &definition{name: row.name, text: row.definition, dir: row.baseDir, options: row.options}
	switch st := parsed.(type) {
	case *sql.Insert:
		d.inserts = []*sql.Insert{st}
	case *sql.StatementSet:
		d.inserts = st.Inserts
	case *sql.CreateQuery:
		d.inserts = st.Inserts
	case *sql.CreateView:
		return materialized(st, row.baseDir, row.options)
	default:
		return nil, sqlerr.New("E_CATALOG", "the definition of query %q defines no query", row.name).WithHint("DROP QUERY %s forgets it", sql.IdentText(row.name))
	}
	return d, nil
}
