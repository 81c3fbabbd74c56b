package sql

import "ssql/sql/types"

// AlterStream is ALTER STREAM name SET (key = value, ..), SET LOCATION 'path', ADD COLUMN
// definition, SET WATERMARK column [- interval] or DROP WATERMARK. Exactly one of Set,
// Location, Add, Watermark and DropWatermark is set.
type AlterStream struct {
	Node
	Name          Ident
	Set           []Option
	Location      *Location
	Add           []ColumnDef
	Watermark     *WatermarkDef
	DropWatermark bool
}

// AlterSink is ALTER SINK name SET LOCATION 'path'.
type AlterSink struct {
	Node
	Name     Ident
	Location *Location
}

// Location is where files are that were moved: the same files, in another place.
type Location struct {
	Path string
	Span Span
}

// AlterQuery is ALTER QUERY name SET (key = value, ..), AS INSERT .., AS EXECUTE STATEMENT
// SET .. or AS SELECT .., which keeps the target. Exactly one of Set, Inserts and Query is set.
type AlterQuery struct {
	Node
	Name    Ident
	Set     []Option
	Inserts []*Insert
	Query   *Query
}

// alterTable parses ALTER TABLE name ADD | MODIFY | DROP WATERMARK, Flink's, of a stream. Any
// other is DuckDB's.
func (p *parser) alterTable() (Statement, error) {
	if !p.peek(4).is("WATERMARK") || !p.peek(3).is("ADD") && !p.peek(3).is("DROP") && !p.peek(3).is("MODIFY") {
		return &Passthrough{Node: p.restNode(), First: "ALTER"}, nil
	}
	lo, alias := p.pos, aliasAlterTable
	if p.peek(3).is("DROP") {
		alias = aliasAlterTableDrop
	}
	st, err := p.alterStream()
	if err == nil {
		p.spelling(alias, lo)
	}
	return st, err
}

// alterStream parses ALTER STREAM name SET (..) | SET LOCATION 'path' | ADD [COLUMN] definition
// | [SET] WATERMARK [FOR column AS] column [- interval] | [SET] WATERMARK column DELAY OF
// interval | DROP WATERMARK. Flink adds and modifies a watermark, RisingWave alters one.
func (p *parser) alterStream() (Statement, error) {
	p.take()
	p.take()
	s := &AlterStream{}
	var err error
	if s.Name, err = p.streamName("the name of the stream"); err != nil {
		return nil, err
	}
	switch {
	case p.accept("SET", "LOCATION"):
		s.Location, err = p.location()
	case p.accept("DROP", "WATERMARK"):
		s.DropWatermark = true
	case p.acceptWatermark():
		s.Watermark, err = p.alteredWatermark()
	case p.accept("SET"):
		s.Set, err = p.alterOptions()
	case p.accept("ADD"):
		p.acceptWordBeforeName("COLUMN")
		to := &CreateStream{}
		err = p.columnDef(to)
		s.Add = to.Columns
	default:
		err = p.unexpected("SET (..), SET WATERMARK .., SET LOCATION '..' or ADD COLUMN ..")
	}
	if err != nil {
		return nil, err
	}
	s.Node = p.node(0)
	return s, nil
}

// acceptWatermark consumes the words before a watermark.
func (p *parser) acceptWatermark() bool {
	for _, verb := range []string{"ADD", "ALTER", "MODIFY", "SET"} {
		if p.at(verb, "WATERMARK") && (p.peek(2).is("FOR") || verb == "SET" && p.peek(2).isName()) {
			p.take()
			p.take()
			return true
		}
	}
	return p.peek(1).isName() && p.accept("WATERMARK")
}

// alteredWatermark consumes [FOR column AS] column [- interval] or column DELAY OF interval.
func (p *parser) alteredWatermark() (*WatermarkDef, error) {
	lo := p.pos
	if !p.at("FOR") {
		w := &WatermarkDef{Column: p.cur().ident()}
		if p.peek(1).is("DELAY") {
			p.take()
			return p.alteredDelay(w, lo)
		}
		e, err := p.standaloneExpr()
		if err != nil {
			return nil, err
		}
		delay, ok := watermarkDelay(e, w.Column)
		if !ok {
			return nil, notADelay(p.spanFrom(lo), w.Column.Name)
		}
		w.Delay, w.Span = delay, p.spanFrom(lo)
		return w, nil
	}
	p.take()
	return p.watermarkOf(lo)
}

