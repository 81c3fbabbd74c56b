package exec

import (
	"ssql/exec/op"
	"ssql/plan"
)

// watermarks follows the global watermark of a query and of each of its watermark
// nodes, as Spark's WatermarkTracker does (spark-semantics §1.1). Values are UTC
// microseconds of whole milliseconds.
type watermarks struct {
	defs   []*plan.WatermarkDef
	policy plan.Policy
	nodes  []*int64 // by ID; nil: has never seen a row
	global int64    // never below 0, never goes back (invariant I3)
}

// observe takes the event times of a batch and moves the watermark for the next.
func (w *watermarks) observe(stats []op.EventStats) {
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
	if len(w.nodes) > 0 {
		w.global = max(w.global, w.policyValue())
	}
}

// policyValue combines the nodes: a node that has never seen a row counts as 1970.
func (w *watermarks) policyValue() int64 {
	value := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	v := value(w.nodes[0])
	for _, n := range w.nodes[1:] {
		if w.policy == plan.MaxPolicy {
			v = max(v, value(n))
		} else {
			v = min(v, value(n))
		}
	}
	return v
}

// snapshot returns a copy of the node values for the COMMIT record.
func (w *watermarks) snapshot() []*int64 { return append([]*int64(nil), w.nodes...) }

// propagate returns the input watermark of every stateful operator, by index, for
// a global watermark (spark-semantics §1.2): stateless nodes pass the least of
// their inputs that have one, each stateful operator may hold its output back.
func propagate(root tree, globalMicros int64, count int) []int64 {
	out := make([]int64, count)
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
	walk(root)
	return out
}
