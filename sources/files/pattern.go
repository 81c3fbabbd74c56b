package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/sys/unix"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// pattern says which files belong to a stream. Files are named relative to its
// root, with slashes, so that a project that moves keeps its position.
type pattern struct {
	given string // as the user wrote it
	root  string // folder, absolute
	glob  string // below root; "" means every file directly in root
	file  string // or this one file of root
	alias string // what every file is shown as; "" is its name
	// byName orders files by name alone.
	byName bool
}

// entry is a file that was listed.
type entry struct {
	name  fileName
	id    fileID // without the time of birth
	size  int64
	mtime int64 // nanoseconds since 1970
	// outside says that the pattern does not name it.
	outside bool
}

func newPattern(baseDir, given string) (pattern, error) {
	if given == "" {
		return pattern{}, sqlerr.New("MISSING_OPTION", "option \"path\" of connector \"files\" is missing").
			WithHint("name a folder or a glob: path = 'incoming/*.json'")
	}
	slashed := filepath.ToSlash(given)
	if !doublestar.ValidatePattern(slashed) {
		return pattern{}, sqlerr.New("INVALID_OPTION", "path %q is no glob: a bracket or brace is not closed", given).
			WithHint("put a backslash before a bracket that is part of a name")
	}
	full, err := absolute(baseDir, given)
	if err != nil {
		return pattern{}, err
	}
	info, err := os.Stat(full)
	if err == nil && info.IsDir() {
		return pattern{given: given, root: full}, nil
	}
	// Only what the user wrote is a glob: baseDir may have brackets in its name.
	base, glob := doublestar.SplitPattern(slashed)
	if err != nil && hasMeta(glob) {
		root, err := absolute(baseDir, filepath.FromSlash(base))
		return pattern{given: given, root: root, glob: glob}, err
	}
	// What does not exist and looks like a folder was meant as one.
	if err != nil && (filepath.Ext(full) == "" || strings.HasSuffix(slashed, "/")) {
		return pattern{given: given, root: full}, nil
	}
	return pattern{given: given, root: filepath.Dir(full), file: filepath.Base(full)}, nil
}

// absolute resolves a path relative to a folder.
func absolute(baseDir, name string) (string, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(baseDir, name)
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return "", sqlerr.New("PATH_NOT_FOUND", "path %q cannot be resolved", name).Because(err)
	}
	return full, nil
}

