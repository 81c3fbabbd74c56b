package session

import (
	"fmt"
	"path/filepath"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// files returns the stream of a path, or the table that has such an odd name.
func (r *relations) files(name sql.Name) (*plan.Relation, error) {
	st, err := r.adHoc(name[0].Name)
	if err == nil {
		return &plan.Relation{Name: st.row.name, Stream: st.plan}, nil
	}
	// DuckDB takes a name for a path, too: only what is not there can be a table.
	if sqlerr.Code(err) == "PATH_NOT_FOUND" {
		if table, tableErr := r.table(name); table != nil && tableErr == nil {
			return table, nil
		}
	}
	return nil, placeAt(err, name[0].Span)
}

// adHoc returns a stream of the files of a quoted path in FROM, with the columns that a
// sample has. Only a SELECT has such streams: a query that goes on after a restart needs
// columns that stay as they are, which is CREATE STREAM.
func (r *relations) adHoc(path string) (*stream, error) {
	st := r.opened[strings.ToLower(path)]
	if st != nil {
		return st, nil
	}
	row := &streamRow{name: path, baseDir: r.filesBelow, adHoc: true,
		definition: fmt.Sprintf("CREATE STREAM %s WITH (connector = 'files', path = '%s')", types.QuoteIdent(path), strings.ReplaceAll(path, "'", "''"))}
	parsed, err := parseStored(row.definition)
	if err != nil {
		return nil, err
	}
	create := parsed.(*sql.CreateStream)
	if st, err = r.session.declareStatement(row, create); err != nil {
		return nil, err
	}
	fields, err := st.spec.Infer(st.options)
	if err != nil {
		return nil, err
	}
	row.columns = columnList(fields)
	if st, err = r.session.declareStatement(row, create); err != nil {
		return nil, err
	}
	r.opened[strings.ToLower(path)] = st
	return st, nil
}

// isPath reports whether a name in FROM can be that of files: the planner gives a quoted
// path as a name.
func (r *relations) isPath(name sql.Name) bool {
	return r.filesBelow != "" && len(name) == 1 && name[0].Quoted && strings.ContainsAny(name[0].Name, "./*")
}

// duckCannot reports whether DuckDB, which has no extension for JSON here, cannot read a
// path in FROM.
func duckCannot(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	switch filepath.Ext(name) {
	case ".json", ".jsonl", ".ndjson":
		return true
	}
	return false
}
