package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// createStream is CREATE STREAM. It checks everything that can be checked without
// reading on, infers columns that are not declared, and stores the definition.
func (s *Session) createStream(ctx context.Context, st *sql.CreateStream, r *Request, out Output) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	old := cat.Rows[strings.ToLower(st.Name.Name)]
	if done, err := s.existingStream(ctx, st, old, r, out); done || err != nil {
		return err
	}
	if done, err := s.createByUse(ctx, st, nil, r, out); done || err != nil {
		return err
	}
	if old == nil {
		if err := refuseTableName(cat, st.Name); err != nil {
			return err
		}
	}
	row := &catalog.StreamRow{Name: st.Name.Name, Definition: st.Text, BaseDir: r.Dir}
	declared, unread := s.store.DeclareStatement(row, st)
	if unread == nil && declared.Spec.Check != nil {
		unread = catalog.PlaceAtOption(declared.Spec.Check(declared.Options), st.Options, pathSpan(st))
	}
	if unread != nil {
		if done, err := s.createByUse(ctx, st, unread, r, out); done || err != nil {
			return err
		}
		return unread
	}
	if declared, err = s.sniffOptions(ctx, row, st, declared, out); err != nil {
		return err
	}
	if st.Infers() && (declared.Spec.Infer != nil || st.Columns == nil) {
		if declared, err = s.inferColumns(ctx, row, st, declared, out); err != nil {
			return err
		}
	} else if declared.Spec.CheckColumns != nil {
		if err := declared.Spec.CheckColumns(declared.Options, declared.DataColumns()); err != nil {
			return catalog.PlaceAt(err, st.Name.Span)
		}
	}
	cat.Declared = declared
	if err := checkStream(cat, declared, st); err != nil {
		return err
	}
	noteMonths(st, out)
	if old != nil {
		if err := s.forgetStream(ctx, old); err != nil {
			return err
		}
	}
	if err := s.store.SaveStream(ctx, row); err != nil {
		return err
	}
	return s.tellReaders(ctx, row.Name, out)
}

// tellReaders says of each query that reads a replaced stream what comes next.
func (s *Session) tellReaders(ctx context.Context, stream string, out Output) error {
	queries, err := s.store.Queries(ctx)
	for _, q := range queries {
		if q.Reads.Has(stream) {
			out.Notice(fmt.Sprintf("query %q reads %q: its next start compares the stream with what the query has kept, and goes on or is refused", q.Name, stream))
		}
	}
	return err
}

// noteMonths says how long a month in the delay of a watermark is.
func noteMonths(st *sql.CreateStream, out Output) {
	for _, w := range st.Watermarks {
		if w.Delay.Months != 0 {
			out.Notice(fmt.Sprintf("a month in the delay of a watermark is 31 days, as in Spark: %q is held back by %s",
				w.Column.Name, sql.IntervalText(types.Interval{Micros: w.Delay.DelayMicros()})))
		}
	}
}

// existingStream decides what an existing stream of the name means; done says that
// there is nothing left to do.
func (s *Session) existingStream(ctx context.Context, st *sql.CreateStream, old *catalog.StreamRow, r *Request, out Output) (done bool, err error) {
	if old == nil {
		return false, nil
	}
	if old.View {
		return false, sqlerr.At(st.Name.Span, "TABLE_OR_VIEW_ALREADY_EXISTS", "%q is a view", old.Name).WithHint("DROP VIEW %s, or choose another name", sql.IdentText(old.Name))
	}
	switch {
	case sameStream(old, st, r.Dir):
		out.Notice(fmt.Sprintf("stream %q exists already with this definition", old.Name))
		return true, nil
	case st.IfNotExists:
		out.Notice(fmt.Sprintf("stream %q exists already, with another definition, and stays as it is", old.Name))
		return true, nil
	case st.OrReplace:
		return false, s.refuseReplace(ctx, old, st)
	}
	return false, sqlerr.At(st.Name.Span, "STREAM_ALREADY_EXISTS", "stream %q exists with another definition", old.Name).
		WithDetail("%s", catalog.DefinitionDiff(old.Definition, st.Text, old.BaseDir, r.Dir)).
		WithHint("CREATE OR REPLACE STREAM %s replaces it", st.Name.Name)
}

// sameStream reports whether a statement declares what is there already. The same
// words mean something else where a relative path starts elsewhere.
func sameStream(old *catalog.StreamRow, st *sql.CreateStream, dir string) bool {
	if !catalog.SameDefinition(old.Definition, st.Text) && !catalog.SameDefinition(withoutSniffed(old.Definition, st), sql.StatementText(st)) {
		// What SHOW CREATE shows is the same too: it declares inferred columns and makes
		// paths absolute.
		shown, err := old.CreateText()
		return err == nil && catalog.SameDefinition(shown, st.Text)
	}
	for _, o := range st.Options {
		if strings.EqualFold(o.Key.Name, "path") && !catalog.IsAbsolute(settings.OptionText(o.Value)) {
			return old.BaseDir == dir
		}
	}
	return true
}

