package oracle

import "fmt"

// Check runs a case through all comparisons; "" if all agree.
func Check(c *Case, d *Duck) string {
	why := compareAll(c, d)
	if why == "" {
		return ""
	}
	return fmt.Sprintf("seed %d (%s): %s\n%s\nagain: go test ./internal/oracle -cases 1 -seed %d", c.Seed, c.Grammar.Name, why, c, c.Seed)
}

// compareAll returns what disagrees first.
func compareAll(c *Case, d *Duck) string {
	base, err := Run(c, Way{})
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
	}
	return ""
}
