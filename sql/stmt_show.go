package sql

import (
	"strings"

	"ssql/sql/types"
)

// Show is SHOW STREAMS | QUERIES | PROGRESS FOR q | ... [LIKE 'p'].
type Show struct {
	Node
	What string // upper case: STREAMS, QUERIES, PROGRESS, ...
	For  *Ident
	Like string
	// Follow goes on with what comes, of SHOW PROGRESS.
	Follow bool
}

// showRule is one thing that can be shown.
type showRule struct {
	words   string // upper case
	ofQuery bool   // FOR may follow, with the name of a query
}

// showRules is the table of what SHOW knows, sorted by words; of two that match the
// longer one counts. Everything else of one word is a setting or DuckDB's: What is
// empty and For holds the word.
var showRules = []showRule{
	{"ALL", false},
	{"ALL TABLES", false},
	{"BAD ROWS", true},
	{"CHECKPOINTS", true},
	{"CONNECTORS", false},
	{"CREATE", false},
	{"CREATE MATERIALIZED VIEW", false},
	{"CREATE QUERY", false},
	{"CREATE SINK", false},
	{"CREATE SOURCE", false},
	{"CREATE STREAM", false},
	{"CREATE TABLE", false},
	{"CREATE VIEW", false},
	{"ERRORS", true},
	{"FORMATS", false},
	{"FUNCTIONS", false},
	{"JOBS", false},
	{"LATE ROWS", true},
	{"MATERIALIZED VIEWS", false},
	{"PROGRESS", true},
	{"PROPERTIES", false},
	{"QUERIES", false},
	{"SETTINGS", false},
	{"SINKS", false},
	{"SOURCES", false},
	{"STATE", true},
	{"STREAMS", false},
	{"VIEWS", false},
	{"WATERMARKS", true},
}

// showAliases are what other engines call what SHOW knows.
var showAliases = map[string]struct{ engine, what string }{
	"ALL":                {"PostgreSQL", "SETTINGS"},
	"CREATE SOURCE":      {"RisingWave", "CREATE STREAM"},
	"JOBS":               {"Flink", "QUERIES"},
	"MATERIALIZED VIEWS": {"RisingWave", "VIEWS"},
	"PROPERTIES":         {"ksqlDB", "SETTINGS"},
	"SOURCES":            {"RisingWave", "STREAMS"},
}

// show parses SHOW what [FOR name] [LIKE 'pattern'] and SHOW CREATE name. Other
// forms are DuckDB's.
func (p *parser) show() (Statement, error) {
	lo := p.pos
	if p.take().is("LIST") {
		p.spelling(aliasList, lo)
	}
	s := &Show{}
	words, ofQuery := 0, false
	for _, r := range showRules {
		if n := p.spelled(r.words); n > words {
			words, ofQuery = n, r.ofQuery
			s.What = r.words
		}
	}
	if p.at("TABLES") && (p.peek(1).kind == tokEnd || p.peek(1).is("LIKE")) {
		words, s.What = 1, "TABLES" // with FROM it is DuckDB's
	}
	if words == 0 {
		return p.showOther(lo)
	}
	for range words {
		p.take()
	}
	if a, ok := showAliases[s.What]; ok {
		p.noteAlias(Alias{Engine: a.engine, Written: "SHOW " + s.What, Canonical: "SHOW " + a.what}, p.spanFrom(lo))
		s.What = a.what
	}
	if at := p.pos; p.accept("EXTENDED") {
		p.changesNothing("EXTENDED", at)
	}
	if strings.HasPrefix(s.What, "CREATE") {
		name, err := p.streamName("a name")
		if err != nil {
			return nil, err
		}
		s.For = &name
	} else if p.accept("FOR") {
		p.acceptWordBeforeName("QUERY")
		name, err := p.name("the name of a query")
		if err != nil {
			return nil, err
		}
		s.For = &name
	} else if ofQuery && p.cur().isName() && !p.atAny("LIKE", "FOLLOW") {
		return nil, syntaxError(p.cur().span(), "syntax error at or near %q, expected FOR", p.cur().text).
			WithHint("write SHOW %s FOR %s", s.What, p.cur().text)
	}
	if p.accept("LIKE") {
		var err error
		if s.Like, err = p.str("a pattern in single quotes"); err != nil {
			return nil, err
		}
	}
	s.Follow = s.What == "PROGRESS" && p.accept("FOLLOW")
	s.Node = p.node(0)
	return s, nil
}

// showOther is SHOW with a word that is not in the table. LIST exists for ssql's own
// things only.
func (p *parser) showOther(lo int) (Statement, error) {
	if p.toks[lo].is("LIST") {
		return nil, p.unexpected("STREAMS, QUERIES, FUNCTIONS, CONNECTORS or FORMATS")
	}
	if p.cur().isName() && p.peek(1).kind == tokEnd && !p.atAny("TABLES", "DATABASES", "SCHEMAS", "VARIABLES") {
		name := p.take().ident()
		return &Show{Node: p.node(0), For: &name}, nil
	}
	return &Passthrough{Node: p.restNode(), First: "SHOW"}, nil
}

func (s *Show) print(p *printer) {
	p.put("SHOW")
	if s.What != "" {
		p.put(" ", s.What)
	}
	if s.For != nil {
		p.put(when(s.What != "" && !strings.HasPrefix(s.What, "CREATE"), " FOR"), " ")
		p.ident(*s.For)
	}
	if s.Like != "" {
		p.put(" LIKE ", types.QuoteText(s.Like))
	}
	p.put(when(s.Follow, " FOLLOW"))
}
