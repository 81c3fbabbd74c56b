package sql

import (
	"strconv"
	"strings"
	"time"

	"ssql/sql/types"
)

// Await is AWAIT [QUERY] name | ALL [UNTIL ...] [TIMEOUT d].
type Await struct {
	Node
	Name          Ident
	All           bool
	Until         string // "", BATCH, ROWS, WATERMARK, IDLE
	UntilCount    int64  // BATCH n, ROWS n
	UntilMicros   int64  // WATERMARK ts
	TimeoutMicros int64  // 0: wait for ever
}

// await parses AWAIT [QUERY] name | ALL [UNTIL BATCH n | ROWS n | WATERMARK ts | IDLE]
// [TIMEOUT d].
func (p *parser) await() (Statement, error) {
	s := &Await{}
	p.take()
	p.acceptWordBeforeName("QUERY")
	var err error
	if s.All = p.accept("ALL"); !s.All {
		if s.Name, err = p.name("the name of a query, or ALL"); err != nil {
			return nil, err
		}
	}
	if p.accept("UNTIL") {
		if err := p.awaitUntil(s); err != nil {
			return nil, err
		}
	}
	if p.accept("TIMEOUT") {
		if s.TimeoutMicros, err = p.positiveMicros("TIMEOUT"); err != nil {
			return nil, err
		}
	}
	s.Node = p.node(0)
	return s, nil
}

// awaitUntil consumes the condition behind UNTIL.
func (p *parser) awaitUntil(s *Await) error {
	s.Until = strings.ToUpper(p.cur().text)
	var err error
	switch {
	case p.accept("BATCH"), p.accept("ROWS"):
		s.UntilCount, err = p.count("a number")
	case p.accept("WATERMARK"):
		p.accept("TIMESTAMP")
		if p.cur().kind != tokString {
			return p.unexpected("a time such as '2026-01-31 12:00:00'")
		}
		at := p.take()
		ok := false
		if s.UntilMicros, ok = parseTime(stringValue(at.text)); !ok {
			return syntaxError(at.span(), "%s is not a time, expected the form '2026-01-31 12:00:00'", at.text)
		}
	case p.accept("IDLE"):
	default:
		return p.unexpected("BATCH, ROWS, WATERMARK or IDLE")
	}
	return err
}

// parseTime reads a time as UTC microseconds; without a zone it is UTC.
func parseTime(s string) (int64, bool) {
	for _, layout := range []string{"2006-01-02 15:04:05.999999", "2006-01-02T15:04:05.999999Z07:00", "2006-01-02T15:04:05.999999",
		"2006-01-02 15:04:05.999999Z07:00", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return t.UnixMicro(), true
		}
	}
	return 0, false
}

func (s *Await) print(p *printer) {
	p.put("AWAIT QUERY ")
	p.queryName(s.Name, s.All)
	switch s.Until {
	case "":
	case "BATCH", "ROWS":
		p.put(" UNTIL ", s.Until, " ", strconv.FormatInt(s.UntilCount, 10))
	case "WATERMARK":
		at := time.UnixMicro(s.UntilMicros).UTC().Format("2006-01-02 15:04:05.999999")
		p.put(" UNTIL WATERMARK ", types.QuoteText(at))
	default:
		p.put(" UNTIL ", s.Until)
	}
	if s.TimeoutMicros > 0 {
		p.put(" TIMEOUT ", microsText(s.TimeoutMicros))
	}
}
