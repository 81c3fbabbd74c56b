//go:build real

package files

import (
	"path/filepath"
	"slices"
	"testing"

	"ssql/sources"
	"ssql/sources/sourcetest"
	"ssql/sql/types"
)

// realData is the folder of public data sets, which is not part of the project.
const realData = "../../../shared/data"

// TestRealData counts the rows and bad lines of the NDJSON sets, with all columns as
// inferred and with a few of them: what is bad must not depend on what is asked for.
func TestRealData(t *testing.T) {
	for _, c := range []struct {
		set       string
		rows, bad int
		columns   []string // some of those inferred
	}{
		{"weblog", 9996, 4, []string{"time VARCHAR", "response BIGINT", "bytes VARCHAR"}},
		{"quakes", 1707, 0, []string{"id VARCHAR", `geometry STRUCT("type" VARCHAR, "coordinates" DOUBLE[])`}},
		{"lora", 9600, 0, []string{"deviceName VARCHAR", "adr BOOLEAN", "_date TIMESTAMP", "_timestamp BIGINT"}},
		{"balloons/frames", 2033, 0, []string{"rx_timestamp_ms BIGINT"}},
	} {
		t.Run(c.set, func(t *testing.T) {
			path, err := filepath.Abs(filepath.Join(realData, c.set))
			if err != nil {
				t.Fatal(err)
			}
			set, err := sources.CheckOptions("files", options(), []sources.Given{{Name: "path", Text: path}})
			if err != nil {
				t.Fatal(err)
			}
			values := sources.Values{Set: set}
			fields, err := Spec().Infer(t.Context(), values, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			var some []types.Field
			for _, want := range c.columns {
				i := slices.IndexFunc(fields, func(f types.Field) bool { return f.Name+" "+f.Type.String() == want })
				if i < 0 {
					t.Fatalf("inferred %v\nwant among them %s", fields, want)
				}
				some = append(some, fields[i])
			}
			for _, columns := range [][]types.Field{fields, some, nil} {
				o := sources.OpenContext{Options: values, Fields: columns}
				src, err := open(o)
				if err != nil {
					t.Fatal(err)
				}
				defer src.Close()
				if err := src.Restore(nil); err != nil {
					t.Fatal(err)
				}
				r, err := src.Next(t.Context(), sources.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				rows, bad := sourcetest.Read(t, src, r, 1000)
				if len(rows) != c.rows || len(bad) != c.bad {
					t.Errorf("%d columns: %d rows and %d bad lines, want %d and %d: %v", len(columns), len(rows), len(bad), c.rows, c.bad, bad)
				}
			}
		})
	}
}
