package oracle

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// tolerance is how far sums of doubles that are not exact may be apart, as a fraction.
const tolerance = 1e-9

// differ compares two collections of rows without order; "" if they are equal.
func differ(what string, cols []Column, got, want []Row) string {
	g, w := inOrder(cols, got), inOrder(cols, want)
	var lines []string
	i, k := 0, 0
	for i < len(g) || k < len(w) {
		switch {
		case i < len(g) && k < len(w) && sameRow(cols, g[i], w[k]):
			i++
			k++
		case k == len(w) || i < len(g) && compareRows(cols, g[i], w[k]) < 0:
			lines = append(lines, "  too much: "+showRow(g[i], cols))
			i++
		default:
			lines = append(lines, "  missing:  "+showRow(w[k], cols))
			k++
		}
	}
	if lines == nil {
		return ""
	}
	return fmt.Sprintf("%s: got %d rows, want %d\n%s", what, len(got), len(want), strings.Join(lines, "\n"))
}

// inOrder sorts rows by their exact columns, then by the others.
func inOrder(cols []Column, rows []Row) []Row {
	out := slices.Clone(rows)
	slices.SortFunc(out, func(a, b Row) int { return compareRows(cols, a, b) })
	return out
}

func compareRows(cols []Column, a, b Row) int {
	for _, approx := range []bool{false, true} {
		for i, c := range cols {
			if c.Approx == approx {
				if o := compare(a[i], b[i]); o != 0 {
					return o
				}
			}
		}
	}
	return 0
}

func sameRow(cols []Column, a, b Row) bool {
	for i, c := range cols {
		if compare(a[i], b[i]) != 0 && !(c.Approx && near(a[i], b[i])) {
			return false
		}
	}
	return true
}

func near(a, b Value) bool {
	x, ok := a.(float64)
	y, both := b.(float64)
	return ok && both && math.Abs(x-y) <= tolerance*max(math.Abs(x), math.Abs(y))
}

// differLines compares two collections of texts without order.
func differLines(what string, got, want []string) string {
	g, w := slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if slices.Equal(g, w) {
		return ""
	}
	var lines []string
	i, k := 0, 0
	for i < len(g) || k < len(w) {
		switch {
		case i < len(g) && k < len(w) && g[i] == w[k]:
			i++
			k++
		case k == len(w) || i < len(g) && g[i] < w[k]:
			lines = append(lines, "  too much: "+g[i])
			i++
		default:
			lines = append(lines, "  missing:  "+w[k])
			k++
		}
	}
	return fmt.Sprintf("%s: got %d rows, want %d\n%s", what, len(got), len(want), strings.Join(lines, "\n"))
}
