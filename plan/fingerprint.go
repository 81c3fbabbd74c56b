package plan

import (
	"encoding/json"
	"fmt"
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// printVersion is the version of the form of a Print. A change of what its texts look
// like is a new version. Version 1 had the fields of its one output beside the others,
// version 2 no parameters of aggregates, version 3 no bounds of joins.
const printVersion = 4

// Print is what of a plan decides whether its state may be carried on: it is kept as JSON
// in the checkpoint and compared at the next start.
type Print struct {
	Version    int              `json:"version"`
	Policy     string           `json:"watermarkPolicy"`
	Sources    []PrintSource    `json:"sources"`
	Watermarks []PrintWatermark `json:"watermarks"`
	Outputs    []PrintOutput    `json:"outputs"` // as Plan.Outputs
	// Unions are those of a plan whose sources have names: inputs may come and go.
	Unions []PrintUnion `json:"unions,omitempty"`
	// ANSI is Options.ANSI. It may change.
	ANSI bool `json:"ansi,omitempty"`
}

// PrintOutput is one output of a plan.
type PrintOutput struct {
	Target    string          `json:"target,omitempty"` // rows that another table has would be missing in a new one
	Mode      string          `json:"mode"`
	Operators []PrintOperator `json:"operators"` // stateful ones, inputs first
	Columns   []PrintColumn   `json:"columns"`
	// Stateless are the conditions, computed columns, table joins and limits. They may
	// change.
	Stateless []string `json:"stateless"`
}

// ReadPrint reads a Print of this version or an older one.
func ReadPrint(data []byte) (*Print, error) {
	var kept struct {
		Print
		PrintOutput // of version 1, which had one output
	}
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, fmt.Errorf("reading a fingerprint: %w", err)
	}
	if kept.Version == 1 {
		kept.Outputs = []PrintOutput{kept.PrintOutput}
	}
	return &kept.Print, nil
}

