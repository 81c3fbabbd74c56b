package sqlerr

import (
	"fmt"
	"strings"
)

// CountOf returns a number and its noun for a message, in the plural where it is due:
// "1 column", "2 columns".
func CountOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
