package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan"
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
func (s *Stream) addMetadata(columns []sql.ColumnDef) error {
	for i := range columns {
		c := &columns[i]
		if c.Metadata == nil {
			continue
		}
		key, err := metadataKey(s.Spec, c)
		if err != nil {
			return err
		}
		if s.metadata == nil {
			s.metadata, s.Plan.Hidden = map[string]string{}, map[string]bool{}
		}
		s.metadata[strings.ToLower(c.Name.Name)] = key
		if s.Row.AdHoc {
			s.Plan.Hidden[strings.ToLower(c.Name.Name)] = true
		}
	}
	return nil
}

// addFormats notes how the columns of a stream are written.
func (s *Stream) addFormats(columns []sql.ColumnDef) error {
	for i := range columns {
		c := &columns[i]
		if c.Format == nil {
			continue
		}
		err := error(sqlerr.New("UNSUPPORTED_FEATURE", "connector %q reads no text, so that a column has no format", s.Spec.Name))
		if s.Spec.CheckFormat != nil {
			err = s.Spec.CheckFormat(s.Options, *c.Type, *c.Format)
		}
		if err != nil {
			return PlaceAt(err, c.FormatAt)
		}
		if s.formats == nil {
			s.formats = map[string]string{}
		}
		s.formats[strings.ToLower(c.Name.Name)] = *c.Format
	}
	return nil
}

// DataColumns returns the columns that are neither computed nor METADATA.
func (s *Stream) DataColumns() (fields []types.Field) {
	for _, f := range s.Plan.Stored {
		if s.metadata[strings.ToLower(f.Name)] == "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// openContext returns what the connector of a stream must know to read some columns.
func (s *Stream) openContext(fields []types.Field, encode []bool, notice func(text string)) sources.OpenContext {
	o := sources.OpenContext{Stream: s.Row.Name, Options: s.Options, Fields: fields, Encode: encode, Declared: s.DataColumns(), Inferred: s.inferred, Notice: notice}
	if s.Row.AdHoc {
		o.Stream = ""
	}
	for _, f := range fields {
		o.Metadata = append(o.Metadata, s.metadata[strings.ToLower(f.Name)])
		o.Formats = append(o.Formats, s.formats[strings.ToLower(f.Name)])
	}
	return o
}

// Open opens the source of a stream for one query.
func (s *Stream) Open(fields []types.Field, encode []bool, notice func(text string)) (sources.Source, error) {
	src, err := s.Spec.Open(s.openContext(fields, encode, notice))
	var known *sqlerr.Error
	if errors.As(err, &known) && known.Code == "PATH_NOT_FOUND" && !s.Row.AdHoc {
		moved := *known // the file was there when the stream was made
		return nil, moved.WithHint("%s; if the files were moved: ALTER STREAM %s SET LOCATION 'path'", known.Hint, sql.IdentText(s.Row.Name))
	}
	if err != nil {
		return nil, fmt.Errorf("opening stream %q: %w", s.Row.Name, err)
	}
	return src, nil
}

// Stream is a declared stream, ready to be planned and opened.
type Stream struct {
	Row     *StreamRow
	Spec    *sources.Spec
	Options sources.Values
	Plan    *plan.Stream
	// metadata holds the METADATA columns, by name in lower case, with their keys.
	metadata map[string]string
	// formats holds how columns are written that say so, by name in lower case.
	formats map[string]string
	// inferred says that the columns are those of a sample.
	inferred bool
}

// Declare builds a stream from its row in the catalog.
func (s *Store) Declare(row *StreamRow) (*Stream, error) {
	parsed, err := ParseStored(row.Definition)
	if err != nil {
		return nil, err
	}
	st, ok := parsed.(*sql.CreateStream)
	if !ok {
		return nil, sqlerr.New("E_CATALOG", "it is no CREATE STREAM").WithHint("DROP STREAM %s forgets it", sql.IdentText(row.Name))
	}
	return s.DeclareStatement(row, st)
}

// DeclareStatement builds a stream from its parsed definition.
func (s *Store) DeclareStatement(row *StreamRow, st *sql.CreateStream) (*Stream, error) {
	spec, err := s.sourceConnectorOf(st)
	if err != nil {
		return nil, err
	}
	options, err := connectorOptions(spec.Name, OptionsOfStream(spec), st.Options, row.BaseDir)
	if err != nil {
		return nil, err
	}
	options.Owner = s.folderClaim("spool", "E_SOURCE_ELSEWHERE", "E_SOURCE_CHANGED", "ALTER STREAM "+sql.IdentText(st.Name.Name)+" SET LOCATION 'another_folder'")
	columns, err := ColumnsOf(row, st)
	if err != nil {
		return nil, err
	}
	out := &Stream{Row: row, Spec: spec, Options: options, Plan: &plan.Stream{
		IdleMicros: options.Int(idleTimeout), MaxFutureMicros: options.Int(maxFuture),
	}}
	out.Plan.ID = spec.Name
	if spec.Identity != nil {
		out.Plan.ID = spec.Identity(options)
	}
	if row.Identity != "" {
		out.Plan.ID = row.Identity
	}
	for _, c := range columns {
		out.Plan.Order = append(out.Plan.Order, c.Name.Name)
		if c.Computed != nil {
			out.Plan.Computed = append(out.Plan.Computed, plan.ComputedColumn{Name: c.Name.Name, Type: c.Type, Expr: c.Computed})
			continue
		}
		out.Plan.Stored = append(out.Plan.Stored, types.Field{Name: c.Name.Name, Type: *c.Type, Nullable: !c.NotNull})
	}
	out.inferred = st.Infers()
	if err := out.addMetadata(columns); err != nil {
		return nil, err
	}
	if err := out.addFormats(columns); err != nil {
		return nil, err
	}
	for _, w := range st.Watermarks {
		out.Plan.Watermarks = append(out.Plan.Watermarks, plan.StreamWatermark{
			Column: w.Column.Name, DelayMicros: w.Delay.DelayMicros(), Span: w.Span,
		})
	}
	return out, nil
}

// ColumnsOf returns the columns of a stream: those of the row, which were inferred when it
// was created, before the ones of a definition that declares none of the data.
func ColumnsOf(row *StreamRow, st *sql.CreateStream) ([]sql.ColumnDef, error) {
	if !st.Infers() || row.Columns == "" {
		return st.Columns, nil
	}
	inferred, err := parseColumns(row.Columns)
	return append(inferred, st.Columns...), err
}

// parseColumns reads the list of columns of ssql.streams.
func parseColumns(list string) ([]sql.ColumnDef, error) {
	definition := "CREATE STREAM s (" + list + ") WITH (connector = 'x')"
	parsed, err := ParseStored(definition)
	if err != nil {
		return nil, fmt.Errorf("reading stored columns: %w", err)
	}
	return parsed.(*sql.CreateStream).Columns, nil
}

// ColumnList writes fields as CREATE STREAM declares them.
func ColumnList(fields []types.Field) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = types.QuoteIdent(f.Name) + " " + f.Type.String()
	}
	return strings.Join(parts, ", ")
}
