package exec

import (
	"github.com/apache/arrow/go/v17/arrow"

	"ssql/exec/op"
	"ssql/internal/invariant"
)

// A row of a source that becomes several rows on its way, or comes to an output in several
// places, is accounted for once: it is used if one of the rows that came of it is, else late
// if one is late, else bad if one is bad, else filtered if a condition left one out. A row of
// which nothing came for another reason (an empty list, no partner in a table) is used.

// tally is what became of the rows of a task at the end of a route, for one output.
type tally struct {
	rows []tallied
}

// tallied is what became of one row of a source.
type tallied struct {
	used    int32 // rows of it that came to the end and were not late
	arrived bool
	late    bool // some were late
}

// came counts rows that came to an input of an operator.
func (t *tally) came(from []int32) {
	for _, row := range from {
		for int(row) >= len(t.rows) {
			t.rows = append(t.rows, tallied{})
		}
		t.rows[row].used++
		t.rows[row].arrived = true
	}
}

// tookLate counts rows that an operator found late.
func (t *tally) tookLate(from []int32) {
	for _, row := range from {
		t.rows[row].used--
		t.rows[row].late = true
		if invariant.Enabled {
			invariant.Holds(t.rows[row].used >= 0, "I5", "more rows of row %d of a source are late than came of it", row)
		}
	}
}

// path is the end of a traced route and the routes that lead to it.
type path struct {
	task    *task
	source  int
	routes  []*route
	outputs []int // of the route's end
}

// counts sums the tally of an output up. bad is called with the rows that are bad.
func (p *path) counts(output int, bad func(row int32)) outputCounts {
	c := outputCounts{}
	t := p.task.tracks[p.routes[len(p.routes)-1].number].tallies[output]
	left := p.task.decoded
	if t != nil {
		for _, r := range t.rows {
			switch {
			case !r.arrived:
				continue
			case r.used > 0 && r.late:
				c.partlyLate++
				c.used++
			case r.used > 0:
				c.used++
			default:
				c.late++
			}
			left--
		}
	}
	refused := map[int32]bool{}
	for _, rt := range p.routes {
		for row := range p.task.tracks[rt.number].refusedRows {
			arrived := t != nil && int(row) < len(t.rows) && t.rows[row].arrived
			if arrived || refused[row] {
				continue
			}
			refused[row] = true
			bad(row)
			left--
		}
	}
	c.bad, c.filtered = int64(len(refused)), p.filtered(t, refused)
	c.used += left - c.filtered
	return c
}

// filtered counts the rows of which a filter left something out and nothing else became of
// the rest.
func (p *path) filtered(t *tally, refused map[int32]bool) int64 {
	out := map[int32]bool{}
	for _, rt := range p.routes {
		for row, is := range p.task.tracks[rt.number].filteredRows {
			arrived := t != nil && row < len(t.rows) && t.rows[row].arrived
			if is && !arrived && !refused[int32(row)] {
				out[int32(row)] = true
			}
		}
	}
	return int64(len(out))
}

// leftOut notes which rows of the source a filter left something of out.
func (k *task) leftOut(before, after arrow.Record) {
	t, ok := before.(*op.Traced)
	if !ok || before.NumRows() == after.NumRows() {
		return
	}
	kept := map[int32]int{}
	if a, ok := after.(*op.Traced); ok {
		for _, row := range a.From {
			kept[row]++
		}
	}
	for _, row := range t.From {
		if kept[row]--; kept[row] >= 0 {
			continue
		}
		for int(row) >= len(k.on.filteredRows) {
			k.on.filteredRows = append(k.on.filteredRows, false)
		}
		k.on.filteredRows[row] = true
	}
}

// traced gives the rows of a chunk of a source their numbers.
func (k *task) traced(rec arrow.Record) arrow.Record {
	from := make([]int32, rec.NumRows())
	for i := range from {
		from[i] = int32(k.decoded) + int32(i)
	}
	return &op.Traced{Record: rec, From: from}
}

// refuse notes that a row was refused on the route whose stages run.
func (k *task) refuse(rec arrow.Record, row int) {
	k.on.refused++
	t, ok := rec.(*op.Traced)
	if !ok {
		return
	}
	if k.on.refusedRows == nil {
		k.on.refusedRows = map[int32]bool{}
	}
	k.on.refusedRows[t.From[row]] = true
}

// arrive counts the rows of a chunk that come to an inlet, and returns the chunk for it.
func (k *task) arrive(in *inlet, rec arrow.Record) arrow.Record {
	t, ok := rec.(*op.Traced)
	if !ok {
		return rec
	}
	if k.on.tallies == nil {
		k.on.tallies = map[int]*tally{}
	}
	of := k.on.tallies[in.b.output]
	if of == nil {
		of = &tally{}
		k.on.tallies[in.b.output] = of
	}
	of.came(t.From)
	return &op.Traced{Record: t.Record, Of: of, From: t.From}
}

// countLate counts rows that an operator found late, if they were read: rows of an operator
// below are none.
func (r *batchRun) countLate(b *breaker, input int, rec arrow.Record) {
	if t, ok := rec.(*op.Traced); ok {
		if of, ok := t.Of.(*tally); ok {
			of.tookLate(t.From)
		}
		return
	}
	for _, f := range b.feeds[input] {
		if f.inlet != nil {
			r.count.outputs[b.output].late += rec.NumRows()
			return
		}
	}
}
