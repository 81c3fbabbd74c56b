package expr

import (
	"sort"
	"strings"
	"sync"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// function is one row of the function table.
type function struct {
	name    string   // canonical, lower case
	aliases []string // other names of the same function
	argsMin int
	argsMax int // -1 for any number
	bind    binder
}

// binder binds a call whose number of arguments is right.
type binder func(b *binding) (Expr, error)

// binding is a call to be bound.
type binding struct {
	name string // canonical
	args []Expr
	span sqlerr.Span
}

// functions is the table of scalar functions, sorted by name. They mean what they
// mean in DuckDB; aliases are names of DuckDB, Spark and Flink that mean the same.
var functions = []function{
	{"concat", nil, 1, -1, bindConcat},
	{"epoch_ms", []string{"timestamp_millis", "to_epoch_ms"}, 1, 1, bindEpochMs},
}

// functionsByName finds a row by any of its names.
var functionsByName = sync.OnceValue(func() map[string]*function {
	byName := make(map[string]*function)
	for i := range functions {
		f := &functions[i]
		byName[f.name] = f
		for _, a := range f.aliases {
			byName[a] = f
		}
	}
	return byName
})

// IsFunction reports whether a name, in any case, is a scalar function.
func IsFunction(name string) bool { return functionsByName()[strings.ToLower(name)] != nil }

// FunctionNames returns the canonical names of all scalar functions, sorted.
func FunctionNames() []string {
	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.name
	}
	return names
}

// BindFunction binds a call of a scalar function. The errors are UNRESOLVED_ROUTINE
// with the nearest name, WRONG_NUM_ARGS and DATATYPE_MISMATCH, at span.
func BindFunction(name string, args []Expr, span sqlerr.Span) (Expr, error) {
	f := functionsByName()[strings.ToLower(name)]
	if f == nil {
		e := sqlerr.At(span, codeRoutine, "function %q does not exist", name)
		if near := nearest(strings.ToLower(name), knownFunctions()); near != "" {
			e.WithHint("did you mean %q?", near)
		}
		return nil, e
	}
	if len(args) < f.argsMin || f.argsMax >= 0 && len(args) > f.argsMax {
		return nil, sqlerr.At(span, codeArgCount, "function %q takes %s, found %d", f.name, countText(f.argsMin, f.argsMax), len(args))
	}
	return f.bind(&binding{name: f.name, args: args, span: span})
}

// knownFunctions returns every name that a call may have, sorted.
func knownFunctions() []string {
	var names []string
	for name := range functionsByName() {
		names = append(names, name)
	}
	for i := range aggregateSpecs {
		names = append(names, aggregateSpecs[i].name)
	}
	sort.Strings(names)
	return names
}

func countText(least, most int) string {
	plural := "s"
	if least == 1 && most == 1 {
		plural = ""
	}
	switch {
	case most < 0:
		return "at least " + countWord(least) + " argument" + plural
	case least == most:
		return countWord(least) + " argument" + plural
	}
	return countWord(least) + " to " + countWord(most) + " arguments"
}

func countWord(n int) string {
	return [...]string{"no", "1", "2", "3", "4", "5", "6", "7", "8"}[n]
}

// nearest returns the name with the fewest edits, "" if none is near.
func nearest(name string, names []string) string {
	best, fewest := "", 1+len(name)/3
	for _, n := range names {
		if d := editDistance(name, strings.ToLower(n)); d <= fewest && (best == "" || d < fewest) {
			best, fewest = n, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, changes and swaps of neighbours.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// call returns a strict call of the function over arguments that have the right
// types: NULL if an argument is.
func (b *binding) call(t types.Type, k kernel, args ...Expr) Expr {
	return newCall(spec{name: b.name, t: t, nullable: anyNullable(args...), span: b.span, kern: k}, args...)
}

// partial is call for a function that gives NULL on some values.
func (b *binding) partial(t types.Type, k kernel, args ...Expr) Expr {
	return newCall(spec{name: b.name, t: t, nullable: true, span: b.span, kern: k}, args...)
}

// harmless is call for a function that fails on no row.
func (b *binding) harmless(t types.Type, k kernel, args ...Expr) Expr {
	return newCall(spec{name: b.name, t: t, nullable: anyNullable(args...), span: b.span, kern: k, total: true}, args...)
}

// fixed returns the binder of a function with one signature.
func fixed(t types.Type, k kernel, params ...types.Type) binder {
	return func(b *binding) (Expr, error) {
		args, err := b.cast(params...)
		if err != nil {
			return nil, err
		}
		return b.harmless(t, k, args...), nil
	}
}

// failing is fixed for a function that can fail on a row.
func failing(t types.Type, k kernel, params ...types.Type) binder {
	return func(b *binding) (Expr, error) {
		args, err := b.cast(params...)
		if err != nil {
			return nil, err
		}
		return b.call(t, k, args...), nil
	}
}

// partly is fixed for a function that gives NULL on some values.
func partly(t types.Type, k kernel, params ...types.Type) binder {
	return func(b *binding) (Expr, error) {
		args, err := b.cast(params...)
		if err != nil {
			return nil, err
		}
		return b.partial(t, k, args...), nil
	}
}

// cast brings the arguments to parameter types; the last type stands for all
// arguments beyond.
func (b *binding) cast(params ...types.Type) ([]Expr, error) {
	out := make([]Expr, len(b.args))
	for i := range b.args {
		e, err := b.arg(i, params[min(i, len(params)-1)])
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// arg brings one argument to a type if that needs no cast to be written out.
func (b *binding) arg(i int, t types.Type) (Expr, error) {
	e := b.args[i]
	if !fitsParameter(e, t) {
		return nil, b.mismatch(i, t.String())
	}
	return implicit(e, t, b.span)
}

// mismatch is the error of an argument of a wrong type.
func (b *binding) mismatch(i int, expected string) error {
	e := sqlerr.At(b.span, codeMismatch, "argument %d of %s is expected to be %s, found %s", i+1, b.name, expected, b.args[i].Type())
	if !strings.Contains(expected, " ") {
		e.WithHint("write CAST(... AS %s)", expected)
	}
	return e
}

// fitsParameter reports whether a value is taken for a parameter without a cast
// that is written out: numbers widen, dates become timestamps, untyped text and
// NULL take any type.
func fitsParameter(e Expr, t types.Type) bool {
	from := e.Type()
	switch {
	case from.Equal(t), from.Kind == types.Null, isUntyped(e) && from.Kind == types.Varchar:
		return true
	case from.IsInteger() && t.IsInteger():
		return t.Kind >= from.Kind || t.Kind == types.BigInt || isUntyped(e)
	case from.IsNumeric() && t.IsFloat():
		return from.Kind != types.Double
	case from.IsInteger() && t.Kind == types.Decimal:
		return true
	case from.Kind == types.Date && t.Kind == types.Timestamp:
		return true
	case from.Kind == t.Kind && from.IsNested():
		common, ok := commonType(from, t)
		return ok && common.Equal(t)
	}
	return false
}