// refuseTableName refuses a stream that would hide a table.
func refuseTableName(cat *catalog.Snapshot, name sql.Ident) error {
	return refuseTable(cat, name, "stream: statements could not tell the two apart")
}

// inferColumns asks the connector for the columns of a stream that declares none of the data,
// says what it found, and pins it.
func (s *Session) inferColumns(ctx context.Context, row *catalog.StreamRow, st *sql.CreateStream, declared *catalog.Stream, out Output) (*catalog.Stream, error) {
	if declared.Spec.Infer == nil {
		return nil, sqlerr.At(st.Name.Span, "MISSING_COLUMNS", "stream %q declares no columns and connector %q cannot infer them", row.Name, declared.Spec.Name).
			WithHint("CREATE STREAM %s (name TYPE, ...) WITH (...)", row.Name)
	}
	var notes []string
	fields, err := s.store.InferFields(ctx, declared, func(text string) { notes = append(notes, text) })
	if err != nil {
		return nil, catalog.PlaceAtOption(err, st.Options, pathSpan(st))
	}
	fields, changed := catalog.Nameable(fields)
	for _, text := range changed {
		out.Notice(fmt.Sprintf("stream %q: %s", row.Name, text))
	}
	for _, c := range st.Columns {
		if slices.ContainsFunc(fields, func(f types.Field) bool { return strings.EqualFold(f.Name, c.Name.Name) }) {
			return nil, sqlerr.At(c.Name.Span, "COLUMN_ALREADY_EXISTS", "the data has a column %q already", c.Name.Name).
				WithHint("give the column that comes besides those of the data another name, or declare the columns of the data: (%s)", catalog.ColumnList(fields))
		}
	}
	row.Columns = catalog.ColumnList(fields)
	out.Notice(fmt.Sprintf("stream %q has these columns, found in a sample and kept from now on: %s", row.Name, row.Columns))
	if text := shapeNote(fields, sql.IdentText(row.Name)); text != "" {
		notes = append(notes, text)
	}
	for _, text := range notes {
		out.Notice(fmt.Sprintf("stream %q: %s", row.Name, text))
	}
	return s.store.DeclareStatement(row, st)
}

// sniffOptions adds to a statement the options that it does not give and that the data of a
// path tells, says so, and keeps them: files that come later are read alike. Whether there
// is a header, and what the files hold, is only asked where the columns are not declared.
func (s *Session) sniffOptions(ctx context.Context, row *catalog.StreamRow, st *sql.CreateStream, declared *catalog.Stream, out Output) (*catalog.Stream, error) {
	if declared.Spec.Sniff == nil || !st.Infers() && declared.Options.String("path") == "" {
		return declared, nil
	}
	told, err := declared.Spec.Sniff(ctx, declared.Options)
	if err != nil {
		return declared, nil // there is nothing yet, or who infers the columns says what is wrong
	}
	if other := told["format"]; other != "" && !st.Infers() && !catalog.HasOption(st.Options, "format") {
		if other != "json" {
			out.Notice(fmt.Sprintf("stream %q reads its files as json, since their names do not say what they hold; the first one looks like %s: %s", row.Name, other, formatWay(row.Name, told)))
		}
		return declared, nil
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(told)) {
		if catalog.HasOption(st.Options, name) || !st.Infers() && name != "delimiter" && name != "allow_quoted_nulls" {
			continue
		}
		st.Options = append(st.Options, sql.Option{Key: sql.Ident{Name: name}, Value: told[name]})
		found = append(found, fmt.Sprintf("%s = %s", name, types.QuoteText(told[name])))
	}
	if found == nil {
		return declared, nil
	}
	out.Notice(fmt.Sprintf("stream %q has %s, found in a sample and kept from now on", row.Name, strings.Join(found, ", ")))
	row.Definition = sql.StatementText(st)
	return s.store.DeclareStatement(row, st)
}

// formatWay says how to read files of a format that their names do not tell.
func formatWay(stream string, told map[string]string) string {
	if told["format"] == "text" {
		return fmt.Sprintf("CREATE OR REPLACE STREAM %s (line VARCHAR) WITH (..., format = 'text') reads each line into one column", sql.IdentText(stream))
	}
	var options []string
	for _, name := range slices.Sorted(maps.Keys(told)) {
		options = append(options, fmt.Sprintf("%s = %s", name, types.QuoteText(told[name])))
	}
	return fmt.Sprintf("ALTER STREAM %s SET (%s) reads them so", sql.IdentText(stream), strings.Join(options, ", "))
}

