package session

import (
	"context"
	"fmt"
	"strings"

	"ssql/sql"
)

// alterStream is ALTER STREAM: the definition is written anew and checked as CREATE
// STREAM would. Queries that run keep what they opened until their next start.
func (s *Session) alterStream(ctx context.Context, st *sql.AlterStream, _ *Request, out Output) error {
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
	if st.Add != nil && definition.Columns == nil {
		if definition.Columns, err = parseColumns(old.columns); err != nil {
			return err
		}
	}
	definition.OrReplace, definition.IfNotExists = false, false
	definition.Columns = append(definition.Columns, st.Add...)
	definition.Options = withOptions(definition.Options, st.Set)
	row := &streamRow{name: old.name, definition: sql.StatementText(definition), columns: old.columns, baseDir: old.baseDir}
	if err := s.checkAltered(cat, row, st); err != nil {
		return err
	}
	if err := s.saveStream(ctx, row); err != nil {
		return err
	}
	for _, j := range s.jobs() {
		if readsRelation(j.row.definition, row.name) {
			out.Notice(fmt.Sprintf("query %q runs with the stream as it was; RESTART QUERY %s takes the change up", j.row.name, identText(j.row.name)))
		}
	}
	return nil
}

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
	for _, o := range st.Set {
		if strings.Contains(err.Error(), fmt.Sprintf("%q", o.Key.Name)) {
			return placeOver(err, o.Key.Span)
		}
	}
	return placeOver(err, st.Span)
}
