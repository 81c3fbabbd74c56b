package oracle

import (
	"fmt"
	"strings"

	"ssql/plan"
	"ssql/sql/types"
)

// sparkDedup is the name that a script gives the deduplication of its query.
const sparkDedup = "deduped"

// SparkScript writes the case as a stream script that Spark can answer too, with empty
// expected blocks: the model is a reading of Spark's rules, and Spark is what they are
// read from. ok is false for cases that Spark refuses, or answers otherwise by one of
// the differences of docs/SEMANTICS.md. Every feed is a batch of its own, and rows without
// event time are left out (D7).
func (c *Case) SparkScript() (script string, ok bool) {
	if !c.Query.inSpark() || c.Grammar.Changes || c.Table != nil {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Seed %d: %s.\n", c.Seed, c.Grammar.Name)
	for _, s := range c.Streams {
		fmt.Fprintf(&b, "\nstream %s", s.Name)
		if s.DelayMicros >= 0 {
			fmt.Fprintf(&b, " watermark=ts:%ds", s.DelayMicros/1e6)
		}
		b.WriteString("\n")
		for _, col := range s.Cols {
			fmt.Fprintf(&b, "%s %s\n", col.Name, sparkText(col.Type.String()))
		}
	}
	if c.Policy == plan.MaxPolicy {
		b.WriteString("\nset watermark_policy=max\n")
	}
	if !c.NoData {
		b.WriteString("\nset no_data_batches=off\n")
	}
	anyRel(c.Query.From, func(r Rel) bool {
		if d, ok := r.(*Dedup); ok && !d.Distinct {
			d.verb(&b)
		}
		return false
	})
	fmt.Fprintf(&b, "\nquery q mode=%s\n%s\n----\n", c.Query.Mode, sparkText(c.Query.text(spark)))
	for _, f := range c.Feeds {
		if c.feed(&b, f) {
			b.WriteString("\nrun q\n----\n")
		}
	}
	b.WriteString("\nstate q\n----\n")
	return b.String(), true
}

// verb writes the step that makes the deduplication.
func (d *Dedup) verb(b *strings.Builder) {
	of := "undeduped"
	if s, ok := d.In.(*Scan); ok {
		of = s.Stream.Name
	} else {
		fmt.Fprintf(b, "\nview %s\nSELECT %s FROM %s\n", of, names(d.In.Columns()), sparkText(d.In.From(spark)))
	}
	within := ""
	if d.Within {
		within = " within"
	}
	fmt.Fprintf(b, "\ndedup %s%s of=%s keys=%s\n", sparkDedup, within, of, strings.Join(d.Keys, ","))
}

// feed writes the rows of one batch and reports whether there are any.
func (c *Case) feed(b *strings.Builder, f Feed) bool {
	any := false
	for i, rows := range f.Rows {
		head := fmt.Sprintf("\nfeed %s\n", c.Streams[i].Name)
		for _, r := range rows {
			if r[0] == nil && c.Streams[i].DelayMicros >= 0 {
				continue
			}
			b.WriteString(head + showRow(r, c.Streams[i].Cols) + "\n")
			head, any = "", true
		}
	}
	return any
}

// sparkText names the types as Spark does.
func sparkText(sql string) string { return strings.ReplaceAll(sql, "VARCHAR", "STRING") }

// inSpark reports whether Spark takes the query and answers it in one way only.
func (q *Query) inSpark() bool {
	if q.Window != nil && (q.Window.Kind == Cumulate || !q.Grouped) {
		return false
	}
	_, plain := q.From.(*Scan)
	for _, call := range q.Calls {
		// DISTINCT is refused (D9); which row is the first of a join, and the last bits of a
		// sum of doubles, depend on how Spark works.
		double := call.Arg != nil && call.Arg.Type().Kind == types.Double && call.Agg.Approx
		if call.Distinct || call.Agg.Inexact || double || call.Agg.Ordered && !plain {
			return false
		}
	}
	return !anyRel(q.From, func(r Rel) bool {
		switch r := r.(type) {
		case *Windowed, *AsOf, *Rank, *Groups, *StaticJoin, *Where:
			return true
		case *Join:
			return r.Kind == Anti || r.ShiftMicros != 0 || r.Cut != [2]int64{} // D12
		case *Sub:
			return r.Query.Window.Kind == Cumulate || !r.Query.inSpark()
		}
		return false
	})
}
