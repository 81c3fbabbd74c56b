package exec

import (
	"slices"

	"ssql/exec/op"
	"ssql/internal/invariant"
	"ssql/plan"
)

// watermarks follows the global watermark of a query and of each of its watermark
// nodes, as Spark's WatermarkTracker does (docs/SEMANTICS.md, Watermarks). Values are UTC
// microseconds of whole milliseconds.
type watermarks struct {
	defs   []*plan.WatermarkDef
	policy plan.Policy
	nodes  []*int64 // by ID; nil: has never seen a row
	global int64    // never below 0, never goes back (invariant I3)
}

// observe takes the event times of a batch and moves the watermark for the next. idle
// lists the nodes that the batch left out.
func (w *watermarks) observe(stats []op.EventStats, idle []int) {
	for id, s := range stats {
		if s.Count == 0 {
			continue
		}
		// The delay counts in whole milliseconds, like the event time.
		candidate := (s.MaxMillis - w.defs[id].DelayMicros/1000) * 1000
		if w.nodes[id] == nil || *w.nodes[id] < candidate {
			w.nodes[id] = &candidate
		}
	}
	before := w.global
	w.global = w.without(idle)
	if invariant.Enabled {
		invariant.Holds(w.global >= before && w.global >= 0, "I3", "the watermark goes from %d to %d", before, w.global)
	}
}

// without returns the global watermark when the idle nodes are left out.
func (w *watermarks) without(idle []int) int64 {
	if len(w.nodes) == 0 {
		return w.global
	}
	return max(w.global, w.policyValue(idle))
}

// policyValue combines the nodes: a node that has never seen a row counts as 1970.
// When all of them are idle the greatest counts, as if the others had become idle
// before it: the result does not depend on the order in which they fell silent.
func (w *watermarks) policyValue(idle []int) int64 {
	useMax := w.policy == plan.MaxPolicy || len(idle) == len(w.nodes)
	v, any := int64(0), false
	for id, n := range w.nodes {
		if !useMax && slices.Contains(idle, id) {
			continue
		}
		node := int64(0)
		if n != nil {
			node = *n
		}
		switch {
		case !any:
			v, any = node, true
		case useMax:
			v = max(v, node)
		default:
			v = min(v, node)
		}
	}
	return v
}

// snapshot returns a copy of the node values for the COMMIT record.
func (w *watermarks) snapshot() []*int64 { return slices.Clone(w.nodes) }

// propagate returns the input watermark of every stateful operator, by index, for
// a global watermark (docs/SEMANTICS.md, Watermarks): stateless nodes pass the least of
// their inputs that have one, each stateful operator may hold its output back.
func (q *Query) propagate(globalMicros int64) []int64 {
	out := make([]int64, len(q.states))
	if globalMicros == 0 {
		return out
	}
	var walk func(t tree) (micros int64, ok bool)
	least := func(ins []tree) (micros int64, ok bool) {
		for _, in := range ins {
			if m, has := walk(in); has && (!ok || m < micros) {
				micros, ok = m, true
			}
		}
		return micros, ok
	}
	walk = func(t tree) (int64, bool) {
		switch t := t.(type) {
		case *pipe:
			micros, ok := walk(t.in)
			for _, s := range t.stages {
				if _, is := s.(*op.Watermark); is {
					micros, ok = globalMicros, true
				}
			}
			return micros, ok
		case *shared:
			return walk(t.in)
		case *union:
			return least(t.ins)
		case *breaker:
			micros, ok := least(t.ins)
			if t.state == nil {
				return micros, ok
			}
			if ok {
				out[t.index] = max(0, micros)
				micros = t.state.OutputWatermark(micros)
			}
			return micros, ok
		}
		return 0, false
	}
	for _, root := range q.roots {
		walk(root)
	}
	return out
}
