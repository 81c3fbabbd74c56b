package oracle

import (
	"fmt"
	"strings"
)

// dialect is who reads a query.
type dialect int

const (
	engine dialect = iota
	// duck gets windows as expressions, and the column seq, the order in which the rows
	// arrived, beside the columns of every relation.
	duck
	// spark is a stream script, whose verb dedup has given a deduplication a name.
	spark
)

// Stream is a random stream, or a table.
type Stream struct {
	Name string
	Cols []Column // the event time first
	// DelayMicros of the watermark; -1 for a stream without.
	DelayMicros int64
}

// Rel is what a query reads; its first column is its event time. The set is closed: each
// has a node in the model.
type Rel interface {
	Columns() []Column
	// From writes the relation for a FROM clause, with its alias.
	From(d dialect) string
	Inputs() []Rel
	// With returns the relation with other inputs, and with its expressions changed.
	With(ins []Rel, change func(Expr) Expr) Rel
	// lower makes the model's operator over those of the inputs.
	lower(m *model, ins []node) node
}

type (
	// Scan reads a stream.
	Scan struct {
		Index  int // among the streams of the case
		Stream *Stream
	}
	// Where keeps the rows for which Cond is true.
	Where struct {
		In   Rel
		Cond Expr
	}
	// Union is UNION ALL of relations with the same columns.
	Union struct{ Ins []Rel }
	// Dedup keeps the first row of each key.
	Dedup struct {
		In     Rel
		Keys   []string
		Within bool
		// Distinct spells it SELECT DISTINCT keys; only the keys are columns then.
		Distinct bool
	}
	// Windowed has a row for each window of each row of In, with the window's end as its
	// time.
	Windowed struct {
		In     Rel
		Window *Window
	}
	// Sub is an aggregation by windows, with the window_time as its time.
	Sub struct{ Query *Query }
	// Groups is an aggregation by keys alone: it has no time, and its rows change.
	Groups struct{ Query *Query }
)

// Columns returns those of the stream.
func (s *Scan) Columns() []Column { return s.Stream.Cols }

// Columns returns those of the input.
func (w *Where) Columns() []Column { return w.In.Columns() }

// Columns returns those of the first input.
func (u *Union) Columns() []Column { return u.Ins[0].Columns() }

// Columns returns those of the input, or with Distinct the keys.
func (d *Dedup) Columns() []Column {
	if !d.Distinct {
		return d.In.Columns()
	}
	var out []Column
	for _, k := range d.Keys {
		out = append(out, d.In.Columns()[places(d.In.Columns())[k]])
	}
	return out
}

// Columns returns the window, and what is not the time of the input.
func (w *Windowed) Columns() []Column {
	window := windowColumns()
	return append([]Column{window[1], window[0]}, w.In.Columns()[1:]...)
}

// Columns returns the time, the keys and the counts.
func (s *Sub) Columns() []Column {
	out := append([]Column{{Name: "v_time", Type: eventTime.Type, Domain: &eventTime, Shifts: true}}, s.Query.Keys...)
	for _, c := range s.Query.Calls {
		out = append(out, Column{Name: c.Name, Type: c.Type(), Domain: &counts})
	}
	return out
}

// Columns returns the keys and the counts.
func (g *Groups) Columns() []Column { return (&Sub{g.Query}).Columns()[1:] }

func names(cols []Column) string { return list(cols, func(c Column) string { return c.Name }) }

// From names the stream. DuckDB drops the rows that the engine refuses: those without
// event time.
func (s *Scan) From(d dialect) string {
	if d == duck && s.Stream.DelayMicros >= 0 {
		return fmt.Sprintf("(SELECT * FROM %s WHERE ts IS NOT NULL) AS %s", s.Stream.Name, s.Stream.Name)
	}
	return s.Stream.Name
}

// From is a subquery.
func (w *Where) From(d dialect) string {
	return fmt.Sprintf("(SELECT %s FROM %s WHERE %s) AS w", outward(w, d), w.In.From(d), w.Cond.SQL())
}

// outward lists the columns that a subquery gives.
func outward(r Rel, d dialect) string {
	if d == duck {
		return "seq, " + names(r.Columns())
	}
	return names(r.Columns())
}

// From is a subquery.
func (u *Union) From(d dialect) string {
	parts := make([]string, len(u.Ins))
	for i, in := range u.Ins {
		parts[i] = fmt.Sprintf("SELECT %s FROM %s", outward(u, d), in.From(d))
	}
	return "(" + strings.Join(parts, " UNION ALL ") + ") AS u"
}

// From is DEDUP, and for DuckDB the first row of each key by arrival.
func (d *Dedup) From(to dialect) string {
	keys := strings.Join(d.Keys, ", ")
	if to == duck {
		return fmt.Sprintf("(SELECT %s FROM (SELECT *, row_number() OVER (PARTITION BY %s ORDER BY seq) AS rn FROM %s) WHERE rn = 1) AS d",
			outward(d, to), keys, d.In.From(to))
	}
	if to == spark && !d.Distinct {
		return sparkDedup
	}
	if d.Distinct {
		return fmt.Sprintf("(SELECT DISTINCT %s FROM %s) AS d", keys, d.In.From(to))
	}
	within := ""
	if d.Within {
		within = " WITHIN WATERMARK"
	}
	return fmt.Sprintf("DEDUP(%s, KEY (%s)%s)", operand(d.In), keys, within)
}

