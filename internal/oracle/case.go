package oracle

import (
	"fmt"
	"strings"

	"ssql/plan"
)

// Case is one random query with its input.
type Case struct {
	Seed    uint64
	Grammar *Production
	Streams []*Stream
	Query   *Query
	Table   *StaticJoin // what the query joins with; nil for none
	Feeds   []Feed
	// Late says that rows may come behind the watermark.
	Late bool
	// NoData lets batches without rows run.
	NoData bool
	Policy plan.Policy
	// SegmentRows is how many rows one segment of a batch has.
	SegmentRows int
}

// Feed is rows that arrive together: the rows of each stream, of one batch.
type Feed struct {
	Rows [][]Row // by stream
	// Hold leaves the rows to be read in a backlog with the next feed's: each still is
	// a batch, but none without rows comes between.
	Hold bool
}

// rows returns how many rows a case has.
func (c *Case) rows() int {
	n := 0
	for _, f := range c.Feeds {
		for _, rows := range f.Rows {
			n += len(rows)
		}
	}
	return n
}

// finalMicros is the watermark after all rows.
func (c *Case) finalMicros() int64 {
	final := int64(-1)
	for i, s := range c.Streams {
		if s.DelayMicros < 0 {
			continue
		}
		node := int64(0)
		for _, f := range c.Feeds {
			for _, r := range f.Rows[i] {
				if t, ok := r[0].(int64); ok {
					node = max(node, floorMillis(t)-s.DelayMicros)
				}
			}
		}
		if final < 0 || c.Policy == plan.MinPolicy && node < final || c.Policy == plan.MaxPolicy && node > final {
			final = node
		}
	}
	return max(0, final)
}

// floorMillis cuts microseconds to whole milliseconds, downward.
func floorMillis(micros int64) int64 {
	rem := micros % 1000
	if rem < 0 {
		rem += 1000
	}
	return micros - rem
}

// String prints the case as a script that people can read and run again.
func (c *Case) String() string {
	var b strings.Builder
	for _, s := range c.Streams {
		delay := "no watermark"
		if s.DelayMicros >= 0 {
			delay = fmt.Sprintf("watermark ts, delay %d ms", s.DelayMicros/1000)
		}
		fmt.Fprintf(&b, "stream %s (%s) %s\n", s.Name, list(s.Cols, func(c Column) string { return c.Name + " " + c.Type.String() }), delay)
	}
	if c.Table != nil {
		fmt.Fprintf(&b, "table %s (%s)\n", c.Table.Table.Name, list(c.Table.Table.Cols, func(c Column) string { return c.Name + " " + c.Type.String() }))
		for _, r := range c.Table.Rows {
			fmt.Fprintf(&b, "  %s\n", showRow(r, c.Table.Table.Cols))
		}
	}
	fmt.Fprintf(&b, "%s mode, policy %d, batches without rows %t, segments of %d rows\n", c.Query.Mode, c.Policy, c.NoData, c.SegmentRows)
	fmt.Fprintf(&b, "query  %s\n", c.Query.SQL())
	for i, f := range c.Feeds {
		fmt.Fprintf(&b, "feed %d", i)
		if f.Hold {
			b.WriteString(", read with the next")
		}
		b.WriteString("\n")
		for k, rows := range f.Rows {
			for _, r := range rows {
				fmt.Fprintf(&b, "  %s  %s\n", c.Streams[k].Name, showRow(r, c.Streams[k].Cols))
			}
		}
	}
	return b.String()
}

func showRow(r Row, cols []Column) string {
	parts := make([]string, len(r))
	for i, v := range r {
		parts[i] = show(v, cols[i].Type)
	}
	return strings.Join(parts, " | ")
}
