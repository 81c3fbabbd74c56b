package sql

// joinWords are the words between two tables.
type joinWords struct {
	kind    JoinForm
	natural bool
	within  *Interval
	after   *Interval // WITHIN (before, after)
	match   Expr      // MATCH_CONDITION (..)
	noOn    bool      // nothing but that
	span    Span
}

// joinSpellings is the table of join words; of two that match, the longer one
// stands first. TiDB knows no FULL, SEMI, ANTI and ASOF and takes these words for an
// alias, so all joins that need a condition are LEFT JOIN for TiDB. Its CROSS JOIN
// may have a condition and takes that of a join around it, so it is a NATURAL JOIN,
// which has none.
var joinSpellings = []struct {
	words string
	kind  JoinForm
	sql   string
}{
	{"ASOF LEFT JOIN", AsofLeftJoin, "LEFT JOIN"},
	{"ASOF LEFT OUTER JOIN", AsofLeftJoin, "LEFT JOIN"},
	{"ASOF JOIN", AsofJoin, "LEFT JOIN"},
	{"ASOF INNER JOIN", AsofJoin, "LEFT JOIN"},
	{"CROSS JOIN", CrossJoin, "NATURAL JOIN"},
	{"LEFT OUTER JOIN", LeftJoin, "LEFT JOIN"},
	{"LEFT SEMI JOIN", SemiJoin, "LEFT JOIN"},
	{"LEFT ANTI JOIN", AntiJoin, "LEFT JOIN"},
	{"LEFT JOIN", LeftJoin, "LEFT JOIN"},
	{"RIGHT OUTER JOIN", RightJoin, "LEFT JOIN"},
	{"RIGHT JOIN", RightJoin, "LEFT JOIN"},
	{"FULL OUTER JOIN", FullJoin, "LEFT JOIN"},
	{"FULL JOIN", FullJoin, "LEFT JOIN"},
	{"SEMI JOIN", SemiJoin, "LEFT JOIN"},
	{"ANTI JOIN", AntiJoin, "LEFT JOIN"},
	{"INNER JOIN", InnerJoin, "JOIN"},
	{"JOIN", InnerJoin, "JOIN"},
}

// tableList rewrites what stands behind FROM: joined tables with commas between.
func (p *parser) tableList() error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.leave()
	for n := 0; ; n++ {
		if n > p.limits.ChainLength {
			return p.limits.tooLong(p.cur().span(), "tables")
		}
		if err := p.joinedTables(); err != nil {
			return err
		}
		if !p.cur().isOp(",") {
			return nil
		}
		at := p.cur().span()
		p.copyWords(1, ",")
		p.join = &joinWords{kind: CrossJoin, span: at}
	}
}

// joinedTables rewrites tables with joins between and their conditions. Which
// condition belongs to which join is TiDB's to say.
func (p *parser) joinedTables() error {
	if err := p.tableFactor(); err != nil {
		return err
	}
	var open []*joinWords // joins whose condition may still come
	for n := 0; ; n++ {
		if n > p.limits.ChainLength {
			return p.limits.tooLong(p.cur().span(), "joins")
		}
		var err error
		switch {
		case p.at("ON"), p.at("USING") && p.peek(1).isOp("("):
			if len(open) == 0 {
				return p.unexpected("a join before the condition")
			}
			open = open[:len(open)-1]
			err = p.joinCondition()
		case p.at("LATERAL", "VIEW"):
			err = p.lateralView()
		default:
			words, opErr := p.joinOperator()
			if opErr != nil {
				return opErr
			}
			if words == nil {
				return p.checkConditions(open)
			}
			if words.kind != CrossJoin && !words.natural {
				open = append(open, words)
			}
			err = p.joinRight()
			if err == nil && words.match != nil {
				open = p.matched(words, open)
			}
		}
		if err != nil {
			return err
		}
	}
}

// checkConditions refuses a join without the condition that its kind needs; an
// inner join without one is a cross join, as in Spark.
func (p *parser) checkConditions(open []*joinWords) error {
	for _, j := range open {
		if j.kind != InnerJoin {
			return p.unexpected("ON or USING for the " + joinNames[j.kind])
		}
	}
	return nil
}

// joinCondition rewrites ON expr or USING (a, b).
func (p *parser) joinCondition() error {
	if p.at("USING") {
		return p.usingColumns()
	}
	p.copyWords(1, "ON")
	return p.expr(levelAny)
}

// joinOperator consumes join words; nil when there are none.
func (p *parser) joinOperator() (*joinWords, error) {
	lo := p.pos
	natural := p.at("NATURAL")
	if natural {
		p.copyWords(1, "NATURAL")
	}
	for _, j := range joinSpellings {
		if n := p.spelled(j.words); n > 0 {
			p.copyWords(n, j.sql)
			p.join = &joinWords{kind: j.kind, natural: natural, span: p.spanFrom(lo)}
			return p.join, nil
		}
	}
	if natural {
		return nil, p.unexpected("JOIN")
	}
	return nil, nil
}

