package op

import (
	"errors"
	"math/rand/v2"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/state"
)

// partialTables is the tables of a partial: by window, by pane, by closing time, or
// one for all.
type partialTables struct {
	list  []partialTable // those of this segment
	spare []partialTable // with their memory, for later ones
	byKey state.Slab     // the keys of list, to find one by its key
	index state.Index
	dense bool
	seed  uint64
	panes []paneRun
}

// partialTable is one table. Its key is what state.Windows knows it by.
type partialTable struct {
	key          int64
	index        state.Index
	late, partly bool // for all, or for some of the windows that share the pane
}

// paneRun is consecutive rows whose time lies in one pane, for layerEach.
type paneRun struct {
	end         int32
	first, last int64 // the windows that the pane belongs to; first > last for none
}

func (ts *partialTables) init(a *aggregate) {
	ts.byKey = state.Slab{KeyWords: 1, Stride: 1}
	ts.seed = rand.Uint64()
	ts.index = state.NewIndex(false, ts.seed)
	ts.dense = a.keys.words == 1 && len(a.keys.interned) == 1
}

func (ts *partialTables) reset() {
	for i := range ts.list {
		ts.list[i].index.Reset()
		ts.spare = append(ts.spare, ts.list[i])
	}
	ts.list = ts.list[:0]
	ts.byKey.Words = ts.byKey.Words[:0]
	ts.index.Reset()
}

// find returns the number of the table of a key, and whether it is new.
func (ts *partialTables) find(key int64) (table int32, fresh bool) {
	var out [1]int32
	ts.index.Resolve(&ts.byKey, []uint64{uint64(key)}, out[:])
	if int(out[0]) < len(ts.list) {
		return out[0], false
	}
	t := partialTable{}
	if n := len(ts.spare); n > 0 {
		t, ts.spare = ts.spare[n-1], ts.spare[:n-1]
		t.late, t.partly = false, false
	} else {
		t.index = state.NewIndex(ts.dense, ts.seed)
	}
	t.key = key
	ts.list = append(ts.list, t)
	return out[0], true
}

// assign finds the table of each row of a chunk, sets late rows aside, and calls use
// with the runs in p.chunk: once, or once per window of a row.
func (ts *partialTables) assign(p *partial, rec arrow.Record, use func() error) error {
	s, a := &p.chunk, p.a
	s.runs, s.lateRows = s.runs[:0], s.lateRows[:0]
	if a.layer == layerOne {
		table, _ := ts.find(0)
		s.runs = append(s.runs, tableRun{int32(rec.NumRows()), table})
		return use()
	}
	of := a.cfg.Close
	if a.layer != layerClose {
		of = a.cfg.Time
	}
	col, err := of.Eval(a.batch.Expr, rec)
	if err != nil {
		return err
	}
	defer col.Release()
	times, ok := col.(*array.Timestamp)
	if !ok {
		return errors.New("the time of a grouping is no timestamp")
	}
	switch a.layer {
	case layerClose:
		ts.assignClose(p, times)
	case layerEach:
		ts.assignPanes(p, times)
		if err := p.takeLate(rec); err != nil {
			return err
		}
		return ts.eachWindow(p, use)
	default:
		ts.assignWindows(p, times)
	}
	if err := p.takeLate(rec); err != nil {
		return err
	}
	return use()
}

// run ends a run of rows of one table.
func (s *chunkScratch) run(from, end int, table int32) {
	if table == lateTable {
		for r := from; r < end; r++ {
			s.lateRows = append(s.lateRows, int32(r))
		}
	}
	if n := len(s.runs); n > 0 && s.runs[n-1].table == table {
		s.runs[n-1].end = int32(end)
		return
	}
	s.runs = append(s.runs, tableRun{int32(end), table})
}

// assignClose finds the tables by closing time. A group is late when its time is at
// most the late watermark; without a time it never is.
func (ts *partialTables) assignClose(p *partial, times *array.Timestamp) {
	a, vals := p.a, times.TimestampValues()
	hasNulls := times.NullN() > 0
	at := func(i int) int64 {
		if hasNulls && times.IsNull(i) {
			return neverCloses
		}
		return int64(vals[i])
	}
	for from := 0; from < len(vals); {
		key, end := at(from), from+1
		for end < len(vals) && at(end) == key {
			end++
		}
		table := int32(lateTable)
		if !a.drops() || key > a.batch.LateMicros {
			table, _ = ts.find(key)
		}
		p.chunk.run(from, end, table)
		from = end
	}
}

// eachPane calls f for runs of rows whose time lies in one pane, and with
// known false for rows without a time.
func (a *aggregate) eachPane(times *array.Timestamp, f func(from, end int, start int64, known bool)) {
	vals := times.TimestampValues()
	if times.NullN() > 0 {
		for i := range vals {
			if times.IsNull(i) {
				f(i, i+1, 0, false)
				continue
			}
			start, _ := a.overlap.bounds(int64(vals[i]))
			f(i, i+1, start, true)
		}
		return
	}
	from := 0
	start, end := int64(1), int64(0)
	for i, t := range vals {
		if int64(t) >= start && int64(t) < end {
			continue
		}
		if i > from {
			f(from, i, start, true)
			from = i
		}
		start, end = a.overlap.bounds(int64(t))
	}
	if len(vals) > from {
		f(from, len(vals), start, true)
	}
}

// assignWindows finds the tables by window or by pane.
func (ts *partialTables) assignWindows(p *partial, times *array.Timestamp) {
	a := p.a
	a.eachPane(times, func(from, end int, start int64, known bool) {
		if !known {
			p.chunk.run(from, end, noTable)
			return
		}
		n, fresh := ts.find(start)
		t := &ts.list[n]
		if fresh && a.drops() {
			t.late, t.partly = a.overlap.late(start)
		}
		switch {
		case t.late:
			n = lateTable
		case t.partly:
			p.rowsPartly += int64(end - from)
		}
		p.chunk.run(from, end, n)
	})
}

// assignPanes notes which windows the rows fall in.
func (ts *partialTables) assignPanes(p *partial, times *array.Timestamp) {
	a := p.a
	ts.panes = ts.panes[:0]
	a.eachPane(times, func(from, end int, start int64, known bool) {
		run := paneRun{end: int32(end), first: 1}
		if known {
			run.first, run.last = a.overlap.windows(a.overlap.number(start))
			if a.drops() {
				late, partly := a.overlap.late(start)
				switch {
				case late:
					p.chunk.run(from, end, lateTable)
					run.first, run.last = 1, 0
				case partly:
					p.rowsPartly += int64(end - from)
					run.first = a.overlap.through(a.batch.LateMicros) + 1
				}
			}
		}
		ts.panes = append(ts.panes, run)
	})
}

// eachWindow calls use once for every window that a row can fall in. In one call a row
// belongs to one window at most, and of the rows of one window none comes in
// another call, so that their order stays.
func (ts *partialTables) eachWindow(p *partial, use func() error) error {
	perRow := p.a.overlap.perRow()
	for pass := range perRow {
		s := &p.chunk
		s.runs, s.lateRows = s.runs[:0], s.lateRows[:0]
		from := 0
		for _, run := range ts.panes {
			table := int32(noTable)
			k := run.last - floorModulo(run.last-pass, perRow)
			if run.first <= run.last && k >= run.first {
				table, _ = ts.find(p.a.overlap.end(k))
			}
			s.run(from, int(run.end), table)
			from = int(run.end)
		}
		if err := use(); err != nil {
			return err
		}
	}
	return nil
}

func floorModulo(a, b int64) int64 { return a - floorDivide(a, b)*b }
