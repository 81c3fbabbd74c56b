package sql

import "strings"

// queryVerb parses START, STOP, PAUSE, RESUME, RESTART and DROP QUERY name | ALL;
// ksqlDB's TERMINATE is STOP.
func (p *parser) queryVerb() (Statement, error) {
	s := &QueryVerb{Verb: strings.ToUpper(p.take().text)}
	if s.Verb == "TERMINATE" {
		s.Verb = "STOP"
		p.acceptWordBeforeName("QUERY")
	} else {
		p.take()
	}
	if s.Verb == "DROP" {
		s.IfExists = p.ifExists()
	}
	var err error
	if s.All = p.accept("ALL"); !s.All {
		if s.Name, err = p.name("the name of a query, or ALL"); err != nil {
			return nil, err
		}
	}
	if s.Verb == "STOP" {
		s.Now = p.accept("NOW")
	}
	s.Node = p.node(0)
	return s, nil
}
