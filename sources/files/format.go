package files

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/csv"
	"ssql/internal/format/ndjson"
	"ssql/internal/format/text"
	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql/types"
)

// formatOf is what files can hold: a row of formats.
type formatOf struct {
	name string
	// suffixes of the names of such files, in lower case.
	suffixes []string
	// column is what the format calls what becomes one.
	column string
	// fields says that records are fields in a row: they may hold line ends.
	fields bool
	// unsure says that a record which is cut short may look whole.
	unsure bool
	// shape compiles the columns of a query. Nil for Parquet, which has no records.
	shape func(c *config, o *sources.OpenContext) (format.Shape, error)
	// infer guesses the columns of the given files, of which there is at least one.
	infer func(c *config, files []entry, notice func(text string)) ([]types.Field, error)
}

// formats returns the formats by name.
func formats() []formatOf {
	return []formatOf{
		{"csv", []string{".csv", ".tsv"}, "field", true, true, csvShape, inferCSV},
		{"json", []string{".json", ".jsonl", ".ndjson"}, "key", false, false, jsonShape, inferJSON},
		{"parquet", []string{".parquet", ".pq"}, "column", false, false, nil, inferParquet},
		{"text", nil, "line", false, true, textShape, inferText},
	}
}

func formatNames() (names []string) {
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// formatFor returns the format that the options name, or else that of the names of the
// files: of the pattern if it tells, of the first file whose name tells otherwise.
func formatFor(o sources.Values, p *pattern) *formatOf {
	name := o.String("format")
	if name == "" {
		name = formatOfPattern(p.given)
	}
	if name == "" {
		// What cannot be listed is reported by who reads it.
		entries, _ := p.list(func(string) {})
		name = formatOfNames(entries)
	}
	all := formats()
	for i := range all {
		if all[i].name == name {
			return &all[i]
		}
	}
	return formatFor(sources.Values{Set: map[string]any{"format": "json"}}, p)
}

// formatOfPattern returns the format that a path tells, "" if none. A glob tells it by what
// is before its end: x.csv* and x.csv.[0-9] name x.csv and what rotation makes of it, which is
// of one format whichever of them is there.
func formatOfPattern(given string) string {
	name := path.Base(filepath.ToSlash(given))
	for {
		cut := strings.TrimRight(name, "*?.-_")
		for _, pair := range []string{"[]", "{}"} {
			if at := strings.LastIndexByte(cut, pair[0]); at >= 0 && cut[len(cut)-1] == pair[1] {
				cut = cut[:at]
			}
		}
		if cut == name {
			return formatOfName(name)
		}
		name = cut
	}
}

// formatOfNames returns the format that the first name tells of those that tell one.
func formatOfNames(entries []entry) string {
	for _, e := range entries {
		if name := formatOfName(string(e.name)); name != "" {
			return name
		}
	}
	return ""
}

// formatOfName returns the format that the name of a file tells, "" if none. What packing and
// rotation put behind it does not count.
func formatOfName(name string) string {
	name = stemOf(fileName(strings.ToLower(path.Base(name))))
	for _, f := range formats() {
		for _, suffix := range f.suffixes {
			if strings.HasSuffix(name, suffix) {
				return f.name
			}
		}
	}
	return ""
}

func jsonShape(c *config, o *sources.OpenContext) (format.Shape, error) {
	formats, err := formatsOf(o)
	if err != nil {
		return nil, err
	}
	return ndjson.NewShape(ndjson.Options{Fields: o.Fields, AnyCase: o.Inferred, Encode: o.Encode, Formats: formats, Settings: c.cells, LineBytesMax: c.lineMax, Drift: c.drift,
		ValuesWay: c.valuesWay(o.Stream)})
}

// linePlace is where a record of a sample is: which file, and its line there from 1.
type linePlace struct {
	file int
	line int64
}

// outlierText says which values of a sample will be bad rows.
func (c *config) outlierText(o cell.Outlier, file entry, line int64) string {
	place := c.pattern.shown(file.name)
	if line > 0 {
		place = fmt.Sprintf("%s:%d", place, line)
	}
	column, _, _ := strings.Cut(o.Column, ".")
	column = types.QuoteIdent(strings.TrimRight(column, "[]"))
	return fmt.Sprintf("%s is %s in all but %d of %d values of the sample; %s %q will be a bad row (declare %s VARCHAR to keep it)",
		o.Column, o.Type, o.Count, o.Of, place, o.First.Text, column)
}

func inferJSON(c *config, files []entry, notice func(text string)) ([]types.Field, error) {
	var lines [][]byte
	shape, err := jsonShape(c, &sources.OpenContext{})
	if err != nil {
		return nil, err
	}
	var places []linePlace
	file := -1
	err = c.samples(files, shape, func(sample []byte) {
		file++
		if c.isValues(sample) {
			for _, v := range ndjson.Values(sample, sampleLines-len(lines)) {
				lines, places = append(lines, v.Text), append(places, linePlace{file, v.Line})
			}
			return
		}
		for line := int64(1); len(sample) > 0 && len(lines) < sampleLines; line++ {
			end, _ := shape.Ends(sample, 1)
			if end == 0 {
				end = len(sample)
			}
			lines, places = append(lines, sample[:end]), append(places, linePlace{file, line})
			sample = sample[end:]
		}
	})
	if err != nil {
		return nil, err
	}
	fields, outliers, err := ndjson.Infer(lines)
	for _, o := range outliers {
		at := places[o.First.Sample]
		notice(c.outlierText(o, files[at.file], at.line))
	}
	return fields, err
}

func textShape(c *config, o *sources.OpenContext) (format.Shape, error) {
	return text.NewShape(text.Options{Fields: o.Fields, Encode: o.Encode, Settings: c.cells, LineBytesMax: c.lineMax}), nil
}

// lineColumn is what the lines of text are called where the stream names no column.
const lineColumn = "line"

func inferText(*config, []entry, func(string)) ([]types.Field, error) {
	return []types.Field{{Name: lineColumn, Type: types.Of(types.Varchar), Nullable: true}}, nil
}

// checkColumns is sources.Spec.CheckColumns.
func checkColumns(o sources.Values, fields []types.Field) error {
	if o.String("format") != "text" {
		return checkParquet(o, fields)
	}
	if c, err := newConfig(o); err == nil {
		folders, err := c.partitionFields()
		if err != nil {
			return err
		}
		fields = slices.DeleteFunc(slices.Clone(fields), func(f types.Field) bool {
			return slices.ContainsFunc(folders, func(g types.Field) bool { return strings.EqualFold(f.Name, g.Name) })
		})
	}
	if len(fields) == 1 && fields[0].Type.Kind == types.Varchar {
		return nil
	}
	found := fmt.Sprintf("%d columns", len(fields))
	if len(fields) == 1 {
		found = fmt.Sprintf("%q, which is %s", fields[0].Name, fields[0].Type)
	}
	return sqlerr.New("DATATYPE_MISMATCH", "expected one column of VARCHAR or JSON for the lines of format \"text\", found %s", found).
		WithHint("(line VARCHAR, code INTEGER AS regexp_extract(line, ' ([0-9]{3}) ', 1)::INTEGER) takes columns out of the line")
}

// quotedNulls is the option that says whether the text of NULL is that in quotes, too. The name
// is DuckDB's.
const quotedNulls = "allow_quoted_nulls"

// dialect reads the options of csv. A file of tabs needs no delimiter to be named.
func dialect(o sources.Values) (csv.Dialect, error) {
	d := csv.Default()
	d.Header, d.Null, d.QuotedIsText = o.Bool("header"), o.String("null"), !o.Bool(quotedNulls)
	d.QuotedLinesMax = int(min(o.Int("quoted_lines_max"), math.MaxInt32))
	d.RecordBytesMax = int(min(o.Int("line_bytes_max"), format.RecordBytesMax))
	if o.String("decimal_separator") == "," {
		d.Decimal = ','
	}
	delimiter := o.String("delimiter")
	if delimiter == `\t` || delimiter == "," && strings.Contains(strings.ToLower(path.Base(o.String("path"))), ".tsv") {
		delimiter = "\t"
	}
	escape := o.String("escape")
	if escape == "" {
		escape = o.String("quote")
	}
	for _, part := range []struct {
		name, text string
		to         *byte
	}{{"delimiter", delimiter, &d.Delimiter}, {"quote", o.String("quote"), &d.Quote}, {"escape", escape, &d.Escape}} {
		switch {
		case len(part.text) > 1, part.text == "" && part.name == "delimiter":
			return d, sqlerr.New("INVALID_OPTION", "expected one ASCII character for option %q, found %q", part.name, part.text)
		case part.text == "":
			*part.to = 0
		default:
			*part.to = part.text[0]
		}
	}
	_, err := csv.NewShape(csv.Options{Dialect: d})
	return d, err
}

func csvShape(c *config, o *sources.OpenContext) (format.Shape, error) {
	formats, err := formatsOf(o)
	if err != nil {
		return nil, err
	}
	return csv.NewShape(csv.Options{Dialect: c.dialect, Fields: o.Fields, Encode: o.Encode, Formats: formats, Columns: namesOf(o.Declared), Settings: c.cells,
		RecordBytesMax: c.lineMax, Drift: c.drift})
}

func inferCSV(c *config, files []entry, notice func(text string)) ([]types.Field, error) {
	shape, err := csv.NewShape(csv.Options{Dialect: c.dialect})
	if err != nil {
		return nil, err
	}
	var samples [][]byte
	if err := c.samples(files, shape, func(sample []byte) { samples = append(samples, sample) }); err != nil {
		return nil, err
	}
	fields, outliers, err := csv.Infer(c.dialect, samples)
	for _, o := range outliers {
		notice(c.outlierText(o, files[o.First.Sample], o.First.Line))
	}
	return fields, err
}

func namesOf(fields []types.Field) (names []string) {
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// newDrift returns what hears of names that no column has.
func newDrift(kind string, o *sources.OpenContext) *format.Drift {
	declared := o.Declared
	if declared == nil {
		declared = o.Fields
	}
	return format.NewDrift(kind, namesOf(declared), o.Inferred, func(n format.Name) string {
		top, _, inner := strings.Cut(n.Path, ".")
		switch {
		case o.Stream == "":
			return "CREATE STREAM with that column reads it"
		case inner && findField(declared, strings.TrimSuffix(top, "[]")):
			return fmt.Sprintf("the type of column %q can have it", strings.TrimSuffix(top, "[]"))
		}
		return fmt.Sprintf("ALTER STREAM %s ADD COLUMN %s %s reads it from the next start on", types.QuoteIdent(o.Stream), types.QuoteIdent(n.Path), n.Type)
	})
}

func findField(fields []types.Field, name string) bool {
	return slices.ContainsFunc(fields, func(f types.Field) bool { return f.Name == name })
}