// alteredDelay consumes DELAY OF interval, as a query says it, behind the column of a watermark.
func (p *parser) alteredDelay(w *WatermarkDef, lo int) (*WatermarkDef, error) {
	if err := p.expect("DELAY", "OF"); err != nil {
		return nil, err
	}
	d, err := p.duration()
	if err != nil {
		return nil, err
	}
	w.Delay, w.Span = d.Value, p.spanFrom(lo)
	return w, nil
}

// alterSink parses ALTER SINK name SET LOCATION 'path'.
func (p *parser) alterSink() (Statement, error) {
	p.take()
	p.take()
	s := &AlterSink{}
	var err error
	if s.Name, err = p.name("the name of the sink"); err != nil {
		return nil, err
	}
	if !p.accept("SET", "LOCATION") {
		return nil, p.unexpected("SET LOCATION '..'")
	}
	if s.Location, err = p.location(); err != nil {
		return nil, err
	}
	s.Node = p.node(0)
	return s, nil
}

// location parses the path behind SET LOCATION.
func (p *parser) location() (*Location, error) {
	l := &Location{Span: p.cur().span()}
	var err error
	l.Path, err = p.str("a path in single quotes")
	return l, err
}

// alterQuery parses ALTER QUERY name SET (..) | AS INSERT .. | AS EXECUTE STATEMENT SET .. | AS SELECT ..
// and the same of the query of a materialized view: ALTER MATERIALIZED VIEW name SET (..) | AS SELECT ..
func (p *parser) alterQuery() (Statement, error) {
	p.take()
	if !p.accept("MATERIALIZED", "VIEW") {
		p.take()
	}
	s := &AlterQuery{}
	var err error
	if s.Name, err = p.name("the name of the query"); err != nil {
		return nil, err
	}
	switch {
	case p.accept("SET"):
		s.Set, err = p.alterOptions()
	case p.accept("AS"):
		if p.atInserts() {
			s.Inserts, err = p.inserts()
		} else {
			s.Query, err = p.query()
		}
	default:
		err = p.unexpected("SET (..), AS INSERT .. or AS SELECT ..")
	}
	if err != nil {
		return nil, err
	}
	s.Node = p.node(0)
	return s, nil
}

// alterOptions consumes ( key = value, .. ), each key once.
func (p *parser) alterOptions() ([]Option, error) {
	options, err := p.optionList()
	if err != nil {
		return nil, err
	}
	return options, checkOptions(options)
}

func (s *AlterStream) print(p *printer) {
	p.put("ALTER STREAM ")
	p.ident(s.Name)
	if s.Add != nil {
		p.put(" ADD COLUMN ")
		p.column(s.Add[0])
		return
	}
	if s.Location != nil {
		p.put(" SET LOCATION ", types.QuoteText(s.Location.Path))
		return
	}
	if s.DropWatermark {
		p.put(" DROP WATERMARK")
		return
	}
	if s.Watermark != nil {
		p.put(" SET WATERMARK ")
		p.delayed(*s.Watermark)
		return
	}
	p.put(" SET ")
	p.options(s.Set)
}

func (s *AlterSink) print(p *printer) {
	p.put("ALTER SINK ")
	p.ident(s.Name)
	p.put(" SET LOCATION ", types.QuoteText(s.Location.Path))
}

func (s *AlterQuery) print(p *printer) {
	p.put("ALTER QUERY ")
	p.ident(s.Name)
	switch {
	case s.Inserts != nil:
		p.put(" AS ")
		p.inserts(s.Inserts)
	case s.Query != nil:
		p.put(" AS ")
		p.query(s.Query)
	default:
		p.put(" SET ")
		p.options(s.Set)
	}
}
