package files

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ssql/internal/format/csv"
	"ssql/sources"
)

// sniff tells the format of files whose names do not, and of CSV what parts the fields and
// whether there is a header, where no option says so.
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
	name := o.String("format")
	if name == "" {
		name = formatOfPattern(c.pattern.given)
	}
	if name == "" {
		name = formatOfNames(entries)
	}
	if name == "" {
		name = formatOfContent(string(entries[0].name), sample)
		out["format"] = name
	}
	if name == "csv" {
		c.sniffCSV(sample, out)
		if c.isOurs() && !c.dialect.QuotedIsText {
			out[quotedNulls] = "false"
		}
	}
	return out, nil
}

// isOurs reports whether a sink of ssql writes the files: its manifests are in the folder or
// beside the file.
func (c *config) isOurs() bool {
	manifests := filepath.Join(c.pattern.root, "_ssql", "manifest")
	if c.pattern.file != "" {
		manifests = filepath.Join(c.pattern.root, c.pattern.file+".ssql", "manifest")
	}
	info, err := os.Stat(manifests)
	return err == nil && info.IsDir()
}

// formatOfContent tells the format from the start of a file whose name does not. A log has
// commas that part no fields, and may begin with the bracket of a date.
func formatOfContent(name string, sample []byte) string {
	content := bytes.TrimSpace(sample)
	inside := bytes.TrimLeft(bytes.TrimPrefix(content, []byte("[")), " \t\r\n")
	switch {
	case bytes.HasPrefix(content, []byte("PAR1")):
		return "parquet"
	case len(content) == 0 || content[0] == '{' || content[0] == 0x1E || content[0] == '[' && (len(inside) == 0 || inside[0] == '{' || inside[0] == ']'):
		return "json"
	case !isLog(name) && csv.Delimiter(append(content[:len(content):len(content)], '\n')) != 0:
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

// sniffCSV adds what the start of a CSV file tells of its options.
func (c *config) sniffCSV(sample []byte, out map[string]string) {
	d := c.dialect
	if d.Delimiter == 0 {
		d = csv.Default() // the format was not known
	}
	if found := csv.Delimiter(sample); found != 0 && found != d.Delimiter && d.Delimiter == csv.Default().Delimiter {
		d.Delimiter = found
		out["delimiter"] = strings.ReplaceAll(string(rune(found)), "\t", `\t`)
	}
	if !d.HasHeader(sample) {
		out["header"] = "false"
	}
}
