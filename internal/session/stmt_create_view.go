package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
)

// createView is CREATE VIEW over a stream, which is kept in ssql.streams and planned
// wherever it is read, or CREATE MATERIALIZED VIEW. A view that reads no stream is
// DuckDB's.
func (s *Session) createView(ctx context.Context, st *sql.CreateView, r *Request, out Output) error {
	if len(st.Name) != 1 {
		return sqlerr.At(st.Name[0].Span, "UNSUPPORTED_STATEMENT", "a view over a stream has no schema, found %q", st.Name.SQL()).
			WithHint("name it %s", st.Name[len(st.Name)-1].Name)
	}
	if st.Materialized {
		return s.createMaterialized(ctx, st, r, out)
	}
	cat, err := s.relations(ctx)
	if err != nil {
		return err
	}
	if st.Query.Emit != nil {
		return sqlerr.At(st.Query.Emit.Span, "UNSUPPORTED_STATEMENT", "EMIT has no meaning in a view: a view keeps nothing").
			WithHint("write EMIT in the query that reads the view")
	}
	row := &streamRow{name: st.Name[0].Name, view: true, definition: st.Text, baseDir: r.Dir}
	done, err := s.existingView(ctx, st, cat, out)
	if done || err != nil {
		return err
	}
	query, err := viewQuery(row)
	if err != nil {
		return err
	}
	// Whether its rows can be grouped or joined depends on the query that reads the view;
	// names, types and functions are checked now.
	if err := s.checkView(ctx, st.Query, cat, st.Node); err != nil {
		return err
	}
	row.reads, err = cat.readsOf(func() error { return s.checkView(ctx, query, cat, st.Node) })
	if err != nil {
		return placeOver(err, st.Name[0].Span) // the list of columns does not fit
	}
	return s.saveStream(ctx, row)
}

// checkView checks that some query can read the query of a view: one that stays, or one that
// is read to its end.
func (s *Session) checkView(ctx context.Context, q *sql.Query, cat *relations, given sql.Node) error {
	if _, err := plan.Bind(q, cat, planOptions(ctx, s.settings.OfViews(), true)); err == nil {
		return nil
	}
	_, fold, err := plan.Snapshot(q, cat, planOptions(ctx, s.settings.OfViews(), true))
	if err != nil || fold == nil {
		return err
	}
	_, err = s.foldColumns(ctx, fold, cat, given, "")
	return err
}

// existingView decides what an existing relation of the name means; done says that there
// is nothing left to do.
func (s *Session) existingView(ctx context.Context, st *sql.CreateView, cat *relations, out Output) (done bool, err error) {
	name := st.Name[0]
	old := cat.rows[strings.ToLower(name.Name)]
	switch {
	case old == nil:
		return false, refuseTable(cat, name, "view")
	case !old.view:
		return false, sqlerr.At(name.Span, "STREAM_ALREADY_EXISTS", "%q is a stream", old.name).WithHint("choose another name for the view")
	case sameDefinition(old.definition, st.Text):
		out.Notice(fmt.Sprintf("view %q exists already with this definition", old.name))
		return true, nil
	case st.IfNotExists:
		out.Notice(fmt.Sprintf("view %q exists already, with another definition, and stays as it is", old.name))
		return true, nil
	case st.OrReplace:
		for _, ref := range refsOf(st.Query.Text) {
			if strings.EqualFold(ref, old.name) {
				return false, sqlerr.At(name.Span, "RECURSIVE_VIEW", "view %q would read itself", old.name).WithHint("choose another name for the new view")
			}
		}
		return false, s.refuseInUse(ctx, old.name, name.Span, "replaced")
	}
	return false, sqlerr.At(name.Span, "TABLE_OR_VIEW_ALREADY_EXISTS", "view %q exists with another definition", old.name).
		WithDetail("%s", definitionDiff(old.definition, st.Text, "", "")).
		WithHint("CREATE OR REPLACE VIEW %s replaces it", name.Name)
}

// refsOf returns the names without a schema that a query reads from.
func refsOf(text string) []string {
	parsed, err := sql.ParseStatement(sql.Piece{Text: text, Span: sql.Span{End: len(text)}}, sql.WidestLimits())
	u, ok := parsed.(*sql.Undecided)
	if err != nil || !ok {
		return nil
	}
	var names []string
	for _, ref := range u.Refs {
		if len(ref) == 1 {
			names = append(names, ref[0].Name)
		}
	}
	return names
}

// viewQuery returns the query that a stored view stands for.
func viewQuery(row *streamRow) (*sql.Query, error) {
	st, err := parseView(row.definition)
	if err != nil {
		return nil, unplaced(err, fmt.Sprintf("reading the definition of view %q", row.name))
	}
	return namedColumns(st)
}

// parseView parses CREATE [MATERIALIZED] VIEW over a stream as the catalog keeps it.
func parseView(definition string) (*sql.CreateView, error) {
	parsed, err := parseStored(definition)
	if err != nil {
		return nil, err
	}
	st, ok := parsed.(*sql.CreateView)
	if !ok {
		return nil, sqlerr.New("E_CATALOG", "it is no CREATE VIEW: %s", definition)
	}
	return st, nil
}

