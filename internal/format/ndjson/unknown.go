package ndjson

import (
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

// unknownKey notes a key that no column of n has, and reports whether the decoder has not
// seen it before. Only rows that leave the tree of steps come here.
func (d *Decoder) unknownKey(n *node, key []byte) (name format.Name, fresh bool) {
	if d.unknown[unknown{n, string(key)}] || len(d.unknown) >= format.DriftNames {
		return name, false
	}
	d.unknown[unknown{n, string(key)}] = true
	name.Path = join(n.path, string(key))
	if k, ok := n.lower[strings.ToLower(string(key))]; ok {
		name.Column = join(n.path, n.names[k])
	}
	return name, true
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