// PrintSource is a stream that a plan reads.
type PrintSource struct {
	Stream  string `json:"stream"`
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`    // SourceRef.Name
	Options string `json:"options,omitempty"` // of this reading. They may change.
}

// PrintUnion is a UNION ALL. Texts of other nodes name its columns, not those of its inputs.
type PrintUnion struct {
	Columns []string   `json:"columns"`
	Arms    []PrintArm `json:"arms"`
}

// PrintArm is an input of a union.
type PrintArm struct {
	Sources []string `json:"sources"` // their names
	Columns []string `json:"columns"` // where those of the union come from
}

// PrintWatermark is a watermark of a plan. Its delay may change.
type PrintWatermark struct {
	Column      string `json:"column"` // relation.column
	DelayMicros int64  `json:"delayMicros"`
	Name        string `json:"name,omitempty"` // WatermarkDef.Name
}

// PrintColumn is a name with a type.
type PrintColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// PrintOperator is one stateful operator. Fields that do not belong to its kind are empty.
type PrintOperator struct {
	Kind       string        `json:"kind"` // aggregate, aggregate of changes, changes, result, deduplicate, join, as-of join, first rows, first rows of changes, limit
	Keys       []PrintColumn `json:"keys,omitempty"`
	Window     *PrintWindow  `json:"window,omitempty"`
	Sets       string        `json:"groupingSets,omitempty"`
	Aggregates []PrintColumn `json:"aggregates,omitempty"`
	Parameters []string      `json:"parameters,omitempty"` // of aggregates: the fraction of a quantile
	Join       string        `json:"join,omitempty"`       // its type
	Condition  []string      `json:"condition,omitempty"`
	Bounds     []string      `json:"bounds,omitempty"` // of a join: when its rows go, where that is neither the time in its keys nor a range
	Kept       []PrintColumn `json:"kept,omitempty"`   // columns of rows that are kept whole
	Order      string        `json:"order,omitempty"`  // of first rows
	Within     bool          `json:"within,omitempty"`
	Watermarks []string      `json:"watermarks,omitempty"` // columns it closes or drops late rows by
}

// PrintWindow is the window of an aggregation.
type PrintWindow struct {
	Kind         string `json:"kind"`
	Over         string `json:"over"`
	SizeMicros   int64  `json:"sizeMicros"`
	SlideMicros  int64  `json:"slideMicros,omitempty"`
	OffsetMicros int64  `json:"offsetMicros,omitempty"`
	Gap          string `json:"gap,omitempty"`
}

// Fingerprint returns the print of a plan. Equal queries have equal prints, also when
// they were written in different dialects.
func Fingerprint(p *Plan) *Print {
	f := &Print{Version: printVersion, Policy: p.Policy.String(), ANSI: p.ANSI}
	for _, s := range p.Sources {
		f.Sources = append(f.Sources, PrintSource{s.Stream, s.ID, s.Name, OptionsText(s.Options)})
	}
	for _, w := range p.Watermarks {
		f.Watermarks = append(f.Watermarks, PrintWatermark{w.Relation + "." + w.Column, w.DelayMicros, w.Name})
	}
	for _, o := range p.Outputs {
		out := PrintOutput{Target: o.Target, Mode: o.Mode.String(), Columns: printColumns(o.Columns)}
		out.visit(o, o.Root)
		f.Outputs = append(f.Outputs, out)
	}
	f.Unions = printUnions(p)
	return f
}

// printUnions describes the unions of a plan whose sources have names, by their numbers.
func printUnions(p *Plan) []PrintUnion {
	found := map[int]PrintUnion{}
	for _, root := range rootsOf(p) {
		eachNode(root, func(n Node) {
			u, ok := n.(*Union)
			if !ok || u.Number == 0 {
				return
			}
			union := PrintUnion{}
			for _, c := range u.Cols {
				union.Columns = append(union.Columns, c.Name)
			}
			for _, in := range u.Ins {
				arm := PrintArm{}
				for _, s := range scansBelow(in) {
					arm.Sources = append(arm.Sources, p.Sources[s.Source].Name)
				}
				for i := range u.Cols {
					arm.Columns = append(arm.Columns, columnOrigin(in, i))
				}
				union.Arms = append(union.Arms, arm)
			}
			found[u.Number] = union
		})
	}
	var out []PrintUnion
	for number := 1; number <= len(found); number++ {
		out = append(out, found[number])
	}
	return out
}

// unionColumn stands for a column of the union of a number.
func unionColumn(number int, name string) string { return fmt.Sprintf("union(%d.%s)", number, name) }

func printColumns(cols []Column) []PrintColumn {
	out := make([]PrintColumn, len(cols))
	for i, c := range cols {
		out[i] = PrintColumn{c.Name, c.Type.Plain().String()}
	}
	return out
}

// visit adds the nodes of a tree, inputs first.
func (f *PrintOutput) visit(o *Output, n Node) {
	for _, in := range n.Inputs() {
		f.visit(o, in)
	}
	add := func(op PrintOperator) {
		for _, w := range watermarksOf(n) {
			if usesWatermark(n) {
				op.Watermarks = append(op.Watermarks, w.Relation+"."+w.Column)
			}
		}
		f.Operators = append(f.Operators, op)
	}
	switch n := n.(type) {
	case *Aggregate:
		add(printAggregate(n))
	case *Dedup:
		op := PrintOperator{Kind: "deduplicate", Within: n.Within}
		for _, k := range n.Keys {
			op.Keys = append(op.Keys, printExpr(n.Input, ref(n.Input, k)))
		}
		add(op)
	case *Join:
		if n.Static {
			f.Stateless = append(f.Stateless, fmt.Sprintf("%s with table %s on %s", joinWords[n.Kind], staticName(n), strings.Join(n.condition(), " AND ")))
			return
		}
		add(printJoin(n))
	case *AsOf:
		f.addAsOf(n, add)
	case *TopN:
		op := PrintOperator{Kind: "first rows", Order: orderOrigin(n), Kept: keptColumns("", n.Input)}
		if n.Change != nil {
			op.Kind = "first rows of changes"
		}
		for _, k := range n.Keys {
			op.Keys = append(op.Keys, printExpr(n.Input, k))
		}
		add(op)
	case *Changes:
		op := PrintOperator{Kind: "changes", Kept: keptColumns("", n.Input)}
		if n.Whole {
			op.Kind = "result"
		}
		for _, k := range n.Keys {
			op.Keys = append(op.Keys, printExpr(n.Input, k))
		}
		if n.Live != nil {
			f.Stateless = append(f.Stateless, "WHERE "+origin(n.Input, n.Live))
		}
		add(op)
	case *Limit:
		f.Stateless = append(f.Stateless, fmt.Sprintf("LIMIT %d", n.Count))
		if o.Mode == types.Append {
			add(PrintOperator{Kind: "limit"})
		}
	case *Filter:
		f.Stateless = append(f.Stateless, "WHERE "+origin(n.Input, n.Cond))
	case *Project:
		for i, e := range n.Exprs {
			if _, plain := e.(*expr.Column); !plain {
				f.Stateless = append(f.Stateless, n.Cols[i].Name+" = "+origin(n.Input, e))
			}
		}
	case *Unnest:
		f.Stateless = append(f.Stateless, "unnest "+origin(n.Input, n.List))
	case *Sort:
		f.Stateless = append(f.Stateless, "ORDER BY "+sortText(n.Keys))
	}
}

// usesWatermark reports whether a node drops late rows or closes something.
func usesWatermark(n Node) bool {
	switch n := n.(type) {
	case *Aggregate:
		return n.Mark.closes()
	case *Dedup:
		return n.EventTime >= 0
	case *TopN:
		return n.EventKey >= 0 || n.ByTime
	case *Changes:
		return n.EventKey >= 0
	case *AsOf:
		return !n.Static
	case *Join:
		return n.State.Left.Time != nil || n.State.Right.Time != nil
	}
	return false
}

// addAsOf adds a join of versions: with a table it keeps nothing.
func (f *PrintOutput) addAsOf(n *AsOf, add func(PrintOperator)) {
	kind := "JOIN"
	if n.Outer {
		kind = "LEFT JOIN"
	}
	if n.Static {
		f.Stateless = append(f.Stateless, fmt.Sprintf("ASOF %s with table %s on %s", kind, staticName(n), strings.Join(n.condition(sidedText), " AND ")))
		return
	}
	op := PrintOperator{Kind: "as-of join", Join: strings.ToLower(kind), Condition: n.condition(sidedText)}
	op.Kept = append(keptColumns("left ", n.Left), keptColumns("right ", n.Right)...)
	for i, k := range n.LeftKeys {
		op.Keys = append(op.Keys, PrintColumn{origin(n.Left, k) + " = " + origin(n.Right, n.RightKeys[i]), k.Type().Plain().String()})
	}
	add(op)
}

// sidedText is a side of a condition as prints have it.
func sidedText(e expr.Expr, name func(*expr.Column) string) string {
	return plainText(named(e, name).String())
}

func staticName(n Node) string {
	if t, ok := findNode[*StaticScan](n); ok {
		return t.Table
	}
	return ""
}

func printExpr(n Node, e expr.Expr) PrintColumn {
	return PrintColumn{origin(n, e), e.Type().Plain().String()}
}

func printAggregate(a *Aggregate) PrintOperator {
	op := PrintOperator{Kind: "aggregate"}
	if a.Change != nil {
		op.Kind = "aggregate of changes"
	}
	if w := a.Window; w != nil {
		op.Window = &PrintWindow{Kind: w.Kind.String(),
			Over: origin(a.Input, a.Time), SizeMicros: w.SizeMicros, SlideMicros: w.SlideMicros, OffsetMicros: w.OffsetMicros, Gap: origin(a.Input, w.Gap)}
	}
	for _, k := range a.Keys {
		op.Keys = append(op.Keys, printExpr(a.Input, k))
	}
	for i, c := range a.Aggs {
		op.Aggregates = append(op.Aggregates, PrintColumn{a.callOrigin(i), c.Type.Plain().String()})
		if len(c.Params) > 0 {
			op.Parameters = append(op.Parameters, a.callOrigin(i)+" with "+exprList(c.Params, expr.Readable))
		}
	}
	if ex, ok := nearestExpand(a.Input); ok {
		op.Sets = fmt.Sprint(ex.Sets)
	}
	return op
}

// nearestExpand finds the Expand that belongs to an aggregation: only stateless nodes
// stand between.
func nearestExpand(n Node) (*Expand, bool) {
	switch n := n.(type) {
	case *Expand:
		return n, true
	case *Filter, *Project:
		return nearestExpand(n.Inputs()[0])
	}
	return nil, false
}

// keptColumns are the columns of rows that an operator keeps whole.
func keptColumns(side string, n Node) []PrintColumn {
	var out []PrintColumn
	for i, c := range n.Columns() {
		out = append(out, PrintColumn{side + columnOrigin(n, i), c.Type.Plain().String()})
	}
	return out
}

func orderOrigin(n *TopN) string {
	keys := make([]SortKey, len(n.Order))
	for i, k := range n.Order {
		k.Expr = &expr.Column{Name: origin(n.Input, k.Expr), T: k.Expr.Type()}
		keys[i] = k
	}
	return fmt.Sprintf("first %d by %s", n.Count, sortText(keys))
}

func printJoin(j *Join) PrintOperator {
	op := PrintOperator{Kind: "join", Join: strings.ToLower(joinWords[j.Kind]), Condition: j.condition()}
	op.Kept = append(keptColumns("left ", j.Left), keptColumns("right ", j.Right)...)
	for i, k := range j.LeftKeys {
		op.Keys = append(op.Keys, PrintColumn{origin(j.Left, k) + " = " + origin(j.Right, j.RightKeys[i]), k.Type().Plain().String()})
	}
	if s := j.State; s.KeyTime < 0 && (s.Left.derived || s.Right.derived) {
		op.Bounds = []string{"left rows " + s.Left.until(j.Left, origin), "right rows " + s.Right.until(j.Right, origin)}
	}
	return op
}
