package session

import (
	"context"

	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// runScript is RUN SCRIPT 'file'. The caller knows how a script is read and printed.
func (s *Session) runScript(ctx context.Context, st *sql.RunScript, r *Request, _ Output) error {
	if r.RunScript == nil {
		return sqlerr.At(st.Span, "UNSUPPORTED_STATEMENT", "RUN SCRIPT is not supported here")
	}
	return r.RunScript(ctx, catalog.Absolute(r.Dir, st.Path))
}
