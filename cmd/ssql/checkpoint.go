package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"ssql/checkpoint"
	"ssql/internal/shell/render"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/sinks/files"
	"ssql/sql/types"
)

// runCheckpoint is `ssql checkpoint show|verify DIR`, where verify takes the folder or file of a sink,
// too. It reads and changes nothing.
func runCheckpoint(args []string) int {
	if len(args) != 2 || args[0] != "show" && args[0] != "verify" {
		fmt.Fprintf(os.Stderr, "ssql: expected checkpoint show DIR or checkpoint verify DIR\n%s", usage)
		return exitUsage
	}
	if args[0] == "verify" {
		if code, mine := verifySink(args[1]); mine {
			return code
		}
	}
	report, err := checkpoint.Inspect(vfs.OS{}, args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, render.EscapeKeepLines(sqlerr.Render(err, nil)))
		return exitSQL
	}
	if args[0] == "show" {
		showCheckpoint(os.Stdout, report)
	}
	for _, n := range report.Notices {
		fmt.Printf("NOTE: %s\n", render.EscapeKeepLines(n))
	}
	for _, p := range report.Problems {
		fmt.Fprintln(os.Stderr, render.EscapeKeepLines(sqlerr.Render(p, nil)))
	}
	if len(report.Problems) > 0 {
		return exitSQL
	}
	if args[0] == "verify" {
		fmt.Printf("%s: %s, %s, %s: all of it is intact\n", report.Dir, sqlerr.CountOf(len(report.Segments), "segment"),
			sqlerr.CountOf(len(report.Snapshots), "snapshot"), sqlerr.CountOf(len(report.Batches), "batch"))
	}
	return exitOK
}

// verifySink checks the result of a sink of files; mine is false for what is none.
func verifySink(path string) (code int, mine bool) {
	v, mine, err := files.Verify(vfs.OS{}, path)
	if !mine {
		return 0, false
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, render.EscapeKeepLines(sqlerr.Render(err, nil)))
		return exitSQL, true
	}
	for _, p := range v.Problems {
		fmt.Fprintln(os.Stderr, render.EscapeKeepLines(sqlerr.Render(p, nil)))
	}
	if v.Older > 0 {
		fmt.Printf("NOTE: %d older files were not checked: the manifests of their batches are gone\n", v.Older)
	}
	if len(v.Problems) > 0 {
		return exitSQL, true
	}
	fmt.Printf("%s: %s of %s: all of them are as they were written\n", path, sqlerr.CountOf(v.Files, "file"), sqlerr.CountOf(v.Manifests, "batch"))
	return exitOK, true
}

// showCheckpoint prints what is in a checkpoint, oldest first.
func showCheckpoint(w io.Writer, r *checkpoint.Report) {
	fmt.Fprintf(w, "checkpoint  %s\nquery       %s\nrun         %d\n", r.Dir, r.QueryID, r.Generation)
	if r.CreatedBy != "" {
		fmt.Fprintf(w, "created by  %s\n", r.CreatedBy)
	}
	for _, s := range r.Segments {
		fmt.Fprintf(w, "segment     %s  from batch %d, %d records, %d of %d bytes used\n", s.Name, s.FirstBatch, s.Records, s.UsedBytes, s.SizeBytes)
	}
	for _, s := range r.Snapshots {
		state := "intact"
		if s.Err != nil {
			state = s.Err.Error()
		}
		fmt.Fprintf(w, "snapshot    %s  of batch %d, %d bytes, %s\n", s.Name, s.Batch, s.Bytes, state)
	}
	for _, b := range r.Batches {
		fmt.Fprintf(w, "batch       %d", b.Batch)
		if b.Plan != nil {
			fmt.Fprintf(w, "  watermark %s", types.FormatTimestamp(b.Plan.WatermarkMicros))
		}
		if c := b.Commit; c != nil {
			fmt.Fprintf(w, ", rows in %d, out %d, late %d, bad %d", c.RowsIn, c.RowsOut, c.RowsLate, c.RowsBad)
		}
		fmt.Fprintf(w, ", state changes %d bytes", b.StateBytes)
		if b.Plan != nil && b.Plan.Names != nil {
			fmt.Fprintf(w, ", of %s", strings.Join(b.Plan.Names.Sources, ", "))
		}
		fmt.Fprintln(w)
	}
	if r.Pending != nil {
		fmt.Fprintf(w, "planned     %d, not committed: the next start runs it\n", r.Pending.Batch)
	}
}
