package ndjson

import (
	"fmt"
	"strings"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/sql/types"
)

// unknown is a key that is no column.
type unknown struct {
	node *node
	key  string
}

// unknownKey notes a key that no column of n has, and returns its path if the decoder has
// not seen it before. Only rows that leave the tree of steps come here.
func (d *Decoder) unknownKey(n *node, key []byte) (fresh string) {
	if d.unknown[unknown{n, string(key)}] || len(d.unknown) >= format.DriftNames {
		return ""
	}
	name := string(key)
	d.unknown[unknown{n, name}] = true
	if k, ok := n.lower[strings.ToLower(name)]; ok {
		n.other[k].CompareAndSwap(nil, &name)
		return "" // told of when the column never comes
	}
	return join(n.path, name)
}

// noticeOtherCase tells of declared columns that never came while a key of other
// case did: the usual reason for a column of NULLs.
func (d *Decoder) noticeOtherCase(n *node) {
	if n == nil {
		return
	}
	for i := range n.other {
		if key := n.other[i].Load(); key != nil && !n.seen[i].Load() {
			d.notice(fmt.Sprintf("column %q never appears, but the key %q does: JSON keys are matched exactly",
				join(n.path, n.names[i]), join(n.path, *key)))
		}
	}
	for _, part := range n.parts {
		d.noticeOtherCase(part)
	}
}

// typeOf returns the type that a column of a value would be inferred to have. Parts of
// an object or array may differ in the next row, so that they are JSON.
func typeOf(raw []byte) types.Type {
	switch raw[0] {
	case '"':
		return cell.GuessText(raw[1 : len(raw)-1]).Type()
	case 't', 'f':
		return types.Of(types.Boolean)
	case '{', '[':
		return types.JSONText
	case 'n':
		return types.Of(types.Varchar)
	}
	return cell.GuessNumber(string(raw)).Type()
}
