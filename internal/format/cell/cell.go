// Package cell puts the text of one value into a slot of a column, by the type of the
// column. It is what the text formats share, so that "12.0" means the same in CSV as
// in JSON; how a value is found in the input, and what is NULL, is theirs.
//
//	integers    numbers without a fraction in any notation
//	DOUBLE      numbers; NaN, Infinity, -Infinity
//	DECIMAL     numbers, exactly; places beyond the scale are rounded half up
//	DATE, TIMESTAMP  ISO-8601; a number is a TIMESTAMP with an EpochUnit only
//	BOOLEAN     true, false
//	BLOB        base64
//	STRUCT, LIST, MAP  their text, see setNested; JSON has a grammar of its own for them
//
// A DATE or TIMESTAMP whose column has a format is read by it alone.
package cell

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"ssql/internal/format/column"
	"ssql/sql/types"
)

// Settings say what the text of times leaves open.
type Settings struct {
	// Zone is where a timestamp without offset was written; nil is UTC.
	Zone *time.Location
	// EpochUnit is what a number means as TIMESTAMP; without it a number is none.
	EpochUnit types.EpochUnit
	// Timestamps and Dates are how columns of these types are written that have no format
	// of their own; nil is ISO-8601.
	Timestamps, Dates *types.TimeFormat
}

// Fault is why a value, or a row, cannot be read.
type Fault struct {
	Column string // "" for the whole row
	Reason string
}

// WrongType says that something else stands where a value of a column should.
func WrongType(c *column.Builder, found string) *Fault {
	return &Fault{c.Path, fmt.Sprintf("expected %s, found %s", c.Type, found)}
}

func outOfRange(c *column.Builder, text []byte) *Fault {
	return &Fault{c.Path, fmt.Sprintf("%s is out of the range of %s", Clip(text), c.Type)}
}

// Clip shortens text for a message.
func Clip[T string | []byte](text T) string {
	const most = 40
	if len(text) <= most {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:most]), "") + "…"
}

// SetText sets slot i from text that stood in quotes, or whose format has no other
// form. The text must be valid UTF-8.
func (s *Settings) SetText(c *column.Builder, i int, text []byte) (f *Fault) {
	switch k := c.Type.Kind; {
	case k == types.Varchar && c.Type.JSON && !json.Valid(text):
		f = &Fault{c.Path, "expected JSON, found " + quoted(text)}
	case k == types.Varchar:
		c.SetText(i, text)
	case c.Type.IsNumeric():
		f = s.setNumeric(c, i, bytes.TrimSpace(text), true)
	case c.Format != nil:
		f = s.setFormatted(c, i, text)
	case k == types.Timestamp:
		f = s.setTimestamp(c, i, text)
	case k == types.Date:
		days, ok := types.ParseDate(text)
		if !ok {
			f = WrongType(c, quoted(text))
		}
		c.I32[i] = days
	case k == types.Boolean:
		word := string(bytes.ToLower(bytes.TrimSpace(text)))
		if word != "true" && word != "false" {
			f = WrongType(c, quoted(text))
		}
		c.SetBool(i, word == "true")
	case k == types.Blob:
		f = setBlob(c, i, text)
	case c.Type.IsNested():
		f = s.setNested(c, i, text)
	default:
		f = WrongType(c, quoted(text))
	}
	return f
}

// SetNumber sets slot i from an unquoted number.
func (s *Settings) SetNumber(c *column.Builder, i int, raw []byte) *Fault {
	switch k := c.Type.Kind; {
	case c.Type.IsNumeric():
		return s.setNumeric(c, i, raw, false)
	case c.Format != nil:
		return s.setFormatted(c, i, raw)
	case k == types.Timestamp && s.EpochUnit != types.NoEpoch:
		return s.SetEpoch(c, i, raw)
	case k == types.Timestamp:
		return &Fault{c.Path, fmt.Sprintf("expected TIMESTAMP text, found the number %s (option epoch_unit says what it counts)", Clip(raw))}
	}
	return WrongType(c, "the number "+Clip(raw))
}

