package sql

import (
	"fmt"

	"ssql/internal/sqlerr"
)

// Limits bounds what one statement may cost to parse. A text that goes beyond
// one of them is refused with E_LIMIT before any work is done on it. Each is a setting.
type Limits struct {
	StatementBytes int // statement_bytes_max: length of one statement
	Depth          int // statement_depth_max: nesting of brackets, CASE, types and sub-queries
	ChainLength    int // statement_chain_max: operators, joins or set operations in one row
}

// DefaultLimits returns the limits that hold unless the user sets others.
//
// A depth of 200 is far more than people write and keeps the recursion of every
// later layer shallow; a megabyte is the longest statement seen in the wild times
// ten.
func DefaultLimits() Limits {
	return Limits{StatementBytes: 1 << 20, Depth: 200, ChainLength: 2000}
}

// WidestLimits returns the highest limits that a user can set. A deeper statement could
// exhaust the stack of a goroutine, which no error can catch. The definitions in a catalog
// are read under them: they were accepted under the limits of their day.
func WidestLimits() Limits {
	return Limits{StatementBytes: 1 << 30, Depth: 2000, ChainLength: 20_000}
}

// codeLimit is the error code of a statement beyond a limit.
const codeLimit = "E_LIMIT"

// checkSize refuses a statement that is too long or too deeply nested. The
// brackets are counted on tokens, before anything recurses over them.
func (l Limits) checkSize(text string, base int, toks []token) error {
	if len(text) > l.StatementBytes {
		return sqlerr.At(Span{Start: base, End: base + 1}, codeLimit,
			"statement has %d bytes, the limit is %d", len(text), l.StatementBytes).
			WithHint("split the statement%s", orRaise("statement_bytes_max", len(text), WidestLimits().StatementBytes))
	}
	depth := 0
	for _, t := range toks {
		switch {
		case t.opensBracket():
			depth++
		case t.closesBracket():
			depth--
		}
		if depth > l.Depth {
			return l.tooDeep(t.span())
		}
	}
	return nil
}

func (l Limits) tooDeep(at Span) error {
	return sqlerr.At(at, codeLimit, "statement is nested more than %d levels deep", l.Depth).
		WithHint("move the inner part into a view%s", orRaise("statement_depth_max", 2*l.Depth, WidestLimits().Depth))
}

func (l Limits) tooLong(at Span, what string) error {
	return sqlerr.At(at, codeLimit, "more than %d %s in a row", l.ChainLength, what).
		WithHint("split the statement into views%s", orRaise("statement_chain_max", 2*l.ChainLength, WidestLimits().ChainLength))
}

// orRaise is the end of a hint about a limit that could be set to value; "" if it could not.
func orRaise(setting string, value, widest int) string {
	if value > widest {
		return ""
	}
	return fmt.Sprintf(", or raise the limit: SET %s = %d", setting, value)
}
