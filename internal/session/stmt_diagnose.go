package session

import (
	"context"
	"strings"

	"ssql/sql"
)

// finding is a row of the answer of DIAGNOSE.
type finding struct {
	check string
	found string
	// verdict says that this is why nothing comes out, "" if it is not, and fixes what the
	// user can do about it, the likeliest first.
	verdict string
	fixes   []string
}

// diagnosisChecks look at a query in the order in which a row travels. The first verdict
// counts.
func diagnosisChecks() []func(x *examination) []finding {
	return []func(x *examination) []finding{
		(*examination).checkRunning,
		(*examination).checkInput,
		(*examination).checkReadable,
		(*examination).checkFilter,
		(*examination).checkTimes,
		(*examination).checkLate,
		(*examination).checkWatermark,
		(*examination).checkState,
		(*examination).checkOutput,
	}
}

// diagnose is DIAGNOSE QUERY q: why is there no output? It looks in the order in which
// rows travel, shows what it found, and ends with one verdict and what to do.
func (s *Session) diagnose(ctx context.Context, st *sql.Diagnose, _ *Request, out Output) error {
	row, err := s.queryNamed(ctx, st.Name)
	if err != nil {
		return err
	}
	x, err := s.examine(ctx, row)
	if err != nil {
		return err
	}
	t := newTextTable("check", "found")
	var because *finding
	for _, look := range diagnosisChecks() {
		for _, f := range look(x) {
			t.add(f.check, f.found)
			if because == nil && f.verdict != "" {
				because = &f
			}
		}
	}
	if err := t.send(out); err != nil {
		return err
	}
	if because == nil {
		because = &finding{verdict: "nothing stands in the way: the next rows that pass come out"}
	}
	out.Message("verdict: " + because.verdict + tries(because.fixes))
	return nil
}

// tries lists what the user can do.
func tries(fixes []string) string {
	var lines strings.Builder
	for _, fix := range fixes {
		if fix != "" {
			lines.WriteString("\n    try: " + fix)
		}
	}
	return lines.String()
}
