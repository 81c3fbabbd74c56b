package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ssql/sql/types"
)

// Nameable returns the fields that a sample has without what no statement can name: a name
// with a NUL, or one that is not UTF-8, as of a file in Latin-1. A column of such a name is left out; one whose type has such a field is read as
// its text. changed says which, for the user.
func Nameable(fields []types.Field) (kept []types.Field, changed []string) {
	for _, f := range fields {
		switch {
		case !utf8.ValidString(f.Name):
			changed = append(changed, fmt.Sprintf("%q is left out: its name is not UTF-8, and SQL is; iconv -f LATIN1 -t UTF-8 file > other makes a file in UTF-8 of one in Latin-1", f.Name))
			continue
		case !hasName(f.Name):
			changed = append(changed, fmt.Sprintf("%q is left out: a name with a NUL cannot be written in SQL", f.Name))
			continue
		case !typeHasNames(f.Type):
			changed = append(changed, fmt.Sprintf("%q is read as VARCHAR, the text of its value: a field within has a name that SQL cannot write", f.Name))
			f.Type = types.Of(types.Varchar)
		}
		kept = append(kept, f)
	}
	return kept, changed
}

func hasName(name string) bool { return utf8.ValidString(name) && !strings.ContainsRune(name, 0) }

// typeHasNames reports whether all fields within a type can be named.
func typeHasNames(t types.Type) bool {
	inner := []*types.Type{t.Key, t.Elem}
	for i := range t.Fields {
		if !hasName(t.Fields[i].Name) {
			return false
		}
		inner = append(inner, &t.Fields[i].Type)
	}
	return !slices.ContainsFunc(inner, func(in *types.Type) bool { return in != nil && !typeHasNames(*in) })
}

// columnsMax is the option of a connector, and the setting, that bounds what InferFields finds.
const columnsMax = "columns_max"

// SetColumnsMax sets what bounds the columns of a sample where a stream does not say.
func (s *Store) SetColumnsMax(n int64) { s.columnsMax.Store(n) }

// InferFields asks the connector of a stream for the columns of its data. What bounds them is
// SetColumnsMax where the stream has no such option.
func (s *Store) InferFields(ctx context.Context, st *Stream, notice func(text string)) ([]types.Field, error) {
	o := st.Options
	if o.Set[columnsMax] == nil {
		if o.Set = maps.Clone(o.Set); o.Set == nil {
			o.Set = map[string]any{}
		}
		o.Set[columnsMax] = s.columnsMax.Load()
	}
	return st.Spec.Infer(ctx, o, notice)
}
