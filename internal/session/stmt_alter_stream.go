package session

import (
	"context"
	"fmt"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql"
)

// alterStream is ALTER STREAM: the definition is written anew and checked as CREATE
// STREAM would. Queries that run keep what they opened until their next start.
func (s *Session) alterStream(ctx context.Context, st *sql.AlterStream, r *Request, out Output) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	old := cat.Rows[strings.ToLower(st.Name.Name)]
	if old == nil || old.View {
		return noSuchStream(cat.Rows, st.Name)
	}
	parsed, err := catalog.ParseStored(old.Definition)
	if err != nil {
		return fmt.Errorf("reading the definition of stream %q: %w", old.Name, err)
	}
	definition := parsed.(*sql.CreateStream)
	if st.Add != nil || st.Watermark != nil {
		if definition.Columns, err = catalog.ColumnsOf(old, definition); err != nil {
			return err
		}
	}
	definition.OrReplace, definition.IfNotExists = false, false
	definition.Columns = append(definition.Columns, st.Add...)
	if err := alterWatermark(definition, old.Name, st); err != nil {
		return err
	}
	row := &catalog.StreamRow{Name: old.Name, Columns: old.Columns, BaseDir: old.BaseDir, Identity: old.Identity}
	set := st.Set
	if names(set, "path") || names(set, "spool") {
		row.Identity = "" // another input
	}
	if st.Location != nil {
		if set, row.Identity, err = s.moved(old, st); err != nil {
			return err
		}
	}
	if names(set, "path") || names(set, "spool") {
		row.BaseDir = r.Dir // a relative path starts where the statement does
	}
	definition.Options = catalog.WithOptions(definition.Options, set)
	row.Definition = sql.StatementText(definition)
	if err := s.checkAltered(cat, row, st); err != nil {
		return err
	}
	if err := s.store.SaveStream(ctx, row); err != nil {
		return err
	}
	s.noteDelay(ctx, row.Name, st, out)
	for _, j := range s.jobs() {
		if j.row.Reads.Has(row.Name) {
			out.Notice(fmt.Sprintf("query %q runs with the stream as it was; RESTART QUERY %s takes the change up", j.row.Name, sql.IdentText(j.row.Name)))
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
	queries, err := s.store.Queries(ctx)
	if err != nil {
		return // the change is stored; this is a note about it
	}
	for _, q := range queries {
		if q.Reads.Has(name) && s.jobOf(q.Name) == nil {
			out.Notice(fmt.Sprintf("query %q goes by the watermark as it is now from its next start on: START QUERY %s; the watermark never moves back", q.Name, sql.IdentText(q.Name)))
		}
	}
}

// moved returns the option that names the files of a stream which were moved, and the
// identity by which checkpoints know it: their positions go on to hold.
func (s *Session) moved(old *catalog.StreamRow, st *sql.AlterStream) ([]sql.Option, string, error) {
	declared, err := s.store.Declare(old)
	if err != nil {
		return nil, "", catalog.PlaceOver(err, st.Span)
	}
	key := locationOption(declared.Spec.Options)
	if key == "" {
		return nil, "", sqlerr.At(st.Location.Span, "UNSUPPORTED_STATEMENT", "stream %q is not in files: connector %q has no location", old.Name, declared.Spec.Name)
	}
	return []sql.Option{locationSet(key, st.Location)}, declared.Plan.ID, nil
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
func (s *Session) checkAltered(cat *catalog.Snapshot, row *catalog.StreamRow, st *sql.AlterStream) error {
	parsed, err := catalog.ParseStored(row.Definition)
	if err != nil {
		return catalog.PlaceOver(err, st.Span)
	}
	changed := parsed.(*sql.CreateStream)
	declared, err := s.store.DeclareStatement(row, changed)
	if err == nil && declared.Spec.Check != nil {
		err = declared.Spec.Check(declared.Options)
	}
	if err == nil {
		cat.Declared = declared
		err = checkStream(cat, declared, changed)
	}
	if err == nil {
		return nil
	}
	if st.Location != nil {
		return catalog.PlaceOver(err, st.Location.Span)
	}
	if st.Watermark != nil {
		return catalog.PlaceOver(err, st.Watermark.Span)
	}
	for _, o := range st.Set {
		if strings.Contains(err.Error(), fmt.Sprintf("%q", o.Key.Name)) {
			return catalog.PlaceOver(err, o.Key.Span)
		}
	}
	return catalog.PlaceOver(err, st.Span)
}
