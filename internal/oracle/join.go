package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// JoinKind is the type of a join.
type JoinKind int

// The join kinds.
const (
	Inner JoinKind = iota
	Left
	Right
	Full
	Semi
	Anti
)

var joinWords = [...]string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"}

// keepsAlone reports whether a row of a side (0 is the left) comes out without a partner.
func (k JoinKind) keepsAlone(side int) bool {
	return k == Full || side == 0 && (k == Left || k == Anti) || side == 1 && k == Right
}

// leftOnly reports whether the result has the columns of the left side alone.
func (k JoinKind) leftOnly() bool { return k == Semi || k == Anti }

// Join joins two streams on equal keys; their columns are l_… and r_…. The first column
// of a side is its event time.
type Join struct {
	Kind        JoinKind
	Left, Right Rel
	Keys        []string // columns of both sides, by their names there
	// TimeKey says that the event times, cut and moved, are equal, too: see Cut and ShiftMicros.
	TimeKey bool
	// Cut is, for each side, the length of the buckets that its time in TimeKey is cut to: 0
	// for the time itself, whole seconds that divide 10. ShiftMicros is added to that of the
	// right one.
	Cut         [2]int64
	ShiftMicros int64
	// Bounds of the left time against the right one; the model derives from them when
	// rows may go.
	Bounds []Bound
	// Only is, for each side, a condition of ON over its columns alone; nil for none.
	Only [2]Expr
	// Residual compares the columns Compared of both sides; nil for none.
	Residual Expr
	Compared string
}

// Bound is `r_ts + Micros < l_ts` (or <=), or, with Above, `l_ts < r_ts + Micros`.
type Bound struct {
	Above, OrEqual bool
	Micros         int64
}

// Columns returns those of both sides, or of the left one.
func (j *Join) Columns() []Column {
	left := prefixed("l_", j.Left.Columns())
	if j.Kind.leftOnly() {
		return left
	}
	return append(left, prefixed("r_", j.Right.Columns())...)
}

func prefixed(prefix string, cols []Column) []Column {
	out := make([]Column, len(cols))
	for i, c := range cols {
		c.Name = prefix + c.Name
		out[i] = c
	}
	return out
}

// From is a subquery over the join. DuckDB 1.1.3 gives wrong rows for SEMI and ANTI JOIN
// when the condition has more than equalities: it gets them as EXISTS.
func (j *Join) From(d dialect) string {
	side := func(alias string, r Rel) string {
		return fmt.Sprintf("(SELECT %s FROM %s) AS %s", names(r.Columns()), r.From(d), alias)
	}
	out := list(j.Columns(), func(c Column) string { return c.Name[:1] + "." + c.Name[2:] + " AS " + c.Name })
	if d == duck {
		out = "0 AS seq, " + out
	}
	if d == duck && j.Kind.leftOnly() {
		not := ""
		if j.Kind == Anti {
			not = "NOT "
		}
		return fmt.Sprintf("(SELECT %s FROM %s WHERE %sEXISTS (SELECT 1 FROM %s WHERE %s)) AS j", out, side("l", j.Left), not, side("r", j.Right), j.on())
	}
	return fmt.Sprintf("(SELECT %s FROM %s %s %s ON %s) AS j", out, side("l", j.Left), joinWords[j.Kind], side("r", j.Right), j.on())
}

func (j *Join) on() string {
	var on []string
	for _, k := range j.Keys {
		on = append(on, fmt.Sprintf("l.%s = r.%s", k, k))
	}
	left, right := "l."+j.Left.Columns()[0].Name, "r."+j.Right.Columns()[0].Name
	if j.TimeKey {
		l, r := cut(left, j.Cut[0]), cut(right, j.Cut[1])
		switch {
		case j.ShiftMicros > 0:
			r = fmt.Sprintf("%s + INTERVAL '%d microseconds'", r, j.ShiftMicros)
		case j.ShiftMicros < 0:
			l = fmt.Sprintf("INTERVAL '%d microseconds' + %s", -j.ShiftMicros, l)
		}
		on = append(on, l+" = "+r)
	}
	for _, b := range j.Bounds {
		on = append(on, b.sql(left, right))
	}
	for _, e := range []Expr{j.Only[0], j.Only[1], j.Residual} {
		if e != nil {
			on = append(on, e.SQL())
		}
	}
	return strings.Join(on, " AND ")
}

// cut writes a time that is cut to buckets.
func cut(time string, micros int64) string {
	switch micros {
	case 0:
		return time
	case 1e6:
		return "date_trunc('second', " + time + ")"
	}
	return fmt.Sprintf("time_bucket(INTERVAL '%d seconds', %s)", micros/1e6, time)
}

