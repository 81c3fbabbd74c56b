// Package render prints tables: Arrow records in, text out, one file per output
// mode. Nothing here knows where the rows come from.
//
// Values are spelled as DuckDB spells them. A cell may hold anything that a data
// file held, so what could drive a terminal (escape sequences, bidirectional
// marks) is made visible before it is printed.
package render

import (
	"fmt"
	"io"
	"sort"

	"github.com/apache/arrow/go/v17/arrow"
)

// Options say how a table is printed.
type Options struct {
	// RowsMax bounds the rows that the boxed modes show: the first and the last half
	// of it, with a line of dots between. 0 shows all.
	RowsMax int
	// WidthMax is the width of the terminal in columns, which the boxed modes keep
	// to by cutting cells and leaving out middle columns. 0 means no bound.
	WidthMax int
	// Terminal says that the text goes to a terminal, so that also the modes made
	// for programs must not pass control characters through.
	Terminal bool
	// NullText is how the boxed modes spell NULL; "" means NULL.
	NullText string
}

// Writer prints one table. A record is valid during the call only.
type Writer interface {
	Write(rec arrow.Record) error
	// Close prints what has been held back and the footer. It returns how many rows
	// the table has, shown or not.
	Close() (rows int64, err error)
}

// Mode is a way to print a table: a row of the mode table.
type Mode struct {
	Name    string
	Summary string
	New     func(w io.Writer, schema *arrow.Schema, o Options) (Writer, error)
}

// Modes returns every output mode by name.
func Modes() []Mode {
	return []Mode{
		{"box", "a box of lines, without the row of types", newPlainBox},
		{"column", "columns under dashes", newColumn},
		{"csv", "comma separated values with a header, RFC 4180", newCSV},
		{"duckbox", "a box with the types of the columns (the default)", newDuckBox},
		{"json", "one JSON array of objects", newJSON},
		{"jsonlines", "one JSON object per line", newJSONLines},
		{"line", "one line per value, a blank line between rows", newLine},
		{"markdown", "a Markdown table", newMarkdown},
		{"trash", "no output", newTrash},
	}
}

// Find returns the mode of a name; a unique prefix will do.
func Find(name string) (Mode, error) {
	modes := Modes()
	at := sort.Search(len(modes), func(i int) bool { return modes[i].Name >= name })
	if at < len(modes) && name != "" {
		if modes[at].Name == name {
			return modes[at], nil
		}
		unique := at+1 == len(modes) || !hasPrefix(modes[at+1].Name, name)
		if hasPrefix(modes[at].Name, name) && unique {
			return modes[at], nil
		}
	}
	list := ""
	for i, m := range modes {
		if i > 0 {
			list += ", "
		}
		list += m.Name
	}
	return Mode{}, fmt.Errorf("expected an output mode (%s), found %q", list, name)
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

// trash counts rows.
type trash struct{ rows int64 }

func newTrash(io.Writer, *arrow.Schema, Options) (Writer, error) { return &trash{}, nil }

func (t *trash) Write(rec arrow.Record) error { t.rows += rec.NumRows(); return nil }
func (t *trash) Close() (int64, error)        { return t.rows, nil }
