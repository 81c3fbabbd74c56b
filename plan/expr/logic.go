package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// logical is AND or OR in three-valued logic. The right side is evaluated only on
// the rows that the left side leaves open when it could fail, so that
// `x <> 'a' AND CAST(x AS INT) > 1` is safe to write.
type logical struct {
	or   bool
	l, r Expr
}

var _ Expr = (*logical)(nil)

func bindLogical(op string, l, r Expr, span sqlerr.Span) (Expr, error) {
	l, err := condition(l, span)
	if err != nil {
		return nil, err
	}
	r, err = condition(r, span)
	if err != nil {
		return nil, err
	}
	n := &logical{or: op == "OR", l: l, r: r}
	if isLiteral(l) && isLiteral(r) {
		if v, err := evalOnce(n); err == nil {
			return v, nil
		}
	}
	return n, nil
}

func isLiteral(e Expr) bool {
	_, ok := e.(*Literal)
	return ok
}

// condition casts an expression that is used as a condition to BOOLEAN.
func condition(e Expr, span sqlerr.Span) (Expr, error) {
	t := e.Type()
	if t.Kind != types.Boolean && t.Kind != types.Null && !t.IsNumeric() && !isUntyped(e) {
		return nil, sqlerr.At(span, codeMismatch, "expected a condition of type BOOLEAN, found %s", t)
	}
	return implicit(e, tBool, span)
}

// Type returns BOOLEAN.
func (n *logical) Type() types.Type { return tBool }

// Nullable reports whether a side can be NULL.
func (n *logical) Nullable() bool { return n.l.Nullable() || n.r.Nullable() }

// Children returns both sides.
func (n *logical) Children() []Expr { return []Expr{n.l, n.r} }

// WithChildren returns the same connective over other sides.
func (n *logical) WithChildren(c []Expr) Expr { return &logical{or: n.or, l: c[0], r: c[1]} }

// String returns (l AND r).
func (n *logical) String() string {
	if n.or {
		return infix("OR")([]string{n.l.String(), n.r.String()})
	}
	return infix("AND")([]string{n.l.String(), n.r.String()})
}

// Eval evaluates the left side, then as much of the right side as matters.
func (n *logical) Eval(ctx *Ctx, rec arrow.Record) (arrow.Array, error) {
	left, err := evalVec(n.l, ctx, rec)
	if err != nil {
		return nil, err
	}
	defer left.arr.Release()
	rows := int(rec.NumRows())
	if !CanFail(n.r) {
		right, err := evalVec(n.r, ctx, rec)
		if err != nil {
			return nil, err
		}
		defer right.arr.Release()
		return n.combine(boolBits(left, rows), boolBits(right, rows)), nil
	}
	l := boolBits(left, rows)
	open := make([]int32, 0, rows)
	for i := range rows {
		if decided := l.hasBit(i) && l.value(i) == n.or; !decided {
			open = append(open, int32(i))
		}
	}
	right, err := evalRows(n.r, ctx, rec, open)
	if err != nil {
		return nil, err
	}
	defer right.Release()
	at := make([]int32, rows)
	for i := range at {
		at[i] = -1
	}
	for i, row := range open {
		at[row] = int32(i)
	}
	spread := Take(right, at)
	defer spread.Release()
	return n.combine(l, boolBits(vec{arr: spread}, rows)), nil
}

// evalRows evaluates e on some rows of rec and gives an error the row of rec.
// Picking rows costs more than evaluating a harmless expression on all of them.
func evalRows(e Expr, ctx *Ctx, rec arrow.Record, rows []int32) (arrow.Array, error) {
	if len(rows) == int(rec.NumRows()) {
		return e.Eval(ctx, rec)
	}
	if !CanFail(e) {
		all, err := e.Eval(ctx, rec)
		if err != nil {
			return nil, err
		}
		defer all.Release()
		return Take(all, rows), nil
	}
	part := takeRecord(rec, rows, e)
	defer part.Release()
	a, err := e.Eval(ctx, part)
	if re, ok := err.(*RowError); ok {
		return nil, &RowError{Row: int(rows[re.Row]), Err: re.Err}
	}
	return a, err
}

