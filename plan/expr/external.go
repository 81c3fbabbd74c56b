package expr

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Library evaluates scalar functions that have no kernel here: those of DuckDB, and
// the macros of the database.
type Library interface {
	// Call evaluates text over columns, which it names a0, a1, …, all of the given
	// number of rows, and returns one value of type t per row, in order. It may be
	// called concurrently. The caller releases the result.
	Call(text string, columns []arrow.Array, rows int, t types.Type) (arrow.Array, error)
}

// External is a call that the Library of the context evaluates.
type External struct {
	Name string
	// Text is the call over the columns a0, a1, … of Args; constants stand in it.
	Text string
	Args []Expr
	Show []string // every argument, also the constants, for String
	T    types.Type
	// Version tells two definitions of a macro apart; "" for a function of DuckDB.
	Version string
	Span    sqlerr.Span
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
	out, err := c.Library.Call(e.Text, cols, int(rec.NumRows()), e.T)
	if err != nil {
		return nil, sqlerr.At(e.Span, "EXTERNAL_FUNCTION", "DuckDB cannot evaluate %s(...)", e.Name).Because(err).
			WithHint("rows for which it must not fail can be kept out with CASE or WHERE")
	}
	return out, nil
}

// String marks the call, so that EXPLAIN shows which ones DuckDB evaluates.
func (e *External) String() string {
	name := "duckdb." + e.Name
	if e.Version != "" {
		name += "#" + e.Version
	}
	show := make([]string, 0, len(e.Show))
	next := 0
	for _, s := range e.Show {
		if s == "" {
			s = e.Args[next].String()
			next++
		}
		show = append(show, s)
	}
	return name + "(" + strings.Join(show, ", ") + ")"
}

// Children returns the arguments that are no constants.
func (e *External) Children() []Expr { return e.Args }

// WithChildren returns the call with other arguments.
func (e *External) WithChildren(children []Expr) Expr {
	c := *e
	c.Args = children
	return &c
}
