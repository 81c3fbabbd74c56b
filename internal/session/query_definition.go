package session

import (
	"context"
	"slices"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/settings"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// bound is a definition whose names are resolved.
type bound struct {
	*catalog.Definition
	cat      *catalog.Snapshot
	plan     *plan.Plan
	settings settings.Values // of the session, with those of the query on top
	reads    catalog.Reading
}

// bind plans a definition against the catalog of a statement.
func (s *Session) bind(d *catalog.Definition, cat *catalog.Snapshot) (*bound, error) {
	b := &bound{Definition: d, cat: cat, settings: s.settings.Over(d.Options)}
	inserts := make([]plan.Insert, len(d.Inserts))
	var err error
	for i, target := range d.Targets() {
		if inserts[i], err = s.planned(target, d.Inserts[i], b.settings, cat); err != nil {
			return nil, err
		}
	}
	b.reads, err = cat.ReadsOf(func() (err error) {
		b.plan, err = plan.BindSet(inserts, cat, planOptions(cat.Ctx, b.settings, false))
		return err
	})
	return b, err
}

// bindNow plans a definition against the catalog as it is.
func (s *Session) bindNow(ctx context.Context, d *catalog.Definition) (*bound, error) {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return s.bind(d, cat)
}

// planned is an INSERT as the planner sees it: with what its target, if that is a sink of
// CREATE SINK, says of the result.
func (s *Session) planned(target string, st *sql.Insert, v settings.Values, cat *catalog.Snapshot) (plan.Insert, error) {
	m := plan.Insert{Target: target, Query: st.Query}
	named, err := s.store.SinkNamed(cat.Ctx, st.Target)
	if named != nil {
		m.Assign = catalog.ColumnTypes(named.Columns)
		m.Changes = v.Get("output_mode") == "auto" && named.Options.String("format") == "debezium_json"
	}
	return m, err
}

// canonical is the text of the definition that a checkpoint keeps. The order of the INSERTs
// does not matter.
func (b *bound) canonical() string {
	texts := make([]string, len(b.plan.Outputs))
	for i, out := range b.plan.Outputs {
		texts[i] = sql.Canonical(b.InsertOf(out).Text)
	}
	return strings.Join(texts, "; ")
}

// planOptions are what the settings say to the planner. A SELECT may choose its mode.
func planOptions(ctx context.Context, v settings.Values, isSelect bool) plan.Options {
	o := plan.Options{ANSI: v.Boolean("ansi"), Retraction: v.Boolean("retraction"), Limits: v.PlanLimits(), Context: ctx}
	switch v.Get("output_mode") {
	case "update":
		o.Mode = types.Update
	case "complete":
		o.Mode = types.Complete
	case "auto":
		o.AutoMode = isSelect
	}
	if v.Get("watermark_policy") == "max" {
		o.Policy = plan.MaxPolicy
	}
	return o
}

// modes names the output mode, or one for each target where they differ.
func (b *bound) modes() string {
	modes := map[string]string{}
	for _, out := range b.plan.Outputs {
		modes[out.Target] = out.Mode.String()
	}
	var list []string
	for _, target := range b.Targets() {
		list = append(list, modes[target])
	}
	if len(slices.Compact(slices.Clone(list))) == 1 {
		return list[0]
	}
	return strings.Join(list, ", ")
}
