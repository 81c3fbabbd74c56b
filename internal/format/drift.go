package format

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Drift finds the names in the records of a stream that no column has, and tells of each
// that a later file brings. The decoders of a Shape share one; a nil Drift finds nothing.
//
// A stream whose columns were declared reads what it needs, so the names of the first file
// that a query reads are expected: only what other files have beside them is told. Where
// the columns were inferred every name that the sample did not have is told.
type Drift struct {
	kind     string // what a name is in the format: "key", "field"
	inferred bool
	hint     func(n Name) string

	mu    sync.Mutex
	first string          // the file whose names are expected
	known map[string]bool // names in lower case, as columns compare
	found []found         // since the last Notices
	told  int
}

// Name is a name that no column has, and the type that its first value suggests.
type Name struct {
	Path string // parts joined by dots
	Type string
}

// found is a name in a file.
type found struct {
	file string
	name Name
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
	d := &Drift{kind: kind, inferred: inferred, hint: hint, known: map[string]bool{}}
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

// Expected reports whether the names of a file are those that are expected.
func (d *Drift) Expected(file string) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return file == d.first
}

// Found takes names that a file has and the columns that are read have not.
func (d *Drift) Found(file string, names []Name) {
	if d == nil || len(names) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range names {
		if !d.known[strings.ToLower(n.Path)] && len(d.found) < DriftNames {
			d.found = append(d.found, found{file, n})
		}
	}
}

// Notices returns what to tell the user of the names that were found since the last call.
// It is called when all parts of a batch have been read, so that it does not depend on
// which was read first.
func (d *Drift) Notices() (notices []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.SortStableFunc(d.found, func(a, b found) int {
		if expected := a.file == d.first; expected != (b.file == d.first) {
			return map[bool]int{true: -1, false: 1}[expected]
		}
		return strings.Compare(a.file, b.file)
	})
	for _, f := range d.found {
		key := strings.ToLower(f.name.Path)
		if d.known[key] || len(d.known) >= DriftNames {
			continue
		}
		d.known[key] = true
		if !d.inferred && f.file == d.first || d.told > driftTold {
			continue
		}
		if d.told++; d.told > driftTold {
			notices = append(notices, fmt.Sprintf("file %q has more %ss that are no columns; they are not named", f.file, d.kind))
			continue
		}
		hint := "its name has a NUL, which no statement can write"
		if !strings.ContainsRune(f.name.Path, 0) {
			hint = d.hint(f.name)
		}
		notices = append(notices, fmt.Sprintf("file %q has the %s %q, which is no column and is not read; %s", f.file, d.kind, f.name.Path, hint))
	}
	d.found = d.found[:0]
	return notices
}
