package format

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Drift finds the names in the records of a stream that no column has, and tells of each
// that a later file brings. The decoders of a Shape share one; a nil Drift finds nothing.
//
// A stream whose columns were declared reads what it needs, so the names of the first file
// that a query reads are expected: only what other files have beside them is told. Where
// the columns were inferred every name that the sample did not have is told, and always one
// that differs from a column by its case alone.
type Drift struct {
	kind     string // what a name is in the format: "key", "field"
	inferred bool
	hint     func(n Name) string

	mu    sync.Mutex
	first string          // the file whose names are expected
	fits  bool            // whether it has a column, or is known to have none
	known map[string]bool // names in lower case, as columns compare
	found []found         // since the last Notices, each name once
	at    map[string]int  // indexes of found, by name in lower case
	finds int             // numbers found
	batch int             // how often Notices was called
	told  int
}

// Name is a name that no column has, and the type that its first value suggests.
type Name struct {
	Path   string // parts joined by dots
	Type   string
	Column string // the column that is the same but for its case; "" for none
}

// key is what names are compared by: as columns are, but where only the case differs that
// is what is told.
func (n Name) key() string {
	if n.Column != "" {
		return "=" + n.Path
	}
	return strings.ToLower(n.Path)
}

// found is a name in a file.
type found struct {
	file   string
	name   Name
	number int // what was found before has a lower one
}

const (
	// driftTold is how many names are told: keys that are data, such as those of users,
	// have no end.
	driftTold = 10
	// DriftNames is how many names are kept.
	DriftNames = 1000
)

// NewDrift returns a Drift of a stream with columns. hint says how a name becomes one.
func NewDrift(kind string, columns []string, inferred bool, hint func(n Name) string) *Drift {
	d := &Drift{kind: kind, inferred: inferred, hint: hint, fits: len(columns) == 0, known: map[string]bool{}, at: map[string]int{}}
	for _, name := range columns {
		d.known[strings.ToLower(name)] = true
	}
	return d
}

// Expect says that the names of a file are expected, unless another file came before.
func (d *Drift) Expect(file string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.first == "" {
		d.first = file
	}
}

// Fits says that a file has one of the columns that are read.
func (d *Drift) Fits(file string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fits = d.fits || file == d.first
}

// Untold reports whether names may still be found anew that a decoder has met before: those
// of the file that is expected, and, until the Notices of a batch, those of each of its files,
// so that the notice does not name the file that a worker happened to read first.
func (d *Drift) Untold(file string, batch int) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return file == d.first || batch == d.batch
}

// Found takes names that a file has and the columns that are read have not, and returns a
// number of the batch, for Untold.
func (d *Drift) Found(file string, names []Name) (batch int) {
	if d == nil {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range names {
		key := n.key()
		if d.known[key] {
			d.fits = d.fits || file == d.first
			continue
		}
		at, again := d.at[key]
		d.finds++
		switch {
		case again && d.before(file, d.found[at].file):
			d.found[at] = found{file, n, d.finds}
		case !again && len(d.found) < DriftNames:
			d.at[key] = len(d.found)
			d.found = append(d.found, found{file, n, d.finds})
		}
	}
	return d.batch
}

// before reports whether the names of file a are told rather than those of b.
func (d *Drift) before(a, b string) bool {
	if expected := a == d.first; expected != (b == d.first) {
		return expected
	}
	return a < b
}

// Notices returns what to tell the user of the names that were found since the last call.
// It is called when all parts of a batch have been read, so that it does not depend on
// which was read first.
func (d *Drift) Notices() (notices []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.SortFunc(d.found, func(a, b found) int {
		switch {
		case d.before(a.file, b.file):
			return -1
		case d.before(b.file, a.file):
			return 1
		}
		return cmp.Compare(a.number, b.number)
	})
	if text := d.misfit(); text != "" {
		notices = append(notices, text)
	}
	for _, f := range d.found {
		key := f.name.key()
		if d.known[key] || len(d.known) >= DriftNames {
			continue
		}
		d.known[key] = true
		if f.name.Column == "" && !d.inferred && f.file == d.first || d.told > driftTold {
			continue
		}
		if d.told++; d.told > driftTold {
			notices = append(notices, fmt.Sprintf("file %q has more %ss that are no columns; they are not named", f.file, d.kind))
			continue
		}
		if f.name.Column != "" {
			notices = append(notices, fmt.Sprintf("file %q has the %s %q, which is not column %q, as JSON keys are matched exactly; it is not read", f.file, d.kind, f.name.Path, f.name.Column))
			continue
		}
		notices = append(notices, fmt.Sprintf("file %q has the %s %q, which is no column and is not read; %s", f.file, d.kind, f.name.Path, d.remedy(f.name)))
	}
	d.found = d.found[:0]
	clear(d.at)
	d.batch++
	return notices
}

// remedy says how the values of a name that is no column are read.
func (d *Drift) remedy(name Name) string {
	switch {
	case !utf8.ValidString(name.Path):
		return "its name is not UTF-8, as every statement is"
	case strings.ContainsRune(name.Path, 0):
		return "its name has a NUL, which no statement can write"
	}
	return d.hint(name)
}

// misfitNames is how many names are told of a file that has none of the columns.
const misfitNames = 5

// misfit returns what to tell of the first file if it has names, and none is that of a column:
// all of its rows are NULL. It does so once.
func (d *Drift) misfit() string {
	var names []string
	for _, f := range d.found {
		if d.fits = d.fits || f.name.Column != ""; f.file == d.first {
			names = append(names, strconv.Quote(f.name.Path))
		}
	}
	if d.fits || len(names) == 0 {
		return ""
	}
	d.fits = true
	more := ""
	if len(names) > misfitNames {
		names, more = names[:misfitNames], " and others"
	}
	return fmt.Sprintf("file %q has none of the columns of the stream, so that they are NULL in its rows; its %ss are %s%s", d.first, d.kind, strings.Join(names, ", "), more)
}
