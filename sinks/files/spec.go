// Package files is the sink into Parquet, CSV or JSON files, exactly once, also for
// readers that know nothing of ssql and look at the folder with a glob.
//
// A batch becomes visible in three steps. Its files are written under names that no
// reader looks for, and synced. Then the manifest of the batch gets its name, which can
// happen once: this is the commit. Then the files get their final names. A crash before
// the commit leaves nothing but files to be swept, one after it is made good by the
// next start, which gives the names that are missing. docs/FORMAT.md draws the bytes.
//
//	out/_ssql/manifest/N     what batch N consists of; the newest is the head
//	out/_ssql/stage/*.tmp    files without their final names
//	out/_ssql/LOCK           held while a batch is written
//	out/k=v/part-N-S.parquet file S of batch N
//
// With single_file the path is the file, and the folder of ssql is PATH.ssql beside it.
//
// What a reader of the folder sees:
//
//   - append and update mode add files. A file is there whole or not at all, and never
//     before its batch is committed. While a batch is published, and between a crash and
//     the next start, some files of the newest batch may be missing.
//   - complete mode gives each file (one, or one per partition) its new content at
//     once. A reader that opens several partitions may see some of them one batch older.
//   - single_file in append and update mode grows by whole batches that are committed. A
//     reader in that moment may find the last batch cut short, as with every log.
//
// The parts:
//
//	spec       options                                    (spec.go)
//	sink       the contract: Open, Head, Write            (sink.go)
//	manifest   its bytes, the newest one, pruning         (manifest.go)
//	stage      a batch as files without names             (stage.go, partition.go)
//	publish    final names, and again after a crash       (publish.go)
//	encoders   columns to CSV, JSON and Parquet           (text.go, lines.go, parquet.go)
//	view       the SQL that reads the files back          (view.go)
package files

import (
	"path/filepath"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/sinks"
	"ssql/sources"
	"ssql/sql/types"
)

// Name is the name of the connector.
const Name = "files"

// Spec returns the connector's row.
func Spec() sinks.Spec {
	return sinks.Spec{
		Name:    Name,
		Summary: "Parquet, CSV or JSON files in a folder, or one file, exactly once",
		Options: options(),
		Place:   place,
		Open:    func(o sinks.OpenContext) (sinks.Sink, error) { return Open(vfs.OS{}, o) },
	}
}

// The formats.
const (
	parquetFormat  = "parquet"
	csvFormat      = "csv"
	jsonFormat     = "json"
	debeziumFormat = "debezium_json"
)

func options() []sources.Option {
	return []sources.Option{
		{Name: "path", Type: sources.StringOption,
			Summary: "the folder of the files; with single_file the file"},
		{Name: "format", Type: sources.StringOption, Default: parquetFormat, Values: []string{parquetFormat, csvFormat, jsonFormat, debeziumFormat},
			Summary: "what the files hold; json is one object per line, debezium_json wraps each in an envelope with before, after and op"},
		{Name: "partition_by", Type: sources.StringOption,
			Summary: "columns, separated by commas, whose values name folders: k=v/"},
		{Name: "single_file", Type: sources.BooleanOption, Default: "false",
			Summary: "one file that grows, or in complete mode is replaced; not Parquet that grows"},
		{Name: "compression", Type: sources.StringOption, Values: []string{"none", "gzip", "snappy", "zstd"},
			Summary: "snappy (the default), zstd or none for Parquet; none (the default), gzip or zstd for text"},
		{Name: "delimiter", Type: sources.StringOption, Default: ",",
			Summary: "what parts the fields of CSV, one ASCII character or \\t"},
		{Name: "header", Type: sources.BooleanOption, Default: "true",
			Summary: "whether a CSV file begins with the names of its columns"},
		{Name: "null_text", Type: sources.StringOption,
			Summary: "what stands for NULL in CSV; the default is nothing, and an empty string is then quoted"},
		{Name: "op_column", Type: sources.StringOption, Default: "op",
			Summary: "in update mode, the column that says whether a row is new (c), is there in place of those of its keys before (u) or is no more (d); column batch has the order"},
	}
}

// config are the checked options of one sink.
type config struct {
	path        string // absolute: the folder, or the file with single
	format      string
	compression string
	partition   []string // names of columns, as written
	single      bool
	delimiter   byte
	header      bool
	nullText    string
	opColumn    string
}

func newConfig(o sources.Values) (*config, error) {
	c := &config{
		path: o.String("path"), format: o.String("format"), compression: o.String("compression"),
		single: o.Bool("single_file"), header: o.Bool("header"), nullText: o.String("null_text"), opColumn: o.String("op_column"),
	}
	if c.path == "" {
		return nil, sqlerr.New("MISSING_OPTION", "connector \"files\" needs the option path").
			WithHint("say where the files go: WITH (connector = 'files', path = 'out')")
	}
	if !filepath.IsAbs(c.path) {
		c.path = filepath.Join(o.BaseDir, c.path)
	}
	c.path = filepath.Clean(c.path)
	for _, name := range strings.Split(o.String("partition_by"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			c.partition = append(c.partition, name)
		}
	}
	if c.single && c.partition != nil {
		return nil, sqlerr.New("INVALID_OPTION", "one file cannot be partitioned by %q", strings.Join(c.partition, ", ")).
			WithHint("leave out partition_by or single_file")
	}
	if err := c.takeDelimiter(o.String("delimiter")); err != nil {
		return nil, err
	}
	return c, c.settleCompression()
}