// truth is a three-valued column: a bit of vals counts where the bit of known is
// set, and is clear elsewhere.
type truth struct {
	rows        int
	vals, known []byte
}

func (t truth) hasBit(i int) bool { return bitutil.BitIsSet(t.known, i) }
func (t truth) value(i int) bool  { return bitutil.BitIsSet(t.vals, i) }

// boolBits returns the bits of a BOOLEAN operand.
func boolBits(v vec, rows int) truth {
	size := (rows + 7) / 8
	t := truth{rows: rows, vals: make([]byte, size), known: make([]byte, size)}
	b, ok := v.arr.(*array.Boolean)
	if !ok || v.isNull() {
		return t
	}
	if v.konst {
		bitutil.SetBitsTo(t.known, 0, int64(rows), true)
		bitutil.SetBitsTo(t.vals, 0, int64(rows), b.Value(0))
		return t
	}
	if rows == 0 {
		return t
	}
	offset := b.Data().Offset()
	bitutil.CopyBitmap(b.Data().Buffers()[1].Bytes(), offset, rows, t.vals, 0)
	if b.NullN() == 0 {
		bitutil.SetBitsTo(t.known, 0, int64(rows), true)
		return t
	}
	bitutil.CopyBitmap(b.NullBitmapBytes(), offset, rows, t.known, 0)
	for i := range t.vals {
		t.vals[i] &= t.known[i]
	}
	return t
}

// combine joins two columns bytewise. AND is known where both sides are or one is
// false; OR where both are or one is true.
func (n *logical) combine(l, r truth) arrow.Array {
	out := newValidity(l.rows)
	vals, known := make([]byte, len(l.vals)), make([]byte, len(l.vals))
	for i := range vals {
		both := l.known[i] & r.known[i]
		if n.or {
			vals[i] = l.vals[i] | r.vals[i]
			known[i] = both | vals[i]
		} else {
			vals[i] = l.vals[i] & r.vals[i]
			known[i] = both | l.known[i]&^l.vals[i] | r.known[i]&^r.vals[i]
		}
	}
	out.bits = known
	return newBitmap(vals, out)
}

func bindNot(x Expr, span sqlerr.Span) (Expr, error) {
	x, err := condition(x, span)
	if err != nil {
		return nil, err
	}
	return newCall(spec{name: "NOT", t: tBool, nullable: x.Nullable(), span: span, total: true,
		form: func(a []string) string { return "(NOT " + a[0] + ")" },
		kern: func(f *frame, args []vec) (arrow.Array, error) {
			t := boolBits(args[0], f.rows)
			for i := range t.vals {
				t.vals[i] = ^t.vals[i]
			}
			return newBitmap(t.vals, f.valid), nil
		}}, x), nil
}

// BindIsTest binds x IS [NOT] NULL, TRUE, FALSE or UNKNOWN.
func BindIsTest(x Expr, what string, not bool, span sqlerr.Span) (Expr, error) {
	if what != "NULL" {
		var err error
		if x, err = condition(x, span); err != nil {
			return nil, err
		}
	}
	words := " IS "
	if not {
		words = " IS NOT "
	}
	return newCall(spec{name: "IS " + what, t: tBool, span: span, lenient: true, total: true,
		form: func(a []string) string { return "(" + a[0] + words + what + ")" },
		kern: func(f *frame, args []vec) (arrow.Array, error) {
			return isTest(f.rows, args[0], what, not), nil
		}}, x), nil
}

func isTest(rows int, x vec, what string, not bool) arrow.Array {
	known := newValidity(rows)
	known.and(x)
	known.own()
	bits := known.bits
	switch what {
	case "TRUE":
		bits = boolBits(x, rows).vals
	case "FALSE":
		t := boolBits(x, rows)
		for i := range t.vals {
			bits[i] = t.known[i] &^ t.vals[i]
		}
	default: // NULL and UNKNOWN
		not = !not
	}
	if not {
		for i := range bits {
			bits[i] = ^bits[i]
		}
	}
	return newBitmap(bits, newValidity(rows))
}
