package sqlerr

import "strings"

// Nearest returns the candidate that differs least from a name, compared without
// case; "" if none is near enough to have been meant: one edit for a name of up to five
// letters, a third of the letters for longer ones, and never all of them. It serves the
// hints of the form: did you mean "settle_time"?
func Nearest(name string, candidates []string) string {
	letters := []rune(strings.ToLower(name))
	best, bestDistance := "", min(1+max(1, len(letters)/3), len(letters))
	for _, c := range candidates {
		if d := editDistance(letters, []rune(strings.ToLower(c))); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// WithNearest proposes the known name that is nearest to the one that was given; without
// one the hint is of the other form. It returns e.
func (e *Error) WithNearest(given string, known []string, format string, args ...any) *Error {
	if near := Nearest(given, known); near != "" {
		return e.WithHint("did you mean %q?", near)
	}
	return e.WithHint(format, args...)
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func editDistance(a, b []rune) int {
	var before []int // the row of the table two characters back
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
