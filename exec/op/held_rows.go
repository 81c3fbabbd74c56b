package op

import "ssql/state"

// heldRows is the state of an operator that is one multimap of rows: what it writes,
// and how many rows it counts.
type heldRows struct {
	rows  *state.Multimap
	stats Stats
}

func newHeldRows() heldRows { return heldRows{rows: state.NewMultimap()} }

// Stats describes the last batch.
func (h *heldRows) Stats() Stats { return h.stats }

// AppendChanges writes the rows that came and went.
func (h *heldRows) AppendChanges(dst []byte) []byte { return h.rows.AppendChanges(dst) }

// ApplyChanges replays what AppendChanges wrote.
func (h *heldRows) ApplyChanges(b []byte) error {
	err := h.rows.ApplyChanges(b)
	h.stats.RowsTotal = int64(h.rows.Len())
	return err
}

// AppendSnapshot writes all rows.
func (h *heldRows) AppendSnapshot(dst []byte) []byte { return h.rows.AppendSnapshot(dst) }

// Restore replaces all rows.
func (h *heldRows) Restore(b []byte) error {
	err := h.rows.Restore(b)
	h.stats.RowsTotal = int64(h.rows.Len())
	return err
}
