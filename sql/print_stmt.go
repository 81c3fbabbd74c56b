package sql

import "ssql/sql/types"

// StatementText returns a statement in canonical spelling: what SHOW CREATE shows and
// what definitions are kept and compared as. A statement of DuckDB, and one that
// nobody has decided on, is its own text.
func StatementText(s Statement) string {
	var p printer
	s.print(&p)
	return p.String()
}

func (p *printer) drop(what string, ifExists bool, name Ident) {
	p.put("DROP ", what, when(ifExists, " IF EXISTS"), " ")
	p.ident(name)
}

// inserts writes what a query does.
func (p *printer) inserts(list []*Insert) {
	if len(list) == 1 {
		list[0].print(p)
		return
	}
	p.statementSet(list)
}

func (p *printer) statementSet(list []*Insert) {
	p.put("EXECUTE STATEMENT SET BEGIN\n")
	for _, in := range list {
		p.put("  ")
		in.print(p)
		p.put(";\n")
	}
	p.put("END")
}

// when returns text if the condition holds.
func when(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

func (p *printer) queryName(name Ident, all bool) {
	if all {
		p.put("ALL")
		return
	}
	p.ident(name)
}

// elements writes columns and watermarks in brackets, one a line.
func (p *printer) elements(columns []ColumnDef, watermarks []WatermarkDef) {
	if columns == nil && watermarks == nil {
		return
	}
	sep := " (\n  "
	for _, c := range columns {
		p.put(sep)
		p.column(c)
		sep = ",\n  "
	}
	for _, w := range watermarks {
		p.put(sep, "WATERMARK FOR ")
		p.ident(w.Column)
		p.put(" AS ")
		p.delayed(w)
		sep = ",\n  "
	}
	p.put("\n)")
}

// delayed writes column [- interval].
func (p *printer) delayed(w WatermarkDef) {
	p.ident(w.Column)
	if w.Delay != (types.Interval{}) {
		p.put(" - INTERVAL ", types.QuoteText(IntervalText(w.Delay)))
	}
}

func (p *printer) column(c ColumnDef) {
	p.ident(c.Name)
	if c.Type != nil {
		p.put(" ", c.Type.String())
	}
	if c.Format != nil {
		p.put(" FORMAT ", types.QuoteText(*c.Format))
	}
	if c.Metadata != nil {
		p.put(" METADATA FROM ", types.QuoteText(*c.Metadata))
	}
	if c.Computed != nil {
		p.put(" AS ")
		p.operand(c.Computed)
	}
	p.put(when(c.NotNull, " NOT NULL"))
}

func (p *printer) options(options []Option) {
	p.put("(")
	p.list(len(options), func(i int) { p.option(options[i]) })
	p.put(")")
}

func (p *printer) option(o Option) { p.put(optionKeyText(o.Key.Name), " = ", literalText(o.Value)) }

// optionKeyText returns a key bare where that reads back, else in single quotes.
func optionKeyText(key string) string {
	if plainName(key) {
		return key
	}
	return types.QuoteText(key)
}
