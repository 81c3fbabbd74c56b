package files

import (
	"fmt"
	"path/filepath"
	"strings"

	"ssql/sql/types"
)

// Select returns the SELECT that reads the result back from its files, with the types of
// the query. In update mode it gives the newest rows of every key that is not deleted, which
// is what a table would hold. Before the first file is there it gives no rows: DuckDB refuses a pattern
// that matches nothing. It may be called from any goroutine.
func (s *Sink) Select() string {
	items := make([]string, len(s.o.Fields))
	for i, f := range s.o.Fields {
		as := " AS " + types.QuoteIdent(s.layout.names[i])
		if !s.readable.Load() {
			items[i] = "CAST(NULL AS " + sqlType(f.Type).String() + ")" + as
			continue
		}
		items[i] = s.readBack(i, f.Type) + as
	}
	list := "SELECT " + strings.Join(items, ", ")
	if !s.readable.Load() {
		return list + " WHERE false"
	}
	return list + " FROM " + s.reader() + s.newestOnly()
}

// sqlType is a type as DuckDB can have it in a view.
func sqlType(t types.Type) types.Type {
	if t.Kind == types.Null {
		return types.Of(types.Varchar)
	}
	return t
}

// column is how a column of the query is called in what the reader returns.
func (s *Sink) column(i int) string {
	name := types.QuoteIdent(s.layout.names[i])
	if s.config.format == debeziumFormat && indexFold(s.config.partition, s.layout.names[i]) < 0 {
		return `"after".` + name
	}
	for _, p := range s.layout.partition {
		if p == i && s.o.Fields[i].Type.Kind == types.Varchar {
			null := "/" + string(escapeFolder(nil, s.layout.names[i])) + "=" + nullFolder + "/"
			return fmt.Sprintf("CASE WHEN contains(%s, %s) THEN NULL ELSE %s END", types.QuoteIdent(fileColumn), types.QuoteText(null), name)
		}
	}
	return name
}

// fileColumn is the file that a row is read from: its name tells NULL from a text that is called as
// the folder of NULL.
const fileColumn = "ssql file"

// readBack is the expression that gives a column of the query its type again.
func (s *Sink) readBack(i int, t types.Type) string {
	column := s.column(i)
	held := s.heldType(t)
	switch {
	case indexFold(s.config.partition, s.layout.names[i]) >= 0:
		if held = types.Of(types.Varchar); t.Kind != types.Varchar {
			column = fmt.Sprintf("nullif(%s, '%s')", column, nullFolder)
		}
	case s.config.format == csvFormat && t.IsNested():
		held = textBlobs(t)
		column = fmt.Sprintf("CAST(CAST(%s AS JSON) AS %s)", column, held)
	}
	if s.config.format != parquetFormat || held.Kind == types.Varchar {
		column = fromBase64(column, t, 0)
	}
	if held.Same(sqlType(t)) || t.Kind == types.Blob && held.Kind == types.Varchar {
		return column
	}
	return fmt.Sprintf("CAST(%s AS %s)", column, sqlType(t))
}

// fromBase64 is the expression that decodes the bytes in a value of a type whose BLOBs are
// held as text; depth tells the names of nested parts apart.
func fromBase64(value string, t types.Type, depth int) string {
	if textBlobs(t).Equal(t) {
		return value
	}
	part := fmt.Sprintf("part%d", depth)
	switch t.Kind {
	case types.List:
		return fmt.Sprintf("list_transform(%s, %s -> %s)", value, part, fromBase64(part, *t.Elem, depth+1))
	case types.Map:
		return fmt.Sprintf("map_from_entries(list_transform(map_entries(%s), %s -> {'key': %s, 'value': %s}))", value, part,
			fromBase64(part+".key", *t.Key, depth+1), fromBase64(part+".value", *t.Elem, depth+1))
	case types.Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			name := types.QuoteIdent(f.Name)
			fields[i] = name + " := " + fromBase64("("+value+")."+name, f.Type, depth+1)
		}
		return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN struct_pack(%s) END", value, strings.Join(fields, ", "))
	}
	return "from_base64(" + value + ")"
}

// heldType is the type that the reader is to give a column: text where DuckDB must not
// guess and what CSV and Parquet cannot hold.
func (s *Sink) heldType(t types.Type) types.Type {
	switch {
	case s.config.format == parquetFormat:
		return parquetType(t)
	case s.config.format == csvFormat && t.IsNested():
		return types.Of(types.Varchar)
	}
	return textBlobs(sqlType(t))
}

