// Package sql turns text into statements: lexer, statement splitter, the parsers
// of ssql's own statements, and the dialect layer that rewrites a SELECT into
// what the TiDB parser reads and turns its tree into the nodes of this file.
//
// It knows no catalog and resolves no names. Every node carries the span of the
// source text it was written as, also after rewriting, so that any later layer
// can point at it.
package sql

import (
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Span is where a node stands in the source text.
type Span = sqlerr.Span

// Ident is one name. Names keep their case and are compared without it.
type Ident struct {
	Name   string
	Quoted bool
	Span   Span
}

// Name is a possibly qualified name such as schema.table.
type Name []Ident

// ---- Queries -------------------------------------------------------------

// Query is a SELECT or a set operation of several, with what stands around it.
type Query struct {
	With    []CTE
	Body    Body
	OrderBy []OrderItem
	Limit   Expr // nil without LIMIT
	Offset  Expr // nil without OFFSET
	Emit    *Emit
	Span    Span
	Text    string // the source text, for names of columns and messages
}

// CTE is one WITH entry.
type CTE struct {
	Name    Ident
	Columns []Ident
	Query   *Query
}

// Body is a *Select or a *SetOp.
type Body interface{ body() }

// SetOp combines two bodies. Only UNION ALL has a streaming form; the planner
// refuses the rest by name.
type SetOp struct {
	Op          string // UNION, INTERSECT, EXCEPT
	All         bool
	ByName      bool
	Left, Right *Query
	Span        Span // of the operator words
}

// Select is one SELECT block.
type Select struct {
	Distinct   bool
	DistinctOn []Expr
	Items      []SelectItem
	From       TableExpr // nil without FROM; commas and joins are a tree of *Join
	Where      Expr
	GroupBy    *GroupBy
	Having     Expr
	Qualify    Expr
	Span       Span
}

// SelectItem is one column of a select list.
type SelectItem struct {
	Expr  Expr // *Star for * and t.*
	Alias *Ident
	Text  string // the source text of Expr: DuckDB names an unaliased column after it
}

// GroupBy is the GROUP BY clause. Sets is set for ROLLUP, CUBE and GROUPING SETS:
// each set lists indexes into Items.
type GroupBy struct {
	All   bool // GROUP BY ALL
	Items []Expr
	Sets  [][]int // nil for plain grouping
	Span  Span
}

// OrderItem is one ORDER BY key.
type OrderItem struct {
	Expr       Expr
	Desc       bool
	NullsFirst *bool
}

// Emit is the EMIT clause.
type Emit struct {
	Mode        string // "close", "update", "complete" or "" when only EVERY/TIMEOUT is given
	EveryMicros int64  // 0 without EVERY
	Timeout     int64  // microseconds, 0 without TIMEOUT
	DelayMicros int64  // WITH DELAY d: what it adds to the delay of every watermark
	Span        Span

	changes bool // written as ksqlDB's EMIT CHANGES
}

// ---- FROM ----------------------------------------------------------------

// TableExpr is what can stand in FROM.
type TableExpr interface {
	Pos() Span
	tableExpr()
}

// TableRef names a stream, view or table; also STREAM s and STREAM(s).
type TableRef struct {
	Name    Name
	Alias   *Ident
	Stream  bool // written STREAM s or STREAM(s)
	AsOf    Expr // FOR SYSTEM_TIME AS OF expr; nil without
	Reading Reading
	Span    Span
}

// FileRef is a quoted path in FROM: 'dir/*.json'.
type FileRef struct {
	Path    string
	Alias   *Ident
	Reading Reading
	Span    Span
}

// Reading is how one place in FROM reads a stream.
type Reading struct {
	Options []Option // STREAM s WITH (..): they come before those of the stream
	Source  *Ident   // IDENTIFIED BY source: the checkpoint knows the input by it; nil without
}

// SubqueryRef is (query) alias.
type SubqueryRef struct {
	Query   *Query
	Alias   *Ident
	Columns []Ident
	Lateral bool
	Span    Span
}

// WindowKind is the kind of a window.
type WindowKind uint8

// The window kinds.
const (
	Tumble WindowKind = iota
	Hop
	Cumulate
	Session
)

// String returns the kind in lower case.
func (k WindowKind) String() string { return [...]string{"tumble", "hop", "cumulate", "session"}[k] }

// WindowRef is TUMBLE(rel, ts, size [, offset]), HOP(rel, ts, slide, size [, offset]),
// CUMULATE(rel, ts, step, size) or SESSION(rel, ts, gap [, PARTITION BY k, ..]),
// in any accepted spelling.
type WindowRef struct {
	Kind        WindowKind
	Input       TableExpr
	Time        Expr // nil when left out: the only watermark column
	Size        Expr // the gap for Session; a *Interval or an expression for a dynamic gap
	Slide       Expr // Hop: slide, Cumulate: step; nil otherwise
	Offset      Expr // nil without
	PartitionBy []Expr
	Alias       *Ident
	Span        Span

	suffix bool // written as ksqlDB's WINDOW behind a relation
}

// DedupRef is DEDUP(rel, KEY (a, b) [WITHIN WATERMARK]).
type DedupRef struct {
	Input  TableExpr
	Keys   []Ident
	Within bool
	Alias  *Ident
	Span   Span
}

// WatermarkRef is rel WATERMARK expr [AS n] DELAY OF interval [alias].
type WatermarkRef struct {
	Input TableExpr
	Expr  Expr
	Name  *Ident
	Delay *Interval
	Alias *Ident
	Span  Span
}

// FuncRef is a table function such as unnest(x) or read_csv('f').
type FuncRef struct {
	Name     Ident
	Args     []Expr
	ArgNames []string // named arguments, "" for positional; nil when none is named
	Alias    *Ident
	Columns  []Ident
	Lateral  bool
	Span     Span
}

// JoinForm is a join as it is written; types.JoinKind is what it does.
type JoinForm uint8

// The forms.
const (
	InnerJoin JoinForm = iota
	LeftJoin
	RightJoin
	FullJoin
	SemiJoin
	AntiJoin
	CrossJoin
	AsofJoin
	AsofLeftJoin
)

// Join is a join of two table expressions.
type Join struct {
	Kind        JoinForm
	Left, Right TableExpr
	On          Expr
	Using       []Ident
	Natural     bool
	Within      *Interval // ksqlDB's WITHIN d: the event times are at most that far apart
	WithinAfter *Interval // WITHIN (before, after): how far behind the left the right may be; nil: as Within
	Span        Span      // of the join words
}

func (r *TableRef) Pos() Span     { return r.Span }
func (r *FileRef) Pos() Span      { return r.Span }
func (r *SubqueryRef) Pos() Span  { return r.Span }
func (r *WindowRef) Pos() Span    { return r.Span }
func (r *DedupRef) Pos() Span     { return r.Span }
func (r *WatermarkRef) Pos() Span { return r.Span }
func (r *FuncRef) Pos() Span      { return r.Span }
func (r *Join) Pos() Span         { return r.Span }

func (*TableRef) tableExpr()     {}
func (*FileRef) tableExpr()      {}
func (*SubqueryRef) tableExpr()  {}
func (*WindowRef) tableExpr()    {}
func (*DedupRef) tableExpr()     {}
func (*WatermarkRef) tableExpr() {}
func (*FuncRef) tableExpr()      {}
func (*Join) tableExpr()         {}

func (*Select) body() {}
func (*SetOp) body()  {}

// ---- Expressions ---------------------------------------------------------

// Expr is a scalar or aggregate expression as written.
type Expr interface {
	Pos() Span
	expr()
}

type (
	// ColumnRef is a possibly qualified column, field path or both: a.b.c. The
	// binder decides where the table ends and the fields begin.
	ColumnRef struct {
		Parts []Ident
		Span  Span
	}
	// Star is * or t.*, with DuckDB's EXCLUDE and REPLACE.
	Star struct {
		Table   *Ident
		Exclude []Ident
		Replace []SelectItem
		Span    Span
	}
	// Literal is a constant. Value is nil (NULL), bool, int64, float64, string,
	// Number (text of a number that fits neither exactly, such as 1.10, which is
	// a DECIMAL) or []byte.
	Literal struct {
		Value any
		Span  Span
	}
	// TypedLiteral is DATE '...', TIMESTAMP '...' and the like.
	TypedLiteral struct {
		Type types.Type
		Text string
		Span Span
	}
	// Interval is an interval constant in any spelling.
	Interval struct {
		Value types.Interval
		Span  Span
	}
	// Unary is -x, +x, NOT x, ~x.
	Unary struct {
		Op   string
		X    Expr
		Span Span
	}
	// Binary is x op y; Op is one of + - * / // % || = <> < <= > >= AND OR <=>
	// (IS NOT DISTINCT FROM) & | ^ << >> -> ->> ~ and DIV.
	Binary struct {
		Op   string
		L, R Expr
		Span Span // of the whole expression
		OpAt Span // of the operator
	}
	// IsTest is x IS [NOT] NULL|TRUE|FALSE|UNKNOWN.
	IsTest struct {
		X    Expr
		Not  bool
		What string // NULL, TRUE, FALSE, UNKNOWN
		Span Span
	}
	// Between is x [NOT] BETWEEN low AND high.
	Between struct {
		X, Low, High Expr
		Not          bool
		Span         Span
	}
	// In is x [NOT] IN (list) or x [NOT] IN (query).
	In struct {
		X     Expr
		List  []Expr
		Query *Query
		Not   bool
		Span  Span
	}
	// Like is x [NOT] LIKE|ILIKE|SIMILAR TO pattern [ESCAPE e].
	Like struct {
		Op         string // LIKE, ILIKE, SIMILAR, REGEXP
		X, Pattern Expr
		Escape     Expr
		Not        bool
		Span       Span
	}
	// Exists is [NOT] EXISTS (query).
	Exists struct {
		Query *Query
		Not   bool
		Span  Span
	}
	// ScalarQuery is (query) as a value.
	ScalarQuery struct {
		Query *Query
		Span  Span
	}
	// Case is CASE [x] WHEN .. THEN .. [ELSE ..] END.
	Case struct {
		X     Expr
		Whens []When
		Else  Expr
		Span  Span
	}
	// Cast is CAST(x AS t), TRY_CAST and x::t.
	Cast struct {
		X      Expr
		Type   types.Type
		Try    bool
		Span   Span
		TypeAt Span
	}
	// Call is a function, aggregate or window-function call.
	Call struct {
		Name     Ident
		Args     []Expr
		ArgNames []string // named arguments, "" for positional; nil when none is named
		Star     bool     // count(*)
		Distinct bool
		// Nulls is IGNORE NULLS or RESPECT NULLS inside or behind the brackets.
		Nulls NullTreatment
		// WithinGroup says that OrderBy was written WITHIN GROUP (ORDER BY ..).
		WithinGroup bool
		OrderBy     []OrderItem
		Filter      Expr
		Over        *Over
		Span        Span
	}
	// Access is x.field, x['key'] or x[1].
	Access struct {
		X     Expr
		Field *Ident // x.field
		Index Expr   // x[index]
		Span  Span
	}
	// Slice is x[low:high].
	Slice struct {
		X, Low, High Expr
		Span         Span
	}
	// ListLit is [a, b] or ARRAY[a, b].
	ListLit struct {
		Items []Expr
		Span  Span
	}
	// StructLit is {'a': x} or STRUCT(x AS a).
	StructLit struct {
		Names []string
		Items []Expr
		Span  Span
	}
	// MapLit is MAP {k: v}.
	MapLit struct {
		Keys, Values []Expr
		Span         Span
	}
	// Lambda is x -> expr or (x, y) -> expr as an argument.
	Lambda struct {
		Params []Ident
		Body   Expr
		Span   Span
	}
	// AtTimeZone is x AT TIME ZONE z.
	AtTimeZone struct {
		X, Zone Expr
		Span    Span
	}
	// Extract is EXTRACT(field FROM x).
	Extract struct {
		Field string
		X     Expr
		Span  Span
	}
)

// NullTreatment is what a call says about arguments that are NULL.
type NullTreatment uint8

// The null treatments.
const (
	NullsAsUsual NullTreatment = iota // as the function has it
	IgnoreNulls
	RespectNulls
)

// String returns the clause, "" without one.
func (n NullTreatment) String() string {
	return [...]string{"", "IGNORE NULLS", "RESPECT NULLS"}[n]
}

// When is one branch of a CASE.
type When struct{ When, Then Expr }

// Over is the window of a window function.
type Over struct {
	PartitionBy []Expr
	OrderBy     []OrderItem
	Frame       string // source text of the frame, "" without
	Span        Span
}

// Number is the text of a numeric literal with a point and no exponent, or of a
// whole number beyond 64 bits: an exact DECIMAL.
type Number string

func (e *ColumnRef) Pos() Span    { return e.Span }
func (e *Star) Pos() Span         { return e.Span }
func (e *Literal) Pos() Span      { return e.Span }
func (e *TypedLiteral) Pos() Span { return e.Span }
func (e *Interval) Pos() Span     { return e.Span }
func (e *Unary) Pos() Span        { return e.Span }
func (e *Binary) Pos() Span       { return e.Span }
func (e *IsTest) Pos() Span       { return e.Span }
func (e *Between) Pos() Span      { return e.Span }
func (e *In) Pos() Span           { return e.Span }
func (e *Like) Pos() Span         { return e.Span }
func (e *Exists) Pos() Span       { return e.Span }
func (e *ScalarQuery) Pos() Span  { return e.Span }
func (e *Case) Pos() Span         { return e.Span }
func (e *Cast) Pos() Span         { return e.Span }
func (e *Call) Pos() Span         { return e.Span }
func (e *Access) Pos() Span       { return e.Span }
func (e *Slice) Pos() Span        { return e.Span }
func (e *ListLit) Pos() Span      { return e.Span }
func (e *StructLit) Pos() Span    { return e.Span }
func (e *MapLit) Pos() Span       { return e.Span }
func (e *Lambda) Pos() Span       { return e.Span }
func (e *AtTimeZone) Pos() Span   { return e.Span }
func (e *Extract) Pos() Span      { return e.Span }

func (*ColumnRef) expr()    {}
func (*Star) expr()         {}
func (*Literal) expr()      {}
func (*TypedLiteral) expr() {}
func (*Interval) expr()     {}
func (*Unary) expr()        {}
func (*Binary) expr()       {}
func (*IsTest) expr()       {}
func (*Between) expr()      {}
func (*In) expr()           {}
func (*Like) expr()         {}
func (*Exists) expr()       {}
func (*ScalarQuery) expr()  {}
func (*Case) expr()         {}
func (*Cast) expr()         {}
func (*Call) expr()         {}
func (*Access) expr()       {}
func (*Slice) expr()        {}
func (*ListLit) expr()      {}
func (*StructLit) expr()    {}
func (*MapLit) expr()       {}
func (*Lambda) expr()       {}
func (*AtTimeZone) expr()   {}
func (*Extract) expr()      {}