func hasMeta(glob string) bool { return strings.ContainsAny(glob, `*?[{\`) }

// oneFolder reports whether all files are directly in the root.
func (p *pattern) oneFolder() bool {
	return !strings.Contains(p.glob, "/") && !strings.Contains(p.glob, "**")
}

// full returns the path of a listed file.
func (p *pattern) full(name fileName) string {
	return filepath.Join(p.root, filepath.FromSlash(string(name)))
}

// shown returns a file's name as the user would write it. Bytes that are no UTF-8 are
// written as \xE9.
func (p *pattern) shown(name fileName) string {
	prefix := p.given
	switch {
	case p.alias != "":
		return p.alias
	case p.glob != "":
		prefix, _ = doublestar.SplitPattern(filepath.ToSlash(p.given))
	case p.file != "" && string(name) == p.file:
		return printable(p.given)
	case p.file != "":
		prefix = path.Dir(filepath.ToSlash(p.given))
	}
	return printable(path.Join(filepath.ToSlash(prefix), string(name)))
}

// printable writes the bytes of a name that are no UTF-8 as \xE9.
func printable(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var out strings.Builder
	for len(name) > 0 {
		r, size := utf8.DecodeRuneInString(name)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&out, `\x%02X`, name[0])
		} else {
			out.WriteString(name[:size])
		}
		name = name[size:]
	}
	return out.String()
}

// exists refuses a folder that is not there.
func (p *pattern) exists() error {
	info, err := os.Stat(p.root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return sqlerr.New("PATH_NOT_FOUND", "folder %q does not exist", p.root).
			WithHint("make it first: mkdir -p %s, or correct path = %s", sqlerr.ShellWord(p.root), types.QuoteText(p.given))
	case err != nil:
		return sqlerr.New("PATH_NOT_FOUND", "folder %q cannot be read", p.root).Because(err)
	case !info.IsDir():
		return sqlerr.New("PATH_NOT_FOUND", "%q is no folder", p.root).
			WithHint("path = %s names files below it", types.QuoteText(p.given))
	}
	return nil
}

// list returns the regular files by modification time, then by name, or by name
// alone: the order in which they are read.
func (p *pattern) list(notice func(text string)) ([]entry, error) {
	var out []entry
	add := func(name string, d fs.DirEntry) error {
		if p.file == "" && p.hidden(name) || d.IsDir() {
			return nil
		}
		e, err := p.entryOf(fileName(name), d, notice)
		if e != nil {
			out = append(out, *e)
		}
		return err
	}
	err := p.walk(add, notice)
	for attempt := 0; attempt < 3 && p.glob != "" && errors.Is(err, fs.ErrNotExist); attempt++ {
		// A folder went away during the walk.
		out = out[:0]
		err = p.walk(add, notice)
	}
	if err != nil {
		return nil, sqlerr.New("E_SOURCE_MISSING", "files of %q cannot be listed", p.given).Because(err)
	}
	p.sort(out)
	return out, nil
}

// entryOf looks at a listed name; nil if it is no regular file.
func (p *pattern) entryOf(name fileName, d fs.DirEntry, notice func(text string)) (*entry, error) {
	info, err := d.Info()
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = os.Stat(p.full(name))
	}
	switch {
	case errors.Is(err, unix.ELOOP):
		notice(fmt.Sprintf("file %q is passed over: it is a link that leads back to itself", p.shown(name)))
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // gone since it was listed, or a link to nothing
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return &entry{name: name, id: idOf(info), size: info.Size(), mtime: info.ModTime().UnixNano()}, nil
	case !info.IsDir():
		notice(fmt.Sprintf("file %q is passed over: it is a pipe, device or socket, not a regular file", p.shown(name)))
	}
	return nil, nil
}

func (p *pattern) sort(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int {
		if a.mtime != b.mtime && !p.byName {
			return cmp.Compare(a.mtime, b.mtime)
		}
		return cmp.Compare(a.name, b.name)
	})
}

func (p *pattern) walk(add func(name string, d fs.DirEntry) error, notice func(text string)) error {
	switch {
	case p.file != "":
		info, err := os.Lstat(filepath.Join(p.root, p.file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return add(p.file, fs.FileInfoToDirEntry(info))
	case p.glob != "":
		tree := &folderTree{pattern: p, notice: notice, ids: map[inode]string{}}
		return doublestar.GlobWalk(tree, p.glob, add, doublestar.WithFailOnIOErrors())
	}
	return p.walkFolder("", add, notice)
}

// walkFolder walks a folder and, below it, those of partitions.
func (p *pattern) walkFolder(folder string, add func(name string, d fs.DirEntry) error, notice func(text string)) error {
	all, err := os.ReadDir(p.full(fileName(folder)))
	if folder != "" && errors.Is(err, fs.ErrPermission) {
		notice(fmt.Sprintf("folder %q is passed over: this user has no right to read it", p.shown(fileName(folder))))
		return nil
	}
	for _, d := range all {
		name := path.Join(folder, d.Name())
		if d.IsDir() && isPartition(d.Name()) && !p.hidden(name) {
			if err := p.walkFolder(name, add, notice); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := add(name, d); err != nil {
			return err
		}
	}
	return err
}

// temporarySuffixes are those of files that something else is still writing or has
// left behind, sorted.
var temporarySuffixes = [...]string{
	".__COPYING__", "._COPYING_", ".crdownload", ".download", ".filepart", ".inprogress", ".part", ".partial", ".swp", ".temp", ".tmp", "~",
}

// hidden reports whether a name, or a folder on the way to it, is one that Spark,
// Hadoop and download programs use for what is not ready. A glob that spells it out,
// such as "_log/_*.json" or "*.part", means it.
func (p *pattern) hidden(name string) bool {
	parts := strings.Split(name, "/")
	wanted := "*"
	if p.glob != "" {
		wanted = path.Base(p.glob)
	}
	for i, part := range parts {
		if !strings.HasPrefix(part, ".") && !strings.HasPrefix(part, "_") {
			continue
		}
		if i < len(parts)-1 || wanted[0] != part[0] {
			return true
		}
	}
	for _, s := range temporarySuffixes {
		if strings.HasSuffix(name, s) && !strings.HasSuffix(wanted, s) {
			return true
		}
	}
	return false
}
