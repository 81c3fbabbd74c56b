package types

// Mode is Spark's output mode: how a batch changes the result of a query, and with it what
// a sink holds (docs/SEMANTICS.md, Output modes).
type Mode uint8

// The output modes.
const (
	Append   Mode = iota // rows are added: those of a group once, when it is closed
	Update               // those of the groups that a batch touched; they replace the rows of equal keys
	Complete             // all rows of the result after every batch; they replace everything, nothing is late or leaves
)

// String returns the mode as SET output_mode spells it.
func (m Mode) String() string { return [...]string{"append", "update", "complete"}[m] }
