package sqlerr

import (
	"fmt"
	"strconv"
	"strings"
)

// ShellWord quotes a path for a command that a user copies from a hint. Control characters are
// written as such, not sent to the terminal.
func ShellWord(path string) string {
	plain, control := path != "", false
	for _, r := range path {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0x9f
		plain = plain && (letter || strings.ContainsRune("/._-+:,@%=", r))
		control = control || !strconv.IsPrint(r)
	}
	switch {
	case plain && !control:
		return path
	case control:
		quoted := strconv.Quote(path)
		return fmt.Sprintf("$'%s'", strings.ReplaceAll(strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`), "'", `\'`))
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
