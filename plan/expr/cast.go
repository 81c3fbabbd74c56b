package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// BindCast binds CAST(x AS to), or TRY_CAST with try. A constant that cannot be
// cast is refused here; a row that cannot be cast ends the evaluation with a
// RowError, or is NULL with try.
func BindCast(x Expr, to types.Type, try bool, span sqlerr.Span) (Expr, error) {
	from := x.Type()
	if l, ok := x.(*Literal); ok && (from.Same(to) || l.IsNull()) {
		if !from.Equal(to) {
			return NewLiteral(to, nil), nil
		}
		return &Literal{t: to, arr: l.arr}, nil
	}
	if from.Same(to) {
		return x, nil
	}
	if to.Kind != types.Varchar { // as text JSON stays what it is
		x = jsonScalar(x)
	}
	c := &caster{from: from, to: to, subject: subjectOf(x), try: try}
	k := c.kernel()
	if k == nil {
		e := sqlerr.At(span, codeMismatch, "a value of type %s cannot be cast to %s", from, to)
		return nil, castHint(e, from, to)
	}
	word := "CAST("
	if try {
		word = "TRY_CAST("
	}
	n := &call{args: []Expr{x}, spec: spec{
		name: "cast", t: to, span: span, kern: k, total: try || c.total(),
		// Spark's rule: text may hold anything, so that a cast of it may be NULL.
		nullable: x.Nullable() || try || from.Kind == types.Varchar && to.Kind != types.Varchar,
		form:     func(a []string) string { return word + a[0] + " AS " + to.String() + ")" },
	}}
	if !isLiteral(x) {
		return n, nil
	}
	v, err := evalOnce(n)
	if re, ok := err.(*RowError); ok {
		return nil, re.Err
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// WidenedColumn returns the column that e is a cast of, if different values stay different
// in it: an integer to a wider one, or an integer, date or timestamp to text.
func WidenedColumn(e Expr) (*Column, bool) {
	n, ok := e.(*call)
	if !ok || n.name != "cast" {
		return nil, false
	}
	c, ok := n.args[0].(*Column)
	if !ok {
		return nil, false
	}
	from, to := c.Type(), n.Type()
	if to.Kind == types.Varchar {
		return c, from.IsInteger() || from.Kind == types.Date || from.Kind == types.Timestamp
	}
	// The kinds of integers of one sign stand in the order of their width.
	return c, from.IsInteger() && to.IsInteger() && from.IsSigned() == to.IsSigned() && from.Kind < to.Kind
}

func castHint(e *sqlerr.Error, from, to types.Type) error {
	switch {
	case to.JSON:
		return e.WithHint("to_json(x) writes a value as JSON")
	case from.IsNumeric() && to.Kind == types.Timestamp:
		return e.WithHint("say what the number counts: epoch_ms(x) for milliseconds, make_timestamp(x) for microseconds, to_timestamp(x) for seconds")
	case from.Kind == types.Timestamp && to.IsNumeric():
		return e.WithHint("say what to count: epoch(x) for seconds, epoch_ms(x) for milliseconds, epoch_us(x) for microseconds")
	}
	return e
}

// subjectOf names what is cast for error messages, "" if it has no short name.
func subjectOf(x Expr) string {
	if c, ok := x.(*Column); ok {
		return " of column " + types.QuoteIdent(c.Name)
	}
	return ""
}

// caster is one cast between two types.
type caster struct {
	from, to types.Type
	subject  string
	try      bool
}

// fail returns the outcome of a value that cannot be cast: NULL for TRY_CAST.
func (c *caster) fail(value string) error {
	if c.try {
		return errNull
	}
	return sqlerr.New(codeCast, "value %q%s cannot be cast from %s to %s", value, c.subject, c.from, c.to).
		WithHint("use TRY_CAST to get NULL instead")
}

// tooLarge is fail for a number outside the range of the type.
func (c *caster) tooLarge(value []byte) error {
	if c.try {
		return errNull
	}
	return sqlerr.New(codeCastRange, "value %s%s is outside the range of %s", value, c.subject, c.to).
		WithHint("use TRY_CAST to get NULL instead, or a wider type")
}

// total reports whether every value of the one type is one of the other.
func (c *caster) total() bool {
	f, t := c.from, c.to
	switch {
	case t.HasJSON():
		return f.Same(t)
	case t.Kind == types.Varchar, f.Kind == types.Null:
		return true
	case t.Kind == types.Boolean:
		return f.Kind != types.Varchar
	case f.Kind == types.Boolean:
		return t.Kind != types.Decimal
	case f.IsInteger() && t.IsInteger():
		return commonNumber(f, t).Equal(t)
	case f.IsNumeric() && t.IsFloat():
		return f.Kind != types.Double
	case f.IsInteger() && t.Kind == types.Decimal:
		return asDecimal(f).Precision <= t.Precision-t.Scale
	case f.Kind == types.Decimal && t.Kind == types.Decimal:
		return t.Scale >= f.Scale && t.Precision-t.Scale >= f.Precision-f.Scale
	case f.Kind == types.Timestamp && t.Kind == types.Date:
		return true
	}
	return false
}

// toJSON returns the kernel of a cast to JSON: of text that must be JSON, and of what is
// the same as text; nil for the rest, which to_json writes.
func (c *caster) toJSON() kernel {
	switch {
	case c.from.Kind == types.Varchar:
		return map1(func(text string) (string, error) {
			if ok, _ := isJSON(text); !ok {
				return "", c.fail(text)
			}
			return text, nil
		})
	case c.from.IsInteger(), c.from.Kind == types.Decimal, c.from.Kind == types.Boolean:
		return c.toText
	}
	return nil
}

// with returns the cast of parts of the values.
func (c *caster) with(from, to types.Type) *caster {
	return &caster{from: from, to: to, subject: c.subject, try: c.try}
}

// kernel returns the kernel of the cast, nil if there is none.
func (c *caster) kernel() kernel {
	switch {
	case c.from.Equal(c.to) && (!c.to.HasJSON() || c.from.Same(c.to)):
		return func(_ *frame, args []vec) (arrow.Array, error) { return spread(args[0]) }
	case c.from.Kind == types.Null:
		return func(f *frame, _ []vec) (arrow.Array, error) { return nullColumn(f.arrow, f.rows), nil }
	case c.to.JSON:
		return c.toJSON()
	case c.to.Kind == types.Varchar:
		return c.toText
	case c.from.Kind == types.Varchar:
		return c.fromText()
	case c.to.IsNumeric() && (c.from.IsNumeric() || c.from.Kind == types.Boolean):
		return c.toNumber()
	case c.to.Kind == types.Boolean && c.from.IsNumeric():
		return c.numberToBool()
	case c.from.Kind == types.Date && c.to.Kind == types.Timestamp:
		return map1(func(days int32) (int64, error) { return c.dateToTimestamp(days) })
	case c.from.Kind == types.Timestamp && c.to.Kind == types.Date:
		return map1(func(ts int64) (int32, error) { return int32(floorDiv(ts, types.DayMicros)), nil })
	case c.from.Kind == c.to.Kind && c.from.IsNested():
		return c.nested()
	}
	return nil
}

// spread returns the operand itself. A constant operand never comes here: BindCast
// takes it as it is.
func spread(v vec) (arrow.Array, error) {
	v.arr.Retain()
	return v.arr, nil
}

func (c *caster) dateToTimestamp(days int32) (int64, error) {
	ts := int64(days) * types.DayMicros
	if ts/types.DayMicros != int64(days) {
		return 0, c.fail(types.FormatDate(days))
	}
	return ts, nil
}

// nested returns the kernel that casts the parts of a nested value.
func (c *caster) nested() kernel {
	switch c.to.Kind {
	case types.Struct:
		return c.structKernel()
	case types.List:
		elem := c.with(*c.from.Elem, *c.to.Elem)
		k := elem.kernel()
		if k == nil {
			return nil
		}
		return func(f *frame, args []vec) (arrow.Array, error) {
			list := compact(args[0], f.rows)
			defer list.Release()
			values, err := castElements(f, k, list.(*array.List), list.(*array.List).ListValues(), *c.to.Elem)
			if err != nil {
				return nil, err
			}
			return relist(f, list.(*array.List), values), nil
		}
	}
	keys, items := c.with(*c.from.Key, *c.to.Key), c.with(*c.from.Elem, *c.to.Elem)
	keyKernel, itemKernel := keys.kernel(), items.kernel()
	if keyKernel == nil || itemKernel == nil {
		return nil
	}
	return func(f *frame, args []vec) (arrow.Array, error) {
		list := compact(args[0], f.rows)
		defer list.Release()
		m := list.(*array.Map)
		k, err := castElements(f, keyKernel, m, m.Keys(), *c.to.Key)
		if err != nil {
			return nil, err
		}
		defer k.Release()
		v, err := castElements(f, itemKernel, m, m.Items(), *c.to.Elem)
		if err != nil {
			return nil, err
		}
		defer v.Release()
		return remap(f, m, k, v), nil
	}
}

// remap returns a map of f's type with the entries of a compact map cast. A key that
// TRY_CAST made NULL makes its row NULL.
func remap(f *frame, m *array.Map, keys, items arrow.Array) arrow.Array {
	out := newListBuilder(f.rows)
	for i := range f.rows {
		start, end := m.ValueOffsets(i)
		for j := start; j < end; j++ {
			if keys.IsNull(int(j)) {
				f.valid.clear(i)
			}
		}
		for j := start; j < end && f.valid.has(i); j++ {
			out.add(j)
		}
		out.end()
	}
	return out.mapArray(f, keys, items)
}

// compact returns the operand as rows whose elements are those of the rows alone:
// an element behind a NULL or outside a slice must not fail.
func compact(v vec, rows int) arrow.Array {
	all := make([]int32, rows)
	for i := range all {
		all[i] = int32(v.row(i))
	}
	return Take(v.arr, all)
}

// castElements casts the elements of a compact list and gives an error the row of
// the list.
func castElements(f *frame, k kernel, list interface{ ValueOffsets(int) (int64, int64) }, values arrow.Array, to types.Type) (arrow.Array, error) {
	inner := &frame{spec: f.spec, ctx: f.ctx, rows: values.Len(), arrow: to.Arrow(), valid: newValidity(values.Len())}
	inner.valid.and(vec{arr: values})
	out, err := k(inner, []vec{{arr: values}})
	if re, ok := err.(*RowError); ok {
		row, end := -1, int64(0)
		for end <= int64(re.Row) {
			row++
			_, end = list.ValueOffsets(row)
		}
		return nil, &RowError{Row: row, Err: re.Err}
	}
	return out, err
}

// relist returns a list of f's type with the offsets of a compact list over other
// elements, which it takes over.
func relist(f *frame, list *array.List, values arrow.Array) arrow.Array {
	defer values.Release()
	bufs := []*memory.Buffer{memory.NewBufferBytes(rawBytes(list.Offsets()))}
	return newArray(f.arrow, f.valid, bufs, []arrow.ArrayData{values.Data()})
}

// structKernel casts field by field, found by name as DuckDB does.
func (c *caster) structKernel() kernel {
	if len(c.from.Fields) != len(c.to.Fields) {
		return nil
	}
	source := make([]int, len(c.to.Fields))
	kernels := make([]kernel, len(c.to.Fields))
	for i, f := range c.to.Fields {
		at, g, ok := c.from.Field(f.Name)
		if !ok {
			return nil
		}
		source[i], kernels[i] = at, c.with(g.Type, f.Type).kernel()
		if kernels[i] == nil {
			return nil
		}
	}
	return func(f *frame, args []vec) (arrow.Array, error) {
		rows := compact(args[0], f.rows)
		defer rows.Release()
		s := rows.(*array.Struct)
		children := make([]arrow.ArrayData, len(kernels))
		for i, k := range kernels {
			inner := &frame{spec: f.spec, ctx: f.ctx, rows: f.rows, arrow: c.to.Fields[i].Type.Arrow(), valid: newValidity(f.rows)}
			inner.valid.and(vec{arr: s})
			inner.valid.and(vec{arr: s.Field(source[i])})
			out, err := k(inner, []vec{{arr: s.Field(source[i])}})
			if err != nil {
				return nil, err
			}
			defer out.Release()
			children[i] = out.Data()
		}
		return newArray(f.arrow, f.valid, nil, children), nil
	}
}
