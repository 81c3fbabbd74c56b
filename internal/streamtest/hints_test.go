package streamtest_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ssql/internal/hinttest"
	"ssql/internal/streamtest"
)

// scriptAdvice is what stands in hints of refused queries and could not be put into them as it is.
var scriptAdvice = []hinttest.Advice{
	{Words: ": CAST\\(\\.\\.\\. AS DOUBLE\\)\\)$", Why: "leaves open which argument"},
	{Words: ": SHOW (FUNCTIONS|STREAMS)|: CREATE STREAM makes", Why: "lists what there is"},
	{Words: ": (WHERE: which version|JOIN t ON|\\.\\.\\. ON a\\.k|a\\.ts >= b\\.ts|stream JOIN versions)", Why: "the form of an AS OF join, with names of its own"},
	{Words: ": EMIT ON WINDOW CLOSE$|: GROUP BY window\\(.*, \\.\\.\\.$", Why: "two edits, each of which the other needs"},
	{Words: ": CREATE STREAM (plain|s): WATERMARK", Why: "in the declaration of a stream below a view"},
	{Words: ": GROUP BY: HAVING", Why: "the keys are left open"},
	{Words: ": WHERE hash", Why: "names a key that the reader has"},
	{Words: ": SELECT \\* FROM t ORDER BY", Why: "of the table that the result goes to"},
}

// TestHints types what the hints of the queries propose that stream scripts see refused.
func TestHints(t *testing.T) {
	paths, err := streamtest.Files("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	typist := &hinttest.Typist{T: t, Advice: scriptAdvice}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte("\nerror: ")) {
			continue
		}
		s, err := streamtest.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		streamtest.Run(context.Background(), s, streamtest.Options{Refused: func(query string, err error, bind func(text string) error) {
			typist.Check(filepath.Base(path), query, err, func(text string) error {
				if strings.HasPrefix(text, "SET ") || strings.HasPrefix(text, "CREATE ") {
					return nil // parsed: scripts have their own words for both
				}
				return bind(text)
			})
		}})
	}
	typist.Done(55)
}
