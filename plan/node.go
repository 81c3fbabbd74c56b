// Package plan binds a parsed query to a catalog, follows the watermark through
// every node, refuses what could never give an answer, and describes the result:
// to exec, which lowers it to operators, to the user as EXPLAIN, and to the next
// start as a fingerprint.
//
// It has no runtime: nothing here reads a row.
package plan

import (
	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// Span is a place in the source text.
type Span = sqlerr.Span

// Mode is Spark's output mode.
type Mode uint8

// The output modes.
const (
	Append Mode = iota
	Update
	Complete
)

// String returns the mode as SET output_mode spells it.
func (m Mode) String() string { return [...]string{"append", "update", "complete"}[m] }

// Column is a column of a node's result.
type Column struct {
	types.Field
	Table string // the alias it is reached by; "" for a computed column
	// Hidden columns are left out of *.
	Hidden bool
	// Mark is set on a column that carries event time; nil for all others.
	Mark *Mark
}

// Mark says that a column carries event time: it is the watermark column itself,
// renamed at most, or a part of a window over one.
type Mark struct {
	Watermark *WatermarkDef // nil for a window over a column without watermark
	Part      Part
	Window    *WindowSpec // nil for Part Instant
}

// Part is which part of an event time a marked column holds.
type Part uint8

// The parts. Only Instant and WindowTime columns can be windowed again; the group
// of any part of a window closes at the window's end.
const (
	Instant      Part = iota // the event time itself
	WindowStart              // window_start
	WindowEnd                // window_end
	WindowTime               // window_end - 1 µs
	WindowStruct             // Spark's struct window{start, end}
)

// WatermarkDef is one watermark node of a query.
type WatermarkDef struct {
	ID          int // from 0, in the order of first appearance in the plan
	Relation    string
	Column      string
	DelayMicros int64
	// MaxFutureMicros and IdleMicros are those of the stream below.
	MaxFutureMicros int64
	IdleMicros      int64
	Span            Span
}

// WindowKind is the kind of a window, as it was written.
type WindowKind = sql.WindowKind

// The window kinds.
const (
	Tumble   = sql.Tumble
	Hop      = sql.Hop
	Cumulate = sql.Cumulate
	Session  = sql.Session
)

// WindowSpec is a window without the column it is over. Times are microseconds.
type WindowSpec struct {
	Kind         WindowKind
	SizeMicros   int64     // Session: the constant gap, 0 when Gap is set
	SlideMicros  int64     // Hop: slide; Cumulate: step; Tumble: equal to size
	OffsetMicros int64     // added to the epoch alignment
	Gap          expr.Expr // Session: a gap computed per row; nil when constant
}

// Node is a logical operator. The set is closed; exec lowers each in one switch.
// Nodes are immutable after Bind.
type Node interface {
	// Columns returns the result columns, in order.
	Columns() []Column
	// Inputs returns the children, left first.
	Inputs() []Node
	node()
}

type (
	// Scan reads a stream. Source indexes Plan.Sources.
	Scan struct {
		Source int
		Stream string
		Cols   []Column
		id     string // Stream.ID
		limits eventLimits
		stored []types.Field // all that the source delivers, for hints
	}
	// StaticScan reads a DuckDB table, snapshotted per batch.
	StaticScan struct {
		Table string // the text DuckDB gets: a quoted name, or a query in parentheses
		Cols  []Column
	}
	// Watermark observes the event-time column Index of its input: rows with a
	// NULL there are bad rows.
	Watermark struct {
		Input Node
		Index int
		Def   *WatermarkDef
		Cols  []Column
	}
	// Filter keeps the rows for which Cond is true.
	Filter struct {
		Input Node
		Cond  expr.Expr
		pred  *predicate // Cond with what joins must know of it, while Bind works
	}
	// Project computes columns.
	Project struct {
		Input Node
		Exprs []expr.Expr
		Cols  []Column
		// Computed is set where the columns are those of a stream's definition: a row of
		// which one cannot be computed is a bad row, as one that cannot be read is. What a
		// query computes itself is an error instead.
		Computed bool
	}
	// WindowAssign appends window_start, window_end and window_time to each row, one row
	// per window it falls in; rows whose time is NULL are left out. Time is evaluated
	// over the input. Bind fuses it into an Aggregate above where it can. Of a
	// session it gives each row's own window [t, t+gap).
	WindowAssign struct {
		Input       Node
		Spec        *WindowSpec
		Time        expr.Expr
		PartitionBy []expr.Expr // SESSION(... PARTITION BY k): must be keys of the Aggregate above
		Cols        []Column
		Span        Span
	}
	// Aggregate groups. Its result columns are, in this order: with Window set,
	// window_start and window_end (TIMESTAMP); then Keys; then Aggs.
	Aggregate struct {
		Input Node
		// Window is the window that the operator assigns itself from Time; nil when
		// there is none or when it comes as plain columns (see EventKey).
		Window *WindowSpec
		Time   expr.Expr // nil without Window
		Keys   []expr.Expr
		// EventKey is the index into Keys whose value closes a group: an event-time
		// column, or a window end; -1 when Window is set or no key carries event
		// time. A group is late and closed when its value is <= the watermark.
		EventKey int
		Aggs     []AggCall
		// Change is the column of a Changes below: negative for a row that is taken back.
		// Nil: every row is new.
		Change expr.Expr
		// CountsRows says that the last of Aggs is the number of rows of a group over Changes. A
		// group that has lost all of them comes out once more, with the number 0.
		CountsRows bool
		Mark       *Mark // of the window or of the event key; nil without event time
		Cols       []Column
		Span       Span     // of GROUP BY or of the first aggregate
		visible    []Column // all columns that GROUP BY could have named, for hints
	}
	// Dedup keeps the first row of each key.
	Dedup struct {
		Input  Node
		Keys   []int // columns of the input
		Within bool  // within watermark: keys expire at event time + delay
		// EventKey is the index into the input's columns of the event time if it is
		// among Keys, else -1. EventTime is the input's event-time column or -1.
		EventKey, EventTime int
		Span                Span
	}
	// Join joins two streams, or a stream with a StaticScan subtree.
	Join struct {
		Kind        JoinKind
		Left, Right Node
		LeftKeys    []expr.Expr // over Left
		RightKeys   []expr.Expr // over Right
		Residual    expr.Expr   // over the columns of both; nil without
		LeftFilter  expr.Expr   // conjuncts of ON over left alone, kept in the join; nil without
		RightFilter expr.Expr
		NullSafe    []bool // per key: <=>
		State       JoinState
		Static      bool // the right side is a table
		Cols        []Column
		Span        Span
		sides       [2]string   // what the condition calls them; "" where they are several
		on          []predicate // conjuncts of the condition, while Bind works
		bounds      []comparison
		keyMarks    [][2]*Mark // per key: event time of its two sides
	}
	// AsOf joins each row of a stream with the version of a key that holds at the time
	// of the row: of the rows of Right with equal keys, the one with the greatest
	// RightTime up to LeftTime, or before it if Strict. Outer keeps rows without a
	// version. Static: the versions are a table; else both sides have event time, and a row comes
	// out when the watermark has reached its time.
	AsOf struct {
		Left, Right           Node
		LeftKeys, RightKeys   []expr.Expr // over Left, over Right
		LeftTime, RightTime   expr.Expr   // TIMESTAMP, over Left, over Right
		Strict, Outer, Static bool
		Cols                  []Column
		Span                  Span
	}
	// Union concatenates inputs of equal schema.
	Union struct {
		Ins  []Node
		Cols []Column
	}
	// Sort orders a complete result.
	Sort struct {
		Input Node
		Keys  []SortKey
		Span  Span
	}
	// Limit passes the first Count rows: of the whole life of the query in append
	// mode, of each result in complete mode.
	Limit struct {
		Input  Node
		Count  int64
		Offset int64
		Span   Span
	}
	// Expand emits each row once per grouping set, with the keys outside the set
	// NULL: ROLLUP, CUBE, GROUPING SETS. It appends grouping_id (BIGINT).
	Expand struct {
		Input Node
		Keys  []expr.Expr
		Sets  [][]int // indexes into Keys that a set keeps
		Cols  []Column
	}
	// TopN keeps, of the rows with equal Keys, the first Count in an order:
	// ROW_NUMBER() OVER (PARTITION BY keys ORDER BY order) <= Count. Its columns are
	// those of the input and row_number (BIGINT), from 1.
	//
	// In append mode the rows of a key come out once: when the watermark reaches the
	// value of key EventKey, or, with ByTime, when it reaches the event time of the one
	// row. In update mode all rows of a key come out again when one of them changes.
	TopN struct {
		Input Node
		Keys  []expr.Expr
		Order []SortKey
		Count int64
		// EventKey is the index into Keys whose value closes a key, -1 without.
		EventKey int
		// ByTime says that Count is 1 and the order is by event time, earliest first.
		ByTime bool
		// Change is the column of a Changes below, the last of the input, which is not among
		// Cols: negative for a row that is taken back. All rows of a key are then kept, for any
		// of them may be among the first again. A key that lost all its rows comes out
		// as one row with the number 0. Nil: every row is new.
		Change expr.Expr
		// A row is late when its event time (ByTime) or its key EventKey is <= the late
		// watermark.
		Cols     []Column
		Span     Span
		keyMarks []*Mark
	}
	// Changes turns a result in which the rows of a key replace the ones before (an
	// Aggregate or a TopN in update mode) into what changed: its columns are those of the
	// input and change (BIGINT), -1 for a row that no longer is and 1 for a new one.
	Changes struct {
		Input Node
		Keys  []expr.Expr // over the input
		// EventKey is the index into Keys whose value says when a row changes no more, -1 without.
		EventKey int
		// Live is over the input: a row for which it is not true is none of the result, and
		// only says that the rows of its key came anew. Nil: all are.
		Live expr.Expr
		// Whole is for a sink, which replaces all rows of a key: if one of them changed, all
		// come with change 1, and the old ones come with -1 only if none is left.
		Whole bool
		Cols  []Column
	}
	// Shared is rows that are computed once for all who read them: every place that has
	// them has this very node. Number is from 1, in the order of first appearance in the
	// plan. See share.go.
	Shared struct {
		Input  Node
		Number int
		// While Bind works: the columns that somebody reads, and, once those that nobody
		// reads are left out, the node without them and where each column went.
		need   []bool
		narrow *Shared
		at     []int
	}
	// Unnest appends the elements of a list, one row each.
	Unnest struct {
		Input Node
		List  expr.Expr
		Outer bool
		Cols  []Column
		// Used are the columns of Input that somebody above reads; nil: all. A list that has been
		// taken apart is most often not read again, and would be copied to each of its elements.
		Used []bool
	}
)

// AggCall is one aggregate of an Aggregate node.
type AggCall struct {
	*expr.Aggregate
	Filter   expr.Expr // FILTER (WHERE ...); nil without
	Distinct bool
	Text     string // canonical text with FILTER and DISTINCT: equal text means equal meaning
	Label    string // the same for people
	// External is the aggregate of DuckDB that a list of rows is kept for; "" for a call
	// that is folded row by row.
	External string
	Span     Span // of the call, with External
}

// SortKey is one ORDER BY key.
type SortKey struct {
	Expr       expr.Expr
	Desc       bool
	NullsFirst bool
}

// JoinKind is the type of a join.
type JoinKind uint8

// The join kinds.
const (
	Inner JoinKind = iota
	LeftOuter
	RightOuter
	FullOuter
	LeftSemi
	LeftAnti
)

// JoinState says which rows of a stream–stream join are late and when buffered ones leave;
// see settleJoin.
type JoinState struct {
	Left, Right JoinTimes
	// KeyTime is the index into the join keys by whose time both sides go when the
	// watermark reaches it, -1 if they do not.
	KeyTime int
}

// JoinTimes are those of one side. The expressions are TIMESTAMPs over its columns.
type JoinTimes struct {
	// A row is late when Time is at most the late watermark; nil: never.
	Time expr.Expr
	// A row goes when Evict is at most the eviction watermark plus BoundMicros; nil: rows
	// stay for ever. A row in which it is NULL goes at once, for it can have no partner,
	// unless NullStays.
	Evict       expr.Expr
	BoundMicros int64
	NullStays   bool
	// HoldMicros is by how much the event time of rows of this side that still come out may be
	// behind the watermark: 0 or less.
	HoldMicros int64

	derived   bool // from an equality of times
	byPartner bool // the side has no watermark: Time is that of the rows it joins
}

// Required returns the columns that are NOT NULL, to which the rows of the stream are held;
// nil for none.
func (n *Scan) Required() (columns []int) {
	for i, c := range n.Cols {
		if !c.Nullable {
			columns = append(columns, i)
		}
	}
	return columns
}

// Columns of the nodes.
func (n *Scan) Columns() []Column         { return n.Cols }
func (n *StaticScan) Columns() []Column   { return n.Cols }
func (n *Watermark) Columns() []Column    { return n.Cols }
func (n *Filter) Columns() []Column       { return n.Input.Columns() }
func (n *Project) Columns() []Column      { return n.Cols }
func (n *WindowAssign) Columns() []Column { return n.Cols }
func (n *Aggregate) Columns() []Column    { return n.Cols }
func (n *Dedup) Columns() []Column        { return n.Input.Columns() }
func (n *Join) Columns() []Column         { return n.Cols }
func (n *Union) Columns() []Column        { return n.Cols }
func (n *Sort) Columns() []Column         { return n.Input.Columns() }
func (n *Limit) Columns() []Column        { return n.Input.Columns() }
func (n *Expand) Columns() []Column       { return n.Cols }
func (n *Unnest) Columns() []Column       { return n.Cols }
func (n *TopN) Columns() []Column         { return n.Cols }
func (n *Changes) Columns() []Column      { return n.Cols }
func (n *AsOf) Columns() []Column         { return n.Cols }
func (n *Shared) Columns() []Column       { return n.Input.Columns() }

// Inputs of the nodes.
func (n *Scan) Inputs() []Node         { return nil }
func (n *StaticScan) Inputs() []Node   { return nil }
func (n *Watermark) Inputs() []Node    { return []Node{n.Input} }
func (n *Filter) Inputs() []Node       { return []Node{n.Input} }
func (n *Project) Inputs() []Node      { return []Node{n.Input} }
func (n *WindowAssign) Inputs() []Node { return []Node{n.Input} }
func (n *Aggregate) Inputs() []Node    { return []Node{n.Input} }
func (n *Dedup) Inputs() []Node        { return []Node{n.Input} }
func (n *Join) Inputs() []Node         { return []Node{n.Left, n.Right} }
func (n *Union) Inputs() []Node        { return n.Ins }
func (n *Sort) Inputs() []Node         { return []Node{n.Input} }
func (n *Limit) Inputs() []Node        { return []Node{n.Input} }
func (n *Expand) Inputs() []Node       { return []Node{n.Input} }
func (n *Unnest) Inputs() []Node       { return []Node{n.Input} }
func (n *TopN) Inputs() []Node         { return []Node{n.Input} }
func (n *Changes) Inputs() []Node      { return []Node{n.Input} }
func (n *AsOf) Inputs() []Node         { return []Node{n.Left, n.Right} }
func (n *Shared) Inputs() []Node       { return []Node{n.Input} }

func (*Scan) node()         {}
func (*StaticScan) node()   {}
func (*Watermark) node()    {}
func (*Filter) node()       {}
func (*Project) node()      {}
func (*WindowAssign) node() {}
func (*Aggregate) node()    {}
func (*Dedup) node()        {}
func (*Join) node()         {}
func (*Union) node()        {}
func (*Sort) node()         {}
func (*Limit) node()        {}
func (*Expand) node()       {}
func (*Unnest) node()       {}
func (*TopN) node()         {}
func (*Changes) node()      {}
func (*AsOf) node()         {}
func (*Shared) node()       {}
