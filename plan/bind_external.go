package plan

import (
	"fmt"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// ScalarLibrary is a Catalog that knows scalar functions beyond expr's table: DuckDB's
// and the macros of the database.
type ScalarLibrary interface {
	// Scalar describes a call: text calls name over columns a0, a1, … of the given types.
	// nil says that there is no such function. An error refuses it: it does not take
	// these arguments, or would give other values when a batch is replayed.
	Scalar(name, text string, columns []types.Type) (*ScalarFunction, error)
}

// ScalarFunction is a call that the library evaluates.
type ScalarFunction struct {
	Type types.Type
	// Version tells two definitions of a macro apart; "" for a built-in function.
	Version string
}

// external binds a call of a function that expr does not have; unknown is its error.
func (b *binder) external(name string, args []expr.Expr, span Span, unknown error) (expr.Expr, error) {
	lib, ok := b.cat.(ScalarLibrary)
	if !ok {
		return nil, unknown
	}
	call := &expr.External{Name: name, Span: span}
	var text []string
	var columns []types.Type
	for _, a := range args {
		if lit, ok := a.(*expr.Literal); ok {
			text = append(text, lit.String())
			call.Show = append(call.Show, lit.String())
			continue
		}
		text = append(text, fmt.Sprintf("a%d", len(call.Args)))
		call.Args, columns = append(call.Args, a), append(columns, a.Type())
		call.Show = append(call.Show, "")
	}
	call.Text = types.QuoteIdent(name) + "(" + strings.Join(text, ", ") + ")"
	f, err := lib.Scalar(name, call.Text, columns)
	switch {
	case err != nil:
		return nil, sqlerr.At(span, codeUnresolvedRoutine, "%s(...) cannot be used on a stream", name).Because(err)
	case f == nil:
		return nil, unknown
	}
	call.T, call.Version = f.Type, f.Version
	return call, nil
}
