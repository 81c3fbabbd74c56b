// Package invariant checks in tests what the code relies on (docs/ARCHITECTURE.md, One batch,
// I1 to I7). The checks are compiled in by the build tag invariants, as in
//
//	go test -tags invariants ./exec/... ./internal/oracle ./internal/streamtest
//
// and cost nothing without it: they stand behind `if invariant.Enabled`.
package invariant

import "fmt"

// Holds ends the process where an invariant does not hold. name is that of ARCHITECTURE.md.
func Holds(ok bool, name, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf("invariant %s is broken: %s", name, fmt.Sprintf(format, args...)))
	}
}
