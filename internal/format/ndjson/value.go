package ndjson

import (
	"bytes"
	"encoding/json"
	"fmt"

	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/sql/types"
)

// value reads the value at p into slot i of c, which is clean, and returns the
// position behind it. null is NULL for every type. Beyond that
//
//	BOOLEAN     true, false, and these words as text
//	integers    numbers without a fraction in any notation, and text that is one
//	DOUBLE      numbers, and text that is one; NaN, Infinity, -Infinity with or without quotes
//	DECIMAL     numbers and text, exactly; places beyond the scale are rounded half up
//	VARCHAR     text; anything else as it is written
//	JSON        any value as it is written
//	DATE, TIMESTAMP  text in ISO-8601 form; numbers into TIMESTAMP with an EpochUnit only
//	BLOB        text in base64
//	STRUCT, MAP an object; LIST an array
func (d *Decoder) value(n *node, c *column.Builder, i, p, depth int) (int, *fault) {
	if end := d.common(c, i, p); end > 0 {
		return end, nil
	}
	switch first := d.buf[p]; {
	case first == 'n' && bytes.HasPrefix(d.buf[p:], words[0]):
		c.SetNull(i)
		return p + len(words[0]), nil
	case first == '"' && !c.Type.JSON:
		return d.textValue(c, i, p)
	case first == '{' && c.Type.Kind == types.Struct:
		return d.object(n, c.Children, i, p, depth)
	case first == '{' && c.Type.Kind == types.Map:
		return d.mapping(n, c, i, p, depth)
	case first == '[' && c.Type.Kind == types.List:
		return d.list(n, c, i, p, depth)
	}
	// The value must be JSON before it can be of the wrong type.
	end, f := d.skip(p, depth)
	if f != nil {
		return 0, f
	}
	raw := d.buf[p:end]
	switch first := raw[0]; {
	case c.Type.JSON && hasOddNumber(raw) && !json.Valid(raw):
		f = &fault{Column: c.Path, Reason: "expected JSON, found NaN or Infinity, which it has no form for"}
	case c.Type.Kind == types.Varchar:
		c.SetText(i, raw)
	case first == '{':
		f = cell.WrongType(c, "an object")
	case first == '[':
		f = cell.WrongType(c, "an array")
	case first == 't' || first == 'f':
		if c.Type.Kind != types.Boolean {
			return 0, cell.WrongType(c, string(raw))
		}
		c.SetBool(i, first == 't')
	default:
		f = d.shape.options.SetNumber(c, i, raw)
	}
	return end, f
}

// hasOddNumber reports whether one of the words that are no JSON may be in a value.
func hasOddNumber(raw []byte) bool {
	return bytes.Contains(raw, words[3]) || bytes.Contains(raw, words[4])
}

// common reads the usual form of the usual types; -1 for anything else.
func (d *Decoder) common(c *column.Builder, i, p int) int {
	switch c.Type.Kind {
	case types.Varchar:
		if c.Type.JSON {
			return -1
		}
		return walkText(d.buf, c, i, p)
	case types.Double:
		return cell.ReadDouble(d.buf, c, i, p)
	case types.BigInt:
		v, end := cell.ReadInt(d.buf, p)
		if end > 0 {
			c.I64[i] = v
		}
		return end
	}
	return -1
}

// textValue reads the string at p into slot i.
func (d *Decoder) textValue(c *column.Builder, i, p int) (int, *fault) {
	text, end, f := d.text(p)
	if f != nil {
		return 0, f
	}
	if c.Type.IsNested() {
		return end, cell.WrongType(c, fmt.Sprintf("the text %q", cell.Clip(text)))
	}
	return end, d.shape.options.SetText(c, i, text)
}
