package duck

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// QuoteIdent returns a name in double quotes. A name with a NUL is refused: DuckDB
// would read it only up to there.
func QuoteIdent(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", sqlerr.New("E_SINK_SCHEMA", "the name %q contains a NUL character", name).WithHint("rename it")
	}
	return types.QuoteIdent(name), nil
}

// QuoteName returns the parts of a name, quoted and with points between.
func QuoteName(parts ...string) (string, error) {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		q, err := QuoteIdent(p)
		if err != nil {
			return "", err
		}
		quoted[i] = q
	}
	return strings.Join(quoted, "."), nil
}

// ParseName splits a name as it is written in SQL, such as lab."my table", into its
// parts without quotes.
func ParseName(text string) ([]string, error) {
	bad := func(why string) error {
		return sqlerr.New("E_SINK_SCHEMA", "%q is no name of a table: %s", text, why).
			WithHint(`write name, schema.name or "any name"`)
	}
	var parts []string
	for rest := strings.TrimSpace(text); ; {
		var part string
		if strings.HasPrefix(rest, `"`) {
			end := closingQuote(rest)
			if end < 0 {
				return nil, bad("a double quote is not closed")
			}
			part, rest = strings.ReplaceAll(rest[1:end], `""`, `"`), rest[end+1:]
		} else {
			end := strings.IndexAny(rest, `."`)
			if end < 0 {
				end = len(rest)
			}
			part, rest = strings.TrimSpace(rest[:end]), rest[end:]
		}
		if part == "" {
			return nil, bad("a part of it is empty")
		}
		parts = append(parts, part)
		rest = strings.TrimSpace(rest)
		if rest == "" {
			return parts, nil
		}
		if rest[0] != '.' {
			return nil, bad("a point is expected between its parts")
		}
		rest = strings.TrimSpace(rest[1:])
	}
}

// closingQuote returns the index of the quote that ends a quoted name, -1 without.
func closingQuote(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			i++
			continue
		}
		return i
	}
	return -1
}
