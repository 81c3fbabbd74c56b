package sql

import (
	"strconv"
	"strings"
	"time"

	"ssql/sql/types"
)

// StatementText returns a statement in canonical spelling: what SHOW CREATE shows and
// what definitions are kept and compared as. A statement of DuckDB, and one that
// nobody has decided on, is its own text.
func StatementText(s Statement) string {
	var p printer
	p.statement(s)
	return p.String()
}

func (p *printer) statement(s Statement) {
	switch s := s.(type) {
	case *AlterQuery:
		p.alterQuery(s)
	case *AlterStream:
		p.alterStream(s)
	case *Assert:
		p.assert(s)
	case *AssertRows:
		p.assertRows(s)
	case *Diagnose:
		p.diagnose(s)
	case *DropSink:
		p.drop("SINK", s.IfExists, s.Name)
	case *DropView:
		p.dropView(s)
	case *ResetQuery:
		p.resetQuery(s)
	case *RunScript:
		p.put("RUN SCRIPT ", quoteString(s.Path))
	case *CreateStream:
		p.createStream(s)
	case *CreateSink:
		p.createSink(s)
	case *CreateView:
		p.createView(s)
	case *StatementSet:
		p.statementSet(s.Inserts)
	case *Peek:
		p.peek(s)
	case *DropStream:
		p.dropStream(s)
	case *DropTable:
		p.drop("TABLE", s.IfExists, s.Name)
	case *CreateQuery:
		p.createQuery(s)
	case *Insert:
		p.insert(s)
	case *SelectStatement:
		p.query(s.Query)
	case *QueryVerb:
		p.queryVerb(s)
	case *Await:
		p.await(s)
	case *Explain:
		p.explain(s)
	case *Set:
		p.put("SET")
		if s.Option != nil {
			p.put(" ")
			p.option(*s.Option)
		}
	case *Reset:
		p.put("RESET")
		if s.Key != nil {
			p.put(" ", optionKeyText(s.Key.Name))
		}
	case *Show:
		p.show(s)
	case *Describe:
		p.put("DESCRIBE ", when(s.Extended, "EXTENDED "))
		p.name(s.Name)
	case *Passthrough:
		p.put(s.Text)
	case *Undecided:
		p.put(s.Text)
	}
}

func (p *printer) drop(what string, ifExists bool, name Ident) {
	p.put("DROP ", what, when(ifExists, " IF EXISTS"), " ")
	p.ident(name)
}

func (p *printer) createQuery(s *CreateQuery) {
	p.put("CREATE ", when(s.OrReplace, "OR REPLACE "), "QUERY ", when(s.IfNotExists, "IF NOT EXISTS "))
	p.ident(s.Name)
	if s.Options != nil {
		p.put(" WITH ")
		p.options(s.Options)
	}
	p.put(" AS ")
	p.inserts(s.Inserts)
}

// inserts writes what a query does.
func (p *printer) inserts(list []*Insert) {
	if len(list) == 1 {
		p.insert(list[0])
		return
	}
	p.statementSet(list)
}

func (p *printer) statementSet(list []*Insert) {
	p.put("EXECUTE STATEMENT SET BEGIN\n")
	for _, in := range list {
		p.put("  ")
		p.insert(in)
		p.put(";\n")
	}
	p.put("END")
}

func (p *printer) dropStream(s *DropStream) {
	p.put("DROP STREAM ", when(s.IfExists, "IF EXISTS "))
	p.ident(s.Name)
	p.put(when(s.Cascade, " CASCADE"))
}

func (p *printer) peek(s *Peek) {
	p.put("PEEK ")
	p.ident(s.Name)
	p.put(when(s.Latest, " FROM LATEST"))
	if s.Limit > 0 {
		p.put(" LIMIT ", strconv.FormatInt(s.Limit, 10))
	}
}

