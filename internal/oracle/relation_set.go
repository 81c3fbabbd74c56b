package oracle

import (
	"fmt"
	"math/rand/v2"
)

// besideMax is how many queries stand beside that of a case.
const besideMax = 2

// inASet makes the query one output of a statement set, with others over the same streams: each
// stores what it stores alone. Rows must not be late, for a batch that another query closes
// its windows in moves the watermark a batch sooner.
func inASet(c *Case, base *Outcome) string {
	if c.Late || c.Grammar.Loose {
		return ""
	}
	for _, s := range c.Streams {
		if s.DelayMicros < 0 {
			return "" // not every query has an answer then
		}
	}
	var beside []*Case
	for n := range uint64(besideMax) {
		if other := drawBeside(c, n); other != nil {
			beside = append(beside, other)
		}
	}
	set, err := Run(c, Way{Beside: beside, Workers: 2})
	if err != nil {
		return "the set fails: " + err.Error()
	}
	if why := differ("the sink", c.Query.Columns(), set.Sink, base.Sink); why != "" {
		return why
	}
	for i, other := range beside {
		alone, err := Run(other, Way{Workers: 1})
		if err != nil {
			return "the query beside it fails alone: " + err.Error()
		}
		if why := differ("the sink of the query beside it", other.Query.Columns(), set.Beside[i], alone.Sink); why != "" {
			return fmt.Sprintf("%s\n%s", why, other.Query.SQL())
		}
	}
	return ""
}

// drawBeside draws another query over the streams of a case, nil if none is found.
func drawBeside(c *Case, n uint64) *Case {
	g := &gen{Rand: rand.New(rand.NewPCG(c.Seed, 0x5e7+n))}
	for range 20 {
		g.p = g.production(func(string) bool { return true })
		if g.p.Streams != len(c.Streams) || g.p.Loose || g.p.Changes != c.Grammar.Changes {
			continue
		}
		other := *c
		other.Grammar, other.Table = g.p, nil
		g.c = &other
		g.query()
		if other.Table == nil && other.Query.Limit == 0 {
			return &other
		}
	}
	return nil
}
