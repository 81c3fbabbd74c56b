package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// placedFiles is a statement for DuckDB whose relative paths start at a folder, as those of
// ssql's own statements do: DuckDB would start them at the working directory.
type placedFiles struct {
	given sql.Node
	text  string // what DuckDB gets
	files []sql.FilePath
	dir   string
	added []int // bytes that each path became longer by
}

// placeFiles makes the relative paths of a statement absolute, unless they start at the
// working directory anyway: what DuckDB stores and says is then what the user wrote.
func placeFiles(node sql.Node, dir string) *placedFiles {
	p := &placedFiles{given: node, text: node.Text, files: sql.FilePaths(node.Text), dir: dir}
	here, err := os.Getwd()
	if len(p.files) == 0 || dir == "" || err == nil && here == dir {
		return p
	}
	var out strings.Builder
	done := 0
	for _, f := range p.files {
		path := f.Path
		if isRelative(path) {
			path = filepath.ToSlash(filepath.Join(dir, path))
		}
		quoted := types.QuoteText(path)
		if path == f.Path {
			quoted = node.Text[f.Span.Start:f.Span.End]
		}
		out.WriteString(node.Text[done:f.Span.Start])
		out.WriteString(quoted)
		p.added = append(p.added, len(quoted)-(f.Span.End-f.Span.Start))
		done = f.Span.End
	}
	out.WriteString(node.Text[done:])
	p.text = out.String()
	return p
}

// isRelative reports whether a path is one of a file that starts at a folder; ":memory:" and
// "https://..." are none.
func isRelative(path string) bool {
	return path != "" && !catalog.IsAbsolute(path) && !strings.Contains(path, ":")
}

// failed gives DuckDB's refusal of the statement its place in what the user wrote. A file
// that is not there is an error of ours.
func (p *placedFiles) failed(err error) error {
	if missing := p.missing(err); missing != nil {
		return missing
	}
	err = duckError(err, sql.Node{Span: sql.Span{Start: p.given.Span.Start, End: p.given.Span.Start + len(p.text)}, Text: p.text})
	var e *sqlerr.Error
	if !errors.As(err, &e) || p.added == nil {
		return err
	}
	e.Span.Start, e.Span.End = p.back(e.Span.Start), p.back(e.Span.End)
	return err
}

// back returns where a place of what DuckDB got stands in what the user wrote.
func (p *placedFiles) back(at int) int {
	shift := 0
	for i, f := range p.files {
		if at-p.given.Span.Start < f.Span.End+shift+p.added[i] {
			break
		}
		shift += p.added[i]
	}
	return at - shift
}

// missing returns the error for a path of the statement that leads nowhere, nil if that was
// not the trouble.
func (p *placedFiles) missing(err error) error {
	if err == nil || !strings.Contains(err.Error(), "No files found") && !strings.Contains(err.Error(), "No such file or directory") {
		return nil
	}
	for _, f := range p.files {
		path := f.Path
		if isRelative(path) {
			path = filepath.Join(p.dir, path)
		}
		path = catalog.FromHome(path)
		if found, e := filepath.Glob(path); e != nil || len(found) > 0 || !strings.Contains(err.Error(), f.Path) {
			continue
		}
		at := sql.Span{Start: p.given.Span.Start + f.Span.Start, End: p.given.Span.Start + f.Span.End}
		if _, e := os.Stat(filepath.Dir(path)); errors.Is(e, fs.ErrNotExist) {
			return sqlerr.At(at, "PATH_NOT_FOUND", "there is no folder %q", filepath.Dir(path)).WithHint("mkdir -p makes it")
		}
		missing := sqlerr.At(at, "PATH_NOT_FOUND", "there is no file %q", f.Path)
		if near := nearestFile(path); near != "" {
			return missing.WithHint("did you mean %s?", types.QuoteText(filepath.ToSlash(filepath.Join(filepath.Dir(f.Path), near))))
		}
		if isRelative(f.Path) {
			return missing.WithHint("the path starts at %q", p.dir)
		}
		return missing
	}
	return nil
}

// nearestFile returns a file of the same folder with a similar name.
func nearestFile(path string) string {
	var names []string
	all, _ := os.ReadDir(filepath.Dir(path)) // without it there is nothing to propose
	for _, d := range all {
		names = append(names, d.Name())
	}
	return sqlerr.Nearest(filepath.Base(path), names)
}
