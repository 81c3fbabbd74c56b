package expr

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// lambdaFunctions are the functions of a list and a lambda, by name in lower case.
var lambdaFunctions = map[string]struct {
	canonical string
	kind      lambdaKind
}{
	"apply": {"list_transform", mapsElements}, "array_apply": {"list_transform", mapsElements},
	"array_transform": {"list_transform", mapsElements}, "list_apply": {"list_transform", mapsElements},
	"list_transform": {"list_transform", mapsElements}, "transform": {"list_transform", mapsElements},
	"array_filter": {"list_filter", keepsElements}, "filter": {"list_filter", keepsElements}, "list_filter": {"list_filter", keepsElements},
	"any_match": {"any_match", anyElement}, "forall": {"forall", allElements}, "all_match": {"forall", allElements},
}

// lambdaKind is what becomes of the values of a lambda.
type lambdaKind uint8

const (
	mapsElements  lambdaKind = iota // they are the new list
	keepsElements                   // they say which elements stay
	anyElement                      // Spark's exists: one of them is true
	allElements                     // Spark's forall: all of them are true
)

// IsLambdaFunction reports whether a name, in any case, takes a list and a lambda.
func IsLambdaFunction(name string) bool {
	_, ok := lambdaFunctions[strings.ToLower(name)]
	return ok
}

// Param is a parameter of a lambda in its body. BindLambda puts columns in its place, so
// that no bound lambda has any.
type Param struct {
	// ID tells the parameters of nested lambdas apart.
	ID int
	T  types.Type
}

var _ Expr = (*Param)(nil)

// Type returns the type of the list's elements, or BIGINT for an index.
func (p *Param) Type() types.Type { return p.T }

// Nullable returns true: an element can be NULL.
func (p *Param) Nullable() bool { return true }

// Eval fails: a parameter has values inside its lambda only.
func (p *Param) Eval(*Ctx, arrow.Record) (arrow.Array, error) {
	return nil, errors.New("a parameter of a lambda was evaluated outside of it")
}

// String returns #ID: the name that the user gave it means nothing.
func (p *Param) String() string { return "#" + strconv.Itoa(p.ID) }

// Children returns nil.
func (p *Param) Children() []Expr { return nil }

// WithChildren returns p.
func (p *Param) WithChildren([]Expr) Expr { return p }

// LambdaParams returns the parameters of a lambda over a list: the element and, if there
// are two, its index from 1. depth is how many lambdas there are around it.
func LambdaParams(name string, list Expr, count, depth int, span sqlerr.Span) ([]*Param, error) {
	f, ok := lambdaFunctions[strings.ToLower(name)]
	if !ok {
		return nil, sqlerr.At(span, codeMismatch, "function %q takes no lambda", name).
			WithHint("list_transform(list, x -> ...) and list_filter(list, x -> ...) do")
	}
	if list.Type().Kind != types.List {
		return nil, sqlerr.At(span, codeMismatch, "argument 1 of %s is expected to be a list, found %s", f.canonical, list.Type())
	}
	if count < 1 || count > 2 {
		return nil, sqlerr.At(span, codeArgCount, "the lambda of %s takes an element and possibly its index, found %d parameters", f.canonical, count)
	}
	params := []*Param{{ID: 2 * depth, T: *list.Type().Elem}}
	if count == 2 {
		params = append(params, &Param{ID: 2*depth + 1, T: tBigInt})
	}
	return params, nil
}

// BindLambda binds a call of list_transform, list_filter and the like. The body is bound
// with params in the place of the lambda's parameters; it may refer to the columns around
// the call.
func BindLambda(name string, list Expr, params []*Param, body Expr, span sqlerr.Span) (Expr, error) {
	f, ok := lambdaFunctions[strings.ToLower(name)]
	if !ok {
		return nil, sqlerr.At(span, codeMismatch, "function %q takes no lambda", name)
	}
	l := &lambda{name: f.canonical, kind: f.kind, params: len(params), list: list, span: span}
	var err error
	switch f.kind {
	case mapsElements:
		if body.Type().Kind == types.Null {
			if body, err = BindCast(body, tInt, false, span); err != nil {
				return nil, err
			}
		}
		l.t = types.ListOf(body.Type())
	default:
		if body, err = condition(body, span); err != nil {
			return nil, err
		}
		l.t = tBool
		if f.kind == keepsElements {
			l.t = list.Type()
		}
	}
	l.capture(params, body)
	return l, nil
}

