package ndjson

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"unsafe"

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
	case first == '"':
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
	case c.Type.Kind == types.Varchar:
		c.SetText(i, raw)
	case first == '{':
		f = wrongType(c, "an object")
	case first == '[':
		f = wrongType(c, "an array")
	case first == 't' || first == 'f':
		if c.Type.Kind != types.Boolean {
			return 0, wrongType(c, string(raw))
		}
		c.SetBool(i, first == 't')
	default:
		f = d.setNumber(c, i, raw)
	}
	return end, f
}

// common reads the usual form of the usual types; -1 for anything else.
func (d *Decoder) common(c *column.Builder, i, p int) int {
	switch c.Type.Kind {
	case types.Varchar:
		return walkText(d.buf, c, i, p)
	case types.Double:
		return walkDouble(d.buf, c, i, p)
	case types.BigInt:
		v, end := walkInt(d.buf, p)
		if end > 0 {
			c.I64[i] = v
		}
		return end
	}
	return -1
}

func wrongType(c *column.Builder, found string) *fault {
	return &fault{c.Path, fmt.Sprintf("expected %s, found %s", c.Type, found)}
}

func outOfRange(c *column.Builder, text []byte) *fault {
	return &fault{c.Path, fmt.Sprintf("%s is out of the range of %s", clip(text), c.Type)}
}

// setNumber sets slot i from an unquoted number.
func (d *Decoder) setNumber(c *column.Builder, i int, raw []byte) *fault {
	switch k := c.Type.Kind; {
	case c.Type.IsNumeric():
		return d.setNumeric(c, i, raw, false)
	case k == types.Timestamp && d.shape.options.EpochUnit != NoEpoch:
		return d.setEpoch(c, i, raw)
	case k == types.Timestamp:
		return &fault{c.Path, fmt.Sprintf("expected TIMESTAMP text, found the number %s (option epoch_unit says what it counts)", clip(raw))}
	}
	return wrongType(c, "the number "+clip(raw))
}

// setNumeric sets slot i of a numeric column from the text of a number, which may
// have stood in quotes.
func (d *Decoder) setNumeric(c *column.Builder, i int, text []byte, inQuotes bool) *fault {
	switch k := c.Type.Kind; {
	case c.Type.IsInteger():
		return setInteger(c, i, text, inQuotes)
	case k == types.Decimal:
		v, ok := types.ParseDecimal(text, c.Type.Precision, c.Type.Scale)
		if !ok {
			if _, _, r := parseInteger(text); r == noNumber {
				return wrongType(c, numeral(text, inQuotes))
			}
			return outOfRange(c, text)
		}
		c.I64[2*i], c.I64[2*i+1] = int64(v.LowBits()), v.HighBits()
		return nil
	}
	size := 64
	if c.Type.Kind == types.Float {
		size = 32
	}
	v, ok := specialDouble(text)
	if !ok {
		if _, _, r := parseInteger(text); r == noNumber {
			return wrongType(c, numeral(text, inQuotes))
		}
		var err error
		// ParseFloat keeps no reference to its argument beyond the error.
		if v, err = strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), size); err != nil {
			return outOfRange(c, text)
		}
	}
	if size == 32 {
		c.I32[i] = int32(math.Float32bits(float32(v)))
	} else {
		c.I64[i] = int64(math.Float64bits(v))
	}
	return nil
}

