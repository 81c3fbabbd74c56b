package files

import (
	"bytes"
	"context"
	"path"
	"strings"

	"ssql/internal/format/csv"
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
		name = formatOfName(string(entries[0].name))
	}
	if name == "" {
		name = formatOfContent(string(entries[0].name), sample)
		out["format"] = name
	}
	if name == "csv" && c.dialect.Delimiter != '\t' {
		if d := delimiterOf(sample); d != "" {
			out["delimiter"] = d
		}
	}
	return out, nil
}

// formatOfContent tells the format from the start of a file whose name does not. A log has
// commas that part no fields, and may begin with the bracket of a date.
func formatOfContent(name string, sample []byte) string {
	content := bytes.TrimSpace(sample)
	inside := bytes.TrimLeft(bytes.TrimPrefix(content, []byte("[")), " \t\r\n")
	switch {
	case bytes.HasPrefix(content, []byte("PAR1")):
		return "parquet"
	case len(content) == 0 || content[0] == '{' || ndjson.IsArray(content) && (len(inside) == 0 || inside[0] == '{' || inside[0] == ']'):
		return "json"
	case !isLog(name) && isFields(content):
		return "csv"
	}
	return "text"
}

// isLog reports whether a file is called as those are that programs log to.
func isLog(name string) bool {
	for _, part := range strings.Split(strings.ToLower(path.Base(name)), ".") {
		if part == "log" {
			return true
		}
	}
	return false
}

// fieldRecords is how many records must have as many fields as the first one for a file to
// be CSV.
const fieldRecords = 20

// isFields reports whether the first record of a file has several fields, and most others
// as many: some may be broken.
func isFields(content []byte) bool {
	d := csv.Default()
	if other := delimiterOf(content); other != "" {
		d.Delimiter = other[0]
	}
	first, _, _ := bytes.Cut(content, []byte("\n"))
	delimiters := bytes.Count(first, []byte{d.Delimiter})
	shape, err := csv.NewShape(csv.Options{Dialect: d})
	if delimiters == 0 || err != nil {
		return false
	}
	rest, alike, others := content, 0, 0
	for alike+others < fieldRecords && len(rest) > 0 {
		end, records := shape.Ends(rest, 1)
		if records == 0 {
			end = len(rest)
		}
		record := bytes.TrimRight(rest[:end], "\r\n")
		if shape.Complete(content, record) || bytes.Count(record, []byte{d.Delimiter}) == delimiters {
			alike++
		} else if len(record) > 0 {
			others++
		}
		rest = rest[end:]
	}
	return others < alike
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
