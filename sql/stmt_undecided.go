package sql

import "strings"

// Undecided is a SELECT, WITH, FROM or INSERT (also below EXPLAIN): whether it
// is ssql's or DuckDB's depends on whether one of Refs is a stream, which only
// the caller knows. See ParseQuery.
type Undecided struct {
	Node
	Refs   []Name   // every name in a table position, in order of appearance
	Files  []string // and every quoted path
	Target Name     // INSERT target; nil otherwise
	Stream bool     // only a stream can be meant: TUMBLE(...), STREAM s, WATERMARK ...
}

// undecided parses a query or INSERT as far as the names of its tables, on tokens.
func (p *parser) undecided() (Statement, error) {
	u := &Undecided{}
	scan := refScan{parser: p, out: u, ctes: map[string][]*cteScope{}}
	scan.run(p.pos)
	u.Node = p.restNode()
	// A hint behind the last token must not get lost: whoever parses reads it.
	for _, h := range p.hints {
		if h.end > u.Span.End {
			u.Span.End = h.end
			u.Text = p.slice(u.Span)
		}
	}
	return u, nil
}

// refScan collects the names in table positions without parsing: a query that DuckDB
// alone understands must get there untouched.
type refScan struct {
	*parser
	out    *Undecided
	levels []refLevel
	// factors are the places of names, paths and windows that nothing hides.
	factors []Span
	ctes    map[string][]*cteScope // by lower-case name
}

// refLevel is one bracket that is open.
type refLevel struct {
	inFrom   bool // between FROM and the clause that ends it
	expects  bool // a table must follow
	inWith   bool // between WITH and its SELECT
	noFrom   bool // EXTRACT(x FROM y): FROM is a separator
	argument bool // the relation of TUMBLE(rel, ..)

	cte  *cteScope   // the WITH entry that the bracket defines, nil for none
	ctes []*cteScope // the WITH entries that are known inside of it
}

// cteScope is where a WITH entry hides a table of its name: between two tokens.
type cteScope struct{ from, to int }

// fromSeparators are the functions with a FROM between their arguments.
var fromSeparators = []string{"EXTRACT", "OVERLAY", "POSITION", "SUBSTRING", "TRIM"}

// fromEnders are the words that end a FROM clause.
var fromEnders = []string{"WHERE", "HAVING", "QUALIFY", "WINDOW", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "SELECT", "EMIT", "SET", "VALUES"}

type foundRef struct {
	name Name
	pos  int
}

func (s *refScan) run(pos int) {
	if s.toks[pos].is("INSERT") {
		pos = s.insertTarget(pos)
	}
	s.scan(pos, refLevel{})
}

// scan reads from a token on, at which a level begins.
func (s *refScan) scan(pos int, level refLevel) {
	var found []foundRef
	s.levels = []refLevel{level}
	for i := pos; i < len(s.toks)-1; {
		top := &s.levels[len(s.levels)-1]
		t := s.toks[i]
		switch {
		case t.isOp("("):
			s.open(i)
			i++
		case t.isOp(")"):
			s.closeLevel(i)
			i++
		case t.is("FROM") && !top.noFrom && !(i > pos && s.toks[i-1].is("DISTINCT") && s.isDistinctTest(i)):
			top.inFrom, top.expects, top.inWith = true, true, false
			i++
		case t.is("JOIN") && top.inFrom, t.isOp(",") && top.inFrom && !top.argument:
			top.expects = true
			i++
		case top.expects && (t.isName() || t.kind == tokString):
			var ref *foundRef
			if ref, i = s.factor(i); ref != nil {
				found = append(found, *ref)
			}
		default:
			s.word(t, i)
			i++
		}
	}
	for _, f := range found {
		if !s.isCTE(f) {
			s.out.Refs = append(s.out.Refs, f.name)
			s.factors = append(s.factors, f.name.Pos())
		}
	}
}

// word handles a token that is neither a bracket nor in a table position.
func (s *refScan) word(t token, i int) {
	top := &s.levels[len(s.levels)-1]
	switch {
	case t.is("WITH") && s.toks[i+1].isName() && !s.toks[i+1].is("ROLLUP") && !s.toks[i+1].is("CUBE") && !s.toks[i+1].is("DELAY"):
		top.inWith = true
	case t.is("GROUP"), t.is("ORDER"):
		if s.toks[i+1].is("BY") {
			top.inFrom = false
		}
	case t.is("WATERMARK") && s.watermarkFrom(i):
		s.out.Stream = true
	case s.emitAt(i):
		s.out.Stream = true
		top.inFrom = false
	case t.is("FOR") && s.toks[i+1].is("SYSTEM_TIME"), t.is("WINDOW") && isKsqlWindow(s.toks[i+1]) && s.toks[i+2].isOp("("):
		s.out.Stream = true
		top.inFrom = top.inFrom && !t.is("WINDOW")
	default:
		for _, w := range fromEnders {
			if t.is(w) {
				top.inFrom = false
				if w == "SELECT" {
					top.inWith = false
				}
			}
		}
	}
}

// watermarkFrom is watermarkAhead for the token at i.
func (s *refScan) watermarkFrom(i int) bool {
	at := s.pos
	s.pos = i
	defer func() { s.pos = at }()
	return watermarkAhead(s.parser)
}

