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
	java, ok := types.FormatOfJava(text)
	if ok && java != text && !strings.Contains(text, "%") {
		return nil, err.WithHint("write it as %q", java)
	}
	return nil, err.WithHint("the codes are those of strptime; numbers since 1970 are epoch_s, epoch_ms, epoch_us or epoch_ns")
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
