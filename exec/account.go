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
	partlyLate           int64
	bad                  int64
	// badDropped are the bad rows that their source says not to keep.
	badDropped int64
	outputs    []outputCounts
	// paths are the ends of the traced routes of every task; they are summed up when all late
	// rows are known.
	paths []*path
}

// outputCounts account for every row that an output read: read = used + filtered + late +
// bad (invariant I7). Used are the rows that came to its first breaker and were not late. A
// row of which the stages made several is used if one of them is: see tally.
type outputCounts struct {
	read, used, filtered, late, bad int64
	partlyLate                      int64 // of the used ones: some of what came of them was late
	rowsOut, rowsDeleted            int64
}

func (o *outputCounts) add(more outputCounts) {
	o.read += more.read
	o.used += more.used
	o.filtered += more.filtered
	o.late += more.late
	o.bad += more.bad
	o.partlyLate += more.partlyLate
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
	if !r.q.routing.traced[source] {
		for i := range k.tracks {
			bad += k.tracks[i].refused
		}
	}
	r.countBad(source, bad)
	r.count.add(r.q.routing.sources[source], k, source, nil, outputCounts{read: read, bad: k.lines})
	for _, b := range k.bad {
		r.keepBad(badRow{stream: r.q.cfg.Plan.Sources[source].Stream, BadRow: b})
	}
}

func (r *batchRun) countBad(source int, rows int64) {
	r.count.bad += rows
	if r.q.cfg.dropsBad(source) {
		r.count.badDropped += rows
	}
}

// add adds what became of the rows of a task to the outputs that a route leads to. Every
// output accounts for all rows of the source, once for each route that ends in it.
func (c *counts) add(rt *route, k *task, source int, above []*route, on outputCounts) {
	t := &k.tracks[rt.number]
	on.filtered += t.filtered
	on.bad += t.refused
	above = append(slices.Clone(above), rt)
	for _, o := range rt.outputs {
		if rt.traced {
			c.outputs[o].add(outputCounts{read: on.read, bad: k.lines})
			continue
		}
		on.used = t.used
		c.outputs[o].add(on)
	}
	if rt.traced {
		c.paths = append(c.paths, &path{task: k, source: source, routes: above, outputs: rt.outputs})
	}
	on.used = 0
	for _, next := range rt.next {
		c.add(next, k, source, above, on)
	}
}

// account checks that no row got lost: for every output, read = used + filtered + late +
// bad. It is an assertion: a difference is a bug, and the batch must not be committed.
func (r *batchRun) account(res *result) error {
	r.sumPaths()
	res.counts = r.count
	c := &res.counts
	for i := range c.outputs {
		o := &c.outputs[i]
		if o.used < 0 || o.filtered < 0 || o.read != o.used+o.filtered+o.late+o.bad {
			return sqlerr.New(sqlerr.Internal, "batch %d read %d rows but used %d, filtered %d, found %d late and %d bad",
				res.plan.Batch, o.read, o.used, o.filtered, o.late, o.bad)
		}
		c.used += o.used
		c.filtered += o.filtered
		c.late += o.late
		c.partlyLate += o.partlyLate
	}
	return nil
}

// sumPaths adds the rows of traced tasks to their outputs, and takes the late ones, which
// were counted as used where they arrived, from the used ones of the others.
func (r *batchRun) sumPaths() {
	c := &r.count
	for i := range c.outputs {
		c.outputs[i].used -= c.outputs[i].late
	}
	bad := map[*task]map[int32]bool{} // by task, so that a row counts once
	for _, p := range c.paths {
		rows := bad[p.task]
		if rows == nil {
			rows = map[int32]bool{}
			bad[p.task] = rows
		}
		for _, o := range p.outputs {
			c.outputs[o].add(p.counts(o, func(row int32) { rows[row] = true }))
		}
	}
	onPath := map[*task]map[*route]bool{}
	for _, p := range c.paths {
		if onPath[p.task] == nil {
			onPath[p.task] = map[*route]bool{}
		}
		for _, rt := range p.routes {
			onPath[p.task][rt] = true
		}
	}
	for _, p := range c.paths {
		rows := bad[p.task]
		if rows == nil {
			continue // counted with another path of the task
		}
		delete(bad, p.task)
		for _, rt := range r.q.routing.routes {
			if onPath[p.task][rt] {
				continue
			}
			for row := range p.task.tracks[rt.number].refusedRows {
				rows[row] = true
			}
		}
		r.countBad(p.source, int64(len(rows)))
	}
	c.paths = nil
}
