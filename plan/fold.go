package plan

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// Fold is a statement that needs the whole result of what it reads of streams, cut in two:
// parts, which ssql runs to the end of their input, and the rest, which DuckDB runs over
// their rows.
type Fold struct {
	Parts []*FoldPart
	// Text is the statement with what the parts compute replaced by their tables.
	Text string
	// Whole says that the rest only sorts and cuts the rows of the one part: its types are
	// those of the query.
	Whole bool
	start int // of the statement in the text that it was parsed from
	edits []edit
	// Other is a fold that reads a stream more than once where this one reads it once and
	// leaves more to DuckDB, which may not know it; nil without.
	Other *Fold
	// refused is why the whole has no form in ssql alone; nil for a statement of DuckDB's.
	refused error
}

// FoldPart is a part of a Fold that ssql runs: its rows go to the temporary table of a name.
type FoldPart struct {
	Table string
	// Named says that the columns have their own names; else they are c0, c1, ...
	Named bool
	Plan  *Plan
	Query *sql.Query // that it runs
}

// Output returns the result of the part.
func (s *FoldPart) Output() *Output { return s.Plan.Outputs[0] }

// Columns returns the names of the columns of the table, by the result's.
func (s *FoldPart) Columns() []string {
	names := make([]string, len(s.Output().Columns))
	for i, c := range s.Output().Columns {
		names[i] = fmt.Sprintf("c%d", i)
		if s.Named {
			names[i] = c.Name
		}
	}
	return names
}

// Snapshot plans a SELECT that is read to its end. What ssql runs alone is a plan without a
// fold; else the fold says what there is to do.
func Snapshot(q *sql.Query, cat Catalog, o Options) (*Plan, *Fold, error) {
	o.Snapshot, o.Mode, o.AutoMode = true, types.Append, false
	p, err := Bind(q, cat, o)
	if err == nil && p.Outputs[0].Tail == nil {
		return p, nil, nil
	}
	f := &folder{cat: cat, options: o}
	if err == nil {
		part := f.add(p, q)
		fold := &Fold{Parts: f.parts, Text: p.Outputs[0].Tail.text(types.QuoteIdent(part.Table), p.Outputs[0].Columns), Whole: true, start: q.Span.Start}
		fold.edits = []edit{{q.Span, fold.Text}}
		return nil, fold, nil
	}
	if !foldable(err) {
		return nil, nil, err
	}
	fold, foldErr := cutOnce(f, q.Text, q.Span.Start, func(f *folder) error { return f.body(q, nil) })
	if foldErr != nil {
		return nil, nil, err
	}
	fold.refused = err
	if fold.Other != nil {
		fold.Other.refused = err
	}
	return nil, fold, nil
}

// cutOnce cuts a statement so that no stream is read twice, if that can be.
func cutOnce(f *folder, text string, start int, visit func(f *folder) error) (*Fold, error) {
	fold, err := f.statement(text, start, func() error { return visit(f) })
	if err != nil || !readsTwice(fold) {
		return fold, err
	}
	whole := &folder{cat: f.cat, options: f.options, whole: true}
	once, err := whole.statement(text, start, func() error { return visit(whole) })
	if err != nil || readsTwice(once) {
		return fold, nil
	}
	once.Other = fold
	return once, nil
}

// readsTwice reports whether two parts read one stream.
func readsTwice(f *Fold) bool {
	seen := map[string]bool{}
	for _, s := range f.Parts {
		mine := map[string]bool{}
		for _, src := range s.Plan.Sources {
			mine[strings.ToLower(src.Stream)] = true
		}
		for name := range mine {
			if seen[name] {
				return true
			}
			seen[name] = true
		}
	}
	return false
}

// FoldRelations cuts a SELECT although ssql could run it alone: DuckDB runs it over the rows of its
// relations.
func FoldRelations(q *sql.Query, cat Catalog, o Options) (*Fold, error) {
	o.Snapshot, o.Mode, o.AutoMode = true, types.Append, false
	f := &folder{cat: cat, options: o}
	return f.statement(q.Text, q.Span.Start, func() error { return f.relations(q, nil) })
}

