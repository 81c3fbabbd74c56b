package duck

import (
	"slices"
	"strings"

	"ssql/sql/types"
)

// factorsMax bounds how many relations of a statement are looked at for times with a zone.
const factorsMax = 64

// fromEnders are the words that end a list of relations.
var fromEnders = []string{
	"except", "group", "having", "intersect", "limit", "offset", "order", "qualify", "returning", "select", "set", "union", "using", "values", "where", "window",
}

// notAliases are the words behind a relation that are not its alias.
var notAliases = append([]string{
	"anti", "asof", "cross", "for", "full", "inner", "join", "left", "natural", "on", "pivot", "positional", "right", "semi", "tablesample", "then", "unpivot", "when",
}, fromEnders...)

// tablesInUTC returns a statement whose relations give their times with a zone as TIMESTAMP in
// UTC; ok is false if none has one. zoned returns the names of such columns of a relation, as
// it is written behind FROM. What names the relation otherwise than as its alias, or its
// rowid, is refused then, and so is the target of UPDATE and DELETE left as it is.
func tablesInUTC(text string, zoned func(relation string) []string) (out string, ok bool) {
	s := relationScan{toks: tokens(text), levels: []relationLevel{{}}}
	for i := range s.toks {
		if s.toks.atTimeZone(i) && s.toks.atTimeZone(i+4) {
			return "", false // the first zone of two says what a TIMESTAMP means, and not a time with a zone
		}
	}
	var e edits
	for i := 0; i < len(s.toks); {
		end := s.relation(i)
		if end == 0 {
			s.word(i)
			i++
			continue
		}
		s.seen++
		rel := text[s.toks[i].start:s.toks[end-1].end]
		if columns := zoned(rel); s.seen <= factorsMax && len(columns) > 0 {
			e.replace(s.toks[i].start, s.toks[end-1].end, inUTCRelation(rel, columns)+s.aliasOf(i, end))
		}
		i = end
	}
	return e.apply(text), len(e) > 0
}

// ranLater returns the form of a statement that DuckDB stores without running it, so that what it
// cannot do would show at each use: a view or a prepared statement that casts a time with a zone to
// DATE or TIME, and a macro that makes a table. ok is false for any other statement.
func ranLater(text string, zoned func(relation string) []string) (out string, ok bool) {
	head := text[:min(len(text), 200)] // the rest may be long
	if !slices.ContainsFunc([]string{"view", "prepare", "macro", "function"}, func(word string) bool { return containsFold(head, word) }) {
		return "", false
	}
	toks := tokens(text)
	i := 0
	for ; toks.at(i).is("create") || toks.at(i).is("or") || toks.at(i).is("replace") || toks.at(i).is("temp") || toks.at(i).is("temporary"); i++ {
	}
	view, macro := toks.at(i).is("view") || toks.at(i).is("prepare"), toks.at(i).is("macro") || toks.at(i).is("function")
	if !view && !macro {
		return "", false
	}
	var names []string
	plain, _ := inUTC(text)
	out, ok = tablesInUTC(plain, func(rel string) []string {
		found := zoned(rel)
		names = append(names, found...)
		return found
	})
	if macro {
		isTable := false
		for i := range toks {
			isTable = isTable || toks[i].is("as") && toks.at(i+1).is("table")
		}
		if !ok {
			out = plain
		}
		return out, isTable && out != "" && out != text
	}
	return out, ok && toks.castsToDate(names)
}

// castsToDate reports whether one of some columns is cast to DATE or TIME.
func (l tokenList) castsToDate(columns []string) bool {
	for i, t := range l {
		if !slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, strings.Trim(t.text, `"`)) }) {
			continue
		}
		to := token{}
		switch {
		case l.at(i+1).text == ":" && l.at(i+2).text == ":":
			to = l.at(i + 3)
		case l.at(i + 1).is("as"):
			to = l.at(i + 2)
		}
		if to.is("date") || to.is("time") {
			return true
		}
	}
	return false
}

// inUTCRelation returns the sub-query that gives columns of a relation in UTC.
func inUTCRelation(rel string, columns []string) string {
	items := make([]string, len(columns))
	for i, c := range columns {
		name := types.QuoteIdent(c)
		items[i] = "CAST(" + name + " AS TIMESTAMP) AS " + name
	}
	return "(SELECT * REPLACE (" + strings.Join(items, ", ") + ") FROM " + rel + ")"
}

// relationScan finds the relations in a statement.
type relationScan struct {
	toks   tokenList
	levels []relationLevel
	seen   int
}

// relationLevel is one bracket that is open.
type relationLevel struct {
	from    bool // in a list of relations
	expects bool // a relation must follow
	noFrom  bool // extract(x FROM y): FROM is a separator
}

// word reads a token that begins no relation.
func (s *relationScan) word(i int) {
	t, top := s.toks[i], &s.levels[len(s.levels)-1]
	switch {
	case t.quoted:
	case t.text == "(":
		s.open(i)
	case t.text == ")":
		if len(s.levels) > 1 {
			s.levels = s.levels[:len(s.levels)-1]
		}
	case t.is("from"):
		if !top.noFrom && !s.toks.at(i-1).is("delete") && !s.toks.at(i-1).is("distinct") && !(len(s.levels) == 1 && s.toks[0].is("copy")) {
			top.from, top.expects = true, true
		}
	case t.is("join"), t.text == ",":
		top.expects = top.from
	case slices.Contains(fromEnders, strings.ToLower(t.text)):
		top.from, top.expects = false, false
	}
}

// open enters the bracket at i: a query, joined relations or anything else.
func (s *relationScan) open(i int) {
	top := &s.levels[len(s.levels)-1]
	next, level := s.toks.at(i+1), relationLevel{}
	query := next.is("select") || next.is("with") || next.is("from") || next.is("values")
	if top.expects && !query {
		level = relationLevel{from: true, expects: true}
	}
	level.noFrom = slices.ContainsFunc([]string{"extract", "overlay", "position", "substring", "trim"}, s.toks.at(i-1).is)
	top.expects = false
	s.levels = append(s.levels, level)
}

// relation returns where the relation ends that begins at i, 0 if none does.
func (s *relationScan) relation(i int) (end int) {
	top, t := &s.levels[len(s.levels)-1], s.toks[i]
	isName := t.quoted || isWordByte(t.text[0])
	if !top.expects || !isName || t.is("lateral") || slices.Contains(notAliases, strings.ToLower(t.text)) {
		return 0
	}
	top.expects = false
	end = i + 1
	for s.toks.at(end).text == "." && s.toks.at(end+1).text != "" {
		end += 2
	}
	if s.toks.at(end).text != "(" {
		return end
	}
	if closed, ok := s.toks.closing(end); ok {
		return closed + 1
	}
	return 0
}

// aliasOf returns the alias that a relation between two tokens needs when a sub-query stands
// in its place: its name, if the statement gives it none.
func (s *relationScan) aliasOf(from, end int) string {
	next := s.toks.at(end)
	named := next.text != "" && (next.quoted || isWordByte(next.text[0])) && !slices.Contains(notAliases, strings.ToLower(next.text))
	last := s.toks[end-1]
	if named || last.text == ")" || strings.HasPrefix(last.text, "'") {
		return ""
	}
	return " AS " + last.text
}
