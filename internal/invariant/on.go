//go:build invariants

package invariant

// Enabled says that invariants are checked.
const Enabled = true
