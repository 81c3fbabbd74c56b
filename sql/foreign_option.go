package sql

import (
	"sort"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// optionRule is an option of another engine and what becomes of it.
type optionRule struct {
	key, engine string
	to          string            // ssql's key; "": it changes nothing, or is refused
	values      map[string]string // values of other names, lower case; others are kept
	reason      string            // why it changes nothing
	holds       string            // the values that change nothing where others are refused, as in settingRule
	refused     string            // what to write instead
}

// startValues are the names that other engines have for where reading begins.
var startValues = map[string]string{"earliest-offset": "earliest", "latest-offset": "latest"}

// formatValues are the names that other engines have for formats.
var formatValues = map[string]string{
	"debezium-json": "debezium_json", "delimited": "csv", "jsoneachrow": "json", "json_each_row": "json",
	"bytes": "text", "raw": "text", "raw_string": "text", "rawblob": "text", "kafka": "text", "lineasstring": "text", "jsonasstring": "text",
}

// optionRules is the table of options that other engines name differently, sorted by
// key. Keys that are in no row are the connector's to know.
var optionRules = []optionRule{
	{key: "auto-compaction", engine: "Flink", reason: "a batch writes its files whole"},
	{key: "bad_data", engine: "Arroyo", refused: "SET bad_records = 'table' keeps rows that cannot be read, 'fail' stops the query"},
	{key: "bootstrap_servers", engine: "Arroyo", to: "brokers"},
	{key: "compaction.file-size", engine: "Flink", reason: "a batch writes its files whole"},
	{key: "csv.allow-comments", engine: "Flink", refused: "rows that cannot be read, such as comments, are kept in ssql.bad_rows"},
	{key: "csv.field-delimiter", engine: "Flink", to: "delimiter"},
	{key: "csv.ignore-parse-errors", engine: "Flink", reason: "rows that cannot be read are kept in ssql.bad_rows"},
	{key: "csv.null-literal", engine: "Flink", to: "null"},
	{key: "csv.quote-character", engine: "Flink", to: "quote"},
	{key: "data_format", engine: "Proton", to: "format", values: formatValues},
	{key: "dateformat", engine: "DuckDB", to: "date_format"},
	{key: "delim", engine: "DuckDB", to: "delimiter"},
	{key: "event_rate", engine: "Arroyo", to: "rows_per_second"},
	{key: "format", to: "format", values: formatValues},
	{key: "idle_micros", engine: "Arroyo", refused: "write idle_timeout = '30 seconds'"},
	{key: "json.fail-on-missing-field", engine: "Flink", reason: "a missing field is NULL"},
	{key: "json.ignore-parse-errors", engine: "Flink", reason: "rows that cannot be read are kept in ssql.bad_rows"},
	{key: "json.include_schema", engine: "Arroyo", reason: "records hold no schema"},
	{key: "json.timestamp-format.standard", engine: "Flink", reason: "both forms are read"},
	{key: "json.timestamp_format", engine: "Arroyo", to: "epoch_unit", values: map[string]string{"rfc3339": "", "unix_millis": "ms"}, reason: "timestamps with and without T and zone are read"},
	{key: "json.unstructured", engine: "Arroyo", to: "format", values: map[string]string{"true": "text", "false": ""}, reason: "the keys of a record are columns"},
	{key: "kafka_topic", engine: "ksqlDB", to: "topic"},
	{key: "key_format", engine: "ksqlDB", reason: "the key of a record is a METADATA column"},
	{key: "latestfirst", engine: "Spark", holds: "false", reason: "the oldest files come first", refused: "files are read in the order of their times, the oldest first, or with order = 'name' in that of their names"},
	{key: "maxbytespertrigger", engine: "Spark", to: "max_bytes_per_batch"},
	{key: "maxfileage", engine: "Spark", to: "max_file_age"},
	{key: "maxfilespertrigger", engine: "Spark", to: "max_files_per_batch"},
	{key: "nullstr", engine: "DuckDB", to: "null"},
	{key: "parallelism", engine: "Flink", reason: "SET workers says how many cores read"},
	{key: "partition.time-extractor.timestamp-pattern", engine: "Flink", reason: "files are there when their batch is committed"},
	{key: "partitions", engine: "ksqlDB", reason: "streams have no partitions of their own"},
	{key: "primary_key", engine: "RisingWave", reason: "the keys of a result are those of GROUP BY"},
	{key: "print-identifier", engine: "Flink", reason: "rows are shown as a table"},
	{key: "properties.bootstrap.server", engine: "RisingWave", to: "brokers"},
	{key: "properties.bootstrap.servers", engine: "Flink", to: "brokers"},
	{key: "properties.group.id", engine: "Flink", reason: "where reading goes on is in the checkpoint"},
	{key: "replicas", engine: "ksqlDB", reason: "streams have no replicas"},
	{key: "rows-per-second", engine: "Flink", to: "rows_per_second"},
	{key: "rowspersecond", engine: "Spark", to: "rows_per_second"},
	{key: "scan.parallelism", engine: "Flink", reason: "SET workers says how many cores read"},
	{key: "scan.startup.mode", engine: "Flink", to: "start", values: startValues},
	{key: "sep", engine: "Spark", to: "delimiter"},
	{key: "sink.parallelism", engine: "Flink", reason: "SET workers says how many cores read"},
	{key: "sink.partition-commit.delay", engine: "Flink", reason: "files are there when their batch is committed"},
	{key: "sink.partition-commit.policy.kind", engine: "Flink", reason: "files are there when their batch is committed"},
	{key: "sink.partition-commit.success-file.name", engine: "Flink", reason: "files are there when their batch is committed"},
	{key: "sink.partition-commit.trigger", engine: "Flink", reason: "files are there when their batch is committed"},
	{key: "sink.rolling-policy.check-interval", engine: "Flink", reason: "a batch writes its files whole"},
	{key: "sink.rolling-policy.file-size", engine: "Flink", reason: "a batch writes its files whole"},
	{key: "sink.rolling-policy.inactivity-interval", engine: "Flink", reason: "a batch writes its files whole"},
	{key: "sink.rolling-policy.rollover-interval", engine: "Flink", reason: "a batch writes its files whole"},
	{key: "snapshot", engine: "RisingWave", holds: "true", reason: fromFirstRow, refused: startLatest},
	{key: "source.monitor-interval", engine: "Flink", reason: "folders are watched"},
	{key: "source.offset", engine: "Arroyo", to: "start", values: startValues},
	{key: "source.path.regex-pattern", engine: "Flink", refused: "write the pattern into the path, as a glob: path = 'dir/*.json'"},
	{key: "source.regex-pattern", engine: "Arroyo", refused: "write the pattern into the path, as a glob: path = 'dir/*.json'"},
	{key: "standard-error", engine: "Flink", reason: "rows are shown as a table"},
	{key: "startingoffsets", engine: "Spark", to: "start", values: startValues},
	{key: "timestampformat", engine: "DuckDB", to: "timestamp_format"},
	{key: "timestamptz.handling.mode", engine: "RisingWave", reason: "timestamps are read with and without a zone"},
	{key: "value_delimiter", engine: "ksqlDB", to: "delimiter"},
	{key: "value_format", engine: "ksqlDB", to: "format", values: formatValues},
	{key: "watermark_field", engine: "Arroyo", refused: "write WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE among the columns"},
	{key: "without_header", engine: "RisingWave", to: "header", values: map[string]string{"false": "true", "true": "false"}},
}

func findOptionRule(key string) *optionRule {
	key = strings.ToLower(key)
	i := sort.Search(len(optionRules), func(i int) bool { return optionRules[i].key >= key })
	if i < len(optionRules) && optionRules[i].key == key {
		return &optionRules[i]
	}
	return nil
}

// foreignOptions gives the options of a declaration ssql's names and makes watermarks
// of those that name the event time.
func (p *parser) foreignOptions(s *CreateStream) error {
	_, hasConnector := optionText(s.Options, "connector")
	_, topic := optionText(s.Options, "kafka_topic")
	_, format := optionText(s.Options, "value_format")
	if hasConnector < 0 && max(topic, format) >= 0 { // ksqlDB reads nothing else
		at := s.Options[max(topic, format)].Key.Span
		s.Options = append([]Option{{Key: Ident{Name: "connector", Span: at}, Value: "kafka", ValueAt: at}}, s.Options...)
	}
	if err := p.joinPath(s); err != nil {
		return err
	}
	p.withoutHeader(s)
	s.Options = unstructured(s.Options)
	var err error
	if s.Options, err = p.translateOptions(s.Options); err != nil {
		return err
	}
	for _, key := range []string{"timestamp", "event_time_field"} {
		var o *Option
		if s.Options, o = takeOption(s.Options, key); o == nil {
			continue
		}
		// ksqlDB's is about the text of that column, not about those of type TIMESTAMP.
		if _, i := optionText(s.Options, "timestamp_format"); i >= 0 && key == "timestamp" {
			return unsupported(s.Options[i].Key.Span, "option %q (ksqlDB) is not supported", s.Options[i].Key.Name).
				WithHint("declare the column with its format: %s TIMESTAMP FORMAT '%%Y-%%m-%%d %%H:%%M:%%S'", o.Value)
		}
		if err := p.timeOption(s, o); err != nil {
			return err
		}
	}
	return nil
}

// withoutHeader says that the first line is a row where an engine that knows no header
// wrote the options: Flink's csv and ksqlDB's DELIMITED. Ours has a header unless told.
func (p *parser) withoutHeader(s *CreateStream) {
	connector, _ := optionText(s.Options, "connector")
	format, i := optionText(s.Options, "format")
	ours := !strings.EqualFold(connector, "filesystem") || !strings.EqualFold(format, "csv")
	if value, k := optionText(s.Options, "value_format"); strings.EqualFold(value, "delimited") {
		ours, i = false, k
	}
	if _, given := optionText(s.Options, "header"); ours || given >= 0 {
		return
	}
	at := s.Options[i].Key.Span
	s.Options = append(s.Options, Option{Key: Ident{Name: "header", Span: at}, Value: false, ValueAt: at})
	p.noteAlias(aliasRules[aliasCsvHeader], at)
}

// unstructured drops the format beside Arroyo's json.unstructured, whose records are one
// column as they are written: it stands for a format of its own.
func unstructured(options []Option) []Option {
	value, i := optionText(options, "json.unstructured")
	if i < 0 || !strings.EqualFold(value, "true") && options[i].Value != true {
		return options
	}
	options[i].Value = "true"
	options, _ = takeOption(options, "format")
	return options
}

// joinPath makes RisingWave's posix_fs.root and match_pattern one path.
func (p *parser) joinPath(s *CreateStream) error {
	var root, pattern *Option
	if s.Options, root = takeOption(s.Options, "posix_fs.root"); root == nil {
		return nil
	}
	s.Options, pattern = takeOption(s.Options, "match_pattern")
	path, _ := root.Value.(string)
	if pattern != nil {
		text, _ := pattern.Value.(string)
		path = strings.TrimSuffix(path, "/") + "/" + text
	}
	s.Options = append(s.Options, Option{Key: Ident{Name: "path", Span: root.Key.Span}, Value: path, ValueAt: root.ValueAt})
	p.noteAlias(Alias{Engine: "RisingWave", Written: "option posix_fs.root, match_pattern", Canonical: "option path"}, root.Key.Span)
	return nil
}

// timeOption makes a watermark without delay of the option that names the event time:
// ksqlDB's timestamp and Arroyo's event_time_field. A time that is not a TIMESTAMP gets
// a computed column that is called as ksqlDB's, ROWTIME.
func (p *parser) timeOption(s *CreateStream, o *Option) error {
	text, _ := o.Value.(string)
	name := Ident{Name: text, Span: o.ValueAt}
	if len(s.Watermarks) > 0 {
		return syntaxError(o.Key.Span, "the event time is given twice, by option %q and by WATERMARK", o.Key.Name)
	}
	note := aliasRules[aliasTimestampOption]
	if strings.EqualFold(o.Key.Name, "event_time_field") {
		note.Engine, note.Written = "Arroyo", "WITH (event_time_field = 'ts')"
	}
	p.noteAlias(note, o.Key.Span)
	for _, c := range s.Columns {
		if !strings.EqualFold(c.Name.Name, text) || c.Type == nil || c.Type.Kind == types.Timestamp {
			continue
		}
		var e Expr
		column := &ColumnRef{Parts: []Ident{name}, Span: o.ValueAt}
		timestamp := types.Of(types.Timestamp)
		switch c.Type.Kind {
		case types.BigInt:
			e = &Call{Name: Ident{Name: "epoch_ms", Span: o.ValueAt}, Args: []Expr{column}, Span: o.ValueAt}
		case types.Varchar, types.Date:
			e = &Cast{X: column, Type: timestamp, Span: o.ValueAt, TypeAt: o.ValueAt}
		default:
			return sqlerr.At(o.ValueAt, codeType, "column %q cannot be the event time: it is %s", text, c.Type).
				WithHint("declare a column ts TIMESTAMP AS .. and name it")
		}
		name = Ident{Name: "rowtime", Span: o.ValueAt}
		s.Columns = append(s.Columns, ColumnDef{Name: name, Type: &timestamp, Computed: e, Span: o.ValueAt})
		break
	}
	s.Watermarks = append(s.Watermarks, WatermarkDef{Column: name, Span: o.ValueAt})
	return nil
}

// translateOptions gives options of other engines ssql's names and values. Those that
// change nothing are left out and noted; those that mean something that ssql has
// elsewhere are refused with the place.
func (p *parser) translateOptions(given []Option) ([]Option, error) {
	out := given[:0:0]
	for _, o := range given {
		r := findOptionRule(o.Key.Name)
		if r == nil {
			out = append(out, p.translateValue(o))
			continue
		}
		if r.refused != "" && !holdsAnyway(r.holds, o.Value) {
			return nil, unsupported(o.Key.Span, "option %q (%s) is not supported", o.Key.Name, r.engine).WithHint("%s", r.refused)
		}
		if kept := p.applyRule(r, &o); kept {
			out = append(out, o)
		}
	}
	return out, nil
}

// applyRule changes o as a rule says; false if nothing of it is left.
func (p *parser) applyRule(r *optionRule, o *Option) bool {
	written := o.Key.Name
	text, _ := o.Value.(string)
	value, renamed := r.values[strings.ToLower(text)]
	if r.to == "" || renamed && value == "" {
		p.noteAlias(Alias{Engine: r.engine, Written: "option " + types.QuoteText(written), Canonical: "nothing: " + r.reason}, o.Key.Span)
		return false
	}
	if renamed {
		o.Value = value
	} else if r.to == "format" && text != "" {
		o.Value = strings.ToLower(text)
	}
	if r.key != r.to {
		o.Key.Name, o.Key.Quoted = r.to, false
		p.noteAlias(Alias{Engine: r.engine, Written: "option " + types.QuoteText(written), Canonical: "option " + r.to}, o.Key.Span)
	} else if renamed {
		p.noteAlias(Alias{Written: "format " + types.QuoteText(text), Canonical: "format " + types.QuoteText(value)}, o.ValueAt)
	}
	return true
}

// translateValue gives the connector ssql's name and makes a file: URL a path.
func (p *parser) translateValue(o Option) Option {
	text, ok := o.Value.(string)
	switch {
	case !ok:
	case strings.EqualFold(o.Key.Name, "connector"):
		if c, known := connectorNames[strings.ToLower(text)]; known {
			o.Value = c.name
			p.noteAlias(Alias{Engine: c.engine, Written: "connector " + types.QuoteText(text), Canonical: "connector " + types.QuoteText(c.name)}, o.ValueAt)
		}
	case strings.EqualFold(o.Key.Name, "path") && strings.HasPrefix(text, "file:"):
		o.Value = strings.TrimPrefix(strings.TrimPrefix(text, "file:"), "//")
	}
	return o
}

// optionText returns the text of an option and its index, -1 if it is not given.
func optionText(options []Option, key string) (string, int) {
	for i, o := range options {
		if strings.EqualFold(o.Key.Name, key) {
			text, _ := o.Value.(string)
			return text, i
		}
	}
	return "", -1
}

// takeOption removes an option and returns it; nil if it is not given.
func takeOption(options []Option, key string) ([]Option, *Option) {
	_, i := optionText(options, key)
	if i < 0 {
		return options, nil
	}
	o := options[i]
	return append(append(options[:0:0], options[:i]...), options[i+1:]...), &o
}
