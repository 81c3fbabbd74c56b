package sql

import "ssql/sql/types"

// RunScript is RUN SCRIPT 'file': its statements run as if they stood here, with
// relative paths starting at the folder of the file.
type RunScript struct {
	Node
	Path string
}

// runScript parses RUN SCRIPT 'file'.
func (p *parser) runScript() (Statement, error) {
	p.take()
	p.take()
	s := &RunScript{}
	var err error
	if s.Path, err = p.str("the name of a file in single quotes"); err != nil {
		return nil, err
	}
	s.Node = p.node(0)
	return s, nil
}

func (s *RunScript) print(p *printer) { p.put("RUN SCRIPT ", types.QuoteText(s.Path)) }
