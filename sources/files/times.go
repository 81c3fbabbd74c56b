package files

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql/types"
)

// takeFormats compiles the options that say how times are written.
func (c *config) takeFormats(o sources.Values) (err error) {
	for _, part := range []struct {
		option string
		to     **types.TimeFormat
	}{{"timestamp_format", &c.cells.Timestamps}, {"date_format", &c.cells.Dates}} {
		text := o.String(part.option)
		if text == "" {
			continue
		}
		if *part.to, err = timeFormat("option \""+part.option+"\"", text); err != nil {
			return err
		}
	}
	return nil
}

// timeFormat compiles a format; what names it in messages.
func timeFormat(what, text string) (*types.TimeFormat, error) {
	f, bad := types.ParseColumnFormat(text)
	if bad == "" {
		return f, nil
	}
	err := sqlerr.New("INVALID_OPTION", "expected a time format for %s, with codes such as %%Y, %%m, %%d, %%H, %%M, %%S, found %q", what, bad)
	if java := fromJava(text); java != "" {
		return nil, err.WithHint("write it as %q", java)
	}
	return nil, err.WithHint("the codes are those of strptime; numbers since 1970 are epoch_s, epoch_ms, epoch_us or epoch_ns")
}

// javaLetters are the letters of Java's formats, which Spark, Flink and ksqlDB use, longest
// first.
var javaLetters = []struct{ letters, code string }{
	{"yyyy", "%Y"}, {"MMMM", "%B"}, {"EEEE", "%A"}, {"SSSSSS", "%f"}, {"MMM", "%b"}, {"EEE", "%a"}, {"SSS", "%g"}, {"XXX", "%z"},
	{"yy", "%y"}, {"MM", "%m"}, {"dd", "%d"}, {"HH", "%H"}, {"hh", "%I"}, {"mm", "%M"}, {"ss", "%S"}, {"a", "%p"}, {"Z", "%z"}, {"X", "%z"}, {"z", "%Z"},
}

// fromJava returns a format of Java with the codes of strptime; "" if it is none.
func fromJava(text string) string {
	if strings.Contains(text, "%") {
		return ""
	}
	out, rest := "", text
letters:
	for rest != "" {
		for _, l := range javaLetters {
			if after, ok := strings.CutPrefix(rest, l.letters); ok {
				out, rest = out+l.code, after
				continue letters
			}
		}
		switch c := rest[0]; {
		case c == '\'': // encloses text
		case c|0x20 >= 'a' && c|0x20 <= 'z' && c != 'T':
			return ""
		default:
			out += rest[:1]
		}
		rest = rest[1:]
	}
	if !strings.Contains(out, "%") {
		return ""
	}
	return out
}

// checkFormat is sources.Spec.CheckFormat.
func checkFormat(o sources.Values, t types.Type, text string) error {
	if !holdsTime(t) {
		return sqlerr.New("DATATYPE_MISMATCH", "a format is for TIMESTAMP and DATE, and the column is %s", t)
	}
	if p, err := newPattern(o.BaseDir, o.String("path")); err == nil && formatFor(o, &p).name == "parquet" {
		return sqlerr.New("INVALID_OPTION", "values of Parquet have types and no format").
			WithHint("option epoch_unit says what integers count; declare text VARCHAR and convert it in a computed column")
	}
	_, err := timeFormat("the column", text)
	return err
}

// holdsTime reports whether a type or a part of it is a TIMESTAMP or DATE.
func holdsTime(t types.Type) bool {
	switch t.Kind {
	case types.Timestamp, types.Date:
		return true
	case types.List:
		return holdsTime(*t.Elem)
	case types.Map:
		return holdsTime(*t.Key) || holdsTime(*t.Elem)
	}
	for _, f := range t.Fields {
		if holdsTime(f.Type) {
			return true
		}
	}
	return false
}

// formatsOf compiles the formats of the columns, which were checked.
func formatsOf(o *sources.OpenContext) ([]*types.TimeFormat, error) {
	out := make([]*types.TimeFormat, len(o.Formats))
	for i, text := range o.Formats {
		if text == "" {
			continue
		}
		var err error
		if out[i], err = timeFormat("the column", text); err != nil {
			return nil, err
		}
	}
	return out, nil
}