// sniffed are the options that sniffOptions may add.
var sniffed = []string{"allow_quoted_nulls", "delimiter", "format", "header"}

// withoutSniffed returns a stored definition without the options that a sample may have told
// and that a statement does not give.
func withoutSniffed(definition string, st *sql.CreateStream) string {
	parsed, err := catalog.ParseStored(definition)
	old, ok := parsed.(*sql.CreateStream)
	if err != nil || !ok {
		return definition
	}
	old.Options = slices.DeleteFunc(old.Options, func(o sql.Option) bool {
		name := strings.ToLower(o.Key.Name)
		return slices.Contains(sniffed, name) && !catalog.HasOption(st.Options, name)
	})
	return sql.StatementText(old)
}

// checkStream binds all columns of a stream, so that a computed column or a watermark
// that cannot be is refused here and not at its first use.
func checkStream(cat *catalog.Snapshot, declared *catalog.Stream, st *sql.CreateStream) error {
	seen := map[string]bool{}
	for _, c := range st.Columns {
		key := strings.ToLower(c.Name.Name)
		if seen[key] {
			return sqlerr.At(c.Name.Span, "COLUMN_ALREADY_EXISTS", "column %q is declared twice", c.Name.Name)
		}
		seen[key] = true
	}
	// The planner places errors at the name of the stream, since it cannot know that
	// this is the statement which declares it. So columns and watermarks are added one
	// by one: what fails is at the one that was added last.
	whole := *declared.Plan
	defer func() { *declared.Plan = whole }()
	declared.Plan.Computed, declared.Plan.Watermarks = nil, nil
	for _, c := range st.Columns {
		if c.Computed == nil {
			continue
		}
		declared.Plan.Computed = whole.Computed[:len(declared.Plan.Computed)+1]
		declared.Plan.Order = orderUpTo(&whole, len(declared.Plan.Computed))
		if _, err := bindStream(cat, st.Name); err != nil {
			return catalog.PlaceOver(err, c.Span)
		}
	}
	for i, w := range st.Watermarks {
		declared.Plan.Watermarks = whole.Watermarks[:i+1]
		if _, err := bindStream(cat, st.Name); err != nil {
			return catalog.PlaceOver(err, w.Span)
		}
	}
	*declared.Plan = whole
	_, err := bindStream(cat, st.Name)
	return err
}

// orderUpTo returns the order of the columns of a stream without the computed ones
// from n on.
func orderUpTo(whole *plan.Stream, n int) []string {
	left := map[string]bool{}
	for _, c := range whole.Computed[n:] {
		left[c.Name] = true
	}
	var order []string
	for _, name := range whole.Order {
		if !left[name] {
			order = append(order, name)
		}
	}
	return order
}

// bindStream plans SELECT * FROM a stream.
func bindStream(cat *catalog.Snapshot, name sql.Ident) (*plan.Plan, error) {
	all := &sql.Query{
		Body: &sql.Select{Items: []sql.SelectItem{{Expr: &sql.Star{}}}, From: &sql.TableRef{Name: sql.Name{name}, Span: name.Span}},
		Text: "SELECT * FROM " + name.Name,
	}
	return plan.Bind(all, cat, plan.Options{})
}

// pathSpan returns where a CREATE STREAM says what it reads: its option path, else its
// name.
func pathSpan(st *sql.CreateStream) sql.Span {
	for _, o := range st.Options {
		if strings.EqualFold(o.Key.Name, "path") {
			return o.ValueAt
		}
	}
	return st.Name.Span
}

// refuseReplace refuses to replace a stream that a query reads while it runs, or whose
// rows only the connector has. A query that stands still is not in the way: its next
// start finds whether the state that it kept fits the new stream.
func (s *Session) refuseReplace(ctx context.Context, old *catalog.StreamRow, st *sql.CreateStream) error {
	if declared, err := s.store.Declare(old); err == nil && declared.Spec.Drop != nil {
		return s.refuseInUse(ctx, old.Name, st.Name.Span, "replaced")
	}
	for _, j := range s.jobs() {
		if j.row.Reads.Has(old.Name) {
			return sqlerr.At(st.Name.Span, "STREAM_IN_USE", "%q cannot be replaced: query %q reads it now", old.Name, j.row.Name).
				WithHint("STOP QUERY %s first", sql.IdentText(j.row.Name))
		}
	}
	return nil
}
