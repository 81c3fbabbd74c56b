package session

import (
	"context"
	"fmt"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql"
)

// alterStream is ALTER STREAM: the definition is written anew and checked as CREATE
// STREAM would. Queries that run keep what they opened until their next start.
func (s *Session) alterStream(ctx context.Context, st *sql.AlterStream, r *Request, out Output) error {
	cat, err := s.relations(ctx)
	if err != nil {
		return err
	}
	old := cat.rows[strings.ToLower(st.Name.Name)]
	if old == nil || old.view {
		return noSuchStream(cat.rows, st.Name)
	}
	parsed, err := parseStored(old.definition)
	if err != nil {
		return fmt.Errorf("reading the definition of stream %q: %w", old.name, err)
	}
	definition := parsed.(*sql.CreateStream)
	if st.Add != nil || st.Watermark != nil {
		if definition.Columns, err = columnsOf(old, definition); err != nil {
			return err
		}
	}
	definition.OrReplace, definition.IfNotExists = false, false
	definition.Columns = append(definition.Columns, st.Add...)
	if err := alterWatermark(definition, old.name, st); err != nil {
		return err
	}
	row := &streamRow{name: old.name, columns: old.columns, baseDir: old.baseDir, identity: old.identity}
	set := st.Set
	if names(set, "path") || names(set, "spool") {
		row.identity = "" // another input
	}
	if st.Location != nil {
		if set, row.identity, err = s.moved(old, st); err != nil {
			return err
		}
	}
	if names(set, "path") || names(set, "spool") {
		row.baseDir = r.Dir // a relative path starts where the statement does
	}
	definition.Options = withOptions(definition.Options, set)
	row.definition = sql.StatementText(definition)
	if err := s.checkAltered(cat, row, st); err != nil {
		return err
	}
	if err := s.saveStream(ctx, row); err != nil {
		return err
	}
	s.noteDelay(ctx, row.name, st, out)
	for _, j := range s.jobs() {
		if j.row.reads.has(row.name) {
			out.Notice(fmt.Sprintf("query %q runs with the stream as it was; RESTART QUERY %s takes the change up", j.row.name, sql.IdentText(j.row.name)))
		}
	}
	return nil
}

// alterWatermark gives a definition another watermark, or none.
func alterWatermark(definition *sql.CreateStream, name string, st *sql.AlterStream) error {
	switch {
	case st.DropWatermark && len(definition.Watermarks) == 0:
		return sqlerr.At(st.Span, "WATERMARK_COLUMN", "stream %q has no watermark to drop", name)
	case st.DropWatermark:
		definition.Watermarks = nil
	case st.Watermark != nil:
		definition.Watermarks = []sql.WatermarkDef{*st.Watermark}
	}
	return nil
}

// noteDelay says of the queries that read a stream from when its changed watermark holds.
func (s *Session) noteDelay(ctx context.Context, name string, st *sql.AlterStream, out Output) {
	if st.Watermark == nil {
		return
	}
	queries, err := s.queries(ctx)
	if err != nil {
		return // the change is stored; this is a note about it
	}
	for _, q := range queries {
		if q.reads.has(name) && s.jobOf(q.name) == nil {
			out.Notice(fmt.Sprintf("query %q goes by the watermark as it is now from its next start on: START QUERY %s; the watermark never moves back", q.name, sql.IdentText(q.name)))
		}
	}
}

// moved returns the option that names the files of a stream which were moved, and the
// identity by which checkpoints know it: their positions go on to hold.
func (s *Session) moved(old *streamRow, st *sql.AlterStream) ([]sql.Option, string, error) {
	declared, err := s.declare(old)
	if err != nil {
		return nil, "", placeOver(err, st.Span)
	}
	key := locationOption(declared.spec.Options)
	if key == "" {
		return nil, "", sqlerr.At(st.Location.Span, "UNSUPPORTED_STATEMENT", "stream %q is not in files: connector %q has no location", old.name, declared.spec.Name)
	}
	return []sql.Option{locationSet(key, st.Location)}, declared.plan.ID, nil
}

// locationOption is the option of a connector that says where its files are, "" without one.
func locationOption(options []sources.Option) string {
	for _, key := range []string{"path", "spool"} {
		for _, o := range options {
			if o.Name == key {
				return key
			}
		}
	}
	return ""
}

func locationSet(key string, l *sql.Location) sql.Option {
	return sql.Option{Key: sql.Ident{Name: key, Span: l.Span}, Value: l.Path, ValueAt: l.Span}
}

// names reports whether an option is among those that a statement sets.
func names(options []sql.Option, name string) bool { return optionNamed(options, name) != "" }

// checkAltered checks a changed definition. Its errors are placed at the statement that
// changes it.
func (s *Session) checkAltered(cat *relations, row *streamRow, st *sql.AlterStream) error {
	parsed, err := parseStored(row.definition)
	if err != nil {
		return placeOver(err, st.Span)
	}
	changed := parsed.(*sql.CreateStream)
	declared, err := s.declareStatement(row, changed)
	if err == nil && declared.spec.Check != nil {
		err = declared.spec.Check(declared.options)
	}
	if err == nil {
		cat.declared = declared
		err = checkStream(cat, declared, changed)
	}
	if err == nil {
		return nil
	}
	if st.Location != nil {
		return placeOver(err, st.Location.Span)
	}
	if st.Watermark != nil {
		return placeOver(err, st.Watermark.Span)
	}
	for _, o := range st.Set {
		if strings.Contains(err.Error(), fmt.Sprintf("%q", o.Key.Name)) {
			return placeOver(err, o.Key.Span)
		}
	}
	return placeOver(err, st.Span)
}