// specialDouble reads the values that are no digits, in DuckDB's spellings.
func specialDouble(text []byte) (float64, bool) {
	if len(text) == 0 || len(text) > len("-infinity") || text[len(text)-1]|0x20 < 'a' {
		return 0, false // ends with a digit, as nearly always
	}
	switch string(bytes.ToLower(text)) {
	case "nan":
		return math.NaN(), true
	case "inf", "infinity", "+infinity", "+inf":
		return math.Inf(1), true
	case "-inf", "-infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

func setInteger(c *column.Builder, i int, text []byte, inQuotes bool) *fault {
	negative, magnitude, r := parseInteger(text)
	switch r {
	case noNumber:
		return wrongType(c, numeral(text, inQuotes))
	case hasFraction:
		return &fault{c.Path, fmt.Sprintf("expected %s, found %s, which has a fraction", c.Type, numeral(text, inQuotes))}
	case tooLarge:
		return outOfRange(c, text)
	}
	ok := false
	switch {
	case c.Type.Kind == types.UBigInt:
		c.I64[i], ok = int64(magnitude), !negative || magnitude == 0
	case negative:
		ok = magnitude <= 1<<63 && setInt(c, i, -int64(magnitude))
	default:
		ok = magnitude <= math.MaxInt64 && setInt(c, i, int64(magnitude))
	}
	if !ok {
		return outOfRange(c, text)
	}
	return nil
}

// setInt sets slot i of an integer column; false if v is out of its range.
func setInt(c *column.Builder, i int, v int64) bool {
	switch c.Type.Kind {
	case types.TinyInt:
		c.I8[i] = int8(v)
		return v == int64(int8(v))
	case types.SmallInt:
		c.I16[i] = int16(v)
		return v == int64(int16(v))
	case types.Int:
		c.I32[i] = int32(v)
		return v == int64(int32(v))
	case types.UTinyInt:
		c.I8[i] = int8(v)
		return v == int64(uint8(v))
	case types.USmallInt:
		c.I16[i] = int16(v)
		return v == int64(uint16(v))
	case types.UInt:
		c.I32[i] = int32(v)
		return v == int64(uint32(v))
	case types.UBigInt:
		c.I64[i] = v
		return v >= 0
	}
	c.I64[i] = v
	return true
}

// setEpoch sets a TIMESTAMP from a number since 1970, exactly to the microsecond.
func (d *Decoder) setEpoch(c *column.Builder, i int, raw []byte) *fault {
	scale := [...]int32{EpochSeconds: 6, EpochMillis: 3, EpochMicros: 0, EpochNanos: 0}[d.shape.options.EpochUnit]
	v, ok := types.ParseDecimal(raw, types.DigitsMax, scale)
	micros := int64(v.LowBits())
	if !ok || v.HighBits() != micros>>63 {
		return outOfRange(c, raw)
	}
	if d.shape.options.EpochUnit == EpochNanos {
		nanos := micros
		if micros = nanos / 1000; nanos%1000 < 0 {
			micros-- // cut towards the past, as times of day are
		}
	}
	c.I64[i] = micros
	return nil
}

// textValue reads the string at p into slot i.
func (d *Decoder) textValue(c *column.Builder, i, p int) (int, *fault) {
	text, end, f := d.text(p)
	if f != nil {
		return 0, f
	}
	switch k := c.Type.Kind; {
	case k == types.Varchar:
		c.SetText(i, text)
	case c.Type.IsNumeric():
		f = d.setNumeric(c, i, bytes.TrimSpace(text), true)
	case k == types.Timestamp:
		f = d.setTimestamp(c, i, text)
	case k == types.Date:
		days, ok := types.ParseDate(text)
		if !ok {
			f = wrongType(c, quoted(text))
		}
		c.I32[i] = days
	case k == types.Boolean:
		word := string(bytes.ToLower(bytes.TrimSpace(text)))
		if word != "true" && word != "false" {
			f = wrongType(c, quoted(text))
		}
		c.SetBool(i, word == "true")
	case k == types.Blob:
		f = setBlob(c, i, text)
	default:
		f = wrongType(c, quoted(text))
	}
	return end, f
}

// numeral says what was found where a number was expected.
func numeral(text []byte, inQuotes bool) string {
	if inQuotes {
		return quoted(text)
	}
	return clip(text)
}

func quoted(text []byte) string { return fmt.Sprintf("the text %q", clip(text)) }

func (d *Decoder) setTimestamp(c *column.Builder, i int, text []byte) *fault {
	micros, zoned, ok := types.ParseTimestamp(text)
	if !ok {
		return wrongType(c, quoted(text))
	}
	if zone := d.shape.options.Zone; zone != nil && !zoned {
		micros = instantIn(zone, micros)
	}
	c.I64[i] = micros
	return nil
}

// setBlob decodes base64 with or without padding, the form in which Spark and most
// libraries put bytes into JSON.
func setBlob(c *column.Builder, i int, text []byte) *fault {
	text = bytes.TrimRight(text, "=")
	decoded, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err != nil {
		return wrongType(c, quoted(text)+", which is no base64")
	}
	c.SetText(i, decoded)
	return nil
}
