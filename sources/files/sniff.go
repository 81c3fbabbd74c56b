package files

import (
	"bytes"
	"context"
	"strings"

	"ssql/internal/format/ndjson"
	"ssql/sources"
)

// sniff tells the format of files whose names do not, and what parts the fields of CSV
// whose first record has no comma.
func sniff(_ context.Context, o sources.Values) (map[string]string, error) {
	c, err := newConfig(o)
	if err != nil {
		return nil, err
	}
	entries, err := c.firstFiles()
	if err != nil {
		return nil, err
	}
	sample, _, err := c.sampleOf(entries[0])
	if err != nil {
		return nil, c.cannotSample(entries[0], err)
	}
	out := map[string]string{}
	name := formatOfName(c.pattern.given)
	if name == "" {
		name = formatOfName(entries[0].name)
	}
	if name == "" {
		name = formatOfContent(sample)
		out["format"] = name
	}
	if name == "csv" && c.dialect.Delimiter != '\t' {
		if d := delimiterOf(sample); d != "" {
			out["delimiter"] = d
		}
	}
	return out, nil
}

// formatOfContent tells the format from the start of a file.
func formatOfContent(sample []byte) string {
	text := bytes.TrimSpace(sample)
	switch {
	case bytes.HasPrefix(text, []byte("PAR1")):
		return "parquet"
	case len(text) == 0 || text[0] == '{' || ndjson.IsArray(text):
		return "json"
	}
	return "csv"
}

// delimiterOf returns what parts the fields of a first record without commas, "" if
// nothing seems to.
func delimiterOf(sample []byte) string {
	first, _, _ := bytes.Cut(sample, []byte("\n"))
	best, most := "", 0
	for _, d := range []string{",", "\t", ";", "|"} {
		n := strings.Count(string(first), d)
		if d == "," && n > 0 {
			return ""
		}
		if n > most {
			best, most = d, n
		}
	}
	return best
}
