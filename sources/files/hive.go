package files

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/bmatcuk/doublestar/v4"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/internal/format/parquet"
	"ssql/sources"
	"ssql/sql/types"
)

// nullFolder is Hive's name for NULL in the name of a folder.
const nullFolder = "__HIVE_DEFAULT_PARTITION__"

// partition is what a folder such as day=2024-01-01 says of the files below it: the value of
// a column, which stands in the path and not in the file.
type partition struct {
	column, value string
	null          bool
}

// isPartition reports whether a folder is called as one of a partition.
func isPartition(folder string) bool { return strings.IndexByte(folder, '=') > 0 }

// partitions returns what the folders of a file say, as far as the user named them.
func (p *pattern) partitions(name fileName) (out []partition) {
	above := filepath.ToSlash(p.given)
	switch {
	case p.glob != "":
		above, _ = doublestar.SplitPattern(above)
	case p.file != "":
		above = path.Dir(above)
	}
	folders := strings.Split(path.Join(above, string(name)), "/")
	for _, folder := range folders[:len(folders)-1] {
		if !isPartition(folder) {
			continue
		}
		key, value, _ := strings.Cut(folder, "=")
		out = append(out, partition{unescaped(key), unescaped(value), value == nullFolder})
	}
	return out
}

// unescaped decodes %XX, as Hive, Spark and DuckDB write what a path could misread.
func unescaped(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// partitionFields returns the columns that the folders of the listed files make, with the
// narrowest of DATE, TIMESTAMP, BIGINT and VARCHAR that holds all values of each.
func (c *config) partitionFields() ([]types.Field, error) {
	entries, err := c.pattern.list(func(string) {})
	if err != nil {
		return nil, err
	}
	var names []string
	kinds := map[string][]types.Kind{}
	for _, e := range entries {
		for _, p := range c.pattern.partitions(e.name) {
			key := strings.ToLower(p.column)
			if _, known := kinds[key]; !known {
				names = append(names, p.column)
				kinds[key] = []types.Kind{types.Date, types.Timestamp, types.BigInt, types.Varchar}
			}
			if !p.null {
				kinds[key] = slices.DeleteFunc(kinds[key], func(k types.Kind) bool { return !c.fits(types.Of(k), p.value) })
			}
		}
	}
	var fields []types.Field
	for _, name := range names {
		k := types.Varchar
		if left := kinds[strings.ToLower(name)]; len(left) < 4 {
			k = left[0]
		}
		fields = append(fields, types.Field{Name: name, Type: types.Of(k), Nullable: true})
	}
	return fields, nil
}

// fits reports whether a value of a folder becomes one of a type.
func (c *config) fits(t types.Type, value string) bool {
	b := column.NewBuilder(&column.Pool{}, types.Field{Name: "x", Type: t}, false)
	b.Start(1)
	f := c.setPartition(b, 0, partition{value: value})
	b.Finish(1).Release()
	return f == nil
}

// setPartition puts the value of a folder into a slot of its column. No text is a text, and
// no value of any other type.
func (c *config) setPartition(b *column.Builder, i int, p partition) *cell.Fault {
	switch {
	case p.null, p.value == "" && b.Type.Kind != types.Varchar:
		b.SetNull(i)
	case b.Type.Kind == types.Varchar:
		b.SetText(i, []byte(strings.ToValidUTF8(p.value, "\uFFFD")))
	default:
		return c.cells.SetText(b, i, []byte(p.value))
	}
	return nil
}

// withPartitions adds the columns of folders to those that were guessed of the content of
// files. A folder counts before a file that has such a column, too.
func (c *config) withPartitions(fields []types.Field) ([]types.Field, error) {
	more, err := c.partitionFields()
	for _, f := range more {
		at := slices.IndexFunc(fields, func(g types.Field) bool { return strings.EqualFold(g.Name, f.Name) })
		if at >= 0 {
			fields[at].Type = f.Type
		} else {
			fields = append(fields, f)
		}
	}
	return fields, err
}

// partitionKey marks, among the keys of METADATA, a column of which a folder has the value.
const partitionKey = "a folder"

// variant is how the files are read whose folders give the same columns.
type variant struct {
	source  *source
	columns *columns
	shape   format.Shape   // nil for Parquet
	table   *parquet.Shape // for Parquet

	mu      sync.Mutex
	readers []*reader // not in use
}

// variantOf returns how a file is read, and what its folders say, by column of the stream.
func (s *source) variantOf(name fileName) (*variant, map[int]partition, error) {
	values := map[int]partition{}
	for _, p := range s.config.pattern.partitions(name) {
		for i, f := range s.context.Fields {
			if strings.EqualFold(f.Name, p.column) && (i >= len(s.context.Metadata) || s.context.Metadata[i] == "") {
				values[i] = p
			}
		}
	}
	key := make([]byte, len(s.context.Fields))
	for i := range values {
		key[i] = 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.variants[string(key)]; v != nil {
		return v, values, nil
	}
	v, err := s.newVariant(values)
	if err == nil {
		s.variants[string(key)] = v
	}
	return v, values, err
}

// newVariant compiles the columns for files whose folders give some of them.
func (s *source) newVariant(values map[int]partition) (*variant, error) {
	o, v := s.context, &variant{source: s}
	if len(values) > 0 {
		keys := make([]string, len(o.Fields))
		copy(keys, o.Metadata)
		for i := range values {
			keys[i] = partitionKey
		}
		o.Metadata = keys
		o.Declared = slices.DeleteFunc(slices.Clone(o.Declared), func(f types.Field) bool {
			for i := range values {
				if o.Fields[i].Name == f.Name {
					return true
				}
			}
			return false
		})
	}
	formats, err := formatsOf(&o)
	if err != nil {
		return nil, err
	}
	var data sources.OpenContext
	v.columns, data = splitColumns(&o)
	v.columns.config, v.columns.formats = s.config, formats
	if s.config.format.shape == nil {
		v.table = &parquet.Shape{Fields: data.Fields, Encode: data.Encode, Settings: s.config.cells}
		return v, nil
	}
	v.shape, err = s.config.format.shape(s.config, &data)
	return v, err
}

// refusedFile is a file whose folder has a value that its column cannot hold: one bad row.
type refusedFile struct{ bad sources.BadRow }

var _ sources.Segment = (*refusedFile)(nil)

func (g *refusedFile) Read(_ context.Context, c *sources.ReadContext, _ func(rec arrow.Record) error) error {
	c.Bad(g.bad)
	return nil
}

// refused checks the values of a file's folders; nil if all is well.
func (s *source) refused(p *pinned) (*refusedFile, error) {
	v, values, err := s.variantOf(p.Name)
	if err != nil {
		return nil, err
	}
	for i := range s.context.Fields {
		value, ok := values[i]
		if !ok {
			continue
		}
		b := v.columns.builder(i)
		b.Start(1)
		fault := s.config.setPartition(b, 0, value)
		b.Finish(1).Release()
		if fault != nil {
			return &refusedFile{sources.BadRow{
				File: s.config.pattern.shown(p.Name), Column: s.context.Fields[i].Name,
				Reason: fmt.Sprintf("the folder of the file says %s=%s: %s; its rows are not read", value.column, value.value, fault.Reason),
			}}, nil
		}
	}
	return nil, nil
}
