package duck

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	duckdb "github.com/marcboeker/go-duckdb"

	"ssql/sql/types"
)

// wallTimeFunction is the function of ours behind timezone(zone, ts). DuckDB lets nobody add
// a form to a function of its own, so a macro of that name calls it.
const wallTimeFunction = "ssql_wall_time"

// zoneMacro makes timezone of every connection one that needs no ICU. It is temporary, so
// nothing of it gets into the file.
const zoneMacro = `CREATE OR REPLACE TEMP MACRO timezone(x) AS date_part('timezone', CAST(x AS TIMESTAMP)), (zone, x) AS ` + wallTimeFunction + `(zone, x)`

// wallTime is ssql_wall_time(VARCHAR, TIMESTAMPTZ): the wall time of an instant in a zone, a
// TIMESTAMP.
type wallTime struct{ config duckdb.ScalarFuncConfig }

// registerZones adds the functions for zones to an instance.
func registerZones(ctx context.Context, db *sql.DB) error {
	kinds := make([]duckdb.TypeInfo, 3)
	for i, t := range []duckdb.Type{duckdb.TYPE_VARCHAR, duckdb.TYPE_TIMESTAMP_TZ, duckdb.TYPE_TIMESTAMP} {
		info, err := duckdb.NewTypeInfo(t)
		if err != nil {
			return err
		}
		kinds[i] = info
	}
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	f := &wallTime{duckdb.ScalarFuncConfig{InputTypeInfos: kinds[:2], ResultTypeInfo: kinds[2]}}
	err = duckdb.RegisterScalarUDF(c, wallTimeFunction, f)
	return also(err, c.Close())
}

// Config implements duckdb.ScalarFunc.
func (w *wallTime) Config() duckdb.ScalarFuncConfig { return w.config }

// Executor implements duckdb.ScalarFunc. It is asked for once a chunk, whose rows mostly
// have one zone.
func (w *wallTime) Executor() duckdb.ScalarFuncExecutor {
	name, zone := "", time.UTC
	return duckdb.ScalarFuncExecutor{RowExecutor: func(values []driver.Value) (any, error) {
		text, ts := values[0].(string), values[1].(time.Time)
		if text != name {
			loaded, ok := types.LoadZone(text)
			if !ok {
				return nil, fmt.Errorf("%q is no time zone: write a name such as Europe/Berlin, UTC or an offset such as +02:00", text)
			}
			name, zone = text, loaded
		}
		_, seconds := ts.In(zone).Zone()
		return ts.Add(time.Duration(seconds) * time.Second), nil
	}}
}
