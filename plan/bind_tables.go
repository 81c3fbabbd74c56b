package plan

import (
	"fmt"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// Describer is a Catalog that knows what DuckDB makes of a query on tables: the planner
// asks it about those that it cannot bind itself.
type Describer interface {
	// Describe returns the result columns of a query that reads tables only. Columns of
	// a type that streams do not have get the nearest one that they have.
	Describe(query string) ([]types.Field, error)
}

// queryOrTables binds a query. One that reads tables only becomes the text that DuckDB
// runs before each batch, with DuckDB's whole language in it.
func (b *binder) queryOrTables(q *sql.Query, e *env) (*scope, error) {
	// The arms of a UNION stand beside each other, however many they are.
	b.depth++
	defer func() { b.depth-- }()
	if b.depth > viewDepthMax {
		return nil, sqlerr.At(b.at(q.Span), codeTooDeep, "sub-queries and views are nested more than %d deep", viewDepthMax).
			WithHint("a view that reads itself has no answer")
	}
	s, err := b.query(q, e)
	if b.stopped != nil {
		return nil, b.stopped
	}
	if err == nil {
		if isStatic(s.node) {
			return b.staticText(s, q, e)
		}
		return s, nil
	}
	d, ok := b.cat.(Describer)
	if !ok || !b.tablesOnly(q, e) {
		return nil, err
	}
	described, duckErr := b.described(d, q, e)
	if duckErr != nil {
		return nil, err // it has the place
	}
	return described, nil
}

// described is the scope of a query on tables as DuckDB describes it.
func (b *binder) described(d Describer, q *sql.Query, e *env) (*scope, error) {
	text, err := b.duckText(q, e)
	if err != nil {
		return nil, err
	}
	fields, err := d.Describe(text)
	if err != nil {
		return nil, err
	}
	scan := &StaticScan{}
	names, casts := uniqueNames(fields), make([]string, len(fields))
	for i, f := range fields {
		f.Name = names[i]
		scan.Cols = append(scan.Cols, Column{Field: f})
		names[i] = types.QuoteIdent(names[i])
		casts[i] = "CAST(" + names[i] + " AS " + f.Type.String() + ") AS " + names[i]
	}
	scan.Table = "(SELECT " + strings.Join(casts, ", ") + " FROM (" + text + ") AS q(" + strings.Join(names, ", ") + "))"
	return newScope(scan, ""), nil
}

// uniqueNames returns the names of fields, with _1 and so on behind those that were there
// before, as DuckDB names them.
func uniqueNames(fields []types.Field) []string {
	names, seen := make([]string, len(fields)), map[string]bool{}
	for i, f := range fields {
		name := f.Name
		for n := 1; seen[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s_%d", f.Name, n)
		}
		seen[strings.ToLower(name)] = true
		names[i] = name
	}
	return names
}

// tablesOnly reports whether a query reads tables and no stream.
func (b *binder) tablesOnly(q *sql.Query, e *env) bool {
	if only, known := b.tables[q]; known {
		return only
	}
	if b.tables == nil {
		b.tables = map[*sql.Query]bool{}
	}
	b.tables[q] = false // of a view that reads itself
	only := b.findsTablesOnly(q, e)
	b.tables[q] = only
	return only
}

func (b *binder) findsTablesOnly(q *sql.Query, e *env) bool {
	tables, streams := 0, 0
	inner := map[string]bool{}
	var visit func(q *sql.Query) error
	table := func(t *sql.TableRef) error {
		if len(t.Name) == 1 {
			if inner[strings.ToLower(t.Name[0].Name)] {
				return nil
			}
			if c := e.find(t.Name[0].Name); c != nil {
				if b.tablesOnly(c.cte.Query, c.outer) {
					tables++
				} else {
					streams++
				}
				return nil
			}
		}
		rel, err := b.relation(t.Name)
		switch {
		case err != nil || rel == nil || rel.Stream != nil || rel.View != nil && !b.tablesOnly(rel.View, nil):
			streams++
		default:
			tables++
		}
		return nil
	}
	visit = func(q *sql.Query) error {
		if readsFunction(q) {
			tables++
		}
		for _, c := range q.With {
			inner[strings.ToLower(c.Name.Name)] = true
			if err := visit(c.Query); err != nil {
				return err
			}
		}
		return eachTable(q, table, visit)
	}
	// The calls above return no error.
	_ = visit(q)
	return tables > 0 && streams == 0
}

// duckJoins are the joins as DuckDB writes them.
var duckJoins = map[types.JoinKind]string{
	types.InnerJoin: "JOIN", types.LeftJoin: "LEFT JOIN", types.RightJoin: "RIGHT JOIN", types.FullJoin: "FULL JOIN", types.SemiJoin: "SEMI JOIN", types.AntiJoin: "ANTI JOIN",
}

// joinTables makes one table of a join of two: DuckDB runs it before each batch. above is
// the scope that the join has; ok is false where it is more than a join.
func joinTables(j *Join, above *scope) (s *scope, ok bool) {
	left, leftOK := j.Left.(*StaticScan)
	right, rightOK := j.Right.(*StaticScan)
	if !leftOK || !rightOK || above.node != Node(j) {
		return nil, false
	}
	all := append(append([]Column(nil), left.Cols...), right.Cols...)
	fields := make([]types.Field, len(all))
	for i, c := range all {
		fields[i] = c.Field
	}
	names := uniqueNames(fields)
	side := func(t *StaticScan, first int) string {
		items := make([]string, len(t.Cols))
		for i, c := range t.Cols {
			items[i] = types.QuoteIdent(c.Name) + " AS " + types.QuoteIdent(names[first+i])
		}
		return "(SELECT " + strings.Join(items, ", ") + " FROM " + t.Table + ")"
	}
	on := []string{"true"}
	for i := range j.on {
		on = append(on, moved(j.on[i].cond, func(c *expr.Column) expr.Expr {
			return &expr.Column{Index: c.Index, Name: names[c.Index], T: c.T, Null: c.Null}
		}).String())
	}
	scan := &StaticScan{}
	items := make([]string, len(j.Cols))
	for i, c := range j.Cols {
		c.Name = names[i]
		scan.Cols, items[i] = append(scan.Cols, c), types.QuoteIdent(names[i])
	}
	scan.Table = "(SELECT " + strings.Join(items, ", ") + " FROM " + side(left, 0) + " AS l " + duckJoins[j.Kind] + " " +
		side(right, len(left.Cols)) + " AS r ON " + strings.Join(on, " AND ") + ")"
	return above.over(scan), true
}
