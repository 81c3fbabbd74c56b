package op_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ssql/exec/op"
	"ssql/exec/op/optest"
	"ssql/sql/types"
)

// modelRow is one row of the model's input: time, key and value.
type modelRow struct {
	ts, v int64
	k     string
}

func (r modelRow) String() string {
	ts := "NULL"
	if r.ts != noTime {
		ts = types.FormatTimestamp(r.ts)
	}
	return fmt.Sprintf("%s | %s | %d", ts, r.k, r.v)
}

const noTime = -1 << 62

// modelGroup is a window and a key; order is when the model first saw it.
type modelGroup struct {
	start, end int64
	k          string
	rows       []modelRow
	touched    bool
}

// model is an aggregation a row at a time, straight from docs/SEMANTICS.md,
// Late rows, Windows and Output modes: the oracle of the operator.
type model struct {
	windows op.Windows
	mode    types.Mode
	groups  map[string]*modelGroup
}

func (m *model) batch(rows []modelRow, late, evict int64) optest.Step {
	drops := m.mode != types.Complete
	var s optest.Step
	for _, g := range m.groups {
		g.touched = false
	}
	for _, r := range rows {
		s.Rows = append(s.Rows, r.String())
		if r.ts == noTime {
			continue
		}
		used, missed := 0, 0
		_ = m.windows.Each(r.ts, func(start, end int64) error {
			if drops && end <= late {
				missed++
				return nil
			}
			used++
			id := fmt.Sprint(start, end, r.k)
			g := m.groups[id]
			if g == nil {
				g = &modelGroup{start: start, end: end, k: r.k}
				m.groups[id] = g
			}
			g.rows, g.touched = append(g.rows, r), true
			return nil
		})
		switch {
		case used == 0:
			s.WantLate = append(s.WantLate, r.String())
		case missed > 0:
			s.Partly++
		}
	}
	for id, g := range m.groups {
		closed := drops && g.end <= evict
		if g.touched {
			s.Updated++
		}
		if m.mode == types.Complete || m.mode == types.Update && g.touched || m.mode == types.Append && closed {
			s.Want = append(s.Want, g.line())
		}
		if closed {
			s.Removed++
			delete(m.groups, id)
		}
	}
	s.Total = int64(len(m.groups))
	s.Late, s.Evict = types.FormatTimestamp(late), types.FormatTimestamp(evict)
	return s
}

// line is count(*), sum(v), min(k), count(DISTINCT v) and first(v).
func (g *modelGroup) line() string {
	sum, seen := int64(0), map[int64]bool{}
	for _, r := range g.rows {
		sum += r.v
		seen[r.v] = true
	}
	return fmt.Sprintf("%s | %s | %s | %d | %d | %s | %d | %d", types.FormatTimestamp(g.start), types.FormatTimestamp(g.end),
		g.k, len(g.rows), sum, g.k, len(seen), g.rows[0].v)
}

// script runs random batches through the model.
func (m *model) script(rng *rand.Rand, batches int) []optest.Step {
	var steps []optest.Step
	now, late, evict := int64(0), int64(0), int64(0)
	for range batches {
		var rows []modelRow
		for range rng.IntN(9) {
			r := modelRow{ts: now + rng.Int64N(80*second) - 60*second, v: rng.Int64N(5), k: string('a' + rune(rng.IntN(4)))}
			if rng.IntN(20) == 0 {
				r.ts = noTime
			}
			rows = append(rows, r)
		}
		steps = append(steps, m.batch(rows, late, evict))
		now += rng.Int64N(20 * second)
		late = evict
		if rng.IntN(3) > 0 {
			evict = max(evict, now-rng.Int64N(30*second))
		}
	}
	return steps
}

func TestRandomBatchesAgreeWithTheModel(t *testing.T) {
	windows := map[string]op.Windows{
		"tumble":          tumble(10 * second),
		"tumble offset":   {SizeMicros: 10 * second, SlideMicros: 10 * second, OffsetMicros: 3 * second},
		"hop":             {SizeMicros: 20 * second, SlideMicros: 5 * second},
		"hop offset":      {SizeMicros: 30 * second, SlideMicros: 10 * second, OffsetMicros: -3 * second},
		"hop undivided":   {SizeMicros: 12 * second, SlideMicros: 5 * second, OffsetMicros: 2 * second},
		"hop nearly size": {SizeMicros: 12 * second, SlideMicros: 11 * second},
		"hop of many":     {SizeMicros: 60 * second, SlideMicros: 3 * second},
		"cumulate":        {SizeMicros: 20 * second, SlideMicros: 5 * second, Cumulate: true},
		"cumulate offset": {SizeMicros: 12 * second, SlideMicros: 4 * second, OffsetMicros: second, Cumulate: true},
	}
	modes := map[string]types.Mode{"append": types.Append, "update": types.Update, "complete": types.Complete}
	for name, w := range windows {
		for modeName, mode := range modes {
			t.Run(name+"/"+modeName, func(t *testing.T) {
				for seed := range uint64(12) {
					m := &model{windows: w, mode: mode, groups: map[string]*modelGroup{}}
					steps := m.script(rand.New(rand.NewPCG(seed, 7)), 12)
					// With DISTINCT and first, overlapping windows are kept one by one;
					// without, in panes.
					checkModel(t, seed, w, mode, steps, true)
					checkModel(t, seed, w, mode, cut(steps), false)
				}
			})
		}
	}
}

// cut takes the columns of the DISTINCT and the ordered call off what is wanted.
func cut(steps []optest.Step) []optest.Step {
	out := slices.Clone(steps)
	for i := range out {
		out[i].Want = nil
		for _, line := range steps[i].Want {
			for range 2 {
				line = line[:lastCut(line)]
			}
			out[i].Want = append(out[i].Want, line)
		}
	}
	return out
}

func lastCut(line string) int {
	for i := len(line) - 3; ; i-- {
		if line[i:i+3] == " | " {
			return i
		}
	}
}

// checkModel runs steps in a few of the ways of optest, drawn from the seed.
func checkModel(t *testing.T, seed uint64, w op.Windows, mode types.Mode, steps []optest.Step, all bool) {
	t.Helper()
	g := groupOver(t, mode, readings...).windows(w).by("k").call("count").call("sum", "v").call("min", "k")
	if all {
		g = g.call("count", "v").distinct().call("first", "v")
	}
	optest.RunSome(t, optest.Case{New: g.make, Inputs: [][]types.Field{readings}, Steps: steps}, seed)
}
