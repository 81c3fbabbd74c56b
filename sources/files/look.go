package files

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql/types"
)

// lookFiles bounds the files of the folder that look names or counts when none fits.
const lookFiles = 10_000

// look says which files there are now and, if none has a row to give, what stands where
// the path points to.
func look(_ string, o sources.Values) (sources.Sight, error) {
	c, err := newConfig(o)
	if err != nil {
		return sources.Sight{}, err
	}
	p := &c.pattern
	if err := p.exists(); err != nil {
		return sources.Sight{Empty: true, Found: "folder \"" + p.root + "\" does not exist", Fix: p.nearestFolder()}, nil
	}
	entries, err := p.list(func(string) {})
	if err != nil {
		return sources.Sight{}, err
	}
	if len(entries) == 0 {
		return p.unmatched(), nil
	}
	size := int64(0)
	for _, e := range entries {
		size += e.size
	}
	s := sources.Sight{Found: fmt.Sprintf("%s of %d bytes at %s, the newest %q", sqlerr.CountOf(len(entries), "file"), size, types.QuoteText(p.given), p.shown(entries[len(entries)-1].name))}
	if size == 0 {
		s = sources.Sight{Empty: true, Found: sqlerr.CountOf(len(entries), "file") + " without a byte at '" + p.given + "'"}
	}
	return s, nil
}

// nearestFolder proposes a folder beside the one that is missing.
func (p *pattern) nearestFolder() string {
	var names []string
	all, _ := os.ReadDir(filepath.Dir(p.root)) // without it there is nothing to propose
	for _, d := range all {
		if d.IsDir() {
			names = append(names, d.Name())
		}
	}
	if near := sqlerr.Nearest(filepath.Base(p.root), names); near != "" {
		return fmt.Sprintf("there is a folder %q beside it", near)
	}
	return ""
}

// unmatched says what is in the folder when no file of it fits.
func (p *pattern) unmatched() sources.Sight {
	var names, hidden, below []string
	err := fs.WalkDir(os.DirFS(p.root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || len(names)+len(hidden)+len(below) >= lookFiles:
			return fs.SkipAll
		case d.IsDir():
		case p.file == "" && p.hidden(name):
			hidden = append(hidden, name)
		case strings.Contains(name, "/"):
			below = append(below, name)
		default:
			names = append(names, name)
		}
		return nil
	})
	s := sources.Sight{Empty: true, Found: fmt.Sprintf("no file fits %s", types.QuoteText(p.given))}
	wanted := p.file
	if p.glob != "" {
		wanted = path.Base(p.glob)
	}
	switch {
	case err != nil || len(names)+len(hidden)+len(below) == 0:
		s.Found += fmt.Sprintf(": folder %q is empty", p.root)
	case len(names) > 0:
		s.Found += fmt.Sprintf(": folder %q has %s", p.root, sample(names))
		s.Fix = p.likelyPath(wanted, names)
	case len(below) > 0:
		s.Found += ": the files are in folders below, such as " + sample(below)
		s.Fix = fmt.Sprintf("path = '%s/**/*%s'", p.folder(), path.Ext(below[0]))
	default:
		s.Found += ": names with . or _ in front and those of unfinished downloads are passed over, here " + sample(hidden)
		s.Fix = "rename the files when they are complete"
	}
	return s
}

// likelyPath proposes a path by the files that there are: the one of a similar name, else
// all of the kind that most have.
func (p *pattern) likelyPath(wanted string, names []string) string {
	if p.file != "" {
		if near := sqlerr.Nearest(wanted, names); near != "" {
			return fmt.Sprintf("path = '%s/%s'", p.folder(), near)
		}
		return ""
	}
	kinds := map[string]int{}
	for _, n := range names {
		kinds[path.Ext(n)]++
	}
	best := path.Ext(names[0])
	for _, n := range names { // by name, so that a tie has one answer
		if kinds[path.Ext(n)] > kinds[best] {
			best = path.Ext(n)
		}
	}
	return fmt.Sprintf("path = '%s/*%s'", p.folder(), best)
}

// folder is the folder as the user would write it.
func (p *pattern) folder() string {
	if p.glob == "" && p.file == "" {
		return strings.TrimSuffix(filepath.ToSlash(p.given), "/")
	}
	return path.Dir(p.shown("x"))
}

// sample names the first files.
func sample(names []string) string {
	slices.Sort(names)
	shown := names[:min(len(names), 3)]
	text := `"` + strings.Join(shown, `", "`) + `"`
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
