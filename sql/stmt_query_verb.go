package sql

import "strings"

// QueryVerb is START, STOP, PAUSE, RESUME, RESTART or DROP QUERY name | ALL.
type QueryVerb struct {
	Node
	Verb     string // START, STOP, PAUSE, RESUME, RESTART, DROP, CHECKPOINT, REFRESH
	Name     Ident  // zero for ALL
	All      bool
	IfExists bool
	Now      bool // STOP ... NOW
}

// queryVerb parses START, STOP, PAUSE, RESUME, RESTART, CHECKPOINT and DROP QUERY name | ALL. Other
// spellings of STOP are ksqlDB's TERMINATE, Flink's STOP JOB and RisingWave's CANCEL
// JOBS; ksqlDB leaves out QUERY behind PAUSE and RESUME.
func (p *parser) queryVerb() (Statement, error) {
	s := &QueryVerb{}
	p.verbWords(s)
	if s.Verb == "DROP" {
		s.IfExists = p.ifExists()
	}
	var err error
	if s.All = p.accept("ALL"); !s.All {
		if s.Name, err = p.jobName(); err != nil {
			return nil, err
		}
	}
	if s.Verb == "STOP" {
		s.Now = p.accept("NOW")
		for _, what := range []string{"SAVEPOINT", "DRAIN"} { // Flink's; every commit is one
			if lo := p.pos; p.accept("WITH", what) {
				p.changesNothing("WITH "+what, lo)
			}
		}
	}
	s.Node = p.node(0)
	return s, nil
}

// refresh parses PostgreSQL's REFRESH MATERIALIZED VIEW [CONCURRENTLY] name.
func (p *parser) refresh() (Statement, error) {
	for range 3 {
		p.take()
	}
	p.acceptWordBeforeName("CONCURRENTLY")
	s := &QueryVerb{Verb: "REFRESH"}
	var err error
	if s.Name, err = p.name("the name of a materialized view"); err != nil {
		return nil, err
	}
	s.Node = p.node(0)
	return s, nil
}

// verbWords consumes the words in front of the name.
func (p *parser) verbWords(s *QueryVerb) {
	lo := p.pos
	s.Verb = strings.ToUpper(p.take().text)
	switch {
	case s.Verb == "TERMINATE":
		s.Verb = "STOP"
		p.acceptWordBeforeName("QUERY")
		p.spelling(aliasTerminate, lo)
	case s.Verb == "CANCEL":
		s.Verb = "STOP"
		p.take()
		p.spelling(aliasCancelJobs, lo)
	case p.accept("JOB"):
		p.spelling(aliasJob, lo)
	case !p.accept("QUERY"):
		p.spelling(aliasQueryless, lo)
	}
}

// jobName consumes the name of a query; Flink has it in single quotes.
func (p *parser) jobName() (Ident, error) {
	if t := p.cur(); t.kind == tokString {
		p.take()
		return Ident{Name: stringValue(t.text), Quoted: true, Span: t.span()}, nil
	}
	return p.name("the name of a query, or ALL")
}

func (s *QueryVerb) print(p *printer) {
	what := " QUERY "
	if s.Verb == "REFRESH" {
		what = " MATERIALIZED VIEW "
	}
	p.put(s.Verb, what, when(s.IfExists, "IF EXISTS "))
	p.queryName(s.Name, s.All)
	p.put(when(s.Now, " NOW"))
}
