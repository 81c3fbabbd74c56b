// Package expr holds bound expressions: columns are ordinals with a type, and
// evaluating one turns a whole Arrow record into one column.
//
// Beside the scalars it holds the aggregate table. The planner builds
// expressions through the Bind functions, which are in the files named after what they
// bind; operators only call Eval and the Accumulator methods.
//
// Every Bind checks and unifies types, adds the casts that are implied, and
// reports errors at span with the codes of internal/sqlerr. An expression of
// constants alone comes back as its value; one that would fail comes back as it is,
// but for a cast of a constant, which is refused.
package expr

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Expr is a bound scalar expression. Implementations are immutable and safe for
// concurrent use.
type Expr interface {
	// Type returns the type of the value.
	Type() types.Type
	// Nullable reports whether the value can be NULL, by Spark's rules for the
	// nullability of a result schema.
	Nullable() bool
	// Eval returns one column with rec.NumRows() values. The caller releases it.
	// The record is not modified. An error that belongs to one row is a *RowError.
	// VARCHAR results may be dictionary encoded; see types.StringsOf.
	Eval(c *Ctx, rec arrow.Record) (arrow.Array, error)
	// String returns the canonical text: equal text means equal meaning. It is
	// part of the restart fingerprint, so a change of spelling is a change of
	// format.
	String() string
	// Children returns the operands, for rules that look for columns.
	Children() []Expr
	// WithChildren returns a copy with other operands, in the order of Children.
	WithChildren(children []Expr) Expr
}

// Ctx is what evaluation may depend on besides the record. It is pinned per batch,
// so that a replay gives the same values.
type Ctx struct {
	Alloc     memory.Allocator
	NowMicros int64 // the batch's time: now(), current_date, ...
	Seed      int64 // the batch's seed: random(), uuid()
	// FirstRow is the place of the record's first row in its batch. Chunks of a batch
	// share the seed, so that without it each would repeat the same random numbers.
	FirstRow int64
	// Library evaluates the functions that have no kernel; nil where there is none.
	Library Library
	// ValueBytesMax bounds a value that an expression makes, and ColumnBytesMax the values of
	// several rows together, which end in ErrChunkTooLarge; 0: a default, and no bound.
	ValueBytesMax, ColumnBytesMax int64
	// Context ends an evaluation that takes long; nil: it comes to its end.
	Context context.Context
}

// allocator returns Alloc, or that of the runtime where constants are evaluated.
func (c *Ctx) allocator() memory.Allocator {
	if c.Alloc == nil {
		return memory.DefaultAllocator
	}
	return c.Alloc
}

// RowError is an error of one row of a record, such as a failed cast.
type RowError struct {
	Row    int
	Column string // of the result, "" where it is none or has no name
	Err    *sqlerr.Error
}

// InColumn gives an error of a row the column that was being computed.
func InColumn(err error, name string) error {
	if e, ok := err.(*RowError); ok {
		return &RowError{Row: e.Row, Column: name, Err: e.Err}
	}
	return err
}

// Error returns the text of the error.
func (e *RowError) Error() string { return e.Err.Error() }

// Unwrap returns the user-facing error.
func (e *RowError) Unwrap() error { return e.Err }

// Column is a reference to a column of the input record.
type Column struct {
	Index int
	Name  string
	T     types.Type
	Null  bool
}

var _ Expr = (*Column)(nil)

// Type returns the column's type.
func (c *Column) Type() types.Type { return c.T }

// Nullable reports whether the column can hold NULL.
func (c *Column) Nullable() bool { return c.Null }

// Eval returns the column itself, retained.
func (c *Column) Eval(_ *Ctx, rec arrow.Record) (arrow.Array, error) {
	a := rec.Column(c.Index)
	a.Retain()
	return a, nil
}

// String returns the column's name in quotes; ordinals stay out of fingerprints so
// that a projection below may change.
func (c *Column) String() string { return types.QuoteIdent(c.Name) }

// Children returns nil.
func (c *Column) Children() []Expr { return nil }

// WithChildren returns c.
func (c *Column) WithChildren([]Expr) Expr { return c }

// Walk calls f for e and everything below it, parents first; f returns false to
// leave out what is below.
func Walk(e Expr, f func(Expr) bool) {
	if !f(e) {
		return
	}
	for _, c := range e.Children() {
		Walk(c, f)
	}
}

// Rewrite returns e with every node replaced by f, children first.
func Rewrite(e Expr, f func(Expr) Expr) Expr {
	children := e.Children()
	if len(children) == 0 {
		return f(e)
	}
	changed := make([]Expr, len(children))
	for i, c := range children {
		changed[i] = Rewrite(c, f)
	}
	return f(e.WithChildren(changed))
}
