package types

import "github.com/apache/arrow/go/v17/arrow/array"

// SameDictionary reports whether next is the dictionary that last was, perhaps
// grown: ids of last mean the same values in next, and only the values from
// last.Len() on are new. A consumer that translates ids keeps the last array it saw
// and its table. False says nothing: the values must be compared again. The arrays
// must not be slices.
//
// A decoder's dictionary only grows behind the values it has handed out, in the
// same memory until that is full (format/column.Dictionary).
func SameDictionary(last, next *array.String) bool {
	if last == next {
		return true
	}
	if last == nil || next == nil || last.Len() > next.Len() {
		return false
	}
	// last keeps its memory alive, so no other dictionary can be at its address.
	a, b := last.ValueOffsets(), next.ValueOffsets()
	return &a[0] == &b[0]
}
