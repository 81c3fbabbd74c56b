package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// Library is a Catalog that knows functions beyond expr's tables: DuckDB's and the macros
// of the database.
type Library interface {
	// IsAggregate reports whether the function of a name folds rows. An error is that
	// of Function.
	IsAggregate(name string) bool
	// TakesNames reports whether the names of arguments mean something to a function.
	TakesNames(name string) bool
	// Function describes a call: text calls name over columns a0, a1, … of the given types,
	// that of an aggregate also over ssql_row, the place of a row. nil says that there is no
	// such function. An error refuses it: it does not take these arguments, or would give
	// other values when a batch is replayed.
	Function(name, text string, columns []types.Type) (*LibraryFunction, error)
}

// LibraryFunction is a call that the library evaluates.
type LibraryFunction struct {
	Type types.Type
	// Version tells two definitions of a macro apart; "" for a built-in function.
	Version string
}

// external binds a call that expr does not have, neither the function nor this form of it;
// unknown is expr's error. names are those of named arguments, "" for others, or nil.
func (b *binder) external(name string, args []expr.Expr, names []string, span Span, unknown error) (expr.Expr, error) {
	lib, ok := b.cat.(Library)
	if !ok {
		return nil, unknown
	}
	text := externalArgs(args, names)
	call := &expr.External{
		Name: name, Span: span, Args: text.columns,
		Text: types.QuoteIdent(name) + "(" + strings.Join(text.args, ", ") + ")", Show: text.show, Size: new(expr.CallSize),
	}
	f, err := lib.Function(name, call.Text, typesOf(call.Args))
	switch {
	case err != nil && expr.IsFunction(name), f == nil && err == nil:
		return nil, unknown
	case err != nil:
		return nil, refusedByDuckDB(name, span, err)
	}
	call.T, call.Version = f.Type, f.Version
	return call, nil
}

// ErrChanges is the error of Library.Function for a function that gives other values when a
// batch is replayed.
var ErrChanges = errors.New("its value changes from call to call, so a replayed batch would differ")

// checkNames refuses the names of arguments, f(x := 1), where they mean nothing: DuckDB reads
// those of macros and of few functions, and passes over all others.
func (b *binder) checkNames(e *sql.Call, name string) error {
	i := slices.IndexFunc(e.ArgNames, func(n string) bool { return n != "" })
	if i < 0 || name == "struct_pack" {
		return nil
	}
	if lib, ok := b.cat.(Library); ok && lib.TakesNames(name) {
		return nil
	}
	plain := *e
	plain.ArgNames = nil
	return sqlerr.At(b.at(e.Span), codeArgName, "%s has no argument named %q", name, e.ArgNames[i]).
		WithHint("its arguments are told by their place: %s", sql.ExprText(&plain))
}

func refusedByDuckDB(name string, span Span, err error) error {
	refused := sqlerr.At(span, codeUnresolvedRoutine, "%s(...) cannot be used on a stream", name).Because(err)
	if errors.Is(err, ErrChanges) {
		return refused.WithHint("now(), current_date, random() and uuid() in the query itself are pinned to the batch")
	}
	return refused
}

// externalText is the arguments of a call that DuckDB evaluates.
type externalText struct {
	args    []string    // in DuckDB's text: a0, a1, … for columns
	show    []string    // see expr.External
	columns []expr.Expr // those that are no constants
}

func externalArgs(args []expr.Expr, names []string) externalText {
	t := externalText{show: []string{"("}}
	for i, a := range args {
		if i > 0 {
			t.show = append(t.show, ", ")
		}
		named := ""
		if names != nil && names[i] != "" {
			named = types.QuoteIdent(names[i]) + " := "
			t.show = append(t.show, named)
		}
		if lit, ok := a.(*expr.Literal); ok {
			t.args, t.show = append(t.args, named+lit.SQL()), append(t.show, lit.String())
			continue
		}
		column := fmt.Sprintf("a%d", len(t.columns))
		if a.Type().HasJSON() { // a chunk has it as text
			column = "CAST(" + column + " AS " + a.Type().String() + ")"
		}
		t.args, t.show = append(t.args, named+column), append(t.show, "")
		t.columns = append(t.columns, a)
	}
	t.show = append(t.show, ")")
	return t
}

func typesOf(list []expr.Expr) []types.Type {
	out := make([]types.Type, len(list))
	for i, e := range list {
		out[i] = e.Type()
	}
	return out
}
