package plan

import (
	"sort"
	"strings"

	"ssql/sql"
	"ssql/sql/types"
)

// isStatic reports whether a tree reads tables only.
func isStatic(n Node) bool {
	switch n.(type) {
	case *Scan:
		return false
	case *StaticScan:
		return true
	}
	for _, in := range n.Inputs() {
		if !isStatic(in) {
			return false
		}
	}
	return true
}

// staticText makes one StaticScan of a query on tables: DuckDB runs its text, and its
// values are cast to the types that the query has by ssql's rules, so that a count
// or a sum means the same on both sides of a join.
func (b *binder) staticText(s *scope, q *sql.Query, e *env) (*scope, error) {
	text, err := b.duckText(q, e)
	if err != nil {
		return nil, err
	}
	cols := s.node.Columns()
	names, casts := make([]string, len(cols)), make([]string, len(cols))
	for i, c := range cols {
		names[i] = types.QuoteIdent(c.Name)
		casts[i] = "CAST(" + names[i] + " AS " + c.Type.String() + ") AS " + names[i]
	}
	scan := &StaticScan{Cols: cols,
		Table: "(SELECT " + strings.Join(casts, ", ") + " FROM (" + text + ") AS q(" + strings.Join(names, ", ") + "))"}
	return newScope(scan, ""), nil
}

// edit replaces a part of a text.
type edit struct {
	span Span
	text string
}

// duckText is the text of a query with the names of tables as DuckDB needs them and
// views written out.
func (b *binder) duckText(q *sql.Query, e *env) (string, error) {
	var edits []edit
	inner := map[string]bool{}
	var visit func(q *sql.Query) error
	table := func(t *sql.TableRef) error {
		if len(t.Name) == 1 && inner[strings.ToLower(t.Name[0].Name)] {
			return nil
		}
		text, err := b.tableText(t, e)
		if err != nil || text == "" {
			return err
		}
		at := t.Name[0].Span.To(t.Name[len(t.Name)-1].Span)
		if t.Alias == nil && strings.HasPrefix(text, "(") {
			text += " AS " + types.QuoteIdent(t.Name[len(t.Name)-1].Name)
		}
		edits = append(edits, edit{at, text})
		return nil
	}
	visit = func(q *sql.Query) error {
		for _, c := range q.With {
			inner[strings.ToLower(c.Name.Name)] = true
			if err := visit(c.Query); err != nil {
				return err
			}
		}
		return eachTable(q, table, visit)
	}
	if err := visit(q); err != nil {
		return "", err
	}
	return applyEdits(q.Text, q.Span.Start, edits), nil
}

// tableText is what DuckDB gets for a name, "" to leave it as written.
func (b *binder) tableText(t *sql.TableRef, e *env) (string, error) {
	if len(t.Name) == 1 {
		if c := e.find(t.Name[0].Name); c != nil {
			text, err := b.duckText(c.cte.Query, c.outer)
			return "(" + text + ")", err
		}
	}
	rel, err := b.relation(t.Name)
	if err != nil || rel == nil {
		return "", err
	}
	if rel.View != nil {
		text, err := b.duckText(rel.View, nil)
		return "(" + text + ")", err
	}
	if rel.Table != nil {
		return rel.Table.Text, nil
	}
	return "", nil
}

// eachTable calls table for every table name in the FROM clauses of a query and query
// for every sub-query in them and in its expressions.
func eachTable(q *sql.Query, table func(*sql.TableRef) error, query func(*sql.Query) error) error {
	var from func(t sql.TableExpr) error
	from = func(t sql.TableExpr) error {
		switch t := t.(type) {
		case *sql.TableRef:
			return table(t)
		case *sql.SubqueryRef:
			return query(t.Query)
		case *sql.Join:
			if err := from(t.Left); err != nil {
				return err
			}
			return from(t.Right)
		}
		return nil
	}
	switch body := q.Body.(type) {
	case *sql.Select:
		if body.From != nil {
			if err := from(body.From); err != nil {
				return err
			}
		}
		return eachSubquery(body, q.OrderBy, query)
	case *sql.SetOp:
		if err := query(body.Left); err != nil {
			return err
		}
		return query(body.Right)
	}
	return nil
}

// readsFunction reports whether a table function stands in FROM, such as read_csv(...).
func readsFunction(q *sql.Query) bool {
	var from func(t sql.TableExpr) bool
	from = func(t sql.TableExpr) bool {
		switch t := t.(type) {
		case *sql.FuncRef:
			return true
		case *sql.Join:
			return from(t.Left) || from(t.Right)
		}
		return false
	}
	s, ok := q.Body.(*sql.Select)
	return ok && s.From != nil && from(s.From)
}

// eachSubquery calls query for the sub-queries in the expressions of a block.
func eachSubquery(s *sql.Select, orderBy []sql.OrderItem, query func(*sql.Query) error) error {
	exprs := []sql.Expr{s.Where, s.Having, s.Qualify}
	for _, it := range s.Items {
		exprs = append(exprs, it.Expr)
	}
	if s.GroupBy != nil {
		exprs = append(exprs, s.GroupBy.Items...)
	}
	for _, o := range orderBy {
		exprs = append(exprs, o.Expr)
	}
	var first error
	for _, e := range exprs {
		walk(e, func(e sql.Expr) bool {
			if q := queryOf(e); q != nil && first == nil {
				first = query(q)
			}
			return first == nil
		})
	}
	return first
}

// queryOf returns the sub-query that an expression has, nil without.
func queryOf(e sql.Expr) *sql.Query {
	switch e := e.(type) {
	case *sql.In:
		return e.Query
	case *sql.Exists:
		return e.Query
	case *sql.ScalarQuery:
		return e.Query
	}
	return nil
}

// applyEdits replaces spans of a text that starts at an offset.
func applyEdits(text string, start int, edits []edit) string {
	sort.Slice(edits, func(i, j int) bool { return edits[i].span.Start > edits[j].span.Start })
	for _, e := range edits {
		from, to := e.span.Start-start, e.span.End-start
		if from >= 0 && from <= to && to <= len(text) {
			text = text[:from] + e.text + text[to:]
		}
	}
	return text
}
