package sql

import "ssql/sql/types"

// Statement is one parsed statement. The set is closed; internal/session has one
// row of its dispatch table for each.
type Statement interface {
	Pos() Span
	// Foreign returns the spellings of other engines that the statement was written in,
	// in order of appearance, each once. The first time that a session meets one it says
	// how ssql writes it.
	Foreign() []Alias
	spelled(aliases []Alias)
}

// Node is embedded in every statement.
type Node struct {
	Span    Span
	Text    string  // the source text of the statement, without the closing semicolon
	Aliases []Alias // see Statement.Foreign
}

// Pos returns where the statement stands.
func (n *Node) Pos() Span { return n.Span }

// Foreign implements Statement.
func (n *Node) Foreign() []Alias { return n.Aliases }

func (n *Node) spelled(aliases []Alias) { n.Aliases = aliases }

// Option is one key = value of WITH (...) or SET. Value is bool, int64, float64 or
// string.
type Option struct {
	Key     Ident
	Value   any
	ValueAt Span
}

// ColumnDef is one column of CREATE STREAM.
type ColumnDef struct {
	Name     Ident
	Type     *types.Type // nil: the type of the computed expression
	NotNull  bool
	Metadata *string // METADATA [FROM 'key']: the key, or the column name
	Computed Expr    // AS expr; nil otherwise
	Format   *string // FORMAT 'strptime': how its values are written
	FormatAt Span
	JSON     bool   // the type was written JSON: VARCHAR that holds JSON text
	Text     string // source text of Computed
	Span     Span
}

// WatermarkDef is WATERMARK FOR column AS column [- interval].
type WatermarkDef struct {
	Column  Ident
	Delay   types.Interval
	DelayAt Span
	Span    Span
}

type (
	// CreateStream is CREATE [OR REPLACE] STREAM [IF NOT EXISTS] name (...) WITH (...).
	CreateStream struct {
		Node
		OrReplace, IfNotExists bool
		Name                   Ident
		Columns                []ColumnDef // nil: infer from a sample
		Watermarks             []WatermarkDef
		Options                []Option
		// ByUse says that it was written as Flink's CREATE TABLE .. WITH ('connector' = ..),
		// which does not say whether rows are read from it or written to it: FROM makes it a
		// stream, INSERT INTO a sink with the same columns and options.
		ByUse bool
	}
	// CreateSink is CREATE SINK [IF NOT EXISTS] name [(cols)] WITH (...) [AS query], also
	// RisingWave's FROM v and Flink's and Arroyo's CREATE TABLE of a sink.
	CreateSink struct {
		Node
		OrReplace, IfNotExists bool
		Name                   Ident
		Columns                []ColumnDef // nil: the columns of what is inserted
		Options                []Option
		Query                  *Query // a query of the same name that fills it; nil without
	}
	// CreateView is CREATE [MATERIALIZED] VIEW [IF NOT EXISTS] name [(cols)] [WITH (..)] AS
	// query. A materialized view is a result table with the query that keeps it.
	CreateView struct {
		Node
		OrReplace, IfNotExists bool
		Materialized           bool
		Name                   Name
		Columns                []Ident
		Options                []Option // of the query of a materialized view
		Query                  *Query
	}
	// StatementSet is EXECUTE STATEMENT SET BEGIN insert; .. END: one query with a target
	// for each INSERT, which reads its sources once.
	StatementSet struct {
		Node
		Inserts []*Insert
	}
	// Peek is PEEK stream [FROM EARLIEST | LATEST] [LIMIT n]: rows as they are, without a
	// checkpoint.
	Peek struct {
		Node
		Name   Ident
		Latest bool  // FROM LATEST: only rows that arrive from now on
		Limit  int64 // 0: the default of the session
	}
	// DropStream is DROP STREAM [IF EXISTS] name.
	DropStream struct {
		Node
		IfExists bool
		Cascade  bool // with the queries and views that read it
		Name     Ident
	}
	// CreateQuery is CREATE [OR REPLACE] QUERY [IF NOT EXISTS] name [WITH (...)] AS INSERT ...
	// or AS EXECUTE STATEMENT SET ...
	CreateQuery struct {
		Node
		OrReplace, IfNotExists bool
		Name                   Ident
		Options                []Option
		Inserts                []*Insert // one, or those of the statement set
	}
	// Insert is INSERT INTO target [(cols) | BY NAME] query, or VALUES into a
	// memory stream. Exactly one of Query and Values is set.
	Insert struct {
		Node
		Target  Name
		Columns []Ident
		ByName  bool
		Query   *Query
		Values  [][]Expr
	}
	// SelectStatement is a query whose rows go to the user.
	SelectStatement struct {
		Node
		Query *Query
	}
	// QueryVerb is START, STOP, PAUSE, RESUME, RESTART or DROP QUERY name | ALL.
	QueryVerb struct {
		Node
		Verb     string // START, STOP, PAUSE, RESUME, RESTART, DROP, CHECKPOINT, REFRESH
		Name     Ident  // zero for ALL
		All      bool
		IfExists bool
		Now      bool // STOP ... NOW
	}
	// Await is AWAIT QUERY name | ALL [UNTIL ...] [TIMEOUT d].
	Await struct {
		Node
		Name          Ident
		All           bool
		Until         string // "", BATCH, ROWS, WATERMARK, IDLE
		UntilCount    int64  // BATCH n, ROWS n
		UntilMicros   int64  // WATERMARK ts
		TimeoutMicros int64  // 0: wait for ever
	}
	// Explain is EXPLAIN [kind] [FORMAT f] statement, or EXPLAIN [kind] QUERY name.
	Explain struct {
		Node
		Kind   string // "", LOGICAL, PHYSICAL, STATE, COMPATIBILITY
		Format string // "", TEXT, JSON
		Target Statement
		Name   *Ident
	}
	// Set is SET key = value; with an empty key it lists every setting.
	Set struct {
		Node
		Option  *Option
		Nothing bool // a setting of another engine, with the value that holds here anyway
	}
	// Reset is RESET key, or RESET for all keys.
	Reset struct {
		Node
		Key     *Ident
		Nothing bool // a setting of another engine that is the same always
	}
	// Show is SHOW STREAMS | QUERIES | PROGRESS FOR q | ... [LIKE 'p'].
	Show struct {
		Node
		What string // upper case: STREAMS, QUERIES, PROGRESS, ...
		For  *Ident
		Like string
		// Follow goes on with what comes, of SHOW PROGRESS.
		Follow bool
	}
	// Describe is DESCRIBE [EXTENDED] name.
	Describe struct {
		Node
		Extended bool
		Name     Name
	}
	// Passthrough is a statement that DuckDB gets as it was written.
	Passthrough struct {
		Node
		First string // first keyword, upper case
	}
	// Undecided is a SELECT, WITH, FROM or INSERT (also below EXPLAIN): whether it
	// is ssql's or DuckDB's depends on whether one of Refs is a stream, which only
	// the caller knows. See ParseQuery.
	Undecided struct {
		Node
		Refs   []Name   // every name in a table position, in order of appearance
		Files  []string // and every quoted path
		Target Name     // INSERT target; nil otherwise
		Stream bool     // only a stream can be meant: TUMBLE(...), STREAM s, WATERMARK ...
	}
)
