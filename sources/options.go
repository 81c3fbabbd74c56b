package sources

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// The types of options, as Option.Type names them.
const (
	StringOption   = "string"
	IntegerOption  = "integer"  // a whole number from 0 up
	BooleanOption  = "boolean"  // true, false, on, off, yes, no
	DurationOption = "duration" // '2 seconds', '2s'; int64 microseconds
	BytesOption    = "bytes"    // 1048576, '64MB', '1.5 GiB'; int64
)

// Given is an option as the user wrote it. The spans may be zero.
type Given struct {
	Name, Text      string
	NameAt, ValueAt sqlerr.Span
}

// CheckOptions gives the options of a WITH clause the types that the declarations
// ask for, and fills in the defaults. what names the owner in messages, such as
// `connector "files"`. Names and listed values are compared without case; the last
// of two equal names counts. The errors are UNKNOWN_OPTION, which names the
// nearest option, and INVALID_OPTION.
func CheckOptions(what string, declared []Option, given []Given) (map[string]any, error) {
	set := map[string]any{}
	for i := range declared {
		if o := &declared[i]; o.Default != "" {
			v, expected := o.Parse(o.Default)
			if expected != "" {
				return nil, sqlerr.New(sqlerr.Internal, "default %q of option %q: expected %s", o.Default, o.Name, expected)
			}
			set[o.Name] = v
		}
	}
	for _, g := range given {
		o := findOption(declared, g.Name)
		if o == nil {
			return nil, unknownOption(what, declared, g)
		}
		v, expected := o.Parse(g.Text)
		if expected != "" {
			return nil, sqlerr.At(g.ValueAt, "INVALID_OPTION", "expected %s for option %q, found %q", expected, o.Name, g.Text)
		}
		set[o.Name] = v
	}
	return set, nil
}

func findOption(declared []Option, name string) *Option {
	for i := range declared {
		if strings.EqualFold(declared[i].Name, name) {
			return &declared[i]
		}
	}
	return nil
}

func unknownOption(what string, declared []Option, g Given) error {
	names := make([]string, len(declared))
	for i := range declared {
		names[i] = declared[i].Name
	}
	err := sqlerr.At(g.NameAt, "UNKNOWN_OPTION", "%s has no option %q", what, g.Name)
	if len(names) == 0 {
		return err.WithHint("it has no options")
	}
	return err.WithNearest(g.Name, names, "it has: %s", strings.Join(names, ", "))
}

// Parse gives a text the type of the option. expected says what should have stood
// there instead, "" if all is well.
func (o *Option) Parse(text string) (value any, expected string) {
	switch o.Type {
	case BooleanOption:
		switch strings.ToLower(text) {
		case "true", "on", "yes", "1":
			return true, ""
		case "false", "off", "no", "0":
			return false, ""
		}
		return nil, "true or false"
	case IntegerOption:
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case o.Max > 0 && (err != nil || n < o.Min || n > o.Max):
			return nil, fmt.Sprintf("a whole number from %d to %d", o.Min, o.Max)
		case err != nil || n < o.Min:
			return nil, fmt.Sprintf("a whole number from %d up", o.Min)
		}
		return n, ""
	case DurationOption:
		v, ok := types.ParseInterval(text)
		micros, fixed := v.FixedMicros()
		if !ok || !fixed || micros < 0 {
			return nil, "a duration such as '2 seconds'"
		}
		return micros, ""
	case BytesOption:
		n, ok := parseBytes(text)
		if !ok {
			return nil, "a size such as '16 MB'"
		}
		return n, ""
	}
	if len(o.Values) == 0 {
		return text, ""
	}
	for _, v := range o.Values {
		if strings.EqualFold(v, text) {
			return v, ""
		}
	}
	return nil, orList(o.Values)
}

// byteUnit is the factor of a size with a suffix.
type byteUnit struct {
	suffix string
	factor float64
}

// byteUnits are ordered so that the longest suffix that fits comes first.
var byteUnits = [...]byteUnit{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}, {"b", 1}, {"", 1},
}

// parseBytes reads a size such as 1048576, 16MB or "1.5 GiB".
func parseBytes(text string) (int64, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		digits = strings.TrimSpace(digits)
		n, err := strconv.ParseFloat(digits, 64)
		if err != nil || strings.Trim(digits, "0123456789.") != "" || n*u.factor > math.MaxInt64/2 {
			return 0, false
		}
		return int64(n * u.factor), true
	}
	return 0, false
}

func orList(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(v)
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