// takeDelimiter reads the option delimiter.
func (c *config) takeDelimiter(text string) error {
	if text == `\t` {
		text = "\t"
	}
	if len(text) != 1 || text[0] >= 0x80 || strings.Contains("\"\r\n", text) {
		return sqlerr.New("INVALID_OPTION", "expected one ASCII character for option \"delimiter\" that is no quote and no line end, found %q", text)
	}
	c.delimiter = text[0]
	return nil
}

// settleCompression fills in the default of the format and refuses what it cannot have.
func (c *config) settleCompression() error {
	allowed := []string{"none", "gzip", "zstd"}
	if c.format == parquetFormat {
		allowed = []string{"snappy", "zstd", "none"} // snappy as in DuckDB and Spark; zstd costs twice the time
	}
	if c.compression == "" {
		c.compression = allowed[0]
	}
	if !slices.Contains(allowed, c.compression) {
		return sqlerr.New("INVALID_OPTION", "format %q has no compression %q", c.format, c.compression).
			WithHint("it has: %s", strings.Join(allowed, ", "))
	}
	return nil
}

// place returns the folder or the file that a sink writes, absolute.
func place(o sources.Values) (string, error) {
	c, err := newConfig(o)
	if err != nil {
		return "", err
	}
	return c.path, nil
}

// extension is how the names of the files end.
func (c *config) extension() string {
	ext := "." + c.format
	if c.format == debeziumFormat {
		ext = "." + jsonFormat
	}
	switch {
	case c.format == parquetFormat:
	case c.compression == "gzip":
		ext += ".gz"
	case c.compression == "zstd":
		ext += ".zst"
	}
	return ext
}

// dir is the folder that the files lie in, and state the one that ssql keeps to itself.
func (c *config) dir() string {
	if c.single {
		return filepath.Dir(c.path)
	}
	return c.path
}

func (c *config) state() string {
	if c.single {
		return c.path + ".ssql"
	}
	return filepath.Join(c.path, "_ssql")
}

// layout is which columns a sink stores where.
type layout struct {
	stored    []types.Field // columns of the files, in order, without those of changes
	at        []int         // the column of the batch that each is
	partition []int         // columns of the batch that name folders
	names     []string      // names of all columns of a batch
	changes   bool          // update mode: op and batch stand behind the stored columns
}

// newLayout checks the columns of a query against the options.
func newLayout(c *config, o sinks.OpenContext) (*layout, error) {
	l := &layout{changes: o.Mode == types.Update}
	seen := map[string]bool{}
	for i, f := range o.Fields {
		if i < len(o.Columns) && !o.ByName {
			f.Name = o.Columns[i]
		}
		l.names = append(l.names, f.Name)
		if key := strings.ToLower(f.Name); seen[key] {
			return nil, sqlerr.New("COLUMN_ALREADY_EXISTS", "column %q would be twice in the files of query %q", f.Name, o.Query).
				WithHint("give one of them another name with AS")
		} else {
			seen[key] = true
		}
		if indexFold(c.partition, f.Name) < 0 {
			l.stored, l.at = append(l.stored, types.Field{Name: f.Name, Type: f.Type, Nullable: true}), append(l.at, i)
		}
	}
	for _, name := range c.partition {
		i := indexFold(l.names, name)
		if i < 0 {
			return nil, sqlerr.New("UNRESOLVED_COLUMN", "query %q has no column %q that its files could be partitioned by", o.Query, name).
				WithHint("it has: %s", strings.Join(l.names, ", "))
		}
		if o.Fields[i].Type.IsNested() {
			return nil, sqlerr.New("INVALID_OPTION", "column %q is a %s, which cannot name a folder", name, o.Fields[i].Type).
				WithHint("partition by a column of a plain type")
		}
		l.partition = append(l.partition, i)
	}
	return l, l.check(c, o, seen)
}

// check refuses combinations that cannot be.
func (l *layout) check(c *config, o sinks.OpenContext, seen map[string]bool) error {
	switch {
	case len(l.stored) == 0:
		return sqlerr.New("INVALID_OPTION", "all columns of query %q name folders, the files would be empty", o.Query).
			WithHint("leave a column out of partition_by")
	case c.single && c.format == parquetFormat && o.Mode != types.Complete:
		return sqlerr.New("INVALID_OPTION", "a Parquet file cannot grow, as single_file asks for").
			WithHint("use format 'json' or 'csv', leave out single_file, or use output_mode 'complete', which replaces the file")
	case !l.changes || c.format == debeziumFormat:
		return nil
	}
	for _, name := range []string{c.opColumn, batchColumn} {
		if seen[strings.ToLower(name)] {
			return sqlerr.New("E_SINK_SCHEMA", "in update mode the files have a column %q of their own, and query %q has one too", name, o.Query).
				WithHint("give yours another name with AS, or choose the name with the option op_column, or use format 'debezium_json'")
		}
	}
	return nil
}

// batchColumn has, in update mode, the number of the batch that a change came with.
const batchColumn = "batch"

// columns returns the columns of the files as text, for comparing them between runs.
func (l *layout) columns() string {
	parts := make([]string, 0, len(l.stored)+len(l.partition))
	for _, f := range l.stored {
		parts = append(parts, types.QuoteIdent(f.Name)+" "+f.Type.String())
	}
	for _, i := range l.partition {
		parts = append(parts, types.QuoteIdent(l.names[i])+" as folder")
	}
	return strings.Join(parts, ", ")
}

func indexFold(names []string, name string) int {
	return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}
