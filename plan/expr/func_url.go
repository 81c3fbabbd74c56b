package expr

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

const upperHex = "0123456789ABCDEF"

// urlEncode writes every byte but letters, digits and -._~ as %XX.
func urlEncode(dst []byte, s string) ([]byte, error) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			dst = append(dst, c)
			continue
		}
		dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
	}
	return dst, nil
}

// urlDecode is the inverse; what is no %XX stays.
func urlDecode(dst []byte, s string) ([]byte, error) {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHexDigit(s[i+1]) && isHexDigit(s[i+2]) {
			n, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
			dst = append(dst, byte(n))
			i += 2
			continue
		}
		dst = append(dst, s[i])
	}
	return dst, nil
}

// regexpEscape puts a backslash before every byte that is no letter, digit or _, as RE2's
// QuoteMeta does.
func regexpEscape(dst []byte, s string) ([]byte, error) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < 0x80 && c != '_' && !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return dst, nil
}

// toBase writes n in a base, with capital letters as digits from 10 on.
func toBase(dst []byte, n, base int64) ([]byte, error) {
	if n < 0 || base < 2 || base > 36 {
		return dst, sqlerr.New(codeParameter, "to_base expects a number from 0 up and a base from 2 to 36, found %d and %d", n, base)
	}
	start := len(dst)
	dst = strconv.AppendInt(dst, n, int(base))
	copy(dst[start:], strings.ToUpper(string(dst[start:])))
	return dst, nil
}

// bindBin binds bin(x): the bits of a whole number without leading zeros, or of the bytes
// of a text.
func bindBin(b *binding) (Expr, error) {
	if b.args[0].Type().IsInteger() {
		x, err := implicit(b.args[0], tBigInt, b.span)
		if err != nil {
			return nil, err
		}
		return b.harmless(tVarchar, text1(func(dst []byte, n int64) ([]byte, error) {
			return strconv.AppendUint(dst, uint64(n), 2), nil
		}), x), nil
	}
	return fixed(tVarchar, text1(func(dst []byte, s string) ([]byte, error) {
		for i := 0; i < len(s); i++ {
			for bit := 7; bit >= 0; bit-- {
				dst = append(dst, '0'+s[i]>>bit&1)
			}
		}
		return dst, nil
	}), tVarchar)(b)
}

// formatBytes writes a size in the unit, a multiple of base, that leaves the least
// number.
func formatBytes(base uint64, units [6]string) kernel {
	return text1(func(dst []byte, n int64) ([]byte, error) {
		size := uint64(n)
		if n < 0 {
			dst, size = append(dst, '-'), -size
		}
		unit := uint64(1)
		at := 0
		for at+1 < len(units) && size/unit >= base {
			hi, next := bits.Mul64(unit, base)
			if hi != 0 {
				break
			}
			unit = next
			at++
		}
		if at == 0 {
			return append(strconv.AppendUint(dst, size, 10), []byte(map[bool]string{true: " byte", false: " bytes"}[size == 1])...), nil
		}
		tenths := size/unit*10 + size%unit*10/unit
		dst = append(strconv.AppendUint(dst, tenths/10, 10), '.', byte('0'+tenths%10), ' ')
		return append(dst, units[at]...), nil
	})
}

// pathPart returns the binder of a function of a path: parse_filename, parse_dirname and
// parse_dirpath. Separators are those of the system, / or \.
func pathPart(part func(path string) string) binder {
	return fixed(tVarchar, map1(func(path string) (string, error) { return part(path), nil }), tVarchar)
}

func fileName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

func dirName(path string) string {
	dir := ""
	if at := strings.IndexAny(path, `/\`); at >= 0 {
		dir = path[:at]
	}
	return dir
}

func dirPath(path string) string {
	at := strings.LastIndexAny(path, `/\`)
	if at <= 0 {
		return path[:max(at, 0)]
	}
	return path[:at]
}

// bindParsePath binds parse_path(path): its parts.
func bindParsePath(b *binding) (Expr, error) {
	args, err := b.cast(tVarchar)
	if err != nil {
		return nil, err
	}
	return b.harmless(types.ListOf(tVarchar), func(f *frame, args []vec) (arrow.Array, error) {
		paths := read[string](args[0])
		return eachTextList(f, func(out []string, i int) ([]string, error) {
			path := paths.at(i)
			if strings.HasPrefix(path, "/") {
				out = append(out, "/")
			}
			return append(out, strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })...), nil
		})
	}, args...), nil
}
