package session

import (
	"fmt"
	"strings"

	"ssql/sql"
	"ssql/sql/types"
)

// identText returns a name as a user would write it.
func identText(name string) string {
	words, _ := sql.Words(name)
	if len(words) == 1 && words[0].Kind == sql.BareWord {
		return name
	}
	return types.QuoteIdent(name)
}

// nameText returns a name as SQL, parts quoted where they were or must be.
func nameText(name sql.Name) string {
	parts := make([]string, len(name))
	for i, p := range name {
		parts[i] = p.Name
		if p.Quoted {
			parts[i] = types.QuoteIdent(p.Name)
		}
	}
	return strings.Join(parts, ".")
}

// count returns a number with its noun.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		return number(n) + " " + noun + "es"
	}
	if stem, ok := strings.CutSuffix(noun, "ry"); ok {
		return number(n) + " " + stem + "ries"
	}
	return number(n) + " " + noun + "s"
}

// number groups digits by thousands: 1,707.
func number(n int64) string {
	s := fmt.Sprint(n)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
