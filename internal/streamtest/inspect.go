package streamtest

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"ssql/checkpoint"
	"ssql/exec"
	"ssql/plan"
	"ssql/sql/types"
)

// state prints the rows that the operators hold after the last batch: the sum, and for
// several operators a line each, nearest to the sink first.
func (h *harness) state(st *Step) ([]string, error) {
	q, err := h.query(st.Name())
	if err != nil {
		return nil, err
	}
	if len(q.events) == 0 {
		return nil, scriptError("query %q has run no batch", q.name)
	}
	ops := q.events[len(q.events)-1].StateOperators
	total := int64(0)
	for _, op := range ops {
		total += op.NumRowsTotal
	}
	lines := []string{fmt.Sprintf("rows %d", total)}
	if len(ops) > 1 {
		for i, op := range ops {
			lines = append(lines, fmt.Sprintf("op %d %s rows %d", i, op.OperatorName, op.NumRowsTotal))
		}
	}
	return lines, nil
}

func (h *harness) sink(st *Step) ([]string, error) {
	q, err := h.query(st.Name())
	if err != nil {
		return nil, err
	}
	rows := q.store.rows()
	if slices.Contains(st.Args, "table") {
		rows = q.store.table()
	}
	if !slices.Contains(st.Args, "ordered") {
		slices.Sort(rows)
	}
	return rows, nil
}

// progress prints `PATH=value` for each path into the progress of a batch.
func (h *harness) progress(st *Step) ([]string, error) {
	q, err := h.query(st.Name())
	if err != nil {
		return nil, err
	}
	event, err := q.event(st.Options["batch"])
	if err != nil {
		return nil, err
	}
	var tree any
	d := json.NewDecoder(strings.NewReader(event.JSON()))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, fmt.Errorf("reading the progress of query %q: %w", q.name, err)
	}
	var lines []string
	for _, field := range strings.Split(st.Options["fields"], ",") {
		value := tree
		for _, part := range strings.Split(field, ".") {
			value = member(value, part)
		}
		lines = append(lines, field+"="+valueText(value))
	}
	return lines, nil
}

func (q *query) event(batch string) (*exec.Progress, error) {
	if batch == "" && len(q.events) > 0 {
		return q.events[len(q.events)-1], nil
	}
	for _, p := range q.events {
		if strconv.FormatInt(p.BatchID, 10) == batch {
			return p, nil
		}
	}
	return nil, scriptError("query %q has not run batch %q", q.name, batch)
}

// member returns a field of an object or an element of a list; nil if there is none.
func member(value any, key string) any {
	switch v := value.(type) {
	case map[string]any:
		return v[key]
	case []any:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(v) {
			return v[i]
		}
	}
	return nil
}

func valueText(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// checkpoint prints what is on disk, but not what a restart without effect changes.
func (h *harness) checkpoint(st *Step) ([]string, error) {
	q, err := h.query(st.Name())
	if err != nil {
		return nil, err
	}
	return q.checkpointLines()
}

func (q *query) checkpointLines() ([]string, error) {
	r, err := checkpoint.Inspect(q.h.fs, path.Join("/checkpoints", q.name))
	if err != nil {
		return nil, err
	}
	var lines []string
	if n := len(r.Batches); n > 0 {
		lines = append(lines, fmt.Sprintf("committed %d-%d", r.Batches[0].Batch, r.Batches[n-1].Batch))
	}
	if r.Pending != nil {
		lines = append(lines, fmt.Sprintf("planned %d", r.Pending.Batch))
	}
	for _, s := range r.Snapshots {
		lines = append(lines, fmt.Sprintf("snapshot %d", s.Batch))
	}
	if r.Torn {
		lines = append(lines, "torn end")
	}
	for _, p := range r.Problems {
		lines = append(lines, p.Error())
	}
	return append(lines, r.Notices...), nil
}

var explainKinds = map[string]plan.ExplainKind{"": plan.ExplainFull, "logical": plan.ExplainLogical, "state": plan.ExplainState}

func (h *harness) explain(st *Step) ([]string, error) {
	q, err := h.query(st.Name())
	if err != nil {
		return nil, err
	}
	kind, ok := explainKinds[st.Options["kind"]]
	if !ok {
		return nil, scriptError("expected kind logical or state, found %q", st.Options["kind"])
	}
	return strings.Split(strings.TrimRight(plan.Explain(q.plan, kind), "\n"), "\n"), nil
}

// schemaText prints columns as Spark does: `k STRING, n BIGINT`.
func schemaText(columns []plan.Column) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = c.Name + " " + sparkType(c.Type)
	}
	return strings.Join(parts, ", ")
}

// withoutNotNull takes NOT NULL out of the schema of a result. Spark 4.0 wrote it where the
// input was, 4.3 does not (D14); of the fields of a struct both do.
func withoutNotNull(schema []string) []string {
	out := make([]string, len(schema))
	for i, line := range schema {
		out[i] = strings.ReplaceAll(line, " NOT NULL", "")
	}
	return out
}

// sparkNames are the types that Spark spells differently.
var sparkNames = map[types.Kind]string{types.Int: "INT", types.Varchar: "STRING", types.Blob: "BINARY", types.Null: "VOID"}

func sparkType(t types.Type) string {
	switch t.Kind {
	case types.List:
		return "ARRAY<" + sparkType(*t.Elem) + ">"
	case types.Map:
		return "MAP<" + sparkType(*t.Key) + ", " + sparkType(*t.Elem) + ">"
	case types.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + ": " + sparkType(f.Type)
			if !f.Nullable {
				parts[i] += " NOT NULL"
			}
		}
		return "STRUCT<" + strings.Join(parts, ", ") + ">"
	}
	if name, ok := sparkNames[t.Kind]; ok {
		return name
	}
	return t.String()
}
