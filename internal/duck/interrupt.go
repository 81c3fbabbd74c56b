package duck

/*
// From duckdb.h, which the driver links: a connection is a pointer there.
void duckdb_interrupt(void *connection);
*/
import "C"

import "reflect"

// interrupt makes the statement that runs on a driver's connection fail soon. The
// driver does it itself for database/sql, but not for its Arrow interface, and
// keeps the pointer to itself; a driver that calls the field otherwise is not
// interrupted, and then a statement ends when it ends.
func interrupt(driverConn any) {
	v := reflect.ValueOf(driverConn)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return
	}
	if p := v.Elem().FieldByName("duckdbCon"); p.IsValid() && p.Kind() == reflect.Pointer {
		C.duckdb_interrupt(p.UnsafePointer())
	}
}
