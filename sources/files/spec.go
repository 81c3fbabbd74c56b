// Package files is the connector that reads the files of a folder or a glob, each
// byte once.
//
// A batch pins files with the bytes it reads of them; that is its Range. What was
// read of each file is the position. The rules:
//
//   - Files are read in the order of their modification times, then of their names.
//     Names with . or _ in front and those of unfinished downloads are passed over,
//     and so is what is not a regular file, with a notice.
//   - A plain file may grow: the lines appended to what was read are new input.
//   - A file is its inode and its bytes, not its name: it may be renamed, copied, packed
//     and linked, and what was read of it is not read again (follow.go). One that is
//     not what was read of it, when that is nowhere, is in doubt: changed_files.
//   - A last line without newline is a row if it is a whole object. If not, and always
//     in CSV and text, where it cannot be told, it waits until the file grows; when the file has
//     not changed for settle_time it is taken as it is.
//   - JSON whose records are values, not lines, may grow, too: a value that is not
//     finished waits (records.go). A file that is one array waits until that is closed.
//   - What is packed, told by its first bytes, and Parquet are read through whole, and do
//     not grow. One that ends too early waits: incomplete_files.
//   - What was read is remembered for max_file_age behind the newest file read, and
//     files older than that are not new any more, as in Spark. The position is as
//     large as the number of such files.
//   - A pinned file that is gone or is not what was pinned stops the query:
//     E_SOURCE_MISSING, E_SOURCE_CHANGED.
//
// The parts:
//
//	pattern   which files there are                   (pattern.go, tree.go)
//	position  what was read of them                   (position.go, identity.go)
//	list      which of them have something new        (list.go, follow.go)
//	pin       which bytes of a file are ready         (pin.go)
//	source    the contract of sources.Source          (source.go, open.go)
//	cut       where records end                       (cut.go, lines.go, records.go)
//	segments  reading the pinned bytes in parallel    (plain.go, whole.go, packed.go, parquet.go)
//	format    what the bytes are                      (format.go)
//	hive      columns of folders such as day=…        (hive.go)
//	metadata  columns of file names, lines and so on  (metadata.go)
package files

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/csv"
	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql/types"
)

// Spec returns the connector's row.
func Spec() sources.Spec {
	return sources.Spec{
		Name:     "files",
		Summary:  "the files of a folder or a glob, and what is appended to them",
		Options:  options(),
		Metadata: metadata(),
		Infer:    infer,
		Sniff:    sniff,
		Check:    check,
		Look:     look,
		Identity: identity,
		Open:     open,

		CheckFormat:  checkFormat,
		CheckColumns: checkColumns,
	}
}

// columnsMax is the default of columns_max.
const columnsMax = 1000

