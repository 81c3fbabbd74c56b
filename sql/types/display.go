package types

import (
	"bytes"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
)

// NameKey is the key of the metadata of an Arrow field whose type has another name than its
// Arrow form tells.
const NameKey = "ssql.type"

// NameMetadata is the metadata of a field whose type has a name.
func NameMetadata(name string) arrow.Metadata {
	return arrow.NewMetadata([]string{NameKey}, []string{name})
}

// AppendDouble appends a FLOAT (32 bits) or DOUBLE (64) as DuckDB shows it: the shortest
// text that reads back equal, always with a point or an exponent, the latter from 1e16 up
// and below 1e-4. FormatDouble is the spelling of stream scripts.
func AppendDouble(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "nan"...)
	case math.IsInf(v, 1):
		return append(dst, "inf"...)
	case math.IsInf(v, -1):
		return append(dst, "-inf"...)
	}
	if abs := math.Abs(v); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.AppendFloat(dst, v, 'e', -1, bits)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'f', -1, bits)
	if bytes.IndexByte(dst[start:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// AppendBlob appends bytes as DuckDB shows them: printable ASCII as it is, the rest, quotes
// and the backslash as \xAB.
func AppendBlob[T string | []byte](dst []byte, v T) []byte {
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(v); i++ {
		c := v[i]
		if c >= ' ' && c <= '~' && c != '\\' && c != '\'' && c != '"' {
			dst = append(dst, c)
		} else {
			dst = append(dst, '\\', 'x', hex[c>>4], hex[c&15])
		}
	}
	return dst
}
