package catalog

import (
	"strings"

	"ssql/sql"
)

// CreateText returns the CREATE STREAM or CREATE VIEW of a row. Columns that were inferred
// are declared, and a relative path becomes an absolute one, so that the text means
// the same wherever it is run.
func (r *StreamRow) CreateText() (string, error) {
	parsed, err := ParseStored(r.Definition)
	if err != nil {
		return r.Definition, nil // as it is: whoever reads it sees what is wrong
	}
	switch st := parsed.(type) {
	case *sql.CreateStream:
		st.OrReplace, st.IfNotExists = false, false
		if st.Columns, err = ColumnsOf(r, st); err != nil {
			return "", err
		}
		for i, o := range st.Options {
			if path, ok := o.Value.(string); ok && strings.EqualFold(o.Key.Name, "path") {
				st.Options[i].Value = Absolute(r.BaseDir, path)
			}
		}
	case *sql.CreateView:
		st.OrReplace, st.IfNotExists = false, false
	}
	return sql.StatementText(parsed), nil
}

// CreateText returns the statement of a query: what makes and starts it.
func (q *QueryRow) CreateText() (string, error) {
	parsed, err := ParseStored(q.Definition)
	if err != nil {
		return q.Definition, nil
	}
	switch st := parsed.(type) {
	case *sql.CreateQuery:
		st.OrReplace, st.IfNotExists = false, false
	case *sql.CreateView:
		st.OrReplace, st.IfNotExists = false, false
	case *sql.Insert:
		if len(q.Options) > 0 {
			parsed = &sql.CreateQuery{Name: sql.Ident{Name: q.Name}, Options: OptionsOf(q.Options), Inserts: []*sql.Insert{st}}
		}
	}
	return sql.StatementText(parsed), nil
}
