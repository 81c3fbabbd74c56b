package plan

import (
	"encoding/json"
	"fmt"
)

// explained is the JSON form of a plan. Names of fields stay; new ones may come.
type explained struct {
	Watermarks       []explainedWatermark `json:"watermarks"`
	Policy           string               `json:"watermarkPolicy,omitempty"`
	*explainedOutput                      // of a query with one
	Outputs          []*explainedOutput   `json:"outputs,omitempty"` // of a statement set
	Steps            []*piece             `json:"steps,omitempty"`   // of EXPLAIN PHYSICAL
}

type explainedOutput struct {
	Target  string        `json:"target,omitempty"` // of a statement set
	Mode    string        `json:"outputMode"`
	Reason  string        `json:"reason"`
	Timeout int64         `json:"timeoutMicros,omitempty"` // of EMIT ... TIMEOUT
	Plan    explainedNode `json:"plan"`
}

type explainedWatermark struct {
	ID          int    `json:"id"`
	Relation    string `json:"relation"`
	Column      string `json:"column"`
	DelayMicros int64  `json:"delayMicros"`
	MaxFuture   int64  `json:"maxFutureMicros,omitempty"`
	Idle        int64  `json:"idleMicros,omitempty"`
}

type explainedNode struct {
	Node    string            `json:"node"`
	Columns []explainedColumn `json:"columns"`
	State   string            `json:"state,omitempty"`
	DuckDB  []string          `json:"duckdb,omitempty"` // the expressions that DuckDB evaluates
	Inputs  []explainedNode   `json:"inputs,omitempty"`
}

type explainedColumn struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Nullable  bool   `json:"nullable"`
	EventTime string `json:"eventTime,omitempty"` // "event time", "window start", ...
	Watermark *int   `json:"watermark,omitempty"` // its ID
}

// ExplainJSON describes a plan for programs: what Explain shows, as a JSON object. With
// sinks, which are, by output, where the rows go, it has what ExplainPhysical shows too.
func ExplainJSON(p *Plan, sinks []string) ([]byte, error) {
	out := explained{Watermarks: []explainedWatermark{}}
	for _, w := range p.Watermarks {
		out.Watermarks = append(out.Watermarks, explainedWatermark{w.ID, w.Relation, w.Column, w.DelayMicros, w.MaxFutureMicros, w.IdleMicros})
	}
	if len(p.Watermarks) > 1 {
		out.Policy = p.Policy.String()
	}
	e := &explainer{}
	for _, o := range p.Outputs {
		e.output = o
		out.Outputs = append(out.Outputs, &explainedOutput{o.Target, o.Mode.String(), modeReason(o), o.TimeoutMicros, e.json(o.Root)})
	}
	if len(out.Outputs) == 1 {
		out.explainedOutput, out.Outputs = out.Outputs[0], nil
	}
	if sinks != nil {
		out.Steps = pieces(p, sinks)
	}
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing a plan as JSON: %w", err)
	}
	return data, nil
}

func (e *explainer) json(n Node) explainedNode {
	if e.repeats(n) {
		return explainedNode{Node: n.describe(), Columns: []explainedColumn{}}
	}
	out := explainedNode{Node: n.describe(), State: n.keeps(e.output.Mode), DuckDB: duckdbCalls(n), Columns: []explainedColumn{}}
	for _, c := range n.Columns() {
		col := explainedColumn{Name: c.Name, Type: c.Type.String(), Nullable: c.Nullable}
		if c.Mark != nil {
			col.EventTime = partNames[c.Mark.Part]
			if c.Mark.Watermark != nil {
				col.Watermark = &c.Mark.Watermark.ID
			}
		}
		out.Columns = append(out.Columns, col)
	}
	for _, in := range n.Inputs() {
		out.Inputs = append(out.Inputs, e.json(in))
	}
	return out
}

// ExplainFoldJSON describes a fold for programs: what DuckDB runs, and the plans of the
// parts by their tables.
func ExplainFoldJSON(f *Fold) ([]byte, error) {
	type part struct {
		Table string          `json:"table"`
		Plan  json.RawMessage `json:"plan"`
	}
	out := struct {
		DuckDB string `json:"duckdb"`
		Parts  []part `json:"parts"`
	}{f.Text, []part{}}
	for _, s := range f.Parts {
		text, err := ExplainJSON(s.Plan, nil)
		if err != nil {
			return nil, err
		}
		out.Parts = append(out.Parts, part{s.Table, text})
	}
	return json.MarshalIndent(out, "", "  ")
}
