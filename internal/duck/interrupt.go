package duck

/*
// From duckdb.h, which the driver links: a connection is a pointer there.
void duckdb_interrupt(void *connection);
*/
import "C"

import (
	"context"
	"reflect"
	"time"
)

// interruptEvery is the time between two tries: DuckDB forgets an interrupt that comes
// before its statement has begun.
const interruptEvery = 20 * time.Millisecond

// interruptWhenDone interrupts what runs on a driver's connection from the end of ctx
// on. The caller calls stop when it has come back; after that nothing is interrupted, so
// that the next statement is not hit.
func interruptWhenDone(ctx context.Context, driverConn any) (stop func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(ended)
		for {
			interrupt(driverConn)
			select {
			case <-over:
				return
			case <-time.After(interruptEvery):
			}
		}
	})
	return func() {
		close(over)
		if !cancel() {
			<-ended
		}
	}
}

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
