package session

import (
	"fmt"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql"
	"ssql/sql/types"
)

// metadataKey returns which key of its connector a METADATA column is. Keys compare
// without case. The type must be that of the key: nothing converts the column.
func metadataKey(spec *sources.Spec, c *sql.ColumnDef) (string, error) {
	var keys []string
	for _, m := range spec.Metadata {
		keys = append(keys, m.Name)
		if !strings.EqualFold(m.Name, *c.Metadata) && !slices.ContainsFunc(m.Aliases, func(a string) bool { return strings.EqualFold(a, *c.Metadata) }) {
			continue
		}
		if !c.Type.Equal(m.Type) {
			return "", sqlerr.At(c.Span, "DATATYPE_MISMATCH", "column %q is declared %s, but the metadata %q is %s", c.Name.Name, c.Type, m.Name, m.Type).
				WithHint("%s %s METADATA FROM '%s'", c.Name.Name, m.Type, m.Name)
		}
		return m.Name, nil
	}
	err := sqlerr.At(c.Span, "UNKNOWN_METADATA", "connector %q has no metadata %q", spec.Name, *c.Metadata)
	if len(keys) == 0 {
		return "", err.WithHint("it has none")
	}
	return "", err.WithNearest(*c.Metadata, keys, "it has: %s", strings.Join(keys, ", "))
}

// addMetadata notes which columns of a stream are METADATA.
func (s *stream) addMetadata(columns []sql.ColumnDef) error {
	for i := range columns {
		c := &columns[i]
		if c.Metadata == nil {
			continue
		}
		key, err := metadataKey(s.spec, c)
		if err != nil {
			return err
		}
		if s.metadata == nil {
			s.metadata, s.plan.Hidden = map[string]string{}, map[string]bool{}
		}
		s.metadata[strings.ToLower(c.Name.Name)] = key
		if s.row.adHoc {
			s.plan.Hidden[strings.ToLower(c.Name.Name)] = true
		}
	}
	return nil
}

// addFormats notes how the columns of a stream are written.
func (s *stream) addFormats(columns []sql.ColumnDef) error {
	for i := range columns {
		c := &columns[i]
		if c.Format == nil {
			continue
		}
		err := error(sqlerr.New("UNSUPPORTED_FEATURE", "connector %q reads no text, so that a column has no format", s.spec.Name))
		if s.spec.CheckFormat != nil {
			err = s.spec.CheckFormat(s.options, *c.Type, *c.Format)
		}
		if err != nil {
			return placeAt(err, c.FormatAt)
		}
		if s.formats == nil {
			s.formats = map[string]string{}
		}
		s.formats[strings.ToLower(c.Name.Name)] = *c.Format
	}
	return nil
}

// dataColumns returns the columns that are neither computed nor METADATA.
func (s *stream) dataColumns() (fields []types.Field) {
	for _, f := range s.plan.Stored {
		if s.metadata[strings.ToLower(f.Name)] == "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// openContext returns what the connector of a stream must know to read some columns.
func (s *stream) openContext(fields []types.Field, encode []bool, notice func(text string)) sources.OpenContext {
	o := sources.OpenContext{Stream: s.row.name, Options: s.options, Fields: fields, Encode: encode, Declared: s.dataColumns(), Inferred: s.inferred, Notice: notice}
	if s.row.adHoc {
		o.Stream = ""
	}
	for _, f := range fields {
		o.Metadata = append(o.Metadata, s.metadata[strings.ToLower(f.Name)])
		o.JSON = append(o.JSON, s.json[strings.ToLower(f.Name)])
		o.Formats = append(o.Formats, s.formats[strings.ToLower(f.Name)])
	}
	return o
}

// open opens the source of a stream for one query.
func (s *stream) open(fields []types.Field, encode []bool, notice func(text string)) (sources.Source, error) {
	src, err := s.spec.Open(s.openContext(fields, encode, notice))
	if err != nil {
		return nil, fmt.Errorf("opening stream %q: %w", s.row.name, err)
	}
	return src, nil
}