// cutTo cuts a time to buckets; those of 0 leave it as it is.
func cutTo(at, micros int64) int64 {
	if micros == 0 {
		return at
	}
	return floorTo(at, micros)
}

// timeOf is what TimeKey compares of the time of a row of a side.
func (j *Join) timeOf(side int, at int64) int64 {
	at = cutTo(at, j.Cut[side])
	if side == 1 {
		at += j.ShiftMicros
	}
	return at
}

func (b Bound) sql(left, right string) string {
	op := "<"
	if b.OrEqual {
		op = "<="
	}
	moved := fmt.Sprintf("%s + INTERVAL '%d microseconds'", right, b.Micros)
	if b.Micros < 0 {
		moved = fmt.Sprintf("%s - INTERVAL '%d microseconds'", right, -b.Micros)
	}
	if b.Above {
		return left + " " + op + " " + moved
	}
	return moved + " " + op + " " + left
}

// holds evaluates the bound.
func (b Bound) holds(left, right int64) bool {
	if left == right+b.Micros {
		return b.OrEqual
	}
	return (left < right+b.Micros) == b.Above
}

// thresholds returns, for an eviction watermark, the times up to which rows of the two
// sides are over (docs/SEMANTICS.md, Joins): a bound keeps the side that it bounds from
// below, `O.t + c < S.t` up to E + c in whole milliseconds, and a millisecond less with
// <=. Nil: never over.
func (j *Join) thresholds(eMicros int64) [2]*int64 {
	if side, ok := j.oneSided(); ok {
		return j.sameKey(eMicros, side)
	}
	if j.TimeKey {
		// A row has its last partner at the end of the bucket that the other side cuts to.
		l, r := eMicros+j.ShiftMicros-j.Cut[1], eMicros-j.ShiftMicros-j.Cut[0]
		if c := j.Cut[0]; c > 0 {
			l = cutTo(l, c) + c - 1
		}
		if c := j.Cut[1]; c > 0 {
			r = cutTo(r, c) + c - 1
		}
		return [2]*int64{&l, &r}
	}
	var out [2]*int64
	for _, b := range j.Bounds {
		side, at := 0, eMicros+b.Micros
		if b.Above {
			side, at = 1, eMicros-b.Micros
		}
		if at = floorMillis(at); b.OrEqual {
			at -= 1000
		}
		if out[side] == nil || at < *out[side] {
			out[side] = &at
		}
	}
	return out
}

// oneSided returns the side with a watermark where the other has none.
func (j *Join) oneSided() (side int, ok bool) {
	bare := func(r Rel) bool {
		return !anyRel(r, func(r Rel) bool {
			s, is := r.(*Scan)
			return is && s.Stream.DelayMicros >= 0
		})
	}
	l, r := bare(j.Left), bare(j.Right)
	if l {
		side = 1
	}
	return side, l != r
}

// sameKey are the thresholds of a join of which one side has a watermark: the rows of a key
// go from both sides when that side gets no more of them.
func (j *Join) sameKey(eMicros int64, side int) (out [2]*int64) {
	if !j.TimeKey {
		return out
	}
	// The last time of the side with a key k is k - shift + cut.
	last := eMicros - j.Cut[side]
	if side == 1 {
		last += j.ShiftMicros
	}
	for i, c := range j.Cut {
		at := last
		if i == 1 {
			at -= j.ShiftMicros
		}
		if c > 0 {
			at = floorTo(at, c) + c - 1
		}
		out[i] = &at
	}
	return out
}

// outputOf is the watermark that a relation passes on for a global one.
func outputOf(r Rel, micros int64) int64 {
	for _, in := range r.Inputs() {
		micros = min(micros, outputOf(in, micros))
	}
	if j, ok := r.(*Join); ok {
		return j.output(micros)
	}
	return micros
}

// output is the watermark below the join for the one above it.
func (j *Join) output(eMicros int64) int64 {
	if j.TimeKey {
		return max(0, eMicros+min(0, j.ShiftMicros-j.Cut[1], -j.ShiftMicros-j.Cut[0]))
	}
	out := eMicros
	for _, side := range j.thresholds(eMicros) {
		if side != nil {
			out = min(out, *side)
		}
	}
	return max(0, out)
}

