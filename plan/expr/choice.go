package expr

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// choice is CASE and what can be said with it: each row takes the value of the
// first branch whose condition is true, else the last value. A branch that could
// fail is evaluated only on the rows that need it.
//
// With firstKnown a branch has no condition: a row takes the first value that is
// not NULL (COALESCE).
type choice struct {
	when       []Expr // BOOLEAN; nil with firstKnown
	then       []Expr // one more than when: the last is ELSE
	firstKnown bool
	t          types.Type
	nullable   bool
}

var _ Expr = (*choice)(nil)

// BindCase binds CASE [operand] WHEN .. THEN .. [ELSE ..] END. els is nil without
// ELSE, operand without an operand.
func BindCase(operand Expr, when, then []Expr, els Expr, span sqlerr.Span) (Expr, error) {
	conditions := make([]Expr, len(when))
	for i, w := range when {
		var err error
		if operand != nil {
			w, err = BindBinary("=", operand, w, span)
		}
		if err == nil {
			w, err = condition(w, span)
		}
		if err != nil {
			return nil, err
		}
		conditions[i] = w
	}
	if els == nil {
		els = NewLiteral(types.Type{}, nil)
	}
	values, t, err := unify(append(append([]Expr(nil), then...), els), span)
	if err != nil {
		return nil, err
	}
	return newChoice(&choice{when: conditions, then: values, t: t, nullable: anyNullable(values...)}), nil
}

func bindCoalesce(args []Expr, span sqlerr.Span) (Expr, error) {
	values, t, err := unify(args, span)
	if err != nil {
		return nil, err
	}
	nullable := true
	for _, v := range values {
		nullable = nullable && v.Nullable()
	}
	return newChoice(&choice{then: values, firstKnown: true, t: t, nullable: nullable}), nil
}

// newChoice folds a choice between constants.
func newChoice(n *choice) Expr {
	for _, c := range n.Children() {
		if !isLiteral(c) {
			return n
		}
	}
	if v, err := evalOnce(n); err == nil {
		return v
	}
	return n
}

// Type returns the common type of the branches.
func (n *choice) Type() types.Type { return n.t }

// Nullable reports whether a branch can be NULL; of COALESCE, whether all can.
func (n *choice) Nullable() bool { return n.nullable }

// Children returns the conditions, then the values.
func (n *choice) Children() []Expr { return append(append([]Expr(nil), n.when...), n.then...) }

// WithChildren returns the choice between other branches.
func (n *choice) WithChildren(c []Expr) Expr {
	m := *n
	m.when, m.then = c[:len(n.when)], c[len(n.when):]
	return &m
}

// String returns CASE WHEN .. THEN .. ELSE .. END or coalesce(..).
func (n *choice) String() string {
	var b strings.Builder
	if n.firstKnown {
		b.WriteString("coalesce(")
		for i, v := range n.then {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(v.String())
		}
		return b.String() + ")"
	}
	b.WriteString("CASE")
	for i, w := range n.when {
		b.WriteString(" WHEN " + w.String() + " THEN " + n.then[i].String())
	}
	return b.String() + " ELSE " + n.then[len(n.when)].String() + " END"
}

// chooser is one evaluation of a choice: for every row, which part holds its value
// and where.
type chooser struct {
	ctx   *Ctx
	rec   arrow.Record
	parts []arrow.Array // evaluated values; constants have one row
	part  []int32       // per row: index into parts, -1 while undecided
	at    []int32       // per row: the place in the part
}

// Eval decides row after row, branch by branch, and gathers the values.
func (n *choice) Eval(ctx *Ctx, rec arrow.Record) (arrow.Array, error) {
	rows := int(rec.NumRows())
	c := &chooser{ctx: ctx, rec: rec, part: make([]int32, rows), at: make([]int32, rows)}
	defer func() {
		for _, p := range c.parts {
			p.Release()
		}
	}()
	open := make([]int32, rows)
	for i := range open {
		open[i], c.part[i] = int32(i), -1
	}
	var err error
	for i, value := range n.then {
		if len(open) == 0 {
			break
		}
		switch {
		case n.firstKnown:
			open, err = c.takeKnown(value, open)
		case i < len(n.when):
			open, err = c.takeWhere(n.when[i], value, open)
		default:
			err = c.take(value, open)
		}
		if err != nil {
			return nil, err
		}
	}
	return c.gather(n.t.Arrow())
}

// takeWhere gives value to the open rows for which cond is true and returns the
// others.
func (c *chooser) takeWhere(cond, value Expr, open []int32) ([]int32, error) {
	if l, ok := cond.(*Literal); ok {
		if truth := boolBits(vec{arr: l.arr, konst: true}, 1); truth.value(0) {
			return nil, c.take(value, open)
		}
		return open, nil
	}
	test, err := evalRows(cond, c.ctx, c.rec, open)
	if err != nil {
		return nil, err
	}
	defer test.Release()
	hits := boolBits(vec{arr: test}, len(open))
	var taken, rest []int32
	for i, row := range open {
		if hits.value(i) {
			taken = append(taken, row)
		} else {
			rest = append(rest, row)
		}
	}
	return rest, c.take(value, taken)
}

// takeKnown gives value to the open rows where it is not NULL and returns the
// others.
func (c *chooser) takeKnown(value Expr, open []int32) ([]int32, error) {
	if err := c.take(value, open); err != nil {
		return nil, err
	}
	last := c.parts[len(c.parts)-1]
	if last.NullN() == 0 {
		return nil, nil
	}
	var rest []int32
	for _, row := range open {
		if last.IsNull(int(c.at[row])) {
			c.part[row] = -1
			rest = append(rest, row)
		}
	}
	return rest, nil
}

// take gives value to rows.
func (c *chooser) take(value Expr, rows []int32) error {
	if len(rows) == 0 {
		return nil
	}
	part := int32(len(c.parts))
	if l, ok := value.(*Literal); ok {
		l.arr.Retain()
		c.parts = append(c.parts, l.arr)
		for _, row := range rows {
			c.part[row], c.at[row] = part, 0
		}
		return nil
	}
	// See evalRows; here the values need not even be picked.
	whole := len(rows) == len(c.part) || !CanFail(value)
	var a arrow.Array
	var err error
	if whole {
		a, err = value.Eval(c.ctx, c.rec)
	} else {
		a, err = evalRows(value, c.ctx, c.rec, rows)
	}
	if err != nil {
		return err
	}
	c.parts = append(c.parts, a)
	for i, row := range rows {
		c.part[row], c.at[row] = part, int32(i)
		if whole {
			c.at[row] = row
		}
	}
	return nil
}

// gather returns the chosen values as one column.
func (c *chooser) gather(t arrow.DataType) (arrow.Array, error) {
	if len(c.parts) == 0 {
		return nullColumn(t, len(c.part)), nil
	}
	all, starts, err := joined(t, c.parts)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	for row, p := range c.part {
		if p < 0 {
			c.at[row] = -1
		} else {
			c.at[row] += starts[p]
		}
	}
	return Take(all, c.at), nil
}
