package sql

import (
	"ssql/sql/types"
)

func (p *printer) query(q *Query) {
	if len(q.With) > 0 {
		p.put("WITH ")
		p.list(len(q.With), func(i int) {
			p.ident(q.With[i].Name)
			p.columnList(q.With[i].Columns)
			p.put(" AS (")
			p.query(q.With[i].Query)
			p.put(")")
		})
		p.put(" ")
	}
	switch b := q.Body.(type) {
	case *Select:
		p.selectBlock(b)
	case *SetOp:
		p.setOp(b)
	}
	if q.Emit != nil {
		p.emit(q.Emit)
	}
	if len(q.OrderBy) > 0 {
		p.put(" ")
		p.orderBy(q.OrderBy)
	}
	if q.Limit != nil {
		p.put(" LIMIT ")
		p.operand(q.Limit)
	}
	if q.Offset != nil {
		p.put(" OFFSET ")
		p.operand(q.Offset)
	}
}

func (p *printer) setOp(b *SetOp) {
	p.setSide(b.Left, b, false)
	p.put(" ", b.Op)
	if b.All {
		p.put(" ALL")
	}
	if b.ByName {
		p.put(" BY NAME")
	}
	p.put(" ")
	p.setSide(b.Right, b, true)
}

// setSide writes one side of a set operation, in brackets unless it is a plain
// SELECT or, on the left, a chain of the same operation.
func (p *printer) setSide(q *Query, around *SetOp, right bool) {
	plain := openQuery(q) == q
	if inner, ok := q.Body.(*SetOp); ok {
		plain = plain && !right && (inner.Op == "INTERSECT") == (around.Op == "INTERSECT")
	}
	if plain {
		p.query(q)
		return
	}
	p.put("(")
	p.query(q)
	p.put(")")
}

func (p *printer) selectBlock(s *Select) {
	p.put("SELECT ")
	if s.Distinct {
		p.put("DISTINCT ")
	}
	if len(s.DistinctOn) > 0 {
		p.put("ON (")
		p.exprs(s.DistinctOn)
		p.put(") ")
	}
	p.list(len(s.Items), func(i int) {
		p.expr(s.Items[i].Expr)
		if a := s.Items[i].Alias; a != nil {
			p.put(" AS ")
			p.ident(*a)
		}
	})
	if s.From != nil {
		p.put(" FROM ")
		p.table(s.From)
	}
	if s.Where != nil {
		p.put(" WHERE ")
		p.expr(s.Where)
	}
	if s.GroupBy != nil {
		p.groupBy(s.GroupBy)
	}
	if s.Having != nil {
		p.put(" HAVING ")
		p.expr(s.Having)
	}
	if s.Qualify != nil {
		p.put(" QUALIFY ")
		p.expr(s.Qualify)
	}
}

func (p *printer) groupBy(g *GroupBy) {
	p.put(" GROUP BY ")
	switch {
	case g.All:
		p.put("ALL")
	case g.Sets != nil:
		p.put("GROUPING SETS (")
		p.list(len(g.Sets), func(i int) {
			p.put("(")
			p.list(len(g.Sets[i]), func(j int) { p.expr(g.Items[g.Sets[i][j]]) })
			p.put(")")
		})
		p.put(")")
	case len(g.Items) == 0:
		p.put("()")
	default:
		p.exprs(g.Items)
	}
}

func (p *printer) emit(e *Emit) {
	p.put(" EMIT")
	switch e.Mode {
	case "close":
		p.put(" ON WINDOW CLOSE")
	case "update":
		p.put(" ON UPDATE")
	case "complete":
		p.put(" COMPLETE")
	}
	if e.DelayMicros > 0 {
		p.put(" WITH DELAY ", microsText(e.DelayMicros))
	}
	if e.EveryMicros > 0 {
		p.put(" EVERY ", microsText(e.EveryMicros))
	}
	if e.Timeout > 0 {
		p.put(" TIMEOUT ", microsText(e.Timeout))
	}
}

// microsText returns a length of time as an interval literal.
func microsText(micros int64) string {
	return "INTERVAL " + types.QuoteText(IntervalText(types.Interval{Micros: micros}))
}

func (p *printer) columnList(columns []Ident) {
	if len(columns) > 0 {
		p.put("(")
		p.idents(columns)
		p.put(")")
	}
}

func (p *printer) alias(a *Ident) {
	if a != nil {
		p.put(" AS ")
		p.ident(*a)
	}
}

func (p *printer) name(n Name) {
	for i, id := range n {
		if i > 0 {
			p.put(".")
		}
		p.ident(id)
	}
}

