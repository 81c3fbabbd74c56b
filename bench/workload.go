package main

import (
	"embed"
	"fmt"
	"strings"
)

// workload is one benchmark. Its statements are three files of the folder
// workloads/NAME, in which {rows}, {from}, {to}, {part}, {data} and {out} are replaced:
//
//	data.sql    run by DuckDB once per part, writes rows {from} to {to} of the input
//	ssql.sql    the script that ssql runs; it makes the table or view result
//	duckdb.sql  DuckDB's best for the same; with {part} in it, it is run once per part
type workload struct {
	name    string
	rows    int // of input
	parts   int // files of each input; a batch each, where ssql.sql says so
	summary string
}

// workloadTable lists the workloads of the reference, in its order, and those that grew out
// of users' questions.
var workloadTable = []workload{
	{"w1", 2_000_000, 20, "NDJSON, filter and project, into Parquet files"},
	{"w2", 2_000_000, 20, "NDJSON, count and sum per minute and device (1,000), append into DuckDB"},
	{"w3", 2_000_000, 20, "the same in update mode"},
	{"w4", 200_000, 4, "count per device (100) and window of 10 minutes that slides by 10 seconds"},
	{"w5", 5_000_000, 10, "count and sum of 4 million groups, integer keys"},
	{"w5s", 5_000_000, 10, "the same, keys of 16 letters"},
	{"w6", 2_000_000, 10, "sessions of 100,000 users, gap 30 seconds"},
	{"w7", 2_000_000, 10, "drop duplicates of 1.8 million keys within the watermark"},
	{"w8", 2_000_000, 20, "join with a table of 100,000 rows, then count per minute and region"},
	{"w9", 2_000_000, 10, "join of two streams, 1 million rows each, within an hour"},
	{"w10", 2_000_000, 20, "W2 from CSV"},
	{"w11", 2_000_000, 20, "W2 from Parquet"},
	{"topn", 2_000_000, 20, "the 10 greatest per minute and device (1,000)"},
	{"distinct", 2_000_000, 20, "distinct users (100,000) per minute"},
	{"backlog", 10_000_000, 10, "W2 with all files in one batch: memory"},
	{"tiny", 500, 500, "W2 in batches of one row: the fixed cost of a batch"},
}

//go:embed workloads
var workloadFiles embed.FS

// statements returns one of the files of a workload.
func (w *workload) statements(file string) (string, error) {
	text, err := workloadFiles.ReadFile("workloads/" + w.name + "/" + file)
	if err != nil {
		return "", fmt.Errorf("reading the statements of %s: %w", w.name, err)
	}
	return string(text), nil
}

func findWorkload(name string) (*workload, error) {
	for i := range workloadTable {
		if workloadTable[i].name == name {
			return &workloadTable[i], nil
		}
	}
	return nil, fmt.Errorf("no workload %q", name)
}

// place is where the files of a run lie, and how much there is of them.
type place struct {
	data, out string
	rows      int
	parts     int
}

// fill replaces the names in braces for a part.
func (p place) fill(text string, part int) string {
	return strings.NewReplacer(
		"{rows}", fmt.Sprint(p.rows),
		"{from}", fmt.Sprint(p.rows*part/p.parts),
		"{to}", fmt.Sprint(p.rows*(part+1)/p.parts),
		"{part}", fmt.Sprintf("%05d", part),
		"{data}", p.data,
		"{out}", p.out,
	).Replace(text)
}
