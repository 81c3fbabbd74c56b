package oracle

import (
	"fmt"

	"ssql/sql/types"
)

// Check runs a case through all comparisons; "" if all agree. The report has the case as it
// is after everything was left out that the failure does not need.
func Check(c *Case, d *Duck) string {
	check := func(c *Case) string { return compareAll(c, d) }
	why := check(c)
	if why == "" {
		return ""
	}
	small, why := shrink(c, why, check)
	return fmt.Sprintf("seed %d (%s): %s\n%s\n(from %d rows) again: go test ./internal/oracle -cases 1 -seed %d",
		c.Seed, c.Grammar.Name, why, small, c.rows(), c.Seed)
}

// compareAll returns what disagrees first.
func compareAll(c *Case, d *Duck) string {
	base, err := Run(c, Way{Workers: 2})
	if err != nil {
		return "the engine fails: " + err.Error()
	}
	if !c.Late && !c.Grammar.Loose && c.rows() > 0 {
		want, err := d.Answer(c)
		if err != nil {
			return "DuckDB fails: " + err.Error() + "\n" + c.Query.DuckSQL(c.finalMicros())
		}
		if why := differ("the sink against DuckDB", c.Query.Columns(), base.Sink, want); why != "" {
			return why + "\n" + c.Query.DuckSQL(c.finalMicros())
		}
		if why := differOnTheWay(c, base, d); why != "" {
			return why
		}
	}
	if !c.Grammar.Changes {
		if why := differBatches(c, base.Batches, Model(c)); why != "" {
			return why
		}
	}
	for _, r := range relations() {
		if why := r.check(c, base); why != "" {
			return "with " + r.name + ": " + why
		}
	}
	return ""
}

// pushesDown reports whether conditions move below an operator that keeps rows: those on one
// side of a join, what follows from them for the other side, and "key IS NOT NULL" of a
// join below a grouping. Which rows are kept and found late is the planner's choice then.
func (q *Query) pushesDown() bool {
	return anyRel(q.From, func(r Rel) bool {
		switch r := r.(type) {
		case *Join:
			_, counts := r.Left.(*Sub)
			_, chained := r.Left.(*LeftSide)
			return q.Cond != nil || counts || chained && (r.Residual != nil || r.Only[0] != nil)
		case *AsOf:
			return q.Cond != nil
		}
		return false
	})
}

// stepsMax is at how many points of a case the sink is compared with DuckDB.
const stepsMax = 5

// differOnTheWay compares the sink of a query in update mode, which is to be the answer over
// the rows so far at any time, after some of the feeds.
func differOnTheWay(c *Case, base *Outcome, d *Duck) string {
	if c.Query.Mode != types.Update {
		return ""
	}
	every := 1 + len(base.Steps)/stepsMax
	for i := every - 1; i < len(base.Steps); i += every {
		step := base.Steps[i]
		sofar := *c
		sofar.Feeds = c.Feeds[:step.Feeds]
		if sofar.rows() == 0 {
			continue
		}
		want, err := d.Answer(&sofar)
		if err != nil {
			return "DuckDB fails: " + err.Error()
		}
		if why := differ("the sink on the way against DuckDB", c.Query.Columns(), step.Sink, want); why != "" {
			return fmt.Sprintf("%s\nafter %d feeds: %s", why, step.Feeds, c.Query.DuckSQL(sofar.finalMicros()))
		}
	}
	return ""
}

// differBatches compares batch by batch; "" if they are equal.
func differBatches(c *Case, got, want []Batch) string {
	for i := range max(len(got), len(want)) {
		if i == len(got) || i == len(want) {
			return fmt.Sprintf("%d batches, the model %d", len(got), len(want))
		}
		g, w := got[i], want[i]
		if why := differ(fmt.Sprintf("rows of batch %d against the model", i), c.Query.Columns(), g.Rows, w.Rows); why != "" {
			return why
		}
		g.Rows, w.Rows = nil, nil
		if c.Query.pushesDown() {
			g.Ops, w.Ops = nil, nil
		}
		if a, b := fmt.Sprintf("%+v", g), fmt.Sprintf("%+v", w); a != b {
			return fmt.Sprintf("batch %d\n  got   %s\n  model %s", i, a, b)
		}
	}
	return ""
}
