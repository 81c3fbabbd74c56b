package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ssql/plan/expr"
)

// piece is a piece of a batch that runs at one go: what makes its rows, and the stateless
// stages that each chunk of them passes at once. exec lowers a plan to the same pieces.
type piece struct {
	Does   string   `json:"does"`
	From   []int    `json:"from,omitempty"` // numbers of the steps whose rows it takes, from 1
	Unread []string `json:"columnsNotRead,omitempty"`
	State  string   `json:"state,omitempty"`
	Stages []string `json:"then,omitempty"`
	DuckDB []string `json:"duckdb,omitempty"` // the expressions that DuckDB evaluates
}

// stepper cuts the trees of a plan into steps.
type stepper struct {
	explainer
	plan   *Plan
	steps  []*piece
	shared map[*Shared]int
}

// ExplainPhysical describes how a batch of a plan runs. sinks are, by output, where the rows
// go; settings are lines of a name and a value that stand below. The text is for people.
func ExplainPhysical(p *Plan, sinks []string, settings [][2]string) string {
	var out strings.Builder
	for _, line := range headLines(p) {
		out.WriteString(line + "\n")
	}
	all := pieces(p, sinks)
	width := max(len("step ")+len(strconv.Itoa(len(all))), len(expressionsLine))
	expressions := "all in ssql"
	for _, line := range settings {
		width = max(width, len(line[0]))
	}
	row := func(name, text string) { fmt.Fprintf(&out, "%-*s  %s\n", width, name, text) }
	for i, st := range all {
		row(fmt.Sprintf("step %d", i+1), st.fromText()+st.Does)
		if len(st.Unread) > 0 {
			row("", "columns not read: "+strings.Join(st.Unread, ", "))
		}
		if st.State != "" {
			row("", "keeps "+st.State)
		}
		for _, stage := range st.Stages {
			row("", "then "+stage)
		}
		if len(st.DuckDB) > 0 {
			row("", "in DuckDB: "+strings.Join(st.DuckDB, ", "))
			expressions = "in ssql, but for those that are in DuckDB"
		}
	}
	row(expressionsLine, expressions)
	for _, line := range settings {
		row(line[0], line[1])
	}
	return out.String()
}

const expressionsLine = "expressions"

func (st *piece) fromText() string {
	if len(st.From) == 0 {
		return ""
	}
	parts := make([]string, len(st.From))
	for i, n := range st.From {
		parts[i] = strconv.Itoa(n)
	}
	if len(parts) == 1 {
		return "from step " + parts[0] + ": "
	}
	return "from steps " + strings.Join(parts, " and ") + ": "
}

// pieces returns how a batch of the plan runs. sinks are, by output, where the rows go.
func pieces(p *Plan, sinks []string) []*piece {
	s := &stepper{plan: p, shared: map[*Shared]int{}}
	for i, o := range p.Outputs {
		s.output = o
		from := s.node(o.Root)
		s.add(&piece{Does: "write to " + sinks[i], From: []int{from}})
	}
	return s.steps
}

func (s *stepper) add(st *piece) int {
	s.steps = append(s.steps, st)
	return len(s.steps)
}

// node returns the number of the step that gives the rows of n.
func (s *stepper) node(n Node) int {
	if in := n.stageOf(); in != nil {
		return s.stage(n, in)
	}
	if scan, ok := n.(*Scan); ok {
		return s.add(s.read(scan))
	}
	rows, ok := n.(*Shared)
	if !ok {
		return s.breaker(n)
	}
	if _, ok := s.shared[rows]; !ok {
		s.shared[rows] = s.node(rows.Input)
	}
	return s.shared[rows]
}

// breaker adds a step of its own: a union, or an operator that takes all rows of its inputs
// before it gives any.
func (s *stepper) breaker(n Node) int {
	st := &piece{Does: n.describe(), State: n.keeps(s.output.Mode), DuckDB: duckdbCalls(n)}
	for _, in := range n.Inputs() {
		st.From = append(st.From, s.node(in))
	}
	return s.add(st)
}

// stage adds a node to the step of its input, unless others take the rows of that as they
// are.
func (s *stepper) stage(n, input Node) int {
	at := s.node(input)
	if _, ok := input.(*Shared); ok {
		at = s.add(&piece{Does: "take the rows", From: []int{at}})
	}
	st := s.steps[at-1]
	text := n.describe()
	if len(n.Inputs()) > 1 {
		if table, ok := findNode[*StaticScan](n.Inputs()[1]); ok {
			text += ", " + table.source()
		}
	}
	st.Stages = append(st.Stages, text)
	for _, call := range duckdbCalls(n) {
		if !slices.Contains(st.DuckDB, call) {
			st.DuckDB = append(st.DuckDB, call)
		}
	}
	return at
}

func (s *stepper) read(n *Scan) *piece {
	names := make([]string, len(n.Cols))
	for i, c := range n.Cols {
		names[i] = c.Name
	}
	st := &piece{Does: fmt.Sprintf("read %s (%s)%s: %s", n.Stream, s.plan.Sources[n.Source].ID, readingText(n.Reading), strings.Join(names, ", "))}
	for _, f := range n.stored {
		if !slices.ContainsFunc(n.Cols, func(c Column) bool { return c.Name == f.Name }) {
			st.Unread = append(st.Unread, f.Name)
		}
	}
	if required := n.Required(); required != nil {
		for i, column := range required {
			names[i] = n.Cols[column].Name
		}
		st.Stages = append(st.Stages, "Rows without NULL in "+strings.Join(names[:len(required)], ", "))
	}
	return st
}

// duckdbCalls are the calls in the expressions of a node that DuckDB evaluates.
func duckdbCalls(n Node) []string {
	var out []string
	for _, e := range n.Expressions() {
		if e == nil {
			continue
		}
		expr.Walk(e, func(e expr.Expr) bool {
			if c, ok := e.(*expr.External); ok {
				if text := plainText(c.Call()); !slices.Contains(out, text) {
					out = append(out, text)
				}
			}
			return true
		})
	}
	return out
}