// namedColumns returns the query of a view, with the names of CREATE VIEW v (a, b) for
// its columns.
func namedColumns(st *sql.CreateView) (*sql.Query, error) {
	if st.Columns == nil {
		return st.Query, nil
	}
	names := make([]string, len(st.Columns))
	for i, c := range st.Columns {
		names[i] = sql.IdentText(c.Name)
	}
	return sql.ParseQueryText("SELECT * FROM (" + st.Query.Text + ") AS v (" + strings.Join(names, ", ") + ")")
}

// createMaterialized is CREATE MATERIALIZED VIEW: a table of that name and the query that
// keeps it. Without EMIT its rows are always those of now: update mode, or append where
// rows never change.
func (s *Session) createMaterialized(ctx context.Context, st *sql.CreateView, r *Request, out Output) error {
	options, err := settings.OfQuery(st.Options)
	if err != nil {
		return err
	}
	d, err := materialized(st, r.Dir, options)
	if err != nil {
		return err
	}
	cat, err := s.relations(ctx)
	if err != nil {
		return err
	}
	if old := cat.rows[strings.ToLower(d.name)]; old != nil {
		return sqlerr.At(st.Name[0].Span, "STREAM_ALREADY_EXISTS", "%q is a stream or a view over one", old.name).
			WithHint("choose another name for the materialized view")
	}
	if old, err := s.query(ctx, d.name); err != nil {
		return err
	} else if old == nil {
		if err := refuseTable(cat, st.Name[0], "materialized view"); err != nil {
			return err
		}
	}
	if _, err := s.bind(d, cat); st.Columns != nil && sqlerr.Code(err) == "NUM_COLUMNS_MISMATCH" {
		return placeOver(err, st.Columns[0].Span) // elsewhere it would be a place in a text of ours
	}
	if err := s.chooseViewMode(d, st, cat, out); err != nil {
		return err
	}
	err = s.createDefined(ctx, d, creation{"MATERIALIZED VIEW", st.OrReplace, st.IfNotExists, st.Name[0]}, r, out)
	var unfit *sqlerr.Error
	if errors.As(err, &unfit) && unfit.Code == "E_CKPT_INCOMPATIBLE" {
		// Unlike the table of a query, a view holds nothing that cannot be computed again.
		anew := *unfit
		return anew.WithHint("DROP MATERIALIZED VIEW %s, then create it: its rows are computed again from the start of the streams", sql.IdentText(d.name))
	}
	return err
}

// chooseViewMode gives a materialized view that does not say when its rows come out update
// mode, or append mode where only that has an answer. A streaming table appends rows when
// they are final, as in Databricks, and changes them only where they never are.
func (s *Session) chooseViewMode(d *definition, st *sql.CreateView, cat *relations, out Output) error {
	if !st.Streaming {
		return s.chooseMode(d, "update", "append", cat)
	}
	err := s.chooseMode(d, "append", "update", cat)
	if err == nil && d.options["output_mode"] == "update" && st.Query.Emit == nil {
		out.Notice(fmt.Sprintf("rows of streaming table %q change: no watermark says when they are final, so they cannot only be appended", d.name))
	}
	return err
}

// chooseMode sets the output mode of a query that does not say one: the first, or the other
// where only that has an answer. The error is that of the first.
func (s *Session) chooseMode(d *definition, first, other string, cat *relations) error {
	emit := d.inserts[0].Query.Emit
	if _, set := d.options["output_mode"]; set || emit != nil && emit.Mode != "" {
		return nil
	}
	d.options["output_mode"] = first
	_, err := s.bind(d, cat)
	if err == nil {
		return nil
	}
	d.options["output_mode"] = other
	if _, unfit := s.bind(d, cat); unfit != nil {
		return err
	}
	return nil
}

// materialized returns the definition of the query of a materialized view.
func materialized(st *sql.CreateView, dir string, options settings.Values) (*definition, error) {
	query, err := namedColumns(st)
	if err != nil {
		return nil, err
	}
	insert := &sql.Insert{Node: st.Node, Target: st.Name, Query: query}
	return &definition{name: st.Name[0].Name, text: st.Text, dir: dir, inserts: []*sql.Insert{insert}, options: options}, nil
}

// refuseTable refuses a name that a table or view of the database has.
func refuseTable(cat *relations, name sql.Ident, what string) error {
	table, err := cat.table(sql.Name{name})
	if err != nil || table == nil {
		return err
	}
	return sqlerr.At(name.Span, "TABLE_OR_VIEW_ALREADY_EXISTS", "%q is a table or view of the database", name.Name).
		WithHint("choose another name for the %s", what)
}

// isMaterialized reports whether a stored definition is that of a materialized view.
func isMaterialized(definition string) bool {
	_, err := parseView(definition)
	return err == nil
}
