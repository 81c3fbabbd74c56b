package exec

import (
	"slices"

	"ssql/internal/sqlerr"
)

// counts account for the rows of a batch. What is read and what is bad counts once; used,
// filtered and late rows are the sums over the outputs.
type counts struct {
	read                 int64   // rows and refused lines
	bySource             []int64 // the same, per source
	used, filtered, late int64
	bad                  int64
	// badDropped are the bad rows that their source says not to keep.
	badDropped int64
	outputs    []outputCounts
}

// outputCounts account for every row that an output read: read = used + filtered + late +
// bad (invariant I7). Used are the rows that came to its first breaker and were not late.
type outputCounts struct {
	read, used, filtered, late, bad int64
	rowsOut, rowsDeleted            int64
	expanded                        bool // a stage multiplied rows, so that used counts more than rows
}

func (o *outputCounts) add(more outputCounts) {
	o.read += more.read
	o.used += more.used
	o.filtered += more.filtered
	o.bad += more.bad
	o.expanded = o.expanded || more.expanded
}

// observed adds the event times that a task has seen, in the order of the segments.
func (r *batchRun) observed(k *task) {
	for id, s := range k.Event {
		r.event[id].Add(s)
	}
}

// addTask adds the counts of a segment of a source to the batch's, in the order of the
// segments.
func (r *batchRun) addTask(k *task, source int) {
	r.observed(k)
	read := k.decoded + k.lines
	r.count.read += read
	r.count.bySource[source] += read
	bad := k.lines
	for i := range k.tracks {
		bad += k.tracks[i].refused
	}
	r.count.bad += bad
	if r.q.cfg.dropsBad(source) {
		r.count.badDropped += bad
	}
	r.count.add(r.q.routing.sources[source], k, outputCounts{read: read, bad: k.lines})
	for _, b := range k.bad {
		r.keepBad(badRow{stream: r.q.cfg.Plan.Sources[source].Stream, BadRow: b})
	}
}

// add adds what became of the rows of a task to the outputs that a route leads to. Every
// output accounts for all rows of the source, once for each route that ends in it.
func (c *counts) add(rt *route, k *task, on outputCounts) {
	t := &k.tracks[rt.number]
	on.filtered += t.filtered
	on.bad += t.refused
	on.used, on.expanded = t.used, rt.expands
	for _, o := range rt.outputs {
		c.outputs[o].add(on)
	}
	for _, next := range rt.next {
		c.add(next, k, on)
	}
}

// account checks that no row got lost: for every output, read = used + filtered + late +
// bad. It is an assertion: a difference is a bug, and the batch must not be committed.
func (r *batchRun) account(res *result) error {
	c := &res.counts
	for i, b := range r.q.states {
		if b.readsSource() {
			c.outputs[b.output].late += res.stats[i].RowsLate
		}
	}
	for i := range c.outputs {
		o := &c.outputs[i]
		if o.expanded {
			// Windows multiplied the rows on their way, so what arrived cannot be
			// compared with what was read.
			o.used = o.read - o.filtered - o.late - o.bad
		} else {
			o.used -= o.late
		}
		if o.read != o.used+o.filtered+o.late+o.bad {
			return sqlerr.New(sqlerr.Internal, "batch %d read %d rows but used %d, filtered %d, found %d late and %d bad",
				res.plan.Batch, o.read, o.used, o.filtered, o.late, o.bad)
		}
		c.used += o.used
		c.filtered += o.filtered
		c.late += o.late
	}
	return nil
}

// readsSource reports whether a breaker takes rows of a source directly: only there a late
// row is a row that was read.
func (b *breaker) readsSource() bool {
	for _, parts := range b.feeds {
		if slices.ContainsFunc(parts, func(f feed) bool { return f.inlet != nil }) {
			return true
		}
	}
	return false
}