// when returns text if the condition holds.
func when(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

func (p *printer) queryVerb(s *QueryVerb) {
	what := " QUERY "
	if s.Verb == "REFRESH" {
		what = " MATERIALIZED VIEW "
	}
	p.put(s.Verb, what, when(s.IfExists, "IF EXISTS "))
	p.queryName(s.Name, s.All)
	p.put(when(s.Now, " NOW"))
}

func (p *printer) queryName(name Ident, all bool) {
	if all {
		p.put("ALL")
		return
	}
	p.ident(name)
}

// createStream writes one element a line.
func (p *printer) createStream(s *CreateStream) {
	p.put("CREATE ", when(s.OrReplace, "OR REPLACE "), "STREAM ", when(s.IfNotExists, "IF NOT EXISTS "))
	p.ident(s.Name)
	p.elements(s.Columns, s.Watermarks)
	p.put(" WITH ")
	p.options(s.Options)
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
		p.ident(w.Column)
		if w.Delay != (types.Interval{}) {
			p.put(" - INTERVAL ", quoteString(IntervalText(w.Delay)))
		}
		sep = ",\n  "
	}
	p.put("\n)")
}

func (p *printer) createSink(s *CreateSink) {
	p.put("CREATE ", when(s.OrReplace, "OR REPLACE "), "SINK ", when(s.IfNotExists, "IF NOT EXISTS "))
	p.ident(s.Name)
	p.elements(s.Columns, nil)
	p.put(" WITH ")
	p.options(s.Options)
	if s.Query != nil {
		p.put(" AS ")
		p.query(s.Query)
	}
}

func (p *printer) createView(s *CreateView) {
	p.put("CREATE ", when(s.OrReplace, "OR REPLACE "), when(s.Materialized, "MATERIALIZED "), "VIEW ", when(s.IfNotExists, "IF NOT EXISTS "))
	p.name(s.Name)
	if len(s.Columns) > 0 {
		p.put(" ")
		p.columnList(s.Columns)
	}
	if len(s.Options) > 0 {
		p.put(" WITH ")
		p.options(s.Options)
	}
	p.put(" AS ")
	p.query(s.Query)
}

func (p *printer) column(c ColumnDef) {
	p.ident(c.Name)
	switch {
	case c.JSON:
		p.put(" JSON")
	case c.Type != nil:
		p.put(" ", c.Type.String())
	}
	if c.Format != nil {
		p.put(" FORMAT ", quoteString(*c.Format))
	}
	if c.Metadata != nil {
		p.put(" METADATA FROM ", quoteString(*c.Metadata))
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
	return quoteString(key)
}

func (p *printer) insert(s *Insert) {
	p.put("INSERT INTO ")
	p.name(s.Target)
	if s.ByName {
		p.put(" BY NAME")
	}
	if len(s.Columns) > 0 {
		p.put(" ")
		p.columnList(s.Columns)
	}
	p.put(" ")
	if s.Query != nil {
		p.query(s.Query)
		return
	}
	p.put("VALUES ")
	p.list(len(s.Values), func(i int) {
		p.put("(")
		p.exprs(s.Values[i])
		p.put(")")
	})
}

func (p *printer) await(s *Await) {
	p.put("AWAIT QUERY ")
	p.queryName(s.Name, s.All)
	switch s.Until {
	case "":
	case "BATCH", "ROWS":
		p.put(" UNTIL ", s.Until, " ", strconv.FormatInt(s.UntilCount, 10))
	case "WATERMARK":
		at := time.UnixMicro(s.UntilMicros).UTC().Format("2006-01-02 15:04:05.999999")
		p.put(" UNTIL WATERMARK ", quoteString(at))
	default:
		p.put(" UNTIL ", s.Until)
	}
	if s.TimeoutMicros > 0 {
		p.put(" TIMEOUT ", microsText(s.TimeoutMicros))
	}
}

func (p *printer) explain(s *Explain) {
	p.put("EXPLAIN ")
	if s.Kind != "" {
		p.put(s.Kind, " ")
	}
	if s.Format != "" {
		p.put("FORMAT ", s.Format, " ")
	}
	if s.Name != nil {
		p.put("QUERY ")
		p.ident(*s.Name)
		return
	}
	p.statement(s.Target)
}

func (p *printer) show(s *Show) {
	p.put("SHOW")
	if s.What != "" {
		p.put(" ", s.What)
	}
	if s.For != nil {
		p.put(when(s.What != "" && !strings.HasPrefix(s.What, "CREATE"), " FOR"), " ")
		p.ident(*s.For)
	}
	if s.Like != "" {
		p.put(" LIKE ", quoteString(s.Like))
	}
	p.put(when(s.Follow, " FOLLOW"))
}
