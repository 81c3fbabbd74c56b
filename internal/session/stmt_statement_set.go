package session

import (
	"context"

	"ssql/internal/sqlerr"
	"ssql/sql"
)

// statementSet refuses EXECUTE STATEMENT SET by name: several queries that share one
// scan and one checkpoint would be one batch over several sinks, which exec does not
// have. Run one after the other they would not be what was asked for.
func (s *Session) statementSet(_ context.Context, st *sql.StatementSet, _ *Request, _ Output) error {
	return sqlerr.At(st.Span, "UNSUPPORTED_STATEMENT", "a statement set is not supported: each query reads its streams for itself and has its own checkpoint").
		WithHint("write every INSERT as a statement of its own; each is exactly once by itself")
}
