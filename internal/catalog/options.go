package catalog

import (
	"slices"
	"sort"
	"strings"

	"ssql/internal/settings"
	"ssql/sql"
)

// WithOptions returns options with others added or in place of those of the same name.
func WithOptions(options, more []sql.Option) []sql.Option {
	out := append([]sql.Option(nil), options...)
	for _, o := range more {
		at := -1
		for i := range out {
			if strings.EqualFold(out[i].Key.Name, o.Key.Name) {
				at = i
			}
		}
		if at < 0 {
			out = append(out, o)
			continue
		}
		out[at] = o
	}
	return out
}

// HasOption reports whether options have one of a name, compared without case.
func HasOption(options []sql.Option, name string) bool {
	return slices.ContainsFunc(options, func(o sql.Option) bool { return strings.EqualFold(o.Key.Name, name) })
}

// IndexOf returns where a name is, compared without case, -1 if it is not there.
func IndexOf(names []string, name string) int {
	for i, n := range names {
		if strings.EqualFold(n, name) {
			return i
		}
	}
	return -1
}

// OptionsOf returns settings as the options of a WITH clause, sorted by name.
func OptionsOf(v settings.Values) []sql.Option {
	var out []sql.Option
	for name, text := range v {
		out = append(out, sql.Option{Key: sql.Ident{Name: name}, Value: text})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Key.Name < out[j].Key.Name })
	return out
}