func options() []sources.Option {
	return []sources.Option{
		{Name: "path", Type: sources.StringOption,
			Summary: "a folder, a file, or a glob with *, ?, [a-z], {a,b} and **"},
		{Name: "format", Type: sources.StringOption, Values: formatNames(),
			Summary: "what the files hold; json is objects, one per line or in any other way, see records; text gives each line to the one column. Without it the names of the files tell, else json"},
		{Name: "records", Type: sources.StringOption, Values: []string{recordsAny, recordsLines},
			Summary: "json: lines has one object per line; any has objects over several lines, in arrays, or one behind the other with nothing or the separator 0x1E between them. Without it the start of each file tells"},
		{Name: "columns_max", Type: sources.IntegerOption, Min: 1, Max: math.MaxInt32,
			Summary: "columns, members of STRUCTs included, that a sample may give a stream which declares none; without it the setting of the same name holds"},
		{Name: "max_files_per_batch", Type: sources.IntegerOption, Default: "2000",
			Summary: "files that a batch reads at most; 0 is no limit. The memory of a batch grows with its files"},
		{Name: "max_bytes_per_batch", Type: sources.BytesOption,
			Summary: "bytes that a batch reads at most, but at least one file"},
		{Name: "max_file_age", Type: sources.DurationOption, Default: "7 days",
			Summary: "how much older than the newest file a file may be to count as new; what was read is remembered as long"},
		{Name: "order", Type: sources.StringOption, Default: "mtime", Values: []string{"mtime", "name"},
			Summary: "order in which files are read: by modification time, then name; or by name alone, for files whose times mean nothing, such as those of a checkout. With name every file is remembered and max_file_age does not count"},
		{Name: "settle_time", Type: sources.DurationOption, Default: "2 seconds",
			Summary: "how long an incomplete last line waits for the rest of it"},
		{Name: "changed_files", Type: sources.StringOption, Default: changedFail, Values: []string{changedFail, changedRead, changedSkip},
			Summary: "what to do about a file that is not what was read of it any more, when that is in no other file: fail stops the query, read takes it for a new file, skip leaves what changed unread, with a notice"},
		{Name: "incomplete_files", Type: sources.StringOption, Default: incompleteWait, Values: []string{incompleteRead, incompleteWait},
			Summary: "what to do about a packed file, a JSON array or Parquet that ends too early: wait until it is complete, however old it is; or read what is there, as when its writer has died, the rest being a bad row"},
		{Name: "source_timezone", Type: sources.StringOption, Default: "UTC",
			Summary: "time zone of timestamps that name none"},
		{Name: "epoch_unit", Type: sources.StringOption, Values: []string{"s", "ms", "us", "ns"},
			Summary: "what a number in a TIMESTAMP column counts since 1970"},
		{Name: "timestamp_format", Type: sources.StringOption,
			Summary: "how TIMESTAMP columns are written, in the codes of strptime; FORMAT says it for one column. Without it ISO 8601"},
		{Name: "date_format", Type: sources.StringOption,
			Summary: "the same for DATE columns"},
		{Name: "delimiter", Type: sources.StringOption, Default: ",",
			Summary: "csv: what parts the fields, one ASCII character or \\t"},
		{Name: "header", Type: sources.BooleanOption, Default: "true",
			Summary: "csv: whether the first record of each file names the columns; if not, they come in the order of their declaration"},
		{Name: "quote", Type: sources.StringOption, Default: `"`,
			Summary: "csv: encloses fields that hold delimiters, quotes or line ends; '' is none"},
		{Name: "escape", Type: sources.StringOption,
			Summary: "csv: stands before a quote inside of quotes; without it quotes are doubled"},
		{Name: "null", Type: sources.StringOption,
			Summary: "csv: the text of NULL, in quotes or not; without it the empty field"},
		{Name: quotedNulls, Type: sources.BooleanOption, Default: "true",
			Summary: "csv: whether the text of NULL is NULL in quotes, too; if not, \"\" is the empty text, as ssql and PostgreSQL write it. Files that ssql has written have it false"},
		{Name: "decimal_separator", Type: sources.StringOption, Default: ".", Values: []string{".", ","},
			Summary: "csv: what stands before the fraction of a number"},
		{Name: "quoted_lines_max", Type: sources.IntegerOption, Default: "1000", Min: 1,
			Summary: "csv: how many line ends a quoted field may have; the line of a longer one is a bad row, and reading goes on with the next line"},
		{Name: "line_bytes_max", Type: sources.BytesOption, Default: "16 MiB",
			Summary: "a longer line, or record of csv, is a bad row"},
		{Name: "decompressed_bytes_max", Type: sources.BytesOption, Default: "4 GiB",
			Summary: "what one compressed file may hold"},
		{Name: "decompressed_ratio_max", Type: sources.IntegerOption, Default: "200",
			Summary: "how many times its size a compressed file may hold, beyond the first 64 MiB"},
	}
}

// ShownAs is the key, of no option, by which a connector that keeps its input in a file
// names it as the user knows it.
const ShownAs = "shown as"

// Growing is the key, of no option, by which a connector says that its files may grow until
// it calls Settle, however old they are.
const Growing = "growing"

// config are the checked options.
type config struct {
	pattern    pattern
	format     *formatOf
	byNames    bool        // the names of the files told the format
	dialect    csv.Dialect // of csv
	cells      cell.Settings
	lineMax    int
	filesMax   int64
	bytesMax   int64
	columnsMax int64
	ageNanos   int64
	settle     time.Duration
	unpackMax  int64
	unpackRate int64
	growing    bool          // see Growing
	changed    string        // what changed_files says
	incomplete string        // what incomplete_files says
	records    string        // what records says, "" for the start of each file
	drift      *format.Drift // nil where nothing is read but samples
}