// From is a subquery over the window function.
func (w *Windowed) From(d dialect) string {
	time, from := w.In.Columns()[0].Name, ""
	if d == duck {
		from = w.Window.duckFrom(w.In, time, nil, nil)
	} else {
		from = w.Window.table(w.In, time, nil)
	}
	return fmt.Sprintf("(SELECT %s FROM %s) AS x", outward(w, d), from)
}

// From is the query as a subquery.
func (s *Sub) From(d dialect) string {
	q := s.Query
	items := columnNames(q.Keys)
	for _, c := range q.Calls {
		items = append(items, c.SQL(d)+" AS "+c.Name)
	}
	groups := columnNames(q.keyColumns())
	if d == duck {
		return fmt.Sprintf("(SELECT 0 AS seq, window_end - INTERVAL '1 microsecond' AS v_time, %s FROM %s%s) AS v",
			strings.Join(items, ", "), q.Window.duckFrom(q.From, q.Time(), q.Keys, q.Cond), groupBy(groups))
	}
	if d == spark {
		call, made := q.Window.call(q.Time())
		return fmt.Sprintf("(SELECT window_time(%s) AS v_time, %s FROM %s%s%s) AS v", made, strings.Join(items, ", "),
			q.From.From(d), q.where(), groupBy(append([]string{call}, columnNames(q.Keys)...)))
	}
	return fmt.Sprintf("(SELECT window_time AS v_time, %s FROM %s%s%s) AS v", strings.Join(items, ", "),
		q.Window.table(q.From, q.Time(), q.Keys), q.where(), groupBy(append(groups, "window_time")))
}

// From is the query as a subquery.
func (g *Groups) From(d dialect) string {
	q := g.Query
	items := columnNames(q.Keys)
	if d == duck {
		items = append([]string{"0 AS seq"}, items...)
	}
	for _, c := range q.Calls {
		items = append(items, c.SQL(d)+" AS "+c.Name)
	}
	return fmt.Sprintf("(SELECT %s FROM %s%s%s) AS g", strings.Join(items, ", "), q.From.From(d), q.where(), groupBy(columnNames(q.Keys)))
}

// operand writes a relation as the argument of a table function of the engine.
func operand(r Rel) string {
	switch r := r.(type) {
	case *Scan:
		return r.Stream.Name
	case *Dedup:
		return r.From(engine)
	}
	return fmt.Sprintf("(SELECT %s FROM %s)", names(r.Columns()), r.From(engine))
}

// Inputs returns none.
func (s *Scan) Inputs() []Rel { return nil }

// Inputs returns the input.
func (w *Where) Inputs() []Rel { return []Rel{w.In} }

// Inputs returns the branches.
func (u *Union) Inputs() []Rel { return u.Ins }

// Inputs returns the input.
func (d *Dedup) Inputs() []Rel { return []Rel{d.In} }

// Inputs returns the input.
func (w *Windowed) Inputs() []Rel { return []Rel{w.In} }

// Inputs returns what the query reads.
func (s *Sub) Inputs() []Rel { return []Rel{s.Query.From} }

// Inputs returns what the query reads.
func (g *Groups) Inputs() []Rel { return []Rel{g.Query.From} }

// With returns the scan.
func (s *Scan) With([]Rel, func(Expr) Expr) Rel { return s }

// With changes the condition.
func (w *Where) With(ins []Rel, change func(Expr) Expr) Rel {
	return &Where{ins[0], change(w.Cond)}
}

// With changes the branches.
func (u *Union) With(ins []Rel, _ func(Expr) Expr) Rel { return &Union{ins} }

// With changes the input.
func (d *Dedup) With(ins []Rel, _ func(Expr) Expr) Rel {
	return &Dedup{ins[0], d.Keys, d.Within, d.Distinct}
}

// With changes the input.
func (w *Windowed) With(ins []Rel, _ func(Expr) Expr) Rel { return &Windowed{ins[0], w.Window} }

// With changes the query.
func (s *Sub) With(ins []Rel, change func(Expr) Expr) Rel {
	q := s.Query.changed(change)
	q.From = ins[0]
	return &Sub{q}
}

// With changes the query.
func (g *Groups) With(ins []Rel, change func(Expr) Expr) Rel {
	q := g.Query.changed(change)
	q.From = ins[0]
	return &Groups{q}
}

// changedRel changes the expressions of a relation and of all below it.
func changedRel(r Rel, change func(Expr) Expr) Rel {
	var ins []Rel
	for _, in := range r.Inputs() {
		ins = append(ins, changedRel(in, change))
	}
	return r.With(ins, change)
}

// kept returns an expression as it is.
func kept(e Expr) Expr { return e }

// anyRel reports whether a relation or one below it is of a kind.
func anyRel(r Rel, is func(Rel) bool) bool {
	if is(r) {
		return true
	}
	for _, in := range r.Inputs() {
		if anyRel(in, is) {
			return true
		}
	}
	return false
}
