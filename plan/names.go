package plan

import (
	"strings"

	"ssql/sql"
)

// itemName is the name of a select item: its alias, the name of a column, or what
// DuckDB calls an unnamed expression.
func itemName(it *sql.SelectItem) string {
	if it.Alias != nil {
		return it.Alias.Name
	}
	switch e := it.Expr.(type) {
	case *sql.ColumnRef:
		return e.Parts[len(e.Parts)-1].Name
	case *sql.Access:
		if e.Field != nil {
			return e.Field.Name
		}
	case *sql.Call:
		return callName(e, it.Text)
	}
	return strings.TrimSpace(it.Text)
}

// callName writes a call as DuckDB does: the name in lower case, count_star() for
// count(*).
func callName(c *sql.Call, text string) string {
	name := strings.ToLower(c.Name.Name)
	if c.Star && name == "count" && c.Filter == nil {
		return "count_star()"
	}
	text = strings.TrimSpace(text)
	if len(text) >= len(name) && strings.EqualFold(text[:len(name)], name) {
		return name + text[len(name):]
	}
	return text
}