func newConfig(o sources.Values) (*config, error) {
	p, err := newPattern(o.BaseDir, o.String("path"))
	if err != nil {
		return nil, err
	}
	c := &config{
		pattern:    p,
		growing:    o.Bool(Growing),
		changed:    o.String("changed_files"),
		incomplete: o.String("incomplete_files"),
		records:    o.String("records"),
		filesMax:   o.Int("max_files_per_batch"),
		bytesMax:   o.Int("max_bytes_per_batch"),
		columnsMax: cmp.Or(o.Int("columns_max"), columnsMax),
		ageNanos:   o.Int("max_file_age") * 1000,
		settle:     time.Duration(o.Int("settle_time")) * time.Microsecond,
		unpackMax:  o.Int("decompressed_bytes_max"),
		unpackRate: o.Int("decompressed_ratio_max"),
	}
	c.pattern.alias = o.String(ShownAs)
	if c.pattern.byName = o.String("order") == "name"; c.pattern.byName {
		c.ageNanos = math.MaxInt64 / 2
	}
	c.lineMax = int(min(o.Int("line_bytes_max"), format.RecordBytesMax))
	c.cells.EpochUnit = map[string]types.EpochUnit{
		"s": types.EpochSeconds, "ms": types.EpochMillis, "us": types.EpochMicros, "ns": types.EpochNanos,
	}[o.String("epoch_unit")]
	if name := o.String("source_timezone"); name != "" && name != "UTC" {
		if c.cells.Zone, err = time.LoadLocation(name); err != nil {
			return nil, sqlerr.New("INVALID_OPTION", "time zone %q of option \"source_timezone\" does not exist", name).
				WithHint("use a name of the tz database, such as Europe/Paris")
		}
	}
	if err := c.takeFormats(o); err != nil {
		return nil, err
	}
	c.format, c.byNames = formatFor(o, &c.pattern), o.String("format") == ""
	if c.format.fields {
		c.dialect, err = dialect(o)
	}
	if c.records != "" && c.format.name != "json" {
		return nil, sqlerr.New("INVALID_OPTION", "records is an option of format \"json\", and the format is %q", c.format.name).
			WithHint("leave it out, or say format = 'json'")
	}
	return c, err
}

// check refuses what cannot work: an option that contradicts itself, a folder that
// is not there. A glob without a match is fine, files may come.
func check(o sources.Values) error {
	c, err := newConfig(o)
	if err != nil {
		return err
	}
	return c.pattern.exists()
}

// identity is the path alone: it names the data. How the files are read may be said
// later, or be left to their names, without being another source.
func identity(o sources.Values) string {
	return fmt.Sprintf("files path=%q", filepath.ToSlash(filepath.Clean(o.String("path"))))
}

func open(o sources.OpenContext) (sources.Source, error) {
	c, err := newConfig(o.Options)
	if err != nil {
		return nil, err
	}
	if err := c.pattern.exists(); err != nil {
		return nil, err
	}
	return newSource(c, &o, o.Notice, time.Now)
}

// infer guesses the columns from the first files.
func infer(_ context.Context, o sources.Values, notice func(text string)) ([]types.Field, error) {
	c, err := newConfig(o)
	if err != nil {
		return nil, err
	}
	entries, err := c.firstFiles()
	if err != nil {
		return nil, err
	}
	fields, err := c.format.infer(c, entries, notice)
	if err != nil {
		return nil, c.noRows(entries, err)
	}
	if fields, err = c.withPartitions(fields); err != nil {
		return nil, err
	}
	if n := countFields(fields); n > c.columnsMax {
		return nil, sqlerr.New("E_LIMIT", "the sample has %d columns, members of STRUCTs included, more than columns_max = %d", n, c.columnsMax).
			WithHint("raise columns_max: SET columns_max = %d, or the option of CREATE STREAM; or declare the columns that are needed", n)
	}
	return fields, nil
}

// countFields counts columns and their members at any depth.
func countFields(fields []types.Field) int64 {
	n := int64(len(fields))
	for _, f := range fields {
		t := f.Type
		for t.Kind == types.List {
			t = *t.Elem
		}
		n += countFields(t.Fields)
	}
	return n
}

// firstFiles returns the files that a sample is taken of, at least one.
func (c *config) firstFiles() ([]entry, error) {
	if err := c.pattern.exists(); err != nil {
		return nil, err
	}
	entries, err := c.pattern.list(func(string) {})
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, sqlerr.New("PATH_NOT_FOUND", "there is no file to guess the columns from at %q", c.pattern.given).
			WithHint("declare the columns: CREATE STREAM name (column TYPE, ...) WITH (...), or put a file there first")
	}
	first := entries[:min(len(entries), sampleFiles)]
	if can := slices.DeleteFunc(slices.Clone(first), c.isNotRead); len(can) > 0 {
		return can, nil
	}
	return first, nil
}

// isNotRead reports whether a file is packed in a way that is not read.
func (c *config) isNotRead(e entry) bool {
	f, info, err := openRegular(c.pattern.full(e.name))
	if err != nil {
		return false
	}
	defer f.Close()
	_, head, err := headOf(f, info.Size())
	how := compressionOf(head)
	return err == nil && how != nil && how.unpack == nil
}
