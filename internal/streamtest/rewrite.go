package streamtest

import (
	"slices"
	"strings"
)

// Rewrite returns the text of a script with the answers of a run in its blocks. Nothing
// else changes. In a script recorded from Spark the first blocks are Spark's: only
// steps with only=ssql get a new one, and a step with differs= gets its block
// `---- ssql`, or loses it when ssql answers as Spark does.
func (r *Result) Rewrite() string {
	s := r.Script
	var out []string
	at := 0
	for i, st := range s.Steps {
		out = append(out, s.lines[at:st.Line-1]...)
		at = st.Line - 1
		if s.lacksBlock(st, r.Answers[i]) {
			out = append(append(append(out, s.lines[at:st.end]...), wantMark), escape(r.Answers[i])...)
			at = st.end
			continue
		}
		if r.Answers[i] == nil || st.wantAt == 0 {
			continue
		}
		switch _, differs := st.Options["differs"]; {
		case s.Golden == "" || st.OnlySSQL():
			out = append(out, s.lines[at:st.wantAt]...)
			out = append(out, escape(r.Answers[i])...)
			at = st.end
		case differs:
			first := st.end
			if st.ssqlAt > 0 {
				first = st.ssqlAt - 1
			}
			out = append(out, s.lines[at:first]...)
			if !s.answersAsSpark(i, r.Answers[i]) {
				out = append(append(out, ssqlMark), escape(r.Answers[i])...)
			}
			at = st.end
		}
	}
	out = append(out, s.lines[at:]...)
	return strings.Join(out, "\n") + "\n"
}

// answersAsSpark compares an answer with the first block, whatever else there is.
func (s *Script) answersAsSpark(i int, answer []string) bool {
	spark := *s
	step := *s.Steps[i]
	step.SSQLWant = nil
	spark.Steps = slices.Clone(s.Steps)
	spark.Steps[i] = &step
	return compare(&spark, i, answer) == nil
}

// WithoutSSQL returns the text of a script without the blocks that ssql has added, as it
// was recorded.
func (s *Script) WithoutSSQL() string {
	var out []string
	at := 0
	for _, st := range s.Steps {
		if st.ssqlAt > 0 {
			out = append(out, s.lines[at:st.ssqlAt-1]...)
			at = st.end
		}
	}
	return strings.Join(append(out, s.lines[at:]...), "\n") + "\n"
}
