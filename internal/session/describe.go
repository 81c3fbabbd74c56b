package session

import (
	"ssql/internal/library"
	"ssql/plan"
	"ssql/sql/types"
)

var _ plan.Describer = (*relations)(nil)

// Describe implements plan.Describer.
func (r *relations) Describe(query string) ([]types.Field, error) {
	return library.Describe(r.ctx, r.session.withConn, query)
}
