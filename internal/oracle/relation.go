package oracle

import (
	"fmt"
	"strings"

	"ssql/sql/types"
)

// dialect is who reads a query.
type dialect int

const (
	engine dialect = iota
	// duck gets windows as expressions, and the column seq, the order in which the rows
	// arrived, beside the columns of every relation.
	duck
)

// Stream is a random stream.
type Stream struct {
	Name string
	Cols []Column // the event time first
	// DelayMicros of the watermark; -1 for a stream without.
	DelayMicros int64
}

// Rel is what a query reads. The set is closed: model.go has a node for each.
type Rel interface {
	Columns() []Column
	// From writes the relation for a FROM clause, with its alias.
	From(d dialect) string
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
	}
	// Join joins two streams on equal keys; their columns are l_… and r_….
	Join struct {
		Left, Right Rel
		Outer       bool     // LEFT JOIN
		Keys        []string // columns of both sides, by their names there
		TimeKey     bool     // the event times are equal, too
		// Bounds of the left time against the right one; the model derives from them when
		// rows may go.
		Bounds []Bound
		// Residual compares the columns Compared of both sides; nil for none.
		Residual Expr
		Compared string
	}
)

// Bound is `r_ts + Micros < l_ts` (or <=), or, with Above, `l_ts < r_ts + Micros`.
type Bound struct {
	Above, OrEqual bool
	Micros         int64
}

// Columns returns those of the stream.
func (s *Scan) Columns() []Column { return s.Stream.Cols }

// Columns returns those of the input.
func (w *Where) Columns() []Column { return w.In.Columns() }

// Columns returns those of the first input.
func (u *Union) Columns() []Column { return u.Ins[0].Columns() }

// Columns returns those of the input.
func (d *Dedup) Columns() []Column { return d.In.Columns() }

// Columns returns those of both sides.
func (j *Join) Columns() []Column {
	return append(prefixed("l_", j.Left.Columns()), prefixed("r_", j.Right.Columns())...)
}

func prefixed(prefix string, cols []Column) []Column {
	out := make([]Column, len(cols))
	for i, c := range cols {
		c.Name = prefix + c.Name
		out[i] = c
	}
	return out
}

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
	within := ""
	if d.Within {
		within = " WITHIN WATERMARK"
	}
	return fmt.Sprintf("DEDUP(%s, KEY (%s)%s)", operand(d.In), keys, within)
}

// operand writes a relation as the argument of a table function of the engine.
func operand(r Rel) string {
	if s, ok := r.(*Scan); ok {
		return s.Stream.Name
	}
	if d, ok := r.(*Dedup); ok {
		return d.From(engine)
	}
	return fmt.Sprintf("(SELECT %s FROM %s)", names(r.Columns()), r.From(engine))
}

// From is a subquery over the join.
func (j *Join) From(d dialect) string {
	side := func(alias string, r Rel) string {
		return fmt.Sprintf("(SELECT %s FROM %s) AS %s", names(r.Columns()), r.From(d), alias)
	}
	out := list(j.Columns(), func(c Column) string { return c.Name[:1] + "." + c.Name[2:] + " AS " + c.Name })
	if d == duck {
		out = "0 AS seq, " + out
	}
	word := "JOIN"
	if j.Outer {
		word = "LEFT JOIN"
	}
	return fmt.Sprintf("(SELECT %s FROM %s %s %s ON %s) AS j", out, side("l", j.Left), word, side("r", j.Right), j.on())
}

func (j *Join) on() string {
	var on []string
	for _, k := range j.Keys {
		on = append(on, fmt.Sprintf("l.%s = r.%s", k, k))
	}
	if j.TimeKey {
		on = append(on, "l.ts = r.ts")
	}
	for _, b := range j.Bounds {
		on = append(on, b.sql())
	}
	if j.Residual != nil {
		on = append(on, j.Residual.SQL())
	}
	return strings.Join(on, " AND ")
}

func (b Bound) sql() string {
	op := "<"
	if b.OrEqual {
		op = "<="
	}
	moved := fmt.Sprintf("r.ts + INTERVAL '%d milliseconds'", b.Micros/1000)
	if b.Micros < 0 {
		moved = fmt.Sprintf("r.ts - INTERVAL '%d milliseconds'", -b.Micros/1000)
	}
	if b.Above {
		return "l.ts " + op + " " + moved
	}
	return moved + " " + op + " l.ts"
}

