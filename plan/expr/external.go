package expr

import (
	"context"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Library evaluates functions that have no kernel here: those of DuckDB, and the macros of
// the database. It may be called concurrently, and is interrupted when the context is done. The caller
// releases the results.
type Library interface {
	// Call evaluates text over columns, which it names a0, a1, …, all of the given
	// number of rows, and returns one value of type t per row, in order.
	Call(ctx context.Context, text string, columns []arrow.Array, rows int, t types.Type) (arrow.Array, error)
	// Fold evaluates text, a call of an aggregate, over the structs of each list, whose
	// fields it names a0, a1, … and whose place ssql_row, and returns one value of type t
	// per list. The structs of a list are folded in their order.
	Fold(ctx context.Context, text string, lists *array.List, t types.Type) (arrow.Array, error)
}

// External is a call that the Library of the context evaluates.
type External struct {
	Name string
	// Text is the call over the columns a0, a1, … of Args; constants stand in it.
	Text string
	Args []Expr
	// Folds says that the call is an aggregate: the one of Args is a list of structs, with
	// the columns as their fields.
	Folds bool
	// Show is the call for people behind its name, a part for each of Args and what stands
	// between them; "" is the place of the next one.
	Show []string
	T    types.Type
	// Version tells two definitions of a macro apart; "" for a function of DuckDB.
	Version string
	Span    sqlerr.Span
	// Size is what is known of the values that the call makes; whoever makes the External gives it one.
	Size *CallSize
}

var _ Expr = (*External)(nil)

// Type returns DuckDB's type of the call.
func (e *External) Type() types.Type { return e.T }

// Nullable is true: DuckDB does not say.
func (e *External) Nullable() bool { return true }

// Eval passes the arguments on.
func (e *External) Eval(c *Ctx, rec arrow.Record) (arrow.Array, error) {
	if c.Library == nil {
		return nil, sqlerr.At(e.Span, sqlerr.Internal, "%s(...) is DuckDB's, and there is no database to ask", e.Name)
	}
	cols := make([]arrow.Array, len(e.Args))
	defer func() {
		for _, a := range cols {
			if a != nil {
				a.Release()
			}
		}
	}()
	for i, arg := range e.Args {
		a, err := arg.Eval(c, rec)
		if err != nil {
			return nil, err
		}
		cols[i] = a
	}
	out, err := e.call(c, cols, int(rec.NumRows()))
	if ended := c.Ended(); ended != nil {
		return nil, ended
	}
	return out, err
}

func (e *External) call(c *Ctx, cols []arrow.Array, rows int) (arrow.Array, error) {
	switch {
	case rows == 0:
		return array.MakeArrayOfNull(c.Alloc, e.T.Arrow(), 0), nil
	case e.Folds:
		out, err := c.Library.Fold(c.context(), e.Text, cols[0].(*array.List), e.T)
		return out, e.refused(err)
	case anyLength(e.T):
		return e.callParts(c, cols, rows)
	}
	return e.ask(c, cols, rows)
}

func (e *External) ask(c *Ctx, cols []arrow.Array, rows int) (arrow.Array, error) {
	out, err := c.Library.Call(c.context(), e.Text, cols, rows, e.T)
	return out, e.refused(err)
}

// refused makes an error of DuckDB that of the call.
func (e *External) refused(err error) error {
	if err == nil {
		return nil
	}
	return sqlerr.At(e.Span, "EXTERNAL_FUNCTION", "DuckDB cannot evaluate %s(...)", e.Name).Because(err).
		WithHint("rows for which it must not fail can be kept out with CASE or WHERE")
}

// String marks the call, so that EXPLAIN shows which ones DuckDB evaluates.
func (e *External) String() string {
	name := "duckdb." + e.Name
	if e.Version != "" {
		name += "#" + e.Version
	}
	return name + e.shown()
}

// Call is the call as it was written.
func (e *External) Call() string { return e.Name + e.shown() }

func (e *External) shown() string {
	var show strings.Builder
	next := 0
	for _, s := range e.Show {
		if s == "" {
			s = e.Args[next].String()
			next++
		}
		show.WriteString(s)
	}
	return show.String()
}

// Children returns the arguments that are no constants.
func (e *External) Children() []Expr { return e.Args }

// WithChildren returns the call with other arguments.
func (e *External) WithChildren(children []Expr) Expr {
	c := *e
	c.Args = children
	return &c
}
