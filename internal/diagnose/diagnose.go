// Package diagnose answers why a query gives no output. Examine looks at what the connectors, the checkpoint
// and the tables of ssql say of a query; the checks of a report go along the way of a row, and the first that
// finds something in the way gives the verdict.
//
//	examination.go   what is known of a query
//	diagnose.go      the checks in their order, and the report
//	input.go         is there something to read, can it be read, is it filtered
//	time.go          event times, late rows, the watermark
//	output.go        what is held back, and what came out
package diagnose

// Finding is a row of the answer of DIAGNOSE.
type Finding struct {
	Check string
	Found string
	// verdict says that this is why nothing comes out, "" if it is not, and fixes what the
	// user can do about it, the likeliest first.
	Verdict string
	Fixes   []string
}

// diagnosisChecks look at a query in the order in which a row travels. The first verdict
// counts.
func diagnosisChecks() []func(x *Examination) []Finding {
	return []func(x *Examination) []Finding{
		(*Examination).checkRunning,
		(*Examination).checkInput,
		(*Examination).checkReadable,
		(*Examination).checkFilter,
		(*Examination).checkTimes,
		(*Examination).checkLate,
		(*Examination).checkWatermark,
		(*Examination).checkState,
		(*Examination).checkOutput,
	}
}

// Report looks at everything, in the order in which rows travel, and ends with one verdict.
func (x *Examination) Report() (findings []Finding, because *Finding) {
	for _, look := range diagnosisChecks() {
		findings = append(findings, look(x)...)
	}
	for i := range findings {
		if findings[i].Verdict != "" {
			return findings, &findings[i]
		}
	}
	return findings, &Finding{Verdict: "nothing stands in the way: the next rows that pass come out"}
}