// lambda evaluates its body once over a record with a row for every element of the lists
// of a chunk.
type lambda struct {
	name   string
	kind   lambdaKind
	t      types.Type
	params int
	list   Expr
	// captured are the columns and outer parameters that the body refers to. The columns
	// of the body's record are the parameters, then these.
	captured []Expr
	body     Expr
	span     sqlerr.Span
}

var _ Expr = (*lambda)(nil)

// capture makes the body one over its own record.
func (l *lambda) capture(params []*Param, body Expr) {
	l.body = Rewrite(body, func(e Expr) Expr {
		switch p := e.(type) {
		case *Param:
			if at := slices.Index(params, p); at >= 0 {
				return &Column{Index: at, Name: p.String(), T: p.T, Null: true}
			}
		case *Column:
		default:
			return e
		}
		for i, c := range l.captured {
			if sameLeaf(c, e) {
				return l.capturedColumn(i)
			}
		}
		l.captured = append(l.captured, e)
		return l.capturedColumn(len(l.captured) - 1)
	})
}

func (l *lambda) capturedColumn(i int) *Column {
	e := l.captured[i]
	return &Column{Index: l.params + i, Name: "^" + strconv.Itoa(i), T: e.Type(), Null: e.Nullable()}
}

func sameLeaf(a, b Expr) bool {
	if x, ok := a.(*Column); ok {
		y, ok := b.(*Column)
		return ok && x.Index == y.Index
	}
	return a == b
}

// Type returns the type of the call.
func (l *lambda) Type() types.Type { return l.t }

// Nullable reports whether the call can be NULL.
func (l *lambda) Nullable() bool {
	return l.list.Nullable() || (l.kind == anyElement || l.kind == allElements) && l.body.Nullable()
}

// Children returns the list and what the body refers to.
func (l *lambda) Children() []Expr { return append([]Expr{l.list}, l.captured...) }

// WithChildren returns the call over other operands.
func (l *lambda) WithChildren(children []Expr) Expr {
	c := *l
	c.list, c.captured = children[0], children[1:]
	return &c
}

// written is an expression with a text of its own.
type written struct {
	Expr
	text string
}

// String returns the text.
func (w written) String() string { return w.text }

// Children returns nil.
func (w written) Children() []Expr { return nil }

// WithChildren returns w.
func (w written) WithChildren([]Expr) Expr { return w }

// String returns name(list, (parameters) -> body).
func (l *lambda) String() string {
	names := make([]string, l.params)
	body := Rewrite(l.body, func(e Expr) Expr {
		c, ok := e.(*Column)
		switch {
		case !ok:
			return e
		case c.Index < l.params:
			names[c.Index] = c.Name
			return written{e, c.Name}
		}
		return written{e, l.captured[c.Index-l.params].String()}
	})
	for i := range names {
		if names[i] == "" {
			names[i] = "_"
		}
	}
	return l.name + "(" + l.list.String() + ", (" + strings.Join(names, ", ") + ") -> " + body.String() + ")"
}

// elements is where the elements of a chunk of lists are: values[places[i]] belongs to
// row rows[i] and is its element number indexes[i], from 1.
type elements struct {
	places, rows []int32
	indexes      []int64
}

func elementsOf(ctx *Ctx, list *array.List) (elements, error) {
	n := 0
	for row := range list.Len() {
		if start, end := list.ValueOffsets(row); list.IsValid(row) {
			n += int(end - start)
		}
	}
	if ctx.columnTooLarge(list.Len(), elementBytes*int64(n)) {
		return elements{}, ErrChunkTooLarge
	}
	e := elements{make([]int32, 0, n), make([]int32, 0, n), make([]int64, 0, n)}
	for row := range list.Len() {
		if list.IsNull(row) {
			continue
		}
		start, end := list.ValueOffsets(row)
		for k := start; k < end; k++ {
			e.places, e.rows, e.indexes = append(e.places, int32(k)), append(e.rows, int32(row)), append(e.indexes, k-start+1)
		}
	}
	return e, nil
}

// elementBytes is what elements take for each.
const elementBytes = 16

