package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// createStream is CREATE STREAM. It checks everything that can be checked without
// reading on, infers columns that are not declared, and stores the definition.
func (s *Session) createStream(ctx context.Context, st *sql.CreateStream, r *Request, out Output) error {
	cat, err := s.relations(ctx)
	if err != nil {
		return err
	}
	old := cat.rows[strings.ToLower(st.Name.Name)]
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
	row := &streamRow{name: st.Name.Name, definition: st.Text, baseDir: r.Dir}
	declared, unread := s.declareStatement(row, st)
	if unread == nil && declared.spec.Check != nil {
		unread = placeAtOption(declared.spec.Check(declared.options), st.Options, pathSpan(st))
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
	if st.Infers() && (declared.spec.Infer != nil || st.Columns == nil) {
		if declared, err = s.inferColumns(ctx, row, st, declared, out); err != nil {
			return err
		}
	} else if declared.spec.CheckColumns != nil {
		if err := declared.spec.CheckColumns(declared.options, declared.dataColumns()); err != nil {
			return placeAt(err, st.Name.Span)
		}
	}
	cat.declared = declared
	if err := checkStream(cat, declared, st); err != nil {
		return err
	}
	noteMonths(st, out)
	if old != nil {
		if err := s.forgetStream(ctx, old); err != nil {
			return err
		}
	}
	if err := s.saveStream(ctx, row); err != nil {
		return err
	}
	return s.tellReaders(ctx, row.name, out)
}

// tellReaders says of each query that reads a replaced stream what comes next.
func (s *Session) tellReaders(ctx context.Context, stream string, out Output) error {
	queries, err := s.queries(ctx)
	for _, q := range queries {
		if q.reads.has(stream) {
			out.Notice(fmt.Sprintf("query %q reads %q: its next start compares the stream with what the query has kept, and goes on or is refused", q.name, stream))
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
func (s *Session) existingStream(ctx context.Context, st *sql.CreateStream, old *streamRow, r *Request, out Output) (done bool, err error) {
	if old == nil {
		return false, nil
	}
	if old.view {
		return false, sqlerr.At(st.Name.Span, "TABLE_OR_VIEW_ALREADY_EXISTS", "%q is a view", old.name).WithHint("DROP VIEW %s, or choose another name", sql.IdentText(old.name))
	}
	switch {
	case sameStream(old, st, r.Dir):
		out.Notice(fmt.Sprintf("stream %q exists already with this definition", old.name))
		return true, nil
	case st.IfNotExists:
		out.Notice(fmt.Sprintf("stream %q exists already, with another definition, and stays as it is", old.name))
		return true, nil
	case st.OrReplace:
		return false, s.refuseReplace(ctx, old, st)
	}
	return false, sqlerr.At(st.Name.Span, "STREAM_ALREADY_EXISTS", "stream %q exists with another definition", old.name).
		WithDetail("%s", definitionDiff(old.definition, st.Text, old.baseDir, r.Dir)).
		WithHint("CREATE OR REPLACE STREAM %s replaces it", st.Name.Name)
}

// sameStream reports whether a statement declares what is there already. The same
// words mean something else where a relative path starts elsewhere.
func sameStream(old *streamRow, st *sql.CreateStream, dir string) bool {
	if !sameDefinition(old.definition, st.Text) && !sameDefinition(withoutSniffed(old.definition, st), sql.StatementText(st)) {
		// What SHOW CREATE shows is the same too: it declares inferred columns and makes
		// paths absolute.
		shown, err := old.createText()
		return err == nil && sameDefinition(shown, st.Text)
	}
	for _, o := range st.Options {
		if strings.EqualFold(o.Key.Name, "path") && !isAbsolute(settings.OptionText(o.Value)) {
			return old.baseDir == dir
		}
	}
	return true
}

// refuseTableName refuses a stream that would hide a table.
func refuseTableName(cat *relations, name sql.Ident) error {
	return refuseTable(cat, name, "stream: statements could not tell the two apart")
}

// inferColumns asks the connector for the columns of a stream that declares none of the data,
// says what it found, and pins it.
func (s *Session) inferColumns(ctx context.Context, row *streamRow, st *sql.CreateStream, declared *stream, out Output) (*stream, error) {
	if declared.spec.Infer == nil {
		return nil, sqlerr.At(st.Name.Span, "MISSING_COLUMNS", "stream %q declares no columns and connector %q cannot infer them", row.name, declared.spec.Name).
			WithHint("CREATE STREAM %s (name TYPE, ...) WITH (...)", row.name)
	}
	var notes []string
	fields, err := declared.spec.Infer(ctx, declared.options, func(text string) { notes = append(notes, text) })
	if err != nil {
		return nil, placeAtOption(err, st.Options, pathSpan(st))
	}
	fields, changed := nameable(fields)
	for _, text := range changed {
		out.Notice(fmt.Sprintf("stream %q: %s", row.name, text))
	}
	for _, c := range st.Columns {
		if slices.ContainsFunc(fields, func(f types.Field) bool { return strings.EqualFold(f.Name, c.Name.Name) }) {
			return nil, sqlerr.At(c.Name.Span, "COLUMN_ALREADY_EXISTS", "the data has a column %q already", c.Name.Name).
				WithHint("give the column that comes besides those of the data another name, or declare the columns of the data: (%s)", columnList(fields))
		}
	}
	row.columns = columnList(fields)
	out.Notice(fmt.Sprintf("stream %q has these columns, found in a sample and kept from now on: %s", row.name, row.columns))
	if text := shapeNote(fields, sql.IdentText(row.name)); text != "" {
		notes = append(notes, text)
	}
	for _, text := range notes {
		out.Notice(fmt.Sprintf("stream %q: %s", row.name, text))
	}
	return s.declareStatement(row, st)
}

// sniffOptions adds to a statement the options that it does not give and that the data of a
// path tells, says so, and keeps them: files that come later are read alike. Whether there
// is a header, and what the files hold, is only asked where the columns are not declared.
func (s *Session) sniffOptions(ctx context.Context, row *streamRow, st *sql.CreateStream, declared *stream, out Output) (*stream, error) {
	if declared.spec.Sniff == nil || !st.Infers() && declared.options.String("path") == "" {
		return declared, nil
	}
	told, err := declared.spec.Sniff(ctx, declared.options)
	if err != nil {
		return declared, nil // there is nothing yet, or who infers the columns says what is wrong
	}
	if other := told["format"]; other != "" && !st.Infers() && !hasOption(st.Options, "format") {
		if other != "json" {
			out.Notice(fmt.Sprintf("stream %q reads its files as json, since their names do not say what they hold; the first one looks like %s: %s", row.name, other, formatWay(row.name, told)))
		}
		return declared, nil
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(told)) {
		if hasOption(st.Options, name) || !st.Infers() && name != "delimiter" {
			continue
		}
		st.Options = append(st.Options, sql.Option{Key: sql.Ident{Name: name}, Value: told[name]})
		found = append(found, fmt.Sprintf("%s = %s", name, types.QuoteText(told[name])))
	}
	if found == nil {
		return declared, nil
	}
	out.Notice(fmt.Sprintf("stream %q has %s, found in a sample and kept from now on", row.name, strings.Join(found, ", ")))
	row.definition = sql.StatementText(st)
	return s.declareStatement(row, st)
}

// formatWay says how to read files of a format that their names do not tell.
func formatWay(stream string, told map[string]string) string {
	if told["format"] == "text" {
		return fmt.Sprintf("CREATE OR REPLACE STREAM %s (line VARCHAR) WITH (..., format = 'text') reads each line into one column", identText(stream))
	}
	var options []string
	for _, name := range slices.Sorted(maps.Keys(told)) {
		options = append(options, fmt.Sprintf("%s = %s", name, types.QuoteText(told[name])))
	}
	return fmt.Sprintf("ALTER STREAM %s SET (%s) reads them so", identText(stream), strings.Join(options, ", "))
}

func hasOption(options []sql.Option, name string) bool {
	return slices.ContainsFunc(options, func(o sql.Option) bool { return strings.EqualFold(o.Key.Name, name) })
}

// sniffed are the options that sniffOptions may add.
var sniffed = []string{"delimiter", "format", "header"}

// withoutSniffed returns a stored definition without the options that a sample may have told
// and that a statement does not give.
func withoutSniffed(definition string, st *sql.CreateStream) string {
	parsed, err := parseStored(definition)
	old, ok := parsed.(*sql.CreateStream)
	if err != nil || !ok {
		return definition
	}
	old.Options = slices.DeleteFunc(old.Options, func(o sql.Option) bool {
		name := strings.ToLower(o.Key.Name)
		return slices.Contains(sniffed, name) && !hasOption(st.Options, name)
	})
	return sql.StatementText(old)
}

// checkStream binds all columns of a stream, so that a computed column or a watermark
// that cannot be is refused here and not at its first use.
func checkStream(cat *relations, declared *stream, st *sql.CreateStream) error {
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
	whole := *declared.plan
	defer func() { *declared.plan = whole }()
	declared.plan.Computed, declared.plan.Watermarks = nil, nil
	for _, c := range st.Columns {
		if c.Computed == nil {
			continue
		}
		declared.plan.Computed = whole.Computed[:len(declared.plan.Computed)+1]
		declared.plan.Order = orderUpTo(&whole, len(declared.plan.Computed))
		if _, err := bindStream(cat, st.Name); err != nil {
			return placeOver(err, c.Span)
		}
	}
	for i, w := range st.Watermarks {
		declared.plan.Watermarks = whole.Watermarks[:i+1]
		if _, err := bindStream(cat, st.Name); err != nil {
			return placeOver(err, w.Span)
		}
	}
	*declared.plan = whole
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
func bindStream(cat *relations, name sql.Ident) (*plan.Plan, error) {
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
func (s *Session) refuseReplace(ctx context.Context, old *streamRow, st *sql.CreateStream) error {
	if declared, err := s.declare(old); err == nil && declared.spec.Drop != nil {
		return s.refuseInUse(ctx, old.name, st.Name.Span, "replaced")
	}
	for _, j := range s.jobs() {
		if j.row.reads.has(old.name) {
			return sqlerr.At(st.Name.Span, "STREAM_IN_USE", "%q cannot be replaced: query %q reads it now", old.name, j.row.name).
				WithHint("STOP QUERY %s first", sql.IdentText(j.row.name))
		}
	}
	return nil
}
