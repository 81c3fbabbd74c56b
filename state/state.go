// Package state keeps groups of fixed-width words by window, in memory and without
// pointers: what an aggregation, a deduplication or a join remembers between
// batches. It knows bytes and words, and nothing of SQL.
//
// A Window holds one Table per Layout. A Table is a slab of uint64 words with a
// fixed stride: the key words of a group, then its cell words. Byte strings are held
// once in the Interner and stand in keys as small numbers; values without a fixed
// size stand in cells as handles into the Heap of their table.
//
// Closing a window frees its tables and touches no other. What a batch changed is
// marked in a bitmap per table and written as a delta (AppendChanges); the whole
// state is written by AppendSnapshot. docs/state-format.md draws both.
package state

import (
	"errors"
	"fmt"
)

// Layout is the shape of the groups of one table. It must be equal when bytes are
// written and when they are read.
type Layout struct {
	KeyWords  int
	CellWords int
	// Interned lists the key words that refer to the Interner, ascending: 0 stands
	// for no value, id+1 for the bytes of id.
	Interned []int
	// Blobs lists the cell words that hold handles of the table's Heap, ascending.
	Blobs []int
}

// Stride returns the words of one group.
func (l *Layout) Stride() int { return l.KeyWords + l.CellWords }

// dense reports whether keys are small dense numbers, so that an array can be the
// index.
func (l *Layout) dense() bool { return l.KeyWords == 1 && len(l.Interned) == 1 }

// check refuses a layout that no table can have.
func (l *Layout) check() error {
	for _, list := range []struct {
		of    []int
		limit int
	}{{l.Interned, l.KeyWords}, {l.Blobs, l.CellWords}} {
		last := -1
		for _, w := range list.of {
			if w <= last || w >= list.limit {
				return fmt.Errorf("state layout %+v: word %d is out of order or range", *l, w)
			}
			last = w
		}
	}
	return nil
}

// ErrCorrupt is in the chain of every error about bytes that AppendChanges or
// AppendSnapshot cannot have written.
var ErrCorrupt = errors.New("state bytes are damaged")

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}
