package plan

import (
	"fmt"
	"strings"

	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// The texts here are what hints propose. They are written with the names of the query, so that they
// pass where they are put in: a test types them.

// firstOfKeys is the query without DISTINCT ON, with the row of each key that it keeps: the first in
// the order of the query, or in time.
func (k *block) firstOfKeys() string {
	keys := make([]string, len(k.s.DistinctOn))
	for i, e := range k.s.DistinctOn {
		keys[i] = sql.ExprText(e)
	}
	order := "ts"
	for _, c := range k.scope.cols {
		if c.Mark.isEventTime() {
			order = c.Name
			break
		}
	}
	if n := len(k.q.OrderBy); n > 0 {
		order = sql.ExprText(k.q.OrderBy[n-1].Expr)
		if k.q.OrderBy[n-1].Desc {
			order += " DESC"
		}
	}
	first, err := sql.ParseExprText(fmt.Sprintf("row_number() OVER (PARTITION BY %s ORDER BY %s) = 1", strings.Join(keys, ", "), order))
	if err != nil {
		return "SELECT DISTINCT"
	}
	s, q := *k.s, *k.q
	s.DistinctOn, s.Distinct, s.Qualify = nil, false, first
	q.Body, q.OrderBy = &s, nil
	return sql.QueryText(&q)
}

// lambdaUsage is a call of a list function with a lambda.
func lambdaUsage(e *sql.Call, name string) string {
	list, body := "list", "x"
	if len(e.Args) > 0 {
		if _, ok := e.Args[0].(*sql.Lambda); !ok {
			list = sql.ExprText(e.Args[0])
		}
	}
	if strings.Contains(name, "filter") {
		body = "x IS NOT NULL"
	}
	return fmt.Sprintf("%s(%s, x -> %s)", name, list, body)
}

// castHint says how two columns of a UNION get one type.
func castHint(l, r Column) string {
	casts := func(from, to Column) bool {
		_, err := expr.BindCast(&expr.Column{T: from.Type, Null: true}, to.Type, false, Span{})
		return err == nil
	}
	switch {
	case casts(r, l):
		return fmt.Sprintf("cast one of them: CAST(%s AS %s)", sql.IdentText(r.Name), l.Type)
	case casts(l, r):
		return fmt.Sprintf("cast one of them: CAST(%s AS %s)", sql.IdentText(l.Name), r.Type)
	}
	return "select columns of one type, or cast both to VARCHAR"
}

// eventTimeColumn declares the event time of a stream, computed from a column of another kind.
func eventTimeColumn(name string, kind types.Kind) string {
	const declared = "event_time TIMESTAMP AS %s, WATERMARK FOR event_time AS event_time - INTERVAL '10' MINUTE"
	name = sql.IdentText(name)
	switch kind {
	case types.BigInt:
		return fmt.Sprintf(declared+"; or to_timestamp(%[2]s) where %[2]s counts seconds (1767225600) and not milliseconds (1767225600000), make_timestamp(%[2]s) where microseconds", "epoch_ms("+name+")", name)
	case types.TinyInt, types.SmallInt, types.Int, types.Float, types.Double, types.Decimal:
		return fmt.Sprintf(declared, "to_timestamp("+name+")")
	}
	return fmt.Sprintf(declared, "CAST("+name+" AS TIMESTAMP)")
}

// withTime is the call of a window with its time column.
func (w *windowArgs) withTime(s *scope) string {
	name := "ts"
	for _, c := range s.cols {
		if c.Type.Kind == types.Timestamp {
			name = sql.IdentText(c.Name)
			break
		}
	}
	return w.call(name, w.slide, w.size)
}

// swapped is the call of a window with its size in the place of its slide.
func (w *windowArgs) swapped() string {
	time := ""
	if w.time != nil {
		time = sql.ExprText(w.time)
	}
	return w.call(time, w.size, w.slide)
}

// call writes a call of a window with a slide, nil for none, and a size.
func (w *windowArgs) call(time string, slide, size sql.Expr) string {
	var args []string
	if w.input != "" {
		args = append(args, w.input)
	}
	if time != "" {
		args = append(args, time)
	}
	durations := []sql.Expr{slide, size}
	if !w.slideFirst {
		durations = []sql.Expr{size, slide}
	}
	for _, e := range append(durations, w.offset) {
		if e != nil {
			args = append(args, sql.ExprText(e))
		}
	}
	return w.name + "(" + strings.Join(args, ", ") + ")"
}

// freeName returns a name that nothing has: the given one, or that with a number.
func (b *binder) freeName(name string) string {
	free := name
	for n := 2; n < 100; n++ {
		rel, err := b.cat.Relation(sql.Name{{Name: free}})
		if err == nil && rel == nil {
			break
		}
		free = fmt.Sprintf("%s%d", name, n)
	}
	return free
}

// keysText is the keys of a group as columns; "k" for one that is computed.
func keysText(keys []expr.Expr) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = "k"
		if c, ok := k.(*expr.Column); ok {
			names[i] = sql.IdentText(c.Name[strings.LastIndex(c.Name, ".")+1:])
		}
	}
	return strings.Join(names, ", ")
}

// sessionKey is a column that a session may be grouped by: the first text, as most keys are.
func sessionKey(w *WindowAssign) string {
	for _, c := range w.Input.Columns() {
		if c.Type.Kind == types.Varchar && !c.Hidden {
			return sql.IdentText(c.Name)
		}
	}
	return "k"
}

// tableJoinHint says how a join with a table keeps the rows of the stream.
func tableJoinHint(j *Join, left bool) string {
	stream, table := j.sides[0], j.sides[1]
	if left {
		stream, table = table, stream
	}
	return fmt.Sprintf("to keep the rows of the stream write %s LEFT JOIN %s; or join the result table when you read it", orName(stream, "stream"), orName(table, "table"))
}

// equality is the equality of a column that both sides of a join have.
func (j *Join) equality(id sql.Ident) string {
	name := sql.IdentText(id.Name)
	return fmt.Sprintf("%s.%s = %s.%s", orName(j.sides[0], "a"), name, orName(j.sides[1], "b"), name)
}

// numberText is the number of a row among those of its key.
func (n *TopN) numberText() string {
	order := make([]expr.Expr, len(n.Order))
	for i, o := range n.Order {
		order[i] = o.Expr
	}
	return fmt.Sprintf("row_number() OVER (PARTITION BY %s ORDER BY %s)", keysText(n.Keys), keysText(order))
}
