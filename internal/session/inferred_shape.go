package session

import (
	"fmt"
	"slices"
	"strings"

	"ssql/sql"
	"ssql/sql/types"
)

// bulkActions are the objects that Elasticsearch's bulk files have before each document.
var bulkActions = []string{"create", "delete", "index", "update"}

// shapeNote says of inferred columns that the rows a user means are within them, and how to get
// at them; "" for any others. from is the stream, as a query names it.
func shapeNote(fields []types.Field, from string) string {
	if len(fields) == 1 && fields[0].Type.Kind == types.List && fields[0].Type.Elem.Kind == types.Struct {
		return fmt.Sprintf("a file, or object, is one row with a list of rows in it: SELECT r.* FROM (SELECT unnest(%s) AS r FROM %s) gives them", sql.IdentText(fields[0].Name), from)
	}
	var actions []string
	for _, f := range fields {
		named := func(s types.Field) bool { return s.Name == "_id" || s.Name == "_index" }
		if slices.Contains(bulkActions, f.Name) && f.Type.Kind == types.Struct && slices.ContainsFunc(f.Type.Fields, named) {
			actions = append(actions, sql.IdentText(f.Name))
		}
	}
	if len(actions) == 0 || len(actions) == len(fields) {
		return ""
	}
	return fmt.Sprintf("a line before each document says what to do with it, as in bulk files of Elasticsearch: SELECT * EXCLUDE (%s) FROM %s WHERE %s IS NULL leaves these out",
		strings.Join(actions, ", "), from, strings.Join(actions, " IS NULL AND "))
}
