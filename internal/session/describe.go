package session

import (
	"ssql/internal/duck"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

var _ plan.Describer = (*relations)(nil)

// Describe implements plan.Describer.
func (r *relations) Describe(query string) ([]types.Field, error) {
	var fields []types.Field
	err := r.session.withConn(r.ctx, func(c *duck.Conn) error {
		return c.Query(r.ctx, "DESCRIBE "+query, nil, func(row []any) error {
			t, _ := nearestType(text(row[1]))
			fields = append(fields, types.Field{Name: text(row[0]), Type: t, Nullable: true})
			return nil
		})
	})
	return fields, err
}

// nearestType returns a type of DuckDB, or for one that streams do not have the nearest
// that they have; exact says which.
func nearestType(name string) (t types.Type, exact bool) {
	t, err := sql.ParseType(name)
	switch {
	case err == nil:
		return t, true
	case name == "HUGEINT":
		return types.DecimalOf(38, 0), false
	}
	return types.Of(types.Varchar), false
}
