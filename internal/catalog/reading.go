package catalog

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
)

var _ plan.Reader = (*Snapshot)(nil)

// Reading implements plan.Reader.
func (r *Snapshot) Reading(stream string, options []sql.Option) (*plan.Stream, error) {
	st, err := r.StreamOf(&plan.SourceRef{Stream: stream, Options: options})
	if err != nil {
		return nil, err
	}
	return st.Plan, nil
}

// StreamOf returns the stream of a source of a plan, with the options of its reading.
func (r *Snapshot) StreamOf(ref *plan.SourceRef) (*Stream, error) {
	st, err := r.Stream(ref.Stream)
	if err != nil || len(ref.Options) == 0 {
		return st, err
	}
	first := ref.Options[0].Key.Span
	for _, o := range ref.Options {
		switch key := strings.ToLower(o.Key.Name); key {
		case "connector", "format", "path", "spool":
			return nil, sqlerr.At(o.Key.Span, "INVALID_OPTION", "option %q says what stream %q is, not how one place reads it", key, ref.Stream).
				WithHint("declare another stream: CREATE STREAM .. WITH (%s = '%v')", key, o.Value)
		}
	}
	parsed, err := ParseStored(st.Row.Definition)
	if err != nil {
		return nil, err
	}
	definition := parsed.(*sql.CreateStream)
	for i := range definition.Options { // whose places are in another text
		definition.Options[i].Key.Span, definition.Options[i].ValueAt = first, first
	}
	definition.Options = WithOptions(definition.Options, ref.Options)
	out, err := r.Store.DeclareStatement(st.Row, definition)
	if err == nil && out.Spec.Check != nil {
		err = out.Spec.Check(out.Options)
	}
	if err != nil {
		return nil, PlaceAt(err, first)
	}
	if out.Plan.ID != st.Plan.ID {
		return nil, sqlerr.At(first, "INVALID_OPTION", "with these options stream %q would have other rows", ref.Stream).
			WithHint("declare another stream: CREATE STREAM .. WITH (%s)", plan.OptionsText(ref.Options))
	}
	return out, nil
}