// Eval evaluates the list, then the body over its elements.
func (l *lambda) Eval(ctx *Ctx, rec arrow.Record) (arrow.Array, error) {
	a, err := l.list.Eval(ctx, rec)
	if err != nil {
		return nil, err
	}
	defer a.Release()
	list := a.(*array.List)
	e, err := elementsOf(ctx, list)
	if err != nil {
		return nil, err
	}
	if err := ctx.Ended(); err != nil {
		return nil, err
	}
	inner, err := l.record(ctx, rec, list, e)
	if err != nil {
		return nil, err
	}
	defer inner.Release()
	values, err := l.body.Eval(ctx.ofElements(list.Len()), inner)
	if errors.Is(err, ErrChunkTooLarge) && list.Len() == 1 {
		return nil, &RowError{Err: valueLimit(l.name, ctx.valueBytesMax())}
	}
	if err != nil {
		var of *RowError
		if errors.As(err, &of) && of.Row < len(e.rows) {
			return nil, &RowError{Row: int(e.rows[of.Row]), Err: of.Err}
		}
		return nil, err
	}
	values = plain(values)
	defer values.Release()
	f := &frame{rows: list.Len(), arrow: l.t.Arrow(), valid: newValidity(list.Len())}
	f.valid.and(vec{arr: list})
	return l.result(f, list, e, values), nil
}

// record returns the record of the body.
func (l *lambda) record(ctx *Ctx, rec arrow.Record, list *array.List, e elements) (arrow.Record, error) {
	cols := []arrow.Array{Take(list.ListValues(), e.places)}
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	if l.params > 1 {
		cols = append(cols, newValues(arrow.PrimitiveTypes.Int64, e.indexes, newValidity(len(e.indexes))))
	}
	for _, c := range l.captured {
		a, err := c.Eval(ctx, rec)
		if err != nil {
			return nil, err
		}
		if err = l.checkCaptured(ctx, a, e, int(rec.NumRows())); err != nil {
			a.Release()
			return nil, err
		}
		cols = append(cols, Share(a, e.rows))
		a.Release()
	}
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = arrow.Field{Name: strconv.Itoa(i), Type: c.DataType(), Nullable: true}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(len(e.rows))), nil
}

// checkCaptured refuses to copy a value of a row that is no text to each element of a list, where
// the copies would be too large.
func (l *lambda) checkCaptured(ctx *Ctx, a arrow.Array, e elements, rows int) error {
	if _, ok := a.(*array.String); ok {
		return nil // is shared
	}
	bytes, ofRow, row := int64(0), int64(0), int32(-1)
	for _, r := range e.rows {
		if r != row {
			row, ofRow = r, bytesOfRow(a, int(r))
		}
		if bytes += ofRow; bytes > ctx.valueBytesMax() {
			if rows > 1 {
				return ErrChunkTooLarge
			}
			return &RowError{Row: int(r), Err: valueLimit(l.name, ctx.valueBytesMax())}
		}
	}
	return nil
}

// result makes what the call gives of the values of the body.
func (l *lambda) result(f *frame, list *array.List, e elements, values arrow.Array) arrow.Array {
	switch l.kind {
	case mapsElements, keepsElements:
		out, at := newListBuilder(f.rows), 0
		of := list.ListValues()
		if l.kind == mapsElements {
			of = values
		}
		for row := range f.rows {
			for ; at < len(e.rows) && int(e.rows[at]) == row; at++ {
				if l.kind == mapsElements {
					out.add(int64(at))
				} else if values.IsValid(at) && values.(*array.Boolean).Value(at) {
					out.add(int64(e.places[at]))
				}
			}
			out.end()
		}
		return out.array(f, of)
	}
	// The value that decides wins; else NULL if there was one; else what no element gives.
	decides := l.kind == anyElement
	out, unknown := make([]bool, f.rows), make([]bool, f.rows)
	for row := range out {
		out[row] = !decides
	}
	for at, row := range e.rows {
		if values.IsNull(at) {
			unknown[row] = true
		} else if values.(*array.Boolean).Value(at) == decides {
			out[row] = decides
		}
	}
	for row, u := range unknown {
		if u && out[row] != decides {
			f.valid.clear(row)
		}
	}
	return newBools(out, f.valid)
}
