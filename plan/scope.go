package plan

import (
	"sort"
	"strings"
	"unicode"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// value is a bound expression together with what is known of its event time.
type value struct {
	Expr expr.Expr
	mark *Mark
	// window is set on the struct that stands for a window of the same block: its fields
	// are columns.
	window *windowCall
}

func (v value) kind() types.Kind { return v.Expr.Type().Kind }

// scope says what names mean at one point of a query: the columns of a node, by
// table and name.
type scope struct {
	node    Node
	cols    []scopeColumn
	windows []windowAlias
	// queries are the columns of the node that hold the values of sub-queries.
	queries map[sql.Expr]int
	names   *columnNames
}

// columnNames finds the columns of a scope by name. Scopes over the same columns share it.
type columnNames struct {
	cols   []scopeColumn // those that it knows, as they were
	byName map[string][]int
}

// columnNamesMin is from how many columns on a scope is not searched: thousands of columns
// each looked up among thousands take seconds.
const columnNamesMin = 16

// named calls f with the columns of a name, in their order.
func (s *scope) named(name string, f func(c *scopeColumn)) {
	if len(s.cols) < columnNamesMin {
		for i := range s.cols {
			if strings.EqualFold(s.cols[i].Name, name) {
				f(&s.cols[i])
			}
		}
		return
	}
	if s.names == nil {
		s.names = new(columnNames)
	}
	n := s.names
	if len(n.cols) != len(s.cols) || &n.cols[0] != &s.cols[0] {
		n.cols, n.byName = s.cols, make(map[string][]int, len(s.cols))
		for i := range s.cols {
			key := foldedName(s.cols[i].Name)
			n.byName[key] = append(n.byName[key], i)
		}
	}
	for _, i := range n.byName[foldedName(name)] {
		f(&s.cols[i])
	}
}

// foldedName is the same for names that strings.EqualFold calls equal, and for no others.
func foldedName(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

// scopeColumn is one visible column. Several may stand for one column of the node.
type scopeColumn struct {
	Column
	index int
	// hidden columns are left out of * (window columns made by a call of window()).
	hidden bool
	// qualified columns can only be reached as table.column: the two sides of a
	// column merged by USING.
	qualified bool
}

// windowAlias lets `window` and `session_window` be used like a struct column
// beside GROUP BY window(...), as in Spark.
type windowAlias struct {
	name string
	call *windowCall
}

// newScope returns a scope over all columns of a node, reached by one table name.
func newScope(n Node, table string) *scope {
	s := &scope{node: n}
	for i, c := range n.Columns() {
		c.Table = table
		s.cols = append(s.cols, scopeColumn{Column: c, index: i, hidden: c.Hidden})
	}
	return s
}

// over returns the scope moved onto a node that has all columns of the old one at
// the same places, and perhaps more behind them, which stay hidden.
func (s *scope) over(n Node) *scope {
	if s.names == nil {
		s.names = new(columnNames)
	}
	return &scope{node: n, cols: s.cols, windows: s.windows, queries: s.queries, names: s.names}
}

// value returns a visible column as an expression.
func (c scopeColumn) value() value {
	return value{Expr: &expr.Column{Index: c.index, Name: c.Name, T: c.Type, Null: c.Nullable}, mark: c.Mark}
}

// find returns the columns that a name could mean and how many of its parts they
// take up; the rest are fields. A table with a column of that name wins over a
// column with a field of that name, as in DuckDB.
func (s *scope) find(parts []sql.Ident) (found []scopeColumn, used int) {
	if len(parts) > 1 {
		s.named(parts[1].Name, func(c *scopeColumn) {
			if strings.EqualFold(c.Table, parts[0].Name) {
				found = append(found, *c)
			}
		})
		if len(found) > 0 {
			return found, 2
		}
	}
	s.named(parts[0].Name, func(c *scopeColumn) {
		if !c.qualified {
			found = append(found, *c)
		}
	})
	return found, 1
}

// hasTable reports whether columns of a table of this name are in scope.
func (s *scope) hasTable(name string) bool {
	for _, c := range s.cols {
		if strings.EqualFold(c.Table, name) {
			return true
		}
	}
	return false
}

// window returns the window that `window` or `session_window` stands for.
func (s *scope) window(name string) *windowCall {
	for _, w := range s.windows {
		if strings.EqualFold(w.name, name) {
			return w.call
		}
	}
	return nil
}

// ambiguous returns the refusal of a name that could mean several columns.
func ambiguous(parts []sql.Ident, found []scopeColumn, span Span) error {
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = qualifiedName(c.Column)
	}
	sort.Strings(names)
	return sqlerr.At(span, codeAmbiguous, "%q could mean %s", dotted(parts), strings.Join(names, " or ")).
		WithHint("write %s, with the table before the column", names[0])
}

// unresolved returns the refusal of a name that no column has.
func (s *scope) unresolved(parts []sql.Ident, span Span) error {
	wanted := parts[len(parts)-1].Name
	if len(parts) == 1 || !s.hasTable(parts[0].Name) {
		wanted = parts[0].Name
	}
	var names []string
	for _, c := range s.cols {
		if !c.hidden {
			names = append(names, c.Name)
		}
	}
	if len(parts) > 1 && wanted == parts[0].Name {
		return sqlerr.At(span, codeUnresolvedColumn, "there is no table or column %q here", wanted).
			WithHint("the columns are %s", strings.Join(firstNames(names, 12), ", "))
	}
	err := sqlerr.At(span, codeUnresolvedColumn, "there is no column %q here", dotted(parts))
	if near := sqlerr.Nearest(wanted, names); near != "" {
		return err.WithHint("did you mean %q?", near)
	}
	if len(names) > 0 {
		return err.WithHint("the columns are %s", strings.Join(firstNames(names, 12), ", "))
	}
	return err
}

func firstNames(names []string, most int) []string {
	if len(names) > most {
		return append(names[:most:most], "...")
	}
	return names
}

func dotted(parts []sql.Ident) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return strings.Join(names, ".")
}

func qualifiedName(c Column) string {
	if c.Table == "" {
		return c.Name
	}
	return c.Table + "." + c.Name
}
