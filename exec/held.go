package exec

import (
	"slices"

	"ssql/plan"
	"ssql/sql/types"
)

// HeldRows counts what the operators of a plan hold. Of a statement set some of whose
// outputs wait for the watermark, what the others keep is no matter of waiting.
func HeldRows(p *plan.Plan, operators []OperatorProgress) int64 {
	waits := map[string]bool{}
	for _, o := range p.Outputs {
		waits[o.Target] = o.Mode == types.Append
	}
	n := int64(0)
	for _, o := range operators {
		if o.Output == "" || waits[o.Output] || !p.HoldsBack() {
			n += o.NumRowsTotal
		}
	}
	return n
}

// HeldNoun is what the state of a plan consists of: windows, where nothing but the window
// is a key, rows, where nothing is grouped, or groups.
func HeldNoun(p *plan.Plan) string {
	noun := ""
	for _, o := range p.Outputs {
		if p.HoldsBack() && o.Mode != types.Append {
			continue // see HeldRows
		}
		held := "row"
		if onlyWindows(o.Root) {
			held = "window"
		} else if hasAggregate(o.Root) {
			held = "group"
		}
		if noun != "" && noun != held {
			return "group" // of both kinds
		}
		noun = held
	}
	return noun
}

func hasAggregate(n plan.Node) bool {
	if _, ok := n.(*plan.Aggregate); ok {
		return true
	}
	return slices.ContainsFunc(n.Inputs(), hasAggregate)
}

// onlyWindows reports whether the groups of a tree are its windows.
func onlyWindows(root plan.Node) bool {
	windows := false
	var visit func(n plan.Node) bool
	visit = func(n plan.Node) bool {
		switch n := n.(type) {
		case *plan.Aggregate:
			if n.Window == nil || len(n.Keys) > 0 {
				return false
			}
			windows = true
		case *plan.Dedup, *plan.Join:
			return false
		}
		for _, in := range n.Inputs() {
			if !visit(in) {
				return false
			}
		}
		return true
	}
	return visit(root) && windows
}
