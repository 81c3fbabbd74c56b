package files

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/arrowtext"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// nullFolder is Hive's name for NULL. It stands for the empty string too: a folder
// needs a name. The first letter of a text that is equal to it is percent-encoded.
const nullFolder = "__HIVE_DEFAULT_PARTITION__"

// folderBytesMax is how long the name of a folder may be; the usual file systems end at
// 255 bytes.
const folderBytesMax = 240

// run is a number of rows of a record that stand together.
type run struct {
	record   int
	from, to int
}

// part is the rows of a batch that go into one file.
type part struct {
	folder string // k=v/k2=v2, "" without partitions
	runs   []run
}

// partitions divides the rows of a batch by the folders they belong into, in the order
// in which the folders come.
func (l *layout) partitions(records []arrow.Record) ([]part, error) {
	if len(l.partition) == 0 {
		all := part{}
		for r, rec := range records {
			if rec.NumRows() > 0 {
				all.runs = append(all.runs, run{r, 0, int(rec.NumRows())})
			}
		}
		return []part{all}, nil
	}
	var parts []part
	at := map[string]int{} // folder to part
	var key []byte
	for r, rec := range records {
		write := l.folderWriters(rec)
		last := -1 // the part of the row before
		for i := range int(rec.NumRows()) {
			key = key[:0]
			for _, w := range write {
				key = w(key, i)
			}
			k, known := at[string(key)]
			if !known {
				if err := checkFolder(string(key)); err != nil {
					return nil, err
				}
				k = len(parts)
				at[string(key)] = k
				parts = append(parts, part{folder: string(key)})
			}
			if runs := parts[k].runs; k == last {
				runs[len(runs)-1].to++
			} else {
				parts[k].runs = append(runs, run{r, i, i + 1})
			}
			last = k
		}
	}
	return parts, nil
}

// checkFolder refuses a column whose name leaves no room for a value.
func checkFolder(folder string) error {
	for _, name := range strings.Split(folder, "/") {
		if len(name) > folderBytesMax {
			return sqlerr.New("E_SINK_SCHEMA", "the name of a column of partition_by is too long to name a folder: %.40s...", name).
				WithHint("give the column a shorter name in the query")
		}
	}
	return nil
}

// digestBytes is how much of a digest stands for the rest of a value.
const digestBytes = 8

// shorten cuts a value, which begins at value in a folder that begins at folder, to what a file
// system takes as a name: its beginning, ~ and a digest of all of it.
func shorten(dst []byte, folder, value int) []byte {
	if len(dst)-folder <= folderBytesMax {
		return dst
	}
	sum := sha256.Sum256(dst[value:])
	end := max(value, folder+folderBytesMax-1-2*digestBytes)
	for end > value && !utf8.RuneStart(dst[end]) {
		end--
	}
	for back := 1; back <= 2; back++ { // not within %XX
		if end-back >= value && dst[end-back] == '%' {
			end -= back
			break
		}
	}
	return fmt.Appendf(dst[:end], "~%x", sum[:digestBytes])
}

// folderWriters returns, for each level, what appends its folder for a row.
func (l *layout) folderWriters(rec arrow.Record) []func(dst []byte, row int) []byte {
	out := make([]func([]byte, int) []byte, len(l.partition))
	for level, column := range l.partition {
		prefix := escapeFolder(nil, l.names[column])
		prefix = append(prefix, '=')
		if level > 0 {
			prefix = append([]byte("/"), prefix...)
		}
		a := rec.Column(column)
		value := folderValue(a)
		out[level] = func(dst []byte, row int) []byte {
			folder := len(dst)
			if level > 0 {
				folder++ // the slash
			}
			dst = append(dst, prefix...)
			return shorten(value(dst, row), folder, folder+len(prefix)-min(level, 1))
		}
	}
	return out
}

// folderValue returns what appends the value of a row as the name of a folder.
func folderValue(a arrow.Array) func(dst []byte, row int) []byte {
	if s, ok := types.StringsOf(a); ok {
		return func(dst []byte, row int) []byte {
			v := s.Value(row)
			switch {
			case arrowtext.IsNull(a, row) || v == "":
				return append(dst, nullFolder...)
			case v == nullFolder, strings.EqualFold(v, "null"): // which DuckDB takes for NULL
				return escapeFolder(fmt.Appendf(dst, "%%%02X", v[0]), v[1:])
			}
			return escapeFolder(dst, v)
		}
	}
	plain := arrowtext.Files.Text(arrow.Field{}, a) // nested values name no folders
	var text []byte
	return func(dst []byte, row int) []byte {
		if arrowtext.IsNull(a, row) {
			return append(dst, nullFolder...)
		}
		text = plain(text[:0], row)
		return escapeFolder(dst, string(text))
	}
}

// escapeFolder appends text with everything percent-encoded that a path, a glob, a shell
// or a URL could take for something else, as DuckDB and Hive decode it. A leading dot
// would hide the folder or be its parent.
func escapeFolder(dst []byte, text string) []byte {
	for i := range len(text) {
		c := text[i]
		switch {
		case i == 0 && c == '.', c < ' ', c == 0x7f, strings.IndexByte(`/\%=?*[]{}:"'#<>|^&+$`, c) >= 0:
			dst = fmt.Appendf(dst, "%%%02X", c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
