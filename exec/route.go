package exec

import (
	"slices"

	"ssql/exec/op"
)

// route is a way of rows: through stages, into inlets and on to further routes. Those that
// begin at a source make a tree, so that what several read is read and computed once.
type route struct {
	number  int // among all routes: an index of task.tracks
	stages  []op.Stage
	inlets  []*inlet
	next    []*route
	outputs []int // that the inlets belong to, each once
	expands bool  // a stage on the way multiplies rows
	// traced says that the rows at its end are told by the rows of the source that they came of:
	// it expands, or its rows come to an output more than once, or together with rows of an
	// operator.
	traced bool
}

// inlet is where a route ends: in an input of a breaker.
type inlet struct {
	number int // among those of its source
	b      *breaker
	input  int
	// first says that the breaker gets no rows before these, so that they may be merged
	// while the source is read, whoever it is read for. Others wait in batchRun.waiting: the
	// inputs of a breaker come one after the other (op.Breaker).
	first bool
}

// feed is one of the parts of an input of a breaker, which come one after the other: the
// rows of an inlet, which are those of a source, or the rows of a breaker below by a route
// of their own.
type feed struct {
	source int
	inlet  *inlet
	below  *breaker // nil for a source
	route  *route   // from below
}

// routing is where the rows of a query go.
type routing struct {
	sources []*route   // by source
	inlets  [][]*inlet // by source
	traced  []bool     // by source: there is a traced route
	shared  map[*shared]*route
	routes  []*route // by number
}

// connect lays the routes between the sources and the breakers of trees.
func connect(roots []*breaker, sourceCount int) *routing {
	w := &routing{sources: make([]*route, sourceCount), inlets: make([][]*inlet, sourceCount), shared: map[*shared]*route{}}
	for i := range w.sources {
		w.sources[i] = w.newRoute(nil, nil)
	}
	for _, root := range roots {
		visit(root, func(t tree) {
			b, ok := t.(*breaker)
			if !ok {
				return
			}
			b.feeds = make([][]feed, len(b.ins))
			for i, in := range b.ins {
				w.feed(b, i, in, nil)
			}
		})
	}
	for _, r := range w.sources {
		w.traced = append(w.traced, r.trace())
	}
	return w
}

// trace finds the traced ones of a route and those that go on from it, and reports whether
// there are any.
func (r *route) trace() bool {
	into := map[int]int{} // inlets by output
	mixed := false
	for _, in := range r.inlets {
		into[in.b.output]++
		mixed = mixed || into[in.b.output] > 1 ||
			slices.ContainsFunc(in.b.feeds[in.input], func(f feed) bool { return f.below != nil })
	}
	r.traced = len(r.inlets) > 0 && (r.expands || mixed)
	any := r.traced
	for _, next := range r.next {
		any = next.trace() || any
	}
	return any
}

func (w *routing) newRoute(below *route, stages []op.Stage) *route {
	r := &route{number: len(w.routes), stages: stages}
	w.routes = append(w.routes, r)
	r.expands = slices.ContainsFunc(stages, func(s op.Stage) bool { _, is := s.(op.Expander); return is })
	if below != nil {
		r.expands = r.expands || below.expands
		below.next = append(below.next, r)
	}
	return r
}

// feed adds the parts of t, with stages above it, to an input of a breaker.
func (w *routing) feed(b *breaker, input int, t tree, above []op.Stage) {
	first := len(b.feeds[0]) == 0
	switch t := t.(type) {
	case *pipe:
		w.feed(b, input, t.in, slices.Concat(t.stages, above))
	case *union:
		for _, in := range t.ins {
			w.feed(b, input, in, above)
		}
	case *breaker:
		r := w.newRoute(nil, above)
		r.end(&inlet{b: b, input: input})
		b.feeds[input] = append(b.feeds[input], feed{below: t, route: r})
	case *scan, *shared:
		r, source := w.under(t, above)
		in := &inlet{number: len(w.inlets[source]), b: b, input: input, first: first}
		w.inlets[source] = append(w.inlets[source], in)
		r.end(in)
		b.feeds[input] = append(b.feeds[input], feed{source: source, inlet: in})
	}
}

func (r *route) end(in *inlet) {
	r.inlets = append(r.inlets, in)
	if !slices.Contains(r.outputs, in.b.output) {
		r.outputs = append(r.outputs, in.b.output)
	}
}

// under returns the route through t and stages above it, and the source it begins at.
func (w *routing) under(t tree, above []op.Stage) (r *route, source int) {
	switch t := t.(type) {
	case *pipe:
		return w.under(t.in, slices.Concat(t.stages, above))
	case *shared:
		if w.shared[t] == nil {
			w.shared[t], t.source = w.under(t.in, nil)
		}
		r, source = w.shared[t], t.source
	case *scan:
		r, source = w.sources[t.source], t.source
	}
	if len(above) > 0 {
		r = w.newRoute(r, above)
	}
	return r, source
}