// emitted is, for DuckDB, which rows of the join have come out when the watermark is at
// a time: those with a partner, those that fail their own side's condition, and those
// whose time is over; "" for all.
func (j *Join) emitted(finalMicros int64) string {
	for _, side := range j.Inputs() {
		finalMicros = min(finalMicros, outputOf(side, finalMicros))
	}
	gone := j.thresholds(finalMicros)
	times := [2]string{"l_" + j.Left.Columns()[0].Name, "r_" + j.Right.Columns()[0].Name}
	paired := times[0] + " IS NOT NULL AND " + times[1] + " IS NOT NULL"
	if j.Kind.leftOnly() {
		paired = "FALSE"
	}
	conds := []string{paired}
	for side, prefix := range []string{"l_", "r_"} {
		if !j.Kind.keepsAlone(side) {
			continue
		}
		over := "FALSE"
		if gone[side] != nil {
			over = fmt.Sprintf("%s <= make_timestamp(%d)", times[side], *gone[side])
		}
		if j.Only[side] != nil {
			renamed := rename(j.Only[side], func(name string) string { return prefix + name[2:] })
			over += " OR NOT coalesce(" + renamed.SQL() + ", FALSE)"
		}
		conds = append(conds, fmt.Sprintf("%s IS NOT NULL AND (%s)", times[side], over))
	}
	if len(conds) == 1 {
		return "" // inner and semi joins emit at once
	}
	return "(" + strings.Join(conds, " OR ") + ")"
}

// LeftSide is the left columns of a join, under the names that they have there.
type LeftSide struct{ Join *Join }

// Columns returns those of the left side.
func (s *LeftSide) Columns() []Column { return s.Join.Left.Columns() }

// From is a subquery over the join.
func (s *LeftSide) From(d dialect) string {
	out := list(s.Columns(), func(c Column) string { return "l_" + c.Name + " AS " + c.Name })
	if d == duck {
		out = "seq, " + out
	}
	return fmt.Sprintf("(SELECT %s FROM %s) AS p", out, s.Join.From(d))
}

// Inputs returns the join.
func (s *LeftSide) Inputs() []Rel { return []Rel{s.Join} }

// With changes the join.
func (s *LeftSide) With(ins []Rel, _ func(Expr) Expr) Rel { return &LeftSide{ins[0].(*Join)} }

// StaticJoin joins a stream with a table; the columns are l_… and r_….
type StaticJoin struct {
	Kind  JoinKind // Inner, Left, Semi, Anti
	In    Rel
	Table *Stream
	Key   string // a column of both
	Rows  []Row  // of the table
}

// Columns returns those of the stream, and of the table.
func (j *StaticJoin) Columns() []Column { return j.join().Columns() }

// join is the same as a join of two relations.
func (j *StaticJoin) join() *Join {
	return &Join{Kind: j.Kind, Left: j.In, Right: &Scan{Stream: j.Table}, Keys: []string{j.Key}}
}

// From is a subquery. DuckDB gets the order of the stream's rows with it.
func (j *StaticJoin) From(d dialect) string {
	text := j.join().From(d)
	if d == duck {
		in := fmt.Sprintf("(SELECT %s FROM %s) AS l", outward(j.In, d), j.In.From(d))
		out := list(j.Columns(), func(c Column) string { return c.Name[:1] + "." + c.Name[2:] + " AS " + c.Name })
		text = fmt.Sprintf("(SELECT l.seq AS seq, %s FROM %s %s %s AS r ON l.%s = r.%s) AS j", out, in, joinWords[j.Kind], j.Table.Name, j.Key, j.Key)
	}
	return text
}

// rename returns e with other names for its columns.
func rename(e Expr, name func(string) string) Expr {
	switch e := e.(type) {
	case colExpr:
		e.Name = name(e.Name)
		return e
	case callExpr:
		e.args = slices.Clone(e.args)
		for i, a := range e.args {
			e.args[i] = rename(a, name)
		}
		return e
	}
	return e
}

// Inputs returns the sides.
func (j *Join) Inputs() []Rel { return []Rel{j.Left, j.Right} }

// With changes the sides and the conditions.
func (j *Join) With(ins []Rel, change func(Expr) Expr) Rel {
	out := *j
	out.Left, out.Right = ins[0], ins[1]
	for i, e := range j.Only {
		if e != nil {
			out.Only[i] = change(e)
		}
	}
	if j.Residual != nil {
		out.Residual = change(j.Residual)
	}
	return &out
}

// Inputs returns the stream.
func (j *StaticJoin) Inputs() []Rel { return []Rel{j.In} }

// With changes the stream.
func (j *StaticJoin) With(ins []Rel, _ func(Expr) Expr) Rel {
	out := *j
	out.In = ins[0]
	return &out
}