// holds evaluates the bound.
func (b Bound) holds(left, right int64) bool {
	if left == right+b.Micros {
		return b.OrEqual
	}
	return (left < right+b.Micros) == b.Above
}

// thresholds returns, for an eviction watermark, the times up to which rows of the two
// sides are over (spark-semantics §1.5): a bound keeps the side that it bounds from
// below, `O.t + c < S.t` up to E + c, and a millisecond less with <=.
func (j *Join) thresholds(eMicros int64) (left, right *int64) {
	if j.TimeKey {
		return &eMicros, &eMicros
	}
	for _, b := range j.Bounds {
		side, at := &left, eMicros+b.Micros
		if b.Above {
			side, at = &right, eMicros-b.Micros
		}
		if b.OrEqual {
			at -= 1000
		}
		if *side == nil || at < **side {
			*side = &at
		}
	}
	return left, right
}

// leftGone is the time up to which left rows are over.
func (j *Join) leftGone(eMicros int64) int64 {
	left, _ := j.thresholds(eMicros)
	return *left
}

// output is the watermark below the join.
func (j *Join) output(eMicros int64) int64 {
	if j.TimeKey {
		return eMicros
	}
	out := eMicros
	left, right := j.thresholds(eMicros)
	for _, side := range []*int64{left, right} {
		if side != nil {
			out = min(out, *side)
		}
	}
	return max(0, out)
}

// WindowKind is the kind of a window.
type WindowKind int

// The window kinds.
const (
	Tumble WindowKind = iota
	Hop
	Cumulate
)

// Window is a window over the event time.
type Window struct {
	Kind WindowKind
	// Micros; Slide is the step of CUMULATE, and equal to Size for TUMBLE.
	Size, Slide, Offset int64
	// Spark spells it window(ts, …), with columns window.start and window.end.
	Spark bool
}

func seconds(micros int64) string { return fmt.Sprintf("INTERVAL '%d' SECOND", micros/1e6) }

// table writes the table function over a relation.
func (w *Window) table(r Rel, time string) string {
	args := []string{operand(r), time}
	name := [...]string{"TUMBLE", "HOP", "CUMULATE"}[w.Kind]
	if w.Kind != Tumble {
		args = append(args, seconds(w.Slide))
	}
	args = append(args, seconds(w.Size))
	if w.Offset != 0 {
		args = append(args, seconds(w.Offset))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// call writes Spark's function.
func (w *Window) call(time string) string {
	text := fmt.Sprintf("window(%s, '%d seconds'", time, w.Size/1e6)
	if w.Kind == Hop || w.Offset != 0 {
		text += fmt.Sprintf(", '%d seconds'", w.Slide/1e6)
	}
	if w.Offset != 0 {
		text += fmt.Sprintf(", '%d seconds'", w.Offset/1e6)
	}
	return text + ")"
}

// duckFrom writes, for DuckDB, a relation with a row per window of each of its rows,
// and the columns window_start and window_end.
func (w *Window) duckFrom(r Rel, time string) string {
	period, count := w.Slide, (w.Size+w.Slide-1)/w.Slide
	if w.Kind == Cumulate {
		period = w.Size
	}
	first := fmt.Sprintf("epoch_us(%s) - ((epoch_us(%s) - %d) %% %d + %d) %% %d", time, time, w.Offset, period, period, period)
	start, end := fmt.Sprintf("%s - i * %d", first, w.Slide), fmt.Sprintf("b + %d", w.Size)
	if w.Kind == Cumulate {
		start, end = first, fmt.Sprintf("b + (i + 1) * %d", w.Slide)
	}
	return fmt.Sprintf("(SELECT *, make_timestamp(b) AS window_start, make_timestamp(%s) AS window_end FROM "+
		"(SELECT *, %s AS b FROM %s, range(%d) AS n(i)) WHERE epoch_us(%s) < %s) AS x", end, start, r.From(duck), count, time, end)
}

// windowColumns are the columns that a window adds.
func windowColumns() []Column {
	return []Column{
		{Name: "window_start", Type: types.Of(types.Timestamp), Shifts: true},
		{Name: "window_end", Type: types.Of(types.Timestamp), Shifts: true},
	}
}
