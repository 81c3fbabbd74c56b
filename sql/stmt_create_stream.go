package sql

import (
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// CreateStream is CREATE [OR REPLACE] STREAM [IF NOT EXISTS] name (...) WITH (...).
type CreateStream struct {
	Node
	OrReplace, IfNotExists bool
	Name                   Ident
	Columns                []ColumnDef // see Infers; never empty but nil
	Watermarks             []WatermarkDef
	Options                []Option
	// ByUse says that it was written as Flink's CREATE TABLE .. WITH ('connector' = ..),
	// which does not say whether rows are read from it or written to it: FROM makes it a
	// stream, INSERT INTO a sink with the same columns and options.
	ByUse bool
	keyAt Span // of a PRIMARY KEY that is not NOT ENFORCED
}

// ColumnDef is one column of CREATE STREAM.
type ColumnDef struct {
	Name     Ident
	Type     *types.Type // nil: the type of the computed expression
	NotNull  bool
	Metadata *string // METADATA [FROM 'key']: the key, or the column name
	Computed Expr    // AS expr; nil otherwise
	Format   *string // FORMAT 'strptime': how its values are written
	FormatAt Span
	Span     Span
}

// Infers reports whether the columns of the data are those of a sample: no column is
// declared that is read from it. Computed columns and METADATA come besides them.
func (s *CreateStream) Infers() bool {
	return !slices.ContainsFunc(s.Columns, ColumnDef.isRead)
}

// isRead reports whether a column is read from the data.
func (c ColumnDef) isRead() bool { return c.Computed == nil && c.Metadata == nil }

// WatermarkDef is WATERMARK FOR column AS column [- interval].
type WatermarkDef struct {
	Column Ident
	Delay  types.Interval
	Span   Span
}

// createStream parses CREATE [OR REPLACE] STREAM [IF NOT EXISTS] name [(..)] WITH (..),
// also RisingWave's CREATE SOURCE and Proton's CREATE EXTERNAL STREAM. ksqlDB's CREATE
// STREAM name [WITH (..)] AS query is a view, or a sink when options say where to.
func (p *parser) createStream() (Statement, error) {
	s := &CreateStream{}
	p.take()
	s.OrReplace = p.accept("OR", "REPLACE")
	at := p.pos
	switch {
	case p.accept("SOURCE"):
		p.spelling(aliasCreateSource, at)
	case p.accept("EXTERNAL", "STREAM"):
		p.spelling(aliasExternalStream, at)
	default:
		if err := p.expect("STREAM"); err != nil {
			return nil, err
		}
	}
	var err error
	if s.IfNotExists, err = p.ifNotExists(); err != nil {
		return nil, err
	}
	if s.Name, err = p.streamName("the name of the stream"); err != nil {
		return nil, err
	}
	if err := p.declaration(s); err != nil {
		return nil, err
	}
	if p.at("AS") {
		return p.streamAs(s, at)
	}
	if p.at("FROM") && p.peek(1).kind == tokString {
		name, path := IdentText(s.Name.Name), p.peek(1).text
		return nil, syntaxError(p.cur().span(), "syntax error at or near \"FROM\", expected WITH (path = ..)").WithHint("write CREATE STREAM %s WITH (path = %s)", name, path)
	}
	if len(s.Options) == 0 {
		return nil, p.unexpected("WITH (connector = .., ..)")
	}
	return p.streamOrSink(s)
}

// declaration consumes columns and clauses of a stream, sink or table and checks them.
func (p *parser) declaration(s *CreateStream) error {
	if p.cur().isOp("(") {
		if err := p.streamElements(s); err != nil {
			return err
		}
	}
	if err := p.declarationClauses(s); err != nil {
		return err
	}
	if err := checkColumns(s.Columns); err != nil {
		return err
	}
	if err := p.foreignOptions(s); err != nil {
		return err
	}
	return checkOptions(s.Options)
}

// streamOrSink returns what a declaration of a stream is: a sink where Arroyo's type or
// the connector says so.
func (p *parser) streamOrSink(s *CreateStream) (Statement, error) {
	role := (*Option)(nil)
	s.Options, role = takeOption(s.Options, "type")
	sink := false
	if role != nil {
		text, _ := role.Value.(string)
		switch strings.ToLower(text) {
		case "sink":
			p.noteAlias(aliasRules[aliasArroyoSink], role.ValueAt)
			sink = true
		case "source":
			s.ByUse = false
			p.noteAlias(aliasRules[aliasArroyoSource], role.ValueAt)
		default:
			return nil, sqlerr.At(role.ValueAt, "INVALID_OPTION", "expected 'source' or 'sink' for option \"type\", found %q", text)
		}
	}
	connector, _ := optionText(s.Options, "connector")
	for _, name := range sinkConnectors {
		sink = sink || strings.EqualFold(connector, name)
	}
	s.Node = p.node(0)
	if sink && p.hasWord("SINGLE_FILE") {
		at := s.Name.Span
		s.Options = append(s.Options, Option{Key: Ident{Name: "single_file", Span: at}, Value: true, ValueAt: at})
	}
	if strings.EqualFold(connector, "console") {
		p.withoutFormat(s)
	}
	if !sink {
		if s.ByUse {
			p.noteAlias(aliasRules[aliasCreateTable], s.Span)
		}
		return s, s.refuseKey()
	}
	if role == nil {
		p.noteAlias(aliasRules[aliasTableSink], s.Span)
	}
	return &CreateSink{Node: s.Node, OrReplace: s.OrReplace, IfNotExists: s.IfNotExists, Name: s.Name, Columns: s.Columns, Options: s.Options}, nil
}

// withoutFormat takes the format of rows that are shown as a table.
func (p *parser) withoutFormat(s *CreateStream) {
	var o *Option
	if s.Options, o = takeOption(s.Options, "format"); o != nil {
		p.noteAlias(Alias{Engine: "Arroyo", Written: "option 'format' of rows that are shown", Canonical: "nothing: rows are shown as a table"}, o.Key.Span)
	}
}

// ifNotExists consumes IF NOT EXISTS.
func (p *parser) ifNotExists() (bool, error) {
	if !p.at("IF") || !p.peek(1).is("NOT") && !p.peek(1).is("EXISTS") {
		return false, nil
	}
	return true, p.expect("IF", "NOT", "EXISTS")
}

// ifExists consumes IF EXISTS.
func (p *parser) ifExists() bool { return p.accept("IF", "EXISTS") }

// checkOptions refuses an option that is given twice.
func checkOptions(options []Option) error {
	seen := map[string]bool{}
	for _, o := range options {
		key := strings.ToLower(o.Key.Name)
		if seen[key] {
			return sqlerr.At(o.Key.Span, "DUPLICATE_KEY", "option %q is given twice", o.Key.Name)
		}
		seen[key] = true
	}
	return nil
}

// checkColumns refuses a column that is declared twice.
func checkColumns(columns []ColumnDef) error {
	seen := map[string]bool{}
	for _, c := range columns {
		key := strings.ToLower(c.Name.Name)
		if seen[key] {
			return sqlerr.At(c.Name.Span, "COLUMN_ALREADY_EXISTS", "column %q is declared twice", c.Name.Name)
		}
		seen[key] = true
	}
	return nil
}

// streamElements consumes ( column, WATERMARK .., PRIMARY KEY .., .. ). The columns of the
// data are those of a sample where none is declared, which * may say.
func (p *parser) streamElements(s *CreateStream) error {
	p.take()
	var star Span
	for {
		var err error
		switch {
		case star == Span{} && p.cur().isOp("*"):
			star = p.take().span()
		case p.atWatermarkDef():
			err = p.watermarkDef(s)
		case p.at("PRIMARY", "KEY"):
			err = p.primaryKey(s)
		case p.at("CONSTRAINT") && p.peek(1).isName():
			err = p.constraint(s)
		default:
			err = p.columnDef(s)
		}
		if err != nil {
			return err
		}
		if p.acceptOp(",") && !p.cur().isOp(")") { // a comma behind the last one is DuckDB's
			continue
		}
		if star != (Span{}) && !s.Infers() {
			return syntaxError(star, "* stands for the columns of the data, found in a sample, and cannot stand beside columns that are declared").
				WithHint("leave out *, or the columns that are neither computed (AS ..) nor METADATA")
		}
		return p.expectOp(")")
	}
}

// columnDef consumes name [type] [AS expr | METADATA [FROM 'k'] | FORMAT 'f'] [NOT NULL].
func (p *parser) columnDef(s *CreateStream) error {
	lo := p.pos
	name, err := p.name("the name of a column")
	if err != nil {
		return err
	}
	c := ColumnDef{Name: name}
	if !p.at("AS") && !p.at("GENERATED") {
		t, err := p.typ()
		if err != nil {
			return err
		}
		c.Type = &t
	}
	if err := p.columnClauses(s, &c); err != nil {
		return err
	}
	if c.Type == nil && c.Computed == nil {
		return p.unexpected("a type")
	}
	if c.NotNull && c.Computed != nil {
		return syntaxError(p.spanFrom(lo), "NOT NULL holds for columns that are read, not for computed ones").
			WithHint("declare the columns NOT NULL that %s is computed from, or filter: WHERE %[1]s IS NOT NULL", c.Name.Name)
	}
	if c.Format != nil && (c.Computed != nil || c.Metadata != nil) {
		return syntaxError(c.FormatAt, "only a column that is read from the data has a format").WithHint("strptime(text, '%%d/%%b/%%Y') reads a text in an expression")
	}
	c.Span = p.spanFrom(lo)
	s.Columns = append(s.Columns, c)
	return nil
}

// columnClauses consumes what stands behind the type of a column.
func (p *parser) columnClauses(s *CreateStream, c *ColumnDef) error {
	for {
		var err error
		switch {
		case p.accept("NOT", "NULL"):
			c.NotNull = true
		case p.accept("NULL"), p.accept("VIRTUAL"), p.accept("STORED"):
		case p.at("AS"):
			p.take()
			err = p.computed(c)
		case p.at("GENERATED"):
			p.take()
			p.accept("ALWAYS")
			if err = p.expect("AS"); err == nil {
				err = p.computed(c)
			}
		case p.accept("METADATA"):
			key := c.Name.Name
			if p.accept("FROM") {
				key, err = p.str("the key of the metadata, in single quotes")
			}
			c.Metadata = &key
		case p.accept("FORMAT"):
			c.FormatAt = p.cur().span()
			var format string
			format, err = p.str("how the values are written, in single quotes, such as '%d/%b/%Y:%H:%M:%S %z' or 'epoch_ms'")
			c.Format = &format
		case p.accept("KEY"): // ksqlDB
			key := "key"
			c.Metadata = &key
		case p.accept("COMMENT"):
			_, err = p.str("text")
		case p.at("PRIMARY", "KEY"):
			err = p.primaryKey(s)
		case p.atAny("DEFAULT", "CHECK", "UNIQUE", "REFERENCES", "LATENESS"):
			t := p.cur()
			err := unsupported(t.span(), "%s is not supported on the column of a stream", strings.ToUpper(t.text))
			if t.is("LATENESS") {
				return err.WithHint("write WATERMARK FOR %s AS %s - INTERVAL .. as an element of its own", c.Name.Name, c.Name.Name)
			}
			return err
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// computed consumes the expression of a computed column.
func (p *parser) computed(c *ColumnDef) error {
	if c.Computed != nil {
		return p.unexpected(`"," or ")"`)
	}
	// NOT NULL behind the expression belongs to the column; no operator is called so.
	e, err := p.standaloneExpr()
	if err != nil {
		return err
	}
	c.Computed = e
	return nil
}

// constraint consumes CONSTRAINT name PRIMARY KEY (..); others hold for rows, which a
// stream takes as they come.
func (p *parser) constraint(s *CreateStream) error {
	lo := p.pos
	p.take()
	p.take()
	switch {
	case p.at("PRIMARY", "KEY"):
		return p.primaryKey(s)
	case p.at("EXPECT"):
		return unsupported(p.spanFrom(lo), "CONSTRAINT .. EXPECT (Databricks) is not supported").WithHint("filter the rows in the query: WHERE ..")
	}
	return unsupported(p.spanFrom(lo), "CONSTRAINT is not supported on a stream").WithHint("filter the rows in the query: WHERE ..")
}

// primaryKey consumes PRIMARY KEY [(a, b)] [NOT ENFORCED].
func (p *parser) primaryKey(s *CreateStream) error {
	lo := p.pos
	p.take()
	p.take()
	if p.cur().isOp("(") {
		if _, err := p.nameList("the name of a column"); err != nil {
			return err
		}
	}
	if !p.accept("NOT", "ENFORCED") {
		s.keyAt = p.spanFrom(lo)
	}
	return nil
}

// refuseKey refuses a key that the declaration does not say to be NOT ENFORCED: ssql holds
// no stream to one.
func (s *CreateStream) refuseKey() error {
	if s.keyAt == (Span{}) {
		return nil
	}
	return unsupported(s.keyAt, "a stream is not held to a PRIMARY KEY: rows of one key come as they are").
		WithHint("write PRIMARY KEY .. NOT ENFORCED, and let DEDUP(..) or SELECT DISTINCT drop what comes twice; NOT NULL on a column is held")
}

// atWatermarkDef tells WATERMARK FOR c, also with the FOR forgotten, from a column
// that is called watermark.
func (p *parser) atWatermarkDef() bool {
	if !p.at("WATERMARK") || p.peek(1).is("AS") {
		return false
	}
	_, isType := lookupType(p.peek(1).text)
	return p.peek(1).is("FOR") || !isType && !p.peek(2).isOp("(") && !p.peek(2).isOp("<")
}

// watermarkDef consumes WATERMARK FOR c [AS c [- interval]].
func (p *parser) watermarkDef(s *CreateStream) error {
	lo := p.pos
	p.take()
	if !p.accept("FOR") {
		return p.watermarkOfQuery()
	}
	w, err := p.watermarkOf(lo)
	if err == nil {
		s.Watermarks = append(s.Watermarks, *w)
	}
	return err
}

// watermarkOf consumes c [AS c [- interval]] behind WATERMARK FOR, which began at token lo.
func (p *parser) watermarkOf(lo int) (*WatermarkDef, error) {
	column, err := p.name("the name of a column")
	if err != nil {
		return nil, err
	}
	w := &WatermarkDef{Column: column}
	if p.accept("AS") {
		at := p.pos
		e, err := p.standaloneExpr()
		if err != nil {
			return nil, err
		}
		delay, ok := watermarkDelay(e, column)
		if !ok {
			return nil, notADelay(p.spanFrom(at), column.Name)
		}
		w.Delay = delay
	}
	w.Span = p.spanFrom(lo)
	return w, nil
}

// notADelay is the error for a watermark that is more than a column and a delay.
func notADelay(at Span, column string) error {
	return syntaxError(at, "watermark is not of the form %s - interval", column).
		WithHint("write WATERMARK FOR %s AS %s - INTERVAL '10' MINUTE; compute the time in a column of its own: ts TIMESTAMP AS ..", column, column)
}

// watermarkOfQuery is the error for WATERMARK c DELAY OF interval, the clause of a query,
// where a stream declares its watermark.
func (p *parser) watermarkOfQuery() error {
	t := p.cur()
	if !t.isName() {
		return p.unexpected("FOR")
	}
	err := syntaxError(t.span(), "syntax error at or near %q, expected FOR", t.text)
	delay := "10 minutes"
	p.take()
	if p.accept("DELAY", "OF") {
		at := p.pos
		if d, failed := p.duration(); failed == nil && d.Value.DelayMicros() < 0 {
			return syntaxError(p.spanFrom(at), "the delay of a watermark may not be negative, found %s", IntervalText(d.Value)).
				WithHint("a stream declares it as WATERMARK FOR %s AS %s - INTERVAL '%s'", t.text, t.text, delay)
		} else if failed == nil {
			delay = IntervalText(d.Value)
		}
	}
	return err.WithHint("write WATERMARK FOR %s AS %s - INTERVAL '%s'", t.text, t.text, delay)
}

// watermarkDelay returns the interval of c - interval, zero for a bare c.
func watermarkDelay(e Expr, column Ident) (types.Interval, bool) {
	if isColumn(e, column) {
		return types.Interval{}, true
	}
	b, ok := e.(*Binary)
	if !ok || b.Op != "-" || !isColumn(b.L, column) {
		return types.Interval{}, false
	}
	i, ok := b.R.(*Interval)
	if !ok {
		return types.Interval{}, false
	}
	return i.Value, true
}

func isColumn(e Expr, column Ident) bool {
	c, ok := e.(*ColumnRef)
	return ok && len(c.Parts) == 1 && strings.EqualFold(c.Parts[0].Name, column.Name)
}

// print writes one element a line.
func (s *CreateStream) print(p *printer) {
	p.put("CREATE ", when(s.OrReplace, "OR REPLACE "), "STREAM ", when(s.IfNotExists, "IF NOT EXISTS "))
	p.ident(s.Name)
	p.elements(s.Columns, s.Watermarks)
	p.put(" WITH ")
	p.options(s.Options)
}
