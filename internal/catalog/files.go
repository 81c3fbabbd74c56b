package catalog

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sources"
	"ssql/sql"
	"ssql/sql/types"
)

// files returns the stream of a path, or the table that has such an odd name.
func (r *Snapshot) files(name sql.Name) (*plan.Relation, error) {
	st, err := r.adHoc(name[0].Name)
	if err == nil {
		return &plan.Relation{Name: st.Row.Name, Stream: st.Plan}, nil
	}
	// DuckDB takes a name for a path, too: only what is not there can be a table.
	if sqlerr.Code(err) == "PATH_NOT_FOUND" {
		if table, tableErr := r.Table(name); table != nil && tableErr == nil {
			return table, nil
		}
	}
	return nil, PlaceAt(err, name[0].Span)
}

// adHoc returns a stream of the files of a quoted path in FROM, with the columns that a
// sample has. What the files say of themselves (file, line, ...) can be named and is left
// out of *. Only a SELECT has such streams: a query that goes on after a restart needs
// columns that stay as they are, which is CREATE STREAM.
func (r *Snapshot) adHoc(path string) (*Stream, error) {
	st := r.Opened[strings.ToLower(path)]
	if st != nil {
		return st, nil
	}
	row := &StreamRow{Name: path, BaseDir: r.FilesBelow, AdHoc: true}
	options := map[string]string{"connector": "files", "path": path}
	if IsStdin(path) {
		options = map[string]string{"connector": "stdin"}
	}
	create := createWith(path, options)
	st, err := r.Store.DeclareStatement(row, create)
	if err != nil {
		return nil, err
	}
	if st.Spec.Sniff != nil {
		told, err := st.Spec.Sniff(r.Ctx, st.Options)
		if err != nil {
			return nil, err
		}
		maps.Copy(options, told)
		create = createWith(path, options)
		if st, err = r.Store.DeclareStatement(row, create); err != nil {
			return nil, err
		}
	}
	row.Definition = sql.StatementText(create)
	fields, err := r.Store.InferFields(r.Ctx, st, func(string) {}) // bad rows are shown by who reads them
	if err != nil {
		return nil, err
	}
	fields, _ = Nameable(fields) // the reader says which keys it leaves out
	row.Columns = ColumnList(fields) + metadataList(st.Spec, fields)
	if st, err = r.Store.DeclareStatement(row, create); err != nil {
		return nil, err
	}
	r.Opened[strings.ToLower(path)] = st
	return st, nil
}

// metadataList declares the METADATA of a connector, as further columns, unless the data has
// columns of these names.
func metadataList(spec *sources.Spec, fields []types.Field) (list string) {
	for _, m := range spec.Metadata {
		if !slices.ContainsFunc(fields, func(f types.Field) bool { return strings.EqualFold(f.Name, m.Name) }) {
			list += ", " + types.QuoteIdent(m.Name) + " " + m.Type.String() + " METADATA"
		}
	}
	return list
}

// createWith returns the CREATE STREAM of some options.
func createWith(name string, options map[string]string) *sql.CreateStream {
	out := &sql.CreateStream{Name: sql.Ident{Name: name}}
	for _, key := range slices.Sorted(maps.Keys(options)) {
		out.Options = append(out.Options, sql.Option{Key: sql.Ident{Name: key}, Value: options[key]})
	}
	return out
}

// IsPath reports whether a name in FROM can be that of files: the planner gives a quoted
// path as a name.
func (r *Snapshot) IsPath(name sql.Name) bool {
	return r.FilesBelow != "" && len(name) == 1 && name[0].Quoted && (IsStdin(name[0].Name) || strings.ContainsAny(name[0].Name, "./*"))
}

// IsStdin reports whether a path is the standard input.
func IsStdin(path string) bool { return path == "stdin" || path == "/dev/stdin" }

// DuckCannot reports whether a path in FROM is for ssql to read: JSON, of which DuckDB makes
// no stream of columns that other files may have, standard input, which DuckDB could read
// once only, files whose names tell DuckDB nothing, and texts in UTF-16, as Excel saves them.
// Relative paths start at dir.
func DuckCannot(path, dir string) bool {
	if IsStdin(path) {
		return true
	}
	name := strings.ToLower(filepath.Base(path))
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	switch filepath.Ext(name) {
	case ".json", ".jsonl", ".ndjson":
		return true
	case ".csv", ".tsv":
		return isUTF16(path, dir)
	case ".parquet", ".db", ".duckdb":
		return false
	case ".log", ".txt":
		return true
	}
	return strings.ContainsAny(path, "/*") || isThere(path, dir)
}

// isThere reports whether a path names a file.
func isThere(path, dir string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// isUTF16 reports whether the first file of a path begins with the mark of UTF-16.
func isUTF16(path, dir string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	files, err := filepath.Glob(path)
	if err != nil || len(files) == 0 {
		return false
	}
	f, err := os.Open(files[0])
	if err != nil {
		return false
	}
	defer f.Close()
	mark := make([]byte, 2)
	_, err = io.ReadFull(f, mark)
	return err == nil && (string(mark) == "\xff\xfe" || string(mark) == "\xfe\xff")
}
