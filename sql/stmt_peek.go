package sql

import (
	"strconv"
)

// Peek is PEEK stream [FROM EARLIEST | LATEST] [LIMIT n]: rows as they are, without a
// checkpoint.
type Peek struct {
	Node
	Name   Ident
	Latest bool  // FROM LATEST: only rows that arrive from now on
	Limit  int64 // 0: the default of the session
}

// peekStatement parses PEEK stream [FROM EARLIEST | LATEST] [LIMIT n], and ksqlDB's PRINT stream
// [FROM BEGINNING] [LIMIT n].
func (p *parser) peekStatement() (Statement, error) {
	lo := p.pos
	s := &Peek{}
	if p.take().is("PRINT") {
		p.spelling(aliasPrint, lo)
	}
	var err error
	if s.Name, err = p.peekName(); err != nil {
		return nil, err
	}
	if p.accept("FROM") {
		switch {
		case p.accept("LATEST"):
			s.Latest = true
		case p.accept("EARLIEST"), p.accept("BEGINNING"):
		default:
			return nil, p.unexpected("EARLIEST or LATEST")
		}
	}
	if p.at("INTERVAL") || p.at("SAMPLE") {
		return nil, unsupported(p.cur().span(), "%s (ksqlDB) is not supported", p.cur().text).WithHint("LIMIT says how many rows are shown")
	}
	if p.accept("LIMIT") {
		if s.Limit, err = p.count("a number of rows"); err != nil {
			return nil, err
		}
		if s.Limit == 0 {
			return nil, syntaxError(p.last().span(), "LIMIT must be at least 1")
		}
	}
	s.Node = p.node(0)
	return s, nil
}

// peekName consumes the name of a stream; ksqlDB's PRINT takes a topic in quotes.
func (p *parser) peekName() (Ident, error) {
	if t := p.cur(); t.kind == tokString {
		p.take()
		return Ident{Name: stringValue(t.text), Quoted: true, Span: t.span()}, nil
	}
	return p.streamName("the name of a stream")
}

func (s *Peek) print(p *printer) {
	p.put("PEEK ")
	p.ident(s.Name)
	p.put(when(s.Latest, " FROM LATEST"))
	if s.Limit > 0 {
		p.put(" LIMIT ", strconv.FormatInt(s.Limit, 10))
	}
}
