package op

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/state"
)

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

// heldSides is the state of an operator that keeps rows of both its inputs, each in a
// multimap: what it writes, and how many rows it counts.
type heldSides struct {
	holder string // names the operator in errors
	held   [2]*state.Multimap
	stats  Stats
}

func newHeldSides(holder string) heldSides {
	return heldSides{holder: holder, held: [2]*state.Multimap{state.NewMultimap(), state.NewMultimap()}}
}

func (h *heldSides) rowCount() int64 { return int64(h.held[0].Len() + h.held[1].Len()) }

func (h *heldSides) bytes() int64 { return h.held[0].Bytes() + h.held[1].Bytes() }

// Stats describes the last batch.
func (h *heldSides) Stats() Stats { return h.stats }

// AppendChanges writes the left side's changes, length first, then the right's.
func (h *heldSides) AppendChanges(dst []byte) []byte {
	return h.write(dst, (*state.Multimap).AppendChanges)
}

// ApplyChanges replays what AppendChanges wrote.
func (h *heldSides) ApplyChanges(b []byte) error { return h.read(b, (*state.Multimap).ApplyChanges) }

// AppendSnapshot writes all rows of both sides, as AppendChanges does.
func (h *heldSides) AppendSnapshot(dst []byte) []byte {
	return h.write(dst, (*state.Multimap).AppendSnapshot)
}

// Restore replaces the rows of both sides.
func (h *heldSides) Restore(b []byte) error { return h.read(b, (*state.Multimap).Restore) }

func (h *heldSides) write(dst []byte, from func(*state.Multimap, []byte) []byte) []byte {
	left := from(h.held[0], nil)
	dst = append(binary.AppendUvarint(dst, uint64(len(left))), left...)
	return from(h.held[1], dst)
}

func (h *heldSides) read(b []byte, into func(*state.Multimap, []byte) error) error {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return fmt.Errorf("the left side of the %s: %w", h.holder, state.ErrCorrupt)
	}
	if err := into(h.held[0], b[size:size+int(n)]); err != nil {
		return fmt.Errorf("the left side of the %s: %w", h.holder, err)
	}
	if err := into(h.held[1], b[size+int(n):]); err != nil {
		return fmt.Errorf("the right side of the %s: %w", h.holder, err)
	}
	h.stats.RowsTotal = h.rowCount()
	return nil
}

// decodeRows turns kept rows, whose payload is the row bytes of the columns of schema, back
// into columns.
func decodeRows(alloc memory.Allocator, schema *arrow.Schema, m *state.Multimap, rows []int32) (arrow.Record, error) {
	b := array.NewRecordBuilder(alloc, schema)
	defer b.Release()
	dec, err := decoders(b.Fields())
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		p := m.Payload(row)
		for _, d := range dec {
			if p, err = d(p); err != nil {
				return nil, fmt.Errorf("reading a kept row: %w", err)
			}
		}
	}
	return b.NewRecord(), nil
}