// joinRight rewrites the right side of a join, with ksqlDB's WITHIN behind it.
func (p *parser) joinRight() error {
	words := p.join
	if err := p.tableFactor(); err != nil {
		return err
	}
	if (words.kind == AsofJoin || words.kind == AsofLeftJoin) && p.at("MATCH_CONDITION") && p.peek(1).isOp("(") {
		return p.matchCondition(words)
	}
	if !p.at("WITHIN") || !nextIsDurationOrBracket(p) {
		return nil
	}
	return p.within(words)
}

// matched looks for the condition behind MATCH_CONDITION (..), the last of the open joins; it
// may be left out.
func (p *parser) matched(words *joinWords, open []*joinWords) []*joinWords {
	if p.at("ON") || p.at("USING") {
		return open
	}
	words.noOn = true
	p.emit("ON 1", p.pos)
	return open[:len(open)-1]
}

// matchCondition consumes MATCH_CONDITION (a.ts >= b.ts), Spark's and Snowflake's place for
// the comparison of times of an ASOF JOIN. Without ON and USING it is the whole condition.
func (p *parser) matchCondition(words *joinWords) error {
	lo := p.pos
	p.take()
	p.take()
	var err error
	if words.match, err = p.standaloneExpr(); err != nil {
		return err
	}
	if err := p.expectOp(")"); err != nil {
		return err
	}
	p.spelling(aliasMatchCondition, lo)
	return nil
}

// within consumes WITHIN d or WITHIN (before, after), with GRACE PERIOD d behind.
func (p *parser) within(words *joinWords) error {
	lo := p.pos
	p.take()
	bracket := p.acceptOp("(")
	var err error
	if words.within, err = p.duration(); err != nil {
		return err
	}
	if bracket {
		if err := p.expectOp(","); err != nil {
			return err
		}
		if words.after, err = p.duration(); err != nil {
			return err
		}
		if err := p.expectOp(")"); err != nil {
			return err
		}
	}
	p.spelling(aliasWithin, lo)
	if p.at("GRACE", "PERIOD") {
		return p.gracePeriod()
	}
	return nil
}

// usingColumns rewrites USING (a, b).
func (p *parser) usingColumns() error {
	p.copyWords(1, "USING")
	p.emit("(", p.pos)
	p.take()
	for {
		lo := p.pos
		id, err := p.name("the name of a column")
		if err != nil {
			return err
		}
		p.operand(lo, &ColumnRef{Parts: []Ident{id}, Span: id.Span})
		if !p.acceptOp(",") {
			break
		}
		p.comma()
	}
	p.emit(")", p.pos)
	return p.expectOp(")")
}

// lateralView rewrites Spark's LATERAL VIEW [OUTER] f(x) [t] [AS a, b] as a cross
// join with the function.
func (p *parser) lateralView() error {
	lo := p.pos
	p.emit("NATURAL JOIN", lo)
	p.take()
	p.take()
	if p.at("OUTER") {
		return unsupported(p.cur().span(), "LATERAL VIEW OUTER (Spark) is not supported").WithHint("use LEFT JOIN LATERAL unnest(x) ON true")
	}
	p.join = &joinWords{kind: CrossJoin, span: p.spanFrom(lo)}
	at := p.pos
	f, err := p.tableFunction()
	if err != nil {
		return err
	}
	f.Lateral = true
	if p.cur().isName() && !p.at("AS") && !p.beginsClause() {
		id := p.take().ident()
		f.Alias = &id
	}
	if p.accept("AS") {
		for {
			id, err := p.name("the name of a column")
			if err != nil {
				return err
			}
			f.Columns = append(f.Columns, id)
			if !p.acceptOp(",") {
				break
			}
		}
		if f.Alias == nil { // names of columns need one in any other spelling
			f.Alias = &f.Name
		}
	}
	f.Span = p.spanFrom(at)
	p.table(at, f)
	return nil
}

// bracketTables consumes joined tables in brackets. TiDB reads them apart: among
// others it would move a cross join in front of them into the brackets, which is
// right for the joins of MySQL and wrong for a FULL JOIN.
func (p *parser) bracketTables() (TableExpr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	p.take()
	var ref TableExpr
	err := p.isolated(func() error {
		p.emit("SELECT 1 FROM", p.pos)
		if err := p.joinedTables(); err != nil {
			return err
		}
		sel, c, err := p.parseSkeleton()
		if err != nil {
			return err
		}
		if ref, err = c.from(sel.From.TableRefs); err != nil {
			return err
		}
		return c.finish()
	})
	if err != nil {
		return nil, err
	}
	return ref, p.expectOp(")")
}
