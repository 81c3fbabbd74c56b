package plan

import (
	"strconv"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// rankColumn is the index of the row number while a block is bound: the columns below
// it are not all known then.
const rankColumn = -7

// ranking is the one ROW_NUMBER() OVER (...) of a block.
type ranking struct {
	over *sql.Over
	top  *TopN
	qual []predicate // QUALIFY
}

// rank binds ROW_NUMBER() of the select list and QUALIFY. It has a streaming form where
// it is compared with a constant, here or in the query around; rewrite sees to that.
func (k *block) rank() error {
	call := k.rankCall()
	if call == nil {
		if k.s.Qualify != nil {
			return sqlerr.At(k.b.at(k.s.Qualify.Pos()), codeWindowFunction, "QUALIFY needs ROW_NUMBER() OVER (...) compared with a number").
				WithHint("write for example QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) = 1")
		}
		return nil
	}
	span := k.b.at(call.Span)
	if call.Nulls != sql.NullsAsUsual {
		return k.b.noNullTreatment(call, "row_number", span)
	}
	if len(call.Args) > 0 || call.Over.Frame != "" || len(call.Over.OrderBy) == 0 || len(call.Over.PartitionBy) == 0 {
		return sqlerr.At(span, codeWindowFunction, "ROW_NUMBER() needs PARTITION BY and ORDER BY, and no frame").
			WithHint("write ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts)")
	}
	r := &ranking{over: call.Over, top: &TopN{EventKey: -1, Count: -1, Span: span}}
	x := k.groupBinder("OVER")
	for _, e := range call.Over.PartitionBy {
		v, err := x.bind(e)
		if err != nil {
			return err
		}
		if err := r.addKey(x, v, span); err != nil {
			return err
		}
	}
	if err := r.closeByEnd(span); err != nil {
		return err
	}
	for i, o := range call.Over.OrderBy {
		v, err := x.bind(o.Expr)
		if err != nil {
			return err
		}
		r.top.Order = append(r.top.Order, sortKey(o, v.Expr))
		r.top.ByTime = i == 0 && !o.Desc && v.mark.isEventTime() && v.kind() == types.Timestamp
	}
	k.ranking = r
	if k.s.Qualify == nil {
		return nil
	}
	var err error
	r.qual, err = k.groupBinder("QUALIFY").predicates(k.s.Qualify)
	return err
}

// addKey adds a PARTITION BY expression. A window column is its start and its end.
func (r *ranking) addKey(x *exprBinder, v value, span Span) error {
	add := func(v value) {
		if v.mark.closes() && v.mark.Part != WindowStart && r.top.EventKey < 0 {
			r.top.EventKey = len(r.top.Keys)
		}
		r.top.Keys, r.top.keyMarks = append(r.top.Keys, v.Expr), append(r.top.keyMarks, v.mark)
	}
	if !isWindowStruct(v) {
		add(v)
		return nil
	}
	for _, name := range []string{"start", "end"} {
		part, err := x.field(v, sql.Ident{Name: name, Span: span})
		if err != nil {
			return err
		}
		add(part)
	}
	return nil
}

// closeByEnd adds the end of a window of which PARTITION BY names the start only: it parts
// no rows, for one follows from the other, and it is what closes.
func (r *ranking) closeByEnd(span Span) error {
	if r.top.EventKey >= 0 {
		return nil
	}
	for i, m := range r.top.keyMarks {
		if !m.closes() || m.Part != WindowStart || m.Window == nil || m.Window.Kind != Tumble && m.Window.Kind != Hop {
			continue
		}
		end, err := plusMicros(r.top.Keys[i], m.Window.SizeMicros, span)
		if err != nil {
			return err
		}
		r.top.EventKey = len(r.top.Keys)
		r.top.Keys, r.top.keyMarks = append(r.top.Keys, end), append(r.top.keyMarks, m.part(WindowEnd))
		return nil
	}
	return nil
}

// rankCall returns the first ROW_NUMBER() OVER of the block.
func (k *block) rankCall() *sql.Call {
	var found *sql.Call
	visit := func(e sql.Expr) {
		walk(e, func(n sql.Expr) bool {
			if c, ok := n.(*sql.Call); ok && found == nil && isRowNumber(c) {
				found = c
			}
			return found == nil
		})
	}
	visit(k.s.Qualify)
	for _, it := range k.items {
		visit(it.expr)
	}
	return found
}

func isRowNumber(c *sql.Call) bool {
	return c.Over != nil && strings.EqualFold(c.Name.Name, "row_number")
}

// rowNumber binds a call of ROW_NUMBER() over the same rows as the block's one.
func (x *exprBinder) rowNumber(e *sql.Call) (value, bool) {
	if x.ranking == nil || !isRowNumber(e) || !sameOver(e.Over, x.ranking.over) {
		return value{}, false
	}
	return value{Expr: &expr.Column{Index: rankColumn, Name: "row_number", T: types.Of(types.BigInt)}}, true
}

func sameOver(a, b *sql.Over) bool {
	text := func(o *sql.Over) string { return sql.ExprText(&sql.Call{Name: sql.Ident{Name: "f"}, Over: o}) }
	return a == b || text(a) == text(b)
}

// place puts the ranking over the rows of a block and returns what moves the row number
// to its place.
func (r *ranking) place(n Node) (Node, func(expr.Expr) expr.Expr) {
	top := *r.top
	top.Input = n
	top.Cols = append(append([]Column(nil), r.marked(n.Columns())...),
		Column{Field: types.Field{Name: "row_number", Type: types.Of(types.BigInt)}})
	index := len(top.Cols) - 1
	move := func(e expr.Expr) expr.Expr {
		return moved(e, func(c *expr.Column) expr.Expr {
			if c.Index == rankColumn {
				return columnAt(c, index)
			}
			return c
		})
	}
	var out Node = &top
	for _, p := range r.qual {
		p = p.substitute(func(i int) value {
			if i == rankColumn {
				i = index
			}
			return value{Expr: ref(&top, i)}
		})
		out = &Filter{Input: out, Cond: p.cond, pred: &p}
	}
	return out, move
}

// marked takes the event time off the columns that are behind the watermark when the rows
// of a key come out: all but those of the window that closes the key.
func (r *ranking) marked(cols []Column) []Column {
	if r.top.EventKey < 0 {
		return cols
	}
	closing := r.top.keyMarks[r.top.EventKey]
	out := append([]Column(nil), cols...)
	for i := range out {
		if m := out[i].Mark; m != nil && !sameWindow(m, closing) {
			out[i].Mark = nil
		}
	}
	return out
}

// pushTopN takes the conditions on the row number that say how many rows a key keeps;
// conditions on the keys move below.
func pushTopN(n *TopN, ps []predicate) Node {
	c := *n
	rank := len(n.Cols) - 1
	var stay []predicate
	for _, p := range ps {
		if count, ok := rankLimit(p, rank); ok {
			if c.Count < 0 || count < c.Count {
				c.Count = count
			}
			continue
		}
		stay = append(stay, p)
	}
	down, stay := split(stay, func(p predicate) bool { return overKeys(p, n) })
	c.Input = push(n.Input, down)
	return filtered(&c, stay)
}

// overKeys reports whether a condition looks at the keys only.
func overKeys(p predicate, n *TopN) bool {
	cols := columnsOf(p.cond)
	for _, i := range cols {
		found := false
		for _, k := range n.Keys {
			c, ok := k.(*expr.Column)
			found = found || ok && c.Index == i
		}
		if !found {
			return false
		}
	}
	return len(cols) > 0
}

// rankLimit reads row_number = 1, row_number <= n and row_number < n.
func rankLimit(p predicate, rank int) (int64, bool) {
	if p.eq != nil {
		l, r := p.eq.l.Expr, p.eq.r.Expr
		if _, ok := l.(*expr.Column); !ok {
			l, r = r, l
		}
		c, ok := l.(*expr.Column)
		if !ok || c.Index != rank {
			return 0, false
		}
		n, err := strconv.ParseInt(r.String(), 10, 64)
		return 1, err == nil && n == 1
	}
	if len(p.bounds) != 1 {
		return 0, false
	}
	b := p.bounds[0]
	if b.columns() != 1 || b.terms[rank] != 1 || b.micros%1_000_000 != 0 {
		return 0, false
	}
	count := -b.micros / 1_000_000
	if !b.orEqual {
		count--
	}
	return count, count >= 0
}
