package expr

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// kernel computes a column from evaluated operands. It never changes them.
type kernel func(f *frame, args []vec) (arrow.Array, error)

// frame is one run of a kernel.
type frame struct {
	spec  *spec
	ctx   *Ctx
	rows  int
	arrow arrow.DataType
	// valid is the validity of the result. For a strict kernel it starts with the
	// rows in which every operand has a value; a kernel may clear more.
	valid *validity
}

// fail returns the error of one row.
func (f *frame) fail(row int, err *sqlerr.Error) error {
	if err.Span == (sqlerr.Span{}) {
		err.Span = f.spec.span
	}
	return &RowError{Row: row, Err: err}
}

// spec is everything about a call but its operands.
type spec struct {
	name     string // canonical: lower case for functions, the symbol for operators
	form     func(args []string) string
	t        types.Type
	nullable bool
	kern     kernel
	span     sqlerr.Span
	// lenient kernels see NULL operands. For all others a row with any NULL
	// operand is NULL, and the kernel must not fail on it.
	lenient bool
	// volatile calls depend on more than their operands.
	volatile bool
	// total calls fail on no row, so that a branch not taken may evaluate them.
	total bool
}

// call is an operator, cast or function over operands.
type call struct {
	spec
	args []Expr
}

var _ Expr = (*call)(nil)

// newCall returns the call, or its value if all operands are constant. A constant
// call that fails stays as it is: the row it belongs to may never be evaluated.
func newCall(s spec, args ...Expr) Expr {
	c := &call{spec: s, args: args}
	if s.volatile {
		return c
	}
	for _, a := range args {
		if _, ok := a.(*Literal); !ok {
			return c
		}
	}
	if v, err := evalOnce(c); err == nil {
		return v
	}
	return c
}

// evalOnce evaluates an expression without columns.
func evalOnce(e Expr) (*Literal, error) {
	rec := array.NewRecord(arrow.NewSchema(nil, nil), nil, 1)
	defer rec.Release()
	a, err := e.Eval(&Ctx{ValueBytesMax: foldedBytesMax}, rec)
	if err != nil {
		return nil, err
	}
	return &Literal{t: e.Type(), arr: plain(a)}, nil
}

// Type returns the type of the result.
func (c *call) Type() types.Type { return c.t }

// Nullable reports whether the result can be NULL.
func (c *call) Nullable() bool { return c.nullable }

// Children returns the operands.
func (c *call) Children() []Expr { return c.args }

// WithChildren returns the call over other operands.
func (c *call) WithChildren(args []Expr) Expr { return &call{spec: c.spec, args: args} }

// String returns name(operands) or the form of the operator.
func (c *call) String() string {
	texts := make([]string, len(c.args))
	for i, a := range c.args {
		texts[i] = a.String()
	}
	if c.form != nil {
		return c.form(texts)
	}
	return c.name + "(" + strings.Join(texts, ", ") + ")"
}

// Eval evaluates the operands, then the kernel.
func (c *call) Eval(ctx *Ctx, rec arrow.Record) (arrow.Array, error) {
	args, err := evalVecs(c.args, ctx, rec)
	if err != nil {
		return nil, err
	}
	defer releaseVecs(args)
	rows := int(rec.NumRows())
	if i := c.onlyDictionary(args, rows); i >= 0 {
		if a, err := c.overDictionary(ctx, args, i); err == nil {
			return a, nil
		}
		// A value that no row of this chunk uses may have failed: ask row by row.
	}
	return c.run(ctx, args, rows)
}

func (c *call) run(ctx *Ctx, args []vec, rows int) (arrow.Array, error) {
	f := &frame{spec: &c.spec, ctx: ctx, rows: rows, arrow: c.t.Arrow(), valid: newValidity(rows)}
	if !c.lenient {
		for _, a := range args {
			if a.isNull() {
				return nullColumn(f.arrow, rows), nil
			}
			f.valid.and(a)
		}
	}
	if err := ctx.Ended(); err != nil {
		return nil, err
	}
	out, err := c.kern(f, args)
	if err == nil && c.t.Kind == types.List {
		return c.boundedList(ctx, out, rows)
	}
	return out, err
}

// boundedList refuses lists that are too large.
func (c *call) boundedList(ctx *Ctx, out arrow.Array, rows int) (arrow.Array, error) {
	list, ok := out.(*array.List)
	if !ok || rows == 0 {
		return out, nil
	}
	bytes := bytesOfLists(list, 0, int64(rows))
	switch {
	case ctx.columnTooLarge(rows, bytes):
		out.Release()
		return nil, ErrChunkTooLarge
	case bytes <= ctx.valueBytesMax():
		return out, nil
	}
	for row := range rows {
		if bytesOfRow(list, row) > ctx.valueBytesMax() {
			out.Release()
			f := frame{spec: &c.spec}
			return nil, f.fail(row, valueLimit(c.name, ctx.valueBytesMax()))
		}
	}
	return out, nil
}

// onlyDictionary returns the operand that is dictionary encoded when all others
// are constant and evaluating its values once each is less work than evaluating
// every row; -1 otherwise.
func (c *call) onlyDictionary(args []vec, rows int) int {
	if c.volatile {
		return -1
	}
	found := -1
	for i, a := range args {
		if a.konst {
			continue
		}
		d, ok := a.arr.(*array.Dictionary)
		if found >= 0 || !ok || d.Dictionary().Len() > rows || c.lenient && d.NullN() > 0 {
			return -1
		}
		found = i
	}
	return found
}

// overDictionary evaluates the call once per dictionary value and spreads the
// results over the rows.
func (c *call) overDictionary(ctx *Ctx, args []vec, at int) (arrow.Array, error) {
	d := args[at].arr.(*array.Dictionary)
	once := append([]vec(nil), args...)
	once[at] = vec{arr: d.Dictionary()}
	byValue, err := c.run(ctx, once, d.Dictionary().Len())
	if err != nil {
		return nil, err
	}
	defer byValue.Release()
	rows := rawValues[int32](d.Indices().Data())
	if d.NullN() > 0 {
		rows = append([]int32(nil), rows...)
		for i := range rows {
			if d.IsNull(i) {
				rows[i] = -1
			}
		}
	}
	if texts, ok := byValue.(*array.String); ok {
		return sharedTexts(texts, rows), nil // there is one copy of each, also where rows are many
	}
	return Take(byValue, rows), nil
}

// CanFail reports whether evaluating e can end in an error of a row.
func CanFail(e Expr) bool {
	fails := false
	Walk(e, func(e Expr) bool {
		switch e := e.(type) {
		case *call:
			fails = fails || !e.total
		case *Column, *Literal, *logical, *choice:
		default:
			fails = true
		}
		return !fails
	})
	return fails
}

// anyNullable reports whether an operand can be NULL: the rule of most calls.
func anyNullable(args ...Expr) bool {
	for _, a := range args {
		if a.Nullable() {
			return true
		}
	}
	return false
}

// infix returns the form of a binary operator.
func infix(op string) func([]string) string {
	return func(a []string) string { return "(" + a[0] + " " + op + " " + a[1] + ")" }
}