// isDistinctTest tells IS DISTINCT FROM from SELECT DISTINCT FROM, which is no query.
func (s *refScan) isDistinctTest(i int) bool {
	return i >= 2 && (s.toks[i-2].is("IS") || s.toks[i-2].is("NOT"))
}

// open enters the bracket at i.
func (s *refScan) open(i int) {
	top := &s.levels[len(s.levels)-1]
	level := refLevel{}
	if i > 0 {
		for _, f := range fromSeparators {
			level.noFrom = level.noFrom || s.toks[i-1].is(f)
		}
	}
	next := s.toks[i+1]
	isQuery := next.is("SELECT") || next.is("WITH") || next.is("FROM") || next.is("VALUES")
	switch {
	case top.expects && !isQuery:
		level.inFrom, level.expects = true, true
	case top.inWith && isQuery:
		level.cte = s.cteBefore(i)
	}
	top.expects = false
	s.levels = append(s.levels, level)
}

// cteBefore records the WITH entry whose query begins at i and returns it.
func (s *refScan) cteBefore(i int) *cteScope {
	k := i - 1
	for k > 0 && (s.toks[k].is("MATERIALIZED") || s.toks[k].is("NOT")) {
		k--
	}
	if !s.toks[k].is("AS") {
		return nil
	}
	k--
	if s.toks[k].isOp(")") {
		for k > 0 && !s.toks[k].isOp("(") {
			k--
		}
		k--
	}
	if k < 0 || !s.toks[k].isName() {
		return nil
	}
	scope := &cteScope{from: len(s.toks), to: len(s.toks)}
	name := strings.ToLower(s.toks[k].ident().Name)
	s.ctes[name] = append(s.ctes[name], scope)
	top := &s.levels[len(s.levels)-1]
	top.ctes = append(top.ctes, scope)
	return scope
}

// closeLevel leaves the bracket that is closed at i. A WITH entry is known from
// there on, and up to the end of the bracket around it.
func (s *refScan) closeLevel(i int) {
	if len(s.levels) == 1 {
		return
	}
	closed := s.levels[len(s.levels)-1]
	s.levels = s.levels[:len(s.levels)-1]
	if closed.cte != nil {
		closed.cte.from = i
	}
	for _, scope := range closed.ctes {
		scope.to = i
	}
}

func (s *refScan) isCTE(f foundRef) bool {
	if len(f.name) != 1 {
		return false
	}
	for _, scope := range s.ctes[strings.ToLower(f.name[0].Name)] {
		if f.pos > scope.from && f.pos < scope.to {
			return true
		}
	}
	return false
}

// insertTarget reads the target of an INSERT and returns where the query begins.
func (s *refScan) insertTarget(pos int) int {
	for i := pos; i < len(s.toks)-1; i++ {
		if !s.toks[i].is("INTO") {
			continue
		}
		i++
		if s.toks[i].is("TABLE") && s.toks[i+1].isName() {
			i++
		}
		if !s.toks[i].isName() {
			return i
		}
		name, next := s.nameAt(i)
		s.out.Target = name
		if s.toks[next].isOp("(") && !s.beginsQuery(next) {
			next = s.matching(next) + 1
		}
		return min(next, len(s.toks)-1)
	}
	return pos
}

// nameAt reads a qualified name and returns the index of the token after it.
func (s *refScan) nameAt(i int) (Name, int) {
	name := Name{s.toks[i].ident()}
	for i++; s.toks[i].isOp(".") && s.toks[i+1].isName(); i += 2 {
		name = append(name, s.toks[i+1].ident())
	}
	return name, i
}

// factor reads what stands in a table position at i.
func (s *refScan) factor(i int) (*foundRef, int) {
	top := &s.levels[len(s.levels)-1]
	t, next := s.toks[i], s.toks[i+1]
	switch {
	case t.is("LATERAL"):
		return nil, i + 1
	case t.is("DATA") && next.isOp("=>"):
		return nil, i + 2
	case t.is("STREAM") && (next.isName() && !next.is("AS") && !s.endsFactor(i+1) || next.kind == tokString || next.isOp("(")):
		s.out.Stream = true
		return nil, i + 1
	case t.is("TABLE") && (next.isName() || next.isOp("(")):
		return nil, i + 1
	case next.isOp("("):
		top.expects = false
		level := refLevel{}
		if isWindowWord(t) {
			s.out.Stream = true
			level = refLevel{inFrom: true, expects: true, argument: true}
			s.factors = append(s.factors, s.spanOf(i, min(s.matching(i+1)+1, len(s.toks)-1)))
		}
		s.levels = append(s.levels, level)
		return nil, i + 2
	case t.kind == tokString:
		top.expects = false
		s.out.Files = append(s.out.Files, stringValue(t.text))
		s.factors = append(s.factors, t.span())
		return nil, i + 1
	}
	top.expects = false
	name, after := s.nameAt(i)
	return &foundRef{name: name, pos: i}, after
}

// endsFactor reports whether the word at i cannot be the name of a stream.
func (s *refScan) endsFactor(i int) bool {
	at := s.pos
	s.pos = i
	defer func() { s.pos = at }()
	return s.toks[i].kind == tokIdent && s.beginsClause()
}

// isWindowWord reports whether a word in front of a bracket in FROM can only be a
// window table function or DEDUP.
func isWindowWord(t token) bool {
	for _, f := range windowFunctions {
		if t.is(f.name) {
			return true
		}
	}
	return t.is("DEDUP")
}

func (s *Undecided) print(p *printer) { p.put(s.Text) }