// FoldStatement plans a statement of DuckDB's that reads streams: text starts at a place,
// queries are what it reads in brackets or at its end, and names are its other relations.
func FoldStatement(text string, start int, queries []*sql.Query, names []sql.TableExpr, cat Catalog, o Options) (*Fold, error) {
	o.Snapshot, o.Mode, o.AutoMode = true, types.Append, false
	return cutOnce(&folder{cat: cat, options: o}, text, start, func(f *folder) error {
		for _, q := range queries {
			if err := f.query(q, nil); err != nil {
				return err
			}
		}
		for _, t := range names {
			if err := f.from(t, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// foldable reports whether a refusal may be one of the form of a query, not of what it
// says. Names and functions are among them: a sub-query may use those from around it.
func foldable(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && !slices.Contains([]string{codeArgName, codeCall, codeTooDeep, codeWindowMonths, codeWindowArgs, codeWindowRange,
		codeWindowTime, codeWatermarkColumn, codeWatermarkType, codeWatermarkNegative, codeInterval, codeWindowRelation}, e.Code) &&
		!strings.HasPrefix(e.Code, "E_")
}

// formCodes are refusals of a form that only a stream does not have.
var formCodes = []string{
	codeDistinct, codeExternal, codeJoinAnti, codeJoinEquality, codeJoinMode, codeJoinTable, codeJoinUnbounded, codeLimitValue, codeNoStream,
	codeOffset, codeOutputMode, codeRetract, codeSetOperation, codeSort, codeStatefulAfter, codeUnionTable, codeUnsupported, codeWindowFunction,
}

// Refused returns the error to show when DuckDB refuses the rest of a fold: its own where
// only the form was in ssql's way, else what ssql says.
func (f *Fold) Refused(err error) error {
	var e *sqlerr.Error
	if f.refused == nil || errors.As(f.refused, &e) && slices.Contains(formCodes, e.Code) {
		return err
	}
	return f.refused
}

// Back returns where a place of Text, counted from its start, stands in the statement.
func (f *Fold) Back(at int) int {
	shift := 0 // of the texts so far
	for _, e := range f.edits {
		from := e.span.Start - f.start + shift
		if at < from {
			break
		}
		if at < from+len(e.text) {
			return e.span.Start
		}
		shift += len(e.text) - (e.span.End - e.span.Start)
	}
	return f.start + at - shift
}

// folder cuts one statement.
type folder struct {
	cat     Catalog
	options Options
	whole   bool // streams are read whole, but for what only ssql has: windows and the like
	parts   []*FoldPart
	edits   []edit
}

// statement collects the edits of a text that starts at a place.
func (f *folder) statement(text string, start int, visit func() error) (*Fold, error) {
	outer := f.edits
	f.edits = nil
	err := visit()
	edits := f.edits
	f.edits = outer
	if err != nil {
		return nil, err
	}
	for _, o := range sql.NullOrders(text) {
		at := start + o.At
		if !slices.ContainsFunc(edits, func(e edit) bool { return e.span.Start < at && at <= e.span.End }) {
			edits = append(edits, edit{Span{Start: at, End: at}, o.Text})
		}
	}
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].span.Start < edits[j].span.Start })
	fold := &Fold{Parts: f.parts, start: start, edits: edits}
	fold.Text = applyEdits(text, start, slices.Clone(edits))
	return fold, nil
}

// add makes a plan a part.
func (f *folder) add(p *Plan, q *sql.Query) *FoldPart {
	s := &FoldPart{Table: fmt.Sprintf("ssql_part_%d", len(f.parts)+1), Plan: p, Query: q}
	f.parts = append(f.parts, s)
	return s
}

// part makes a query a part and returns the text that reads it; with are the WITH entries
// around it.
func (f *folder) part(q *sql.Query, with []sql.CTE) (string, error) {
	whole := *q
	whole.With = append(slices.Clone(with), q.With...)
	p, err := Bind(&whole, f.cat, f.options)
	if err != nil {
		return "", err
	}
	s := f.add(p, &whole)
	return s.Output().Tail.text(types.QuoteIdent(s.Table), s.Output().Columns), nil
}

// query replaces a query that reads streams, as a whole where ssql can run it.
func (f *folder) query(q *sql.Query, with []sql.CTE) error {
	if !f.reads(q, with) {
		return nil
	}
	if f.whole && !onlyStreams(q) {
		return f.body(q, with)
	}
	text, err := f.part(q, with)
	if err == nil {
		f.edits = append(f.edits, edit{q.Span, text})
		return nil
	}
	if !foldable(err) {
		return err
	}
	return f.body(q, with)
}

// onlyStreams reports whether a query has something in it that only ssql has: a window, a
// deduplication, a watermark.
func onlyStreams(q *sql.Query) bool {
	found := false
	var from func(t sql.TableExpr)
	from = func(t sql.TableExpr) {
		switch t := t.(type) {
		case *sql.WindowRef, *sql.DedupRef, *sql.WatermarkRef:
			found = true
		case *sql.Join:
			from(t.Left)
			from(t.Right)
		case *sql.SubqueryRef:
			found = found || onlyStreams(t.Query)
		}
	}
	for _, c := range q.With {
		found = found || onlyStreams(c.Query)
	}
	switch body := q.Body.(type) {
	case *sql.SetOp:
		return found || onlyStreams(body.Left) || onlyStreams(body.Right)
	case *sql.Select:
		from(body.From)
		if body.GroupBy != nil {
			for _, e := range body.GroupBy.Items {
				walk(e, func(e sql.Expr) bool {
					c, ok := e.(*sql.Call)
					found = found || ok && isWindowCall(strings.ToLower(c.Name.Name))
					return !found
				})
			}
		}
	}
	return found
}

// body replaces what a query reads, part by part.
func (f *folder) body(q *sql.Query, with []sql.CTE) error {
	for _, c := range q.With {
		if err := f.query(c.Query, with); err != nil {
			return err
		}
		with = append(with[:len(with):len(with)], c)
	}
	if q.Emit != nil {
		f.edits = append(f.edits, edit{q.Emit.Span, ""})
	}
	switch body := q.Body.(type) {
	case *sql.SetOp:
		if err := f.query(body.Left, with); err != nil {
			return err
		}
		return f.query(body.Right, with)
	case *sql.Select:
		if !f.whole || onlyStreams(q) {
			if done, err := f.groups(q, body, with); done || err != nil {
				return err
			}
		}
		f.nameItems(q, body)
		return f.relations(q, with)
	}
	return nil
}

// nameItems gives window functions the names that they have without what ssql adds to their
// order.
func (f *folder) nameItems(q *sql.Query, s *sql.Select) {
	for i := range s.Items {
		it := &s.Items[i]
		from := it.Expr.Pos().Start - q.Span.Start
		if it.Alias != nil || !hasOver(it.Expr) || from < 0 || !strings.HasPrefix(q.Text[min(from, len(q.Text)):], it.Text) {
			continue
		}
		at := it.Expr.Pos().Start + len(it.Text)
		f.edits = append(f.edits, edit{Span{Start: at, End: at}, " AS " + types.QuoteIdent(itemName(it))})
	}
}

// relations replaces what a block reads in FROM and in sub-queries; with are the WITH entries
// that it sees.
func (f *folder) relations(q *sql.Query, with []sql.CTE) error {
	s, ok := q.Body.(*sql.Select)
	if !ok {
		return f.body(q, with)
	}
	if s.From != nil {
		if err := f.from(s.From, with); err != nil {
			return err
		}
	}
	return eachSubquery(s, q.OrderBy, func(sub *sql.Query) error { return f.query(sub, with) })
}

// from replaces the relations of a FROM clause.
func (f *folder) from(t sql.TableExpr, with []sql.CTE) error {
	switch t := t.(type) {
	case *sql.TableRef:
		return f.table(t, with)
	case *sql.SubqueryRef:
		return f.query(t.Query, with)
	case *sql.Join:
		if err := f.from(t.Left, with); err != nil {
			return err
		}
		if err := f.from(t.Right, with); err != nil {
			return err
		}
		var first error
		walk(t.On, func(e sql.Expr) bool {
			if q := queryOf(e); q != nil && first == nil {
				first = f.query(q, with)
			}
			return first == nil
		})
		return first
	case *sql.FileRef:
		if len(t.Reading.Options) > 0 {
			return f.computed(t, t.Alias, t.Path, with)
		}
		_, err := f.relation(t.Path, t, nil, t.Span, t.Alias == nil)
		return err
	case *sql.WindowRef:
		return f.computed(t, t.Alias, innerName(t.Input), with)
	case *sql.DedupRef:
		return f.computed(t, t.Alias, innerName(t.Input), with)
	case *sql.WatermarkRef:
		return f.computed(t, t.Alias, innerName(t.Input), with)
	}
	return nil
}

// table replaces the name of a stream or of a view over streams.
func (f *folder) table(t *sql.TableRef, with []sql.CTE) error {
	name := t.Name[len(t.Name)-1].Name
	if len(t.Name) == 1 && slices.ContainsFunc(with, func(c sql.CTE) bool { return strings.EqualFold(c.Name.Name, name) }) {
		return nil
	}
	rel, err := f.cat.Relation(t.Name)
	if err != nil || rel == nil || rel.Table != nil || rel.View != nil && !f.reads(rel.View, nil) {
		return err
	}
	if len(t.Reading.Options) > 0 { // another place may read the stream otherwise
		return f.computed(t, t.Alias, name, with)
	}
	_, err = f.relation(name, t, rel.View, t.Span, t.Alias == nil)
	return err
}

// relation makes a part of a stream, or of a view as far as ssql can run it, with a table of
// its own name, so that columns are found by it. It is read once however often it is named.
func (f *folder) relation(name string, t sql.TableExpr, view *sql.Query, at Span, bare bool) (*FoldPart, error) {
	as := ""
	if bare {
		as = " AS " + types.QuoteIdent(name)
	}
	for _, s := range f.parts {
		if s.Named && strings.EqualFold(s.Table, name) {
			f.edits = append(f.edits, edit{at, types.QuoteIdent(s.Table)})
			return s, nil
		}
	}
	all := &sql.Query{Body: &sql.Select{Items: []sql.SelectItem{{Expr: &sql.Star{Span: at}}}, From: t, Span: at}, Span: at}
	p, err := Bind(all, f.cat, f.options)
	if err == nil && p.Outputs[0].Tail == nil {
		s := f.add(p, all)
		s.Table, s.Named = name, true
		f.edits = append(f.edits, edit{at, types.QuoteIdent(name)})
		return s, nil
	}
	if view == nil {
		return nil, err
	}
	inner, err := f.statement(view.Text, view.Span.Start, func() error { return f.query(view, nil) })
	if err != nil {
		return nil, err
	}
	f.edits = append(f.edits, edit{at, "(" + inner.Text + ")" + as})
	return nil, nil
}

// computed makes a part of a relation that only ssql has: a window, a deduplication, a
// watermark. Its columns go by the name of what it is over.
func (f *folder) computed(t sql.TableExpr, alias *sql.Ident, name string, with []sql.CTE) error {
	at := t.Pos()
	all := &sql.Query{Body: &sql.Select{Items: []sql.SelectItem{{Expr: &sql.Star{Span: at}}}, From: t, Span: at}, Span: at}
	text, err := f.part(all, with)
	if err != nil {
		return err
	}
	text = "(" + text + ")"
	if alias == nil && name != "" {
		text += " AS " + types.QuoteIdent(name)
	}
	f.edits = append(f.edits, edit{at, text})
	return nil
}

// innerName is the name by which the columns of a relation are known.
func innerName(t sql.TableExpr) string {
	alias := func(a *sql.Ident, below sql.TableExpr) string {
		if a != nil {
			return a.Name
		}
		return innerName(below)
	}
	switch t := t.(type) {
	case *sql.TableRef:
		if t.Alias == nil {
			return t.Name[len(t.Name)-1].Name
		}
		return t.Alias.Name
	case *sql.FileRef:
		if t.Alias == nil {
			return t.Path
		}
		return t.Alias.Name
	case *sql.WindowRef:
		return alias(t.Alias, t.Input)
	case *sql.DedupRef:
		return alias(t.Alias, t.Input)
	case *sql.WatermarkRef:
		return alias(t.Alias, t.Input)
	case *sql.SubqueryRef:
		return alias(t.Alias, nil)
	}
	return ""
}

// reads reports whether a query reads a stream; with are the WITH entries around it.
func (f *folder) reads(q *sql.Query, with []sql.CTE) bool {
	known := with
	for _, c := range q.With {
		if f.reads(c.Query, known) {
			return true
		}
		known = append(known[:len(known):len(known)], c)
	}
	switch body := q.Body.(type) {
	case *sql.SetOp:
		return f.reads(body.Left, known) || f.reads(body.Right, known)
	case *sql.Select:
		found := body.From != nil && f.readsFrom(body.From, known)
		_ = eachSubquery(body, q.OrderBy, func(sub *sql.Query) error {
			found = found || f.reads(sub, known)
			return nil
		})
		return found
	}
	return false
}

func (f *folder) readsFrom(t sql.TableExpr, with []sql.CTE) bool {
	switch t := t.(type) {
	case *sql.TableRef:
		for i, c := range with {
			if len(t.Name) == 1 && strings.EqualFold(c.Name.Name, t.Name[0].Name) {
				return f.reads(c.Query, with[:i])
			}
		}
		rel, err := f.cat.Relation(t.Name)
		return err == nil && rel != nil && (rel.Stream != nil || rel.View != nil && f.reads(rel.View, nil))
	case *sql.SubqueryRef:
		return f.reads(t.Query, with)
	case *sql.Join:
		return f.readsFrom(t.Left, with) || f.readsFrom(t.Right, with)
	case *sql.FuncRef:
		return false
	}
	return true
}
