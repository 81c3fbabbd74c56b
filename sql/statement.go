package sql

// Statement is one parsed statement. The set is closed; internal/session has one
// row of its dispatch table for each.
type Statement interface {
	Pos() Span
	// Foreign returns the spellings of other engines that the statement was written in,
	// in order of appearance, each once. The first time that a session meets one it says
	// how ssql writes it.
	Foreign() []Alias
	spelled(aliases []Alias)
	print(p *printer) // in canonical spelling; see StatementText
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

// SelectStatement is a query whose rows go to the user.
type SelectStatement struct {
	Node
	Query *Query
}

// Passthrough is a statement that DuckDB gets as it was written.
type Passthrough struct {
	Node
	First string // first keyword, upper case
}

func (s *SelectStatement) print(p *printer) { p.query(s.Query) }

func (s *Passthrough) print(p *printer) { p.put(s.Text) }