// setNumeric sets slot i of a numeric column from the text of a number, which may
// have stood in quotes.
func (s *Settings) setNumeric(c *column.Builder, i int, text []byte, inQuotes bool) *Fault {
	switch k := c.Type.Kind; {
	case c.Type.IsInteger():
		return setInteger(c, i, text, inQuotes)
	case k == types.Decimal:
		v, ok := types.ParseDecimal(text, c.Type.Precision, c.Type.Scale)
		if !ok {
			if _, _, r := parseInteger(text); r == noNumber {
				return WrongType(c, numeral(text, inQuotes))
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
			return WrongType(c, numeral(text, inQuotes))
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

func setInteger(c *column.Builder, i int, text []byte, inQuotes bool) *Fault {
	negative, magnitude, r := parseInteger(text)
	switch r {
	case noNumber:
		return WrongType(c, numeral(text, inQuotes))
	case hasFraction:
		return &Fault{c.Path, fmt.Sprintf("expected %s, found %s, which has a fraction", c.Type, numeral(text, inQuotes))}
	case tooLarge:
		return outOfRange(c, text)
	}
	ok := false
	switch {
	case c.Type.Kind == types.UBigInt:
		c.I64[i], ok = int64(magnitude), !negative || magnitude == 0
	case negative:
		ok = magnitude <= 1<<63 && SetInt(c, i, -int64(magnitude))
	default:
		ok = magnitude <= math.MaxInt64 && SetInt(c, i, int64(magnitude))
	}
	if !ok {
		return outOfRange(c, text)
	}
	return nil
}

// SetInt sets slot i of an integer column; false if v is out of its range.
func SetInt(c *column.Builder, i int, v int64) bool {
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

// SetEpoch sets a TIMESTAMP from a number since 1970, exactly to the microsecond.
func (s *Settings) SetEpoch(c *column.Builder, i int, raw []byte) *Fault {
	micros, ok := types.ParseEpoch(raw, s.EpochUnit)
	if !ok {
		return outOfRange(c, raw)
	}
	c.I64[i] = micros
	return nil
}

// numeral says what was found where a number was expected.
func numeral(text []byte, inQuotes bool) string {
	if inQuotes {
		return quoted(text)
	}
	return Clip(text)
}

func quoted(text []byte) string { return fmt.Sprintf("the text %q", Clip(text)) }

func (s *Settings) setTimestamp(c *column.Builder, i int, text []byte) *Fault {
	micros, zoned, ok := types.ParseTimestamp(text)
	if !ok {
		return WrongType(c, quoted(text))
	}
	if zone := s.Zone; zone != nil && !zoned {
		micros = types.InstantIn(zone, micros)
	}
	c.I64[i] = micros
	return nil
}

// setFormatted sets a TIMESTAMP or DATE that is written in the format of its column.
func (s *Settings) setFormatted(c *column.Builder, i int, text []byte) *Fault {
	// Parse keeps no reference to its argument.
	micros, zoned, ok := c.Format.Parse(unsafe.String(unsafe.SliceData(text), len(text)))
	if !ok {
		return &Fault{c.Path, fmt.Sprintf("expected %s in the format %q, found %s", c.Type, c.Format.Text, quoted(text))}
	}
	switch {
	case c.Type.Kind == types.Date:
		days := micros / types.DayMicros
		if micros%types.DayMicros < 0 {
			days--
		}
		c.I32[i] = int32(days)
	case s.Zone != nil && !zoned:
		c.I64[i] = types.InstantIn(s.Zone, micros)
	default:
		c.I64[i] = micros
	}
	return nil
}

// setBlob decodes base64 with or without padding, the form in which Spark and most
// libraries put bytes into JSON.
func setBlob(c *column.Builder, i int, text []byte) *Fault {
	text = bytes.TrimRight(text, "=")
	decoded, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err != nil {
		return WrongType(c, quoted(text)+", which is no base64")
	}
	c.SetText(i, decoded)
	return nil
}
