package catalog

import (
	"fmt"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql"
)

// ViewQuery returns the query that a stored view stands for.
func ViewQuery(row *StreamRow) (*sql.Query, error) {
	st, err := ParseView(row.Definition)
	if err != nil {
		return nil, Unplaced(err, fmt.Sprintf("reading the definition of view %q", row.Name))
	}
	return namedColumns(st)
}

// ParseView parses CREATE [MATERIALIZED] VIEW over a stream as the catalog keeps it.
func ParseView(definition string) (*sql.CreateView, error) {
	parsed, err := ParseStored(definition)
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

// IsMaterialized reports whether a stored definition is that of a materialized view.
func IsMaterialized(definition string) bool {
	_, err := ParseView(definition)
	return err == nil
}

// RefsOf returns the names without a schema that a query reads from.
func RefsOf(text string) []string {
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
