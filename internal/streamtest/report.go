package streamtest

import (
	"fmt"
	"strings"
)

// Report describes a failure: where, the steps up to it with an arrow, what differs,
// and what helps to find out why.
func (r *Result) Report(f *Failure) string {
	var b strings.Builder
	s := r.Script
	if f.Step < 0 {
		return fmt.Sprintf("%s: %v\n", s.Name, f.Err)
	}
	st := s.Steps[f.Step]
	fmt.Fprintf(&b, "%s:%d: %s\n", s.Name, st.Line, st.directive)
	for i, step := range s.Steps[:f.Step+1] {
		arrow := "  "
		if i == f.Step {
			arrow = "→ "
		}
		if i > f.Step-stepsShown {
			fmt.Fprintf(&b, "  %s%s\n", arrow, step.directive)
		}
	}
	if f.Err != nil {
		fmt.Fprintf(&b, "%v\n", f.Err)
		return b.String()
	}
	b.WriteString(Diff(f.Want, f.Got))
	b.WriteString(f.Context)
	fmt.Fprintf(&b, "again:   ssql test %s\nrewrite: ssql test -rewrite %s\n", s.Name, s.Name)
	return b.String()
}

// stepsShown is how many steps a report lists.
const stepsShown = 12

// Diff returns a line diff: `-` is wanted and missing, `+` came instead.
func Diff(want, got []string) string {
	// common[i][j] is the length of the longest common subsequence of want[i:] and got[j:].
	common := make([][]int, len(want)+1)
	for i := range common {
		common[i] = make([]int, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			if want[i] == got[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var b strings.Builder
	b.WriteString("--- want\n+++ got\n")
	for i, j := 0, 0; i < len(want) || j < len(got); {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			b.WriteString(" " + want[i] + "\n")
			i, j = i+1, j+1
		case j == len(got) || i < len(want) && common[i+1][j] >= common[i][j+1]:
			b.WriteString("-" + want[i] + "\n")
			i++
		default:
			b.WriteString("+" + got[j] + "\n")
			j++
		}
	}
	return b.String()
}