func (p *printer) reading(r Reading) {
	if len(r.Options) > 0 {
		p.put(" WITH ")
		p.options(r.Options)
	}
	if r.Source != nil {
		p.put(" IDENTIFIED BY ")
		p.ident(*r.Source)
	}
}

func (p *printer) table(t TableExpr) {
	switch t := t.(type) {
	case *TableRef:
		if t.Stream {
			p.put("STREAM ")
		}
		p.name(t.Name)
		if t.AsOf != nil {
			p.put(" FOR SYSTEM_TIME AS OF ")
			p.operand(t.AsOf)
		}
		p.reading(t.Reading)
		p.alias(t.Alias)
	case *FileRef:
		if len(t.Reading.Options) > 0 {
			p.put("STREAM ")
		}
		p.put(types.QuoteText(t.Path))
		p.reading(t.Reading)
		p.alias(t.Alias)
	case *SubqueryRef:
		if t.Lateral {
			p.put("LATERAL ")
		}
		p.put("(")
		p.query(t.Query)
		p.put(")")
		p.alias(t.Alias)
		p.columnList(t.Columns)
	case *WindowRef:
		p.window(t)
	case *DedupRef:
		p.put("DEDUP(")
		p.table(t.Input)
		p.put(", KEY (")
		p.idents(t.Keys)
		p.put(")")
		if t.Within {
			p.put(" WITHIN WATERMARK")
		}
		p.put(")")
		p.alias(t.Alias)
	case *WatermarkRef:
		p.watermark(t)
	case *FuncRef:
		if t.Lateral {
			p.put("LATERAL ")
		}
		p.put(IdentText(t.Name.Name), "(")
		p.list(len(t.Args), func(i int) {
			if i < len(t.ArgNames) && t.ArgNames[i] != "" {
				p.put(IdentText(t.ArgNames[i]), " => ")
			}
			if _, ok := t.Args[i].(*Binary); ok { // a = b would name the argument
				p.operand(t.Args[i])
				return
			}
			p.expr(t.Args[i])
		})
		p.put(")")
		p.alias(t.Alias)
		p.columnList(t.Columns)
	case *Join:
		p.join(t)
	}
}

func (p *printer) watermark(t *WatermarkRef) {
	p.table(t.Input)
	p.put(" WATERMARK ")
	p.operand(t.Expr)
	if t.Name != nil {
		p.put(" AS ")
		p.ident(*t.Name)
	}
	p.put(" DELAY OF ")
	p.expr(t.Delay)
	p.alias(t.Alias)
}

func (p *printer) window(t *WindowRef) {
	for _, f := range windowFunctions {
		if f.kind != t.Kind {
			continue
		}
		p.put(f.name, "(")
		p.table(t.Input)
		if t.Time != nil {
			p.put(", ")
			p.expr(t.Time)
		}
		for _, param := range f.params {
			if e := t.argument(t.Kind, param.name); e != nil {
				p.put(", ")
				p.expr(e)
			}
		}
	}
	if len(t.PartitionBy) > 0 {
		p.put(", PARTITION BY ")
		p.exprs(t.PartitionBy)
	}
	p.put(")")
	p.alias(t.Alias)
}

// joinNames are the join words by kind.
var joinNames = [...]string{
	InnerJoin: "JOIN", LeftJoin: "LEFT JOIN", RightJoin: "RIGHT JOIN", FullJoin: "FULL JOIN", SemiJoin: "LEFT SEMI JOIN",
	AntiJoin: "LEFT ANTI JOIN", CrossJoin: "CROSS JOIN", AsofJoin: "ASOF JOIN", AsofLeftJoin: "ASOF LEFT JOIN",
}

func (p *printer) join(t *Join) {
	p.table(t.Left)
	p.put(" ")
	if t.Natural {
		p.put("NATURAL ")
	}
	p.put(joinNames[t.Kind], " ")
	if _, nested := t.Right.(*Join); nested {
		p.put("(")
		p.table(t.Right)
		p.put(")")
	} else {
		p.table(t.Right)
	}
	if t.Within != nil {
		if t.WithinAfter != nil {
			p.put(" WITHIN (", ExprText(t.Within), ", ", ExprText(t.WithinAfter), ")")
		} else {
			p.put(" WITHIN ", ExprText(t.Within))
		}
	}
	switch {
	case t.On != nil && len(t.Using) > 0: // no other spelling has both
		p.put(" MATCH_CONDITION (")
		p.expr(t.On)
		p.put(")")
	case t.On != nil:
		p.put(" ON ")
		p.expr(t.On)
	}
	if len(t.Using) > 0 {
		p.put(" USING ")
		p.columnList(t.Using)
	}
}