// textBlobs is a type with text in the place of bytes, which the files hold in base64.
func textBlobs(t types.Type) types.Type {
	return within(t, func(t types.Type) types.Type {
		if t.Kind == types.Blob {
			return types.Of(types.Varchar)
		}
		return t
	})
}

// reader is the table function over the files.
func (s *Sink) reader() string {
	args := []string{types.QuoteText(s.pattern())}
	option := func(name, value string) { args = append(args, name+" = "+value) }
	switch s.config.format {
	case parquetFormat:
		return "read_parquet(" + strings.Join(s.hive(args), ", ") + ")"
	case csvFormat:
		option("auto_detect", "false")
		option("delim", types.QuoteText(string(s.config.delimiter)))
		option("columns", s.columnTypes())
		option("header", fmt.Sprint(s.config.header))
		option("nullstr", types.QuoteText(s.config.nullText))
		option("allow_quoted_nulls", "false")
		option("quote", `'"'`)
		option("escape", `'"'`)
		option("compression", types.QuoteText(s.config.compression))
		return "read_csv(" + strings.Join(s.hive(args), ", ") + ")"
	}
	option("format", "'newline_delimited'")
	option("columns", s.columnTypes())
	option("compression", types.QuoteText(strings.Replace(s.config.compression, "none", "uncompressed", 1)))
	return "read_json(" + strings.Join(s.hive(args), ", ") + ")"
}

// hive adds how the names of folders are read: as text, which the SELECT casts.
func (s *Sink) hive(args []string) []string {
	if len(s.layout.partition) == 0 {
		return append(args, "hive_partitioning = false")
	}
	return append(args, "hive_partitioning = true", "hive_types_autocast = false", "filename = "+types.QuoteText(fileColumn))
}

// columnTypes is the option columns of a reader.
func (s *Sink) columnTypes() string {
	var parts []string
	add := func(name string, t types.Type) {
		parts = append(parts, types.QuoteText(name)+": "+types.QuoteText(t.String()))
	}
	if s.config.format == debeziumFormat {
		fields := make([]types.Field, len(s.layout.stored))
		for j, f := range s.layout.stored {
			fields[j] = types.Field{Name: f.Name, Type: s.heldType(f.Type)}
		}
		add("after", types.StructOf(fields...))
		add("before", types.StructOf(fields...))
		add("op", types.Of(types.Varchar))
		add("source", types.StructOf(types.Field{Name: batchColumn, Type: types.Of(types.BigInt)}))
		return "{" + strings.Join(parts, ", ") + "}"
	}
	for _, f := range s.layout.stored {
		add(f.Name, s.heldType(f.Type))
	}
	if s.layout.changes {
		add(s.config.opColumn, types.Of(types.Varchar))
		add(batchColumn, types.Of(types.BigInt))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// newestOnly leaves the newest of the changes of each key, which may have several rows, and
// leaves out those that say that it has no more.
func (s *Sink) newestOnly() string {
	if !s.layout.changes || s.o.Keys == nil {
		return ""
	}
	batch, op := types.QuoteIdent(batchColumn), types.QuoteIdent(s.config.opColumn)
	if s.config.format == debeziumFormat {
		batch, op = `"source".`+batch, `"op"`
	}
	by := ""
	if len(s.o.Keys) > 0 {
		keys := make([]string, len(s.o.Keys))
		for j, k := range s.o.Keys {
			keys[j] = s.key(k, op)
		}
		by = "PARTITION BY " + strings.Join(keys, ", ") + " "
	}
	return fmt.Sprintf(" QUALIFY rank() OVER (%sORDER BY %s DESC) = 1 AND %s <> '%s'", by, batch, op, deleteOp)
}

// key is a key column of a change, of a row that is no more too.
func (s *Sink) key(i int, op string) string {
	column := s.column(i)
	if before, ok := strings.CutPrefix(column, `"after"`); ok && s.config.format == debeziumFormat {
		return fmt.Sprintf(`CASE WHEN %s = '%s' THEN "before"%s ELSE %s END`, op, deleteOp, before, column)
	}
	return column
}

// pattern is the glob of the published files.
func (s *Sink) pattern() string {
	if s.config.single {
		return escapeGlob(s.config.path)
	}
	parts := []string{escapeGlob(s.config.path)}
	for range s.layout.partition {
		parts = append(parts, "*=*")
	}
	return filepath.Join(append(parts, "part-*"+s.config.extension())...)
}

// escapeGlob makes a path match itself only.
func escapeGlob(path string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(path)
}
