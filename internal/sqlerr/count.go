package sqlerr

import (
	"strconv"
	"strings"
)

// CountOf returns a number and its noun for a message, in the plural where it is due:
// "1 column", "2,000 columns".
func CountOf[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		return Number(n) + " " + noun + "es"
	}
	if stem, ok := strings.CutSuffix(noun, "ry"); ok {
		return Number(n) + " " + stem + "ries"
	}
	return Number(n) + " " + noun + "s"
}

// Number writes a number in groups of three: 1,234,567.
func Number[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
