package plan

import (
	"fmt"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// from binds a table expression to the scope of its columns.
func (b *binder) from(t sql.TableExpr, e *env) (*scope, error) {
	if err := b.count(t.Pos()); err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case *sql.TableRef:
		return b.tableRef(t, e)
	case *sql.SubqueryRef:
		return b.subquery(t, e)
	case *sql.WindowRef:
		return b.windowRef(t, e)
	case *sql.WatermarkRef:
		return b.watermarkRef(t, e)
	case *sql.DedupRef:
		return b.dedupRef(t, e)
	case *sql.Join:
		return b.join(t, e)
	case *sql.FuncRef:
		return nil, b.tableFunction(t)
	case *sql.FileRef:
		return b.fileRef(t)
	}
	return nil, sqlerr.At(b.at(t.Pos()), codeUnsupported, "this cannot stand in FROM of a streaming query")
}

// tableRef binds a name: a common table expression, a stream, a view or a table.
func (b *binder) tableRef(t *sql.TableRef, e *env) (*scope, error) {
	span := b.at(t.Span)
	alias := t.Name[len(t.Name)-1].Name
	if t.Alias != nil {
		alias = t.Alias.Name
	}
	if len(t.Name) == 1 {
		if c := e.find(t.Name[0].Name); c != nil {
			if err := checkReading(t.Reading, t.Name[0].Name, "WITH entry", span); err != nil {
				return nil, err
			}
			return b.commonTable(c, alias)
		}
	}
	rel, err := b.relation(t.Name)
	if err != nil {
		return nil, err
	}
	if rel == nil {
		return nil, b.noRelation(t.Name, span)
	}
	if t.Stream && rel.Table != nil {
		return nil, sqlerr.At(span, codeNotStream, "%q is a table, not a stream", rel.Name).
			WithHint("leave out STREAM to read it as a table; or make a stream, and insert into that: %s", streamLike(rel.Name, rel.Table.Fields))
	}
	// A table is read as it is at the start of each batch, which is what AS OF asks for.
	if t.AsOf != nil && rel.Table == nil {
		return nil, sqlerr.At(span, codeUnsupported, "a stream has versions only beside the rows of another, and %q is read FOR SYSTEM_TIME AS OF alone", rel.Name).
			WithHint("join it: FROM orders o JOIN %s FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k", rel.Name)
	}
	switch {
	case rel.Stream != nil:
		n, err := b.stream(rel, t.Reading, span)
		if err != nil {
			return nil, err
		}
		return newScope(n, alias), nil
	case rel.View != nil:
		if err := checkReading(t.Reading, rel.Name, "view", span); err != nil {
			return nil, err
		}
		return b.view(rel, alias, span)
	}
	if err := checkReading(t.Reading, rel.Name, "table", span); err != nil {
		return nil, err
	}
	b.tableRead = rel
	return newScope(newStaticScan(rel.Table, alias), alias), nil
}

func (b *binder) noRelation(name sql.Name, span Span) error {
	text := dotted(name)
	err := sqlerr.At(span, codeNoRelation, "there is no stream, view or table %q", text)
	if near := b.cat.Similar(name[len(name)-1].Name); near != "" {
		return err.WithHint("did you mean %q?", near)
	}
	return err.WithHint("SHOW STREAMS and SHOW TABLES list what there is; CREATE STREAM makes a stream")
}

func newStaticScan(t *Table, alias string) *StaticScan {
	s := &StaticScan{Table: t.Text}
	for _, f := range t.Fields {
		s.Cols = append(s.Cols, Column{Field: f, Table: alias})
	}
	return s
}

// commonTable plans a WITH entry where it is used; each use has its own state.
func (b *binder) commonTable(c *env, alias string) (*scope, error) {
	s, err := b.queryOrTables(c.cte.Query, c.outer)
	if err != nil {
		return nil, err
	}
	return renamed(s, alias, c.cte.Columns, b.at(c.cte.Name.Span))
}

// view plans a view where it is used. Errors inside it point at the name that the
// user wrote.
func (b *binder) view(rel *Relation, alias string, span Span) (*scope, error) {
	outermost := b.viewSpan == nil
	if outermost {
		b.viewSpan = &span
		defer func() { b.viewSpan = nil }()
	}
	s, err := b.queryOrTables(rel.View, nil)
	if err != nil {
		return nil, inView(err, rel.Name, outermost)
	}
	return newScope(s.node, alias), nil
}

func inView(err error, name string, outermost bool) error {
	e, ok := err.(*sqlerr.Error)
	if !ok || !outermost {
		return err
	}
	c := *e
	c.Text = fmt.Sprintf("in view %q: %s", name, e.Text)
	return &c
}

func (b *binder) subquery(t *sql.SubqueryRef, e *env) (*scope, error) {
	s, err := b.queryOrTables(t.Query, e)
	if err != nil {
		return nil, err
	}
	alias := ""
	if t.Alias != nil {
		alias = t.Alias.Name
	}
	return renamed(s, alias, t.Columns, b.at(t.Span))
}

// renamed returns the scope under an alias, with new column names if there are any.
func renamed(s *scope, alias string, names []sql.Ident, span Span) (*scope, error) {
	out := newScope(s.node, alias)
	if len(names) == 0 {
		return out, nil
	}
	if len(names) != len(out.cols) {
		return nil, sqlerr.At(span, codeColumnCount, "%s for %s", sqlerr.CountOf(len(names), "column name"), sqlerr.CountOf(len(out.cols), "column"))
	}
	if t, ok := s.node.(*StaticScan); ok {
		return newScope(renamedTable(t, names), alias), nil
	}
	// A name is part of a projection's columns, so renaming is one.
	p := &Project{Input: s.node}
	for i, c := range s.node.Columns() {
		p.Exprs = append(p.Exprs, &expr.Column{Index: i, Name: c.Name, T: c.Type, Null: c.Nullable})
		c.Name, c.Table = names[i].Name, alias
		p.Cols = append(p.Cols, c)
	}
	return newScope(p, alias), nil
}

// renamedTable gives the columns of a table other names, in DuckDB.
func renamedTable(t *StaticScan, names []sql.Ident) *StaticScan {
	out := &StaticScan{}
	items := make([]string, len(t.Cols))
	for i, c := range t.Cols {
		items[i] = types.QuoteIdent(c.Name) + " AS " + types.QuoteIdent(names[i].Name)
		c.Name = names[i].Name
		out.Cols = append(out.Cols, c)
	}
	out.Table = "(SELECT " + strings.Join(items, ", ") + " FROM " + t.Table + ")"
	return out
}

// stream binds a declared stream: scan, computed columns, watermarks.
func (b *binder) stream(rel *Relation, r sql.Reading, span Span) (Node, error) {
	st, err := b.read(rel, r, span)
	if err != nil {
		return nil, err
	}
	key := rel.Name + readingKey(r)
	n, err := b.share(key, func() (Node, error) {
		scan := &Scan{Stream: rel.Name, Reading: r, id: st.ID, stored: st.Stored, limits: eventLimits{st.MaxFutureMicros, st.IdleMicros}, span: span}
		return b.columns(rel.Name, st, scan, span)
	})
	if err != nil || len(st.Watermarks) == 0 {
		return n, err
	}
	if len(st.Watermarks) > 1 {
		second := st.Watermarks[1]
		return nil, sqlerr.At(span, codeWatermarkTwice, "stream %q has two watermarks, on %q and %q", rel.Name, st.Watermarks[0].Column, second.Column).
			WithHint("keep one; for the other order of time read the stream again in another query")
	}
	w := st.Watermarks[0]
	return b.share(fmt.Sprintf("%s delayed by %d", key, b.delayMicros), func() (Node, error) {
		return b.watermark(n, w.Column, rel.Name, w.DelayMicros, b.at(w.Span), span)
	})
}

// columns binds a declared stream without its watermark.
func (b *binder) columns(name string, st *Stream, scan *Scan, span Span) (Node, error) {
	for _, f := range st.Stored {
		scan.Cols = append(scan.Cols, Column{Field: f, Table: name, Hidden: st.Hidden[strings.ToLower(f.Name)]})
	}
	if len(st.Computed) > 0 {
		return b.computed(name, st, scan, span)
	}
	return scan, nil
}

// computed evaluates the computed columns of a stream, each seeing those before it,
// and puts all columns in the order of the declaration.
func (b *binder) computed(stream string, st *Stream, scan *Scan, span Span) (Node, error) {
	// The expressions were written in CREATE STREAM: errors point at the stream's name.
	if b.viewSpan == nil {
		b.viewSpan = &span
		defer func() { b.viewSpan = nil }()
	}
	bound := map[string]value{}
	sc := newScope(scan, stream)
	for _, c := range sc.cols {
		bound[strings.ToLower(c.Name)] = c.value()
	}
	x := &exprBinder{b: b, scope: sc, clause: "a computed column", rows: true, names: bound}
	for _, c := range st.Computed {
		v, err := x.scalar(c.Expr)
		if err != nil {
			return nil, inStream(err, stream, c.Name)
		}
		if c.Type != nil && !v.Type().Equal(*c.Type) {
			if v, err = expr.BindCast(v, *c.Type, false, span); err != nil {
				return nil, inStream(err, stream, c.Name)
			}
		}
		bound[strings.ToLower(c.Name)] = value{Expr: v}
	}
	p := &Project{Input: scan, Computed: true}
	for _, name := range columnOrder(st) {
		v, ok := bound[strings.ToLower(name)]
		if !ok {
			continue
		}
		p.Exprs = append(p.Exprs, v.Expr)
		p.Cols = append(p.Cols, Column{Field: types.Field{Name: name, Type: v.Expr.Type(), Nullable: v.Expr.Nullable()}, Table: stream})
	}
	return p, nil
}

// columnOrder is the order of the columns as declared, stored ones first where the
// declaration is silent.
func columnOrder(st *Stream) []string {
	if len(st.Order) > 0 {
		return st.Order
	}
	var names []string
	for _, f := range st.Stored {
		names = append(names, f.Name)
	}
	for _, c := range st.Computed {
		names = append(names, c.Name)
	}
	return names
}

func inStream(err error, stream, column string) error {
	e, ok := err.(*sqlerr.Error)
	if !ok {
		return fmt.Errorf("binding column %q of stream %q: %w", column, stream, err)
	}
	c := *e
	c.Text = fmt.Sprintf("in column %q of stream %q: %s", column, stream, e.Text)
	return &c
}

// watermark puts a watermark node over a column of n. span is where it is declared,
// shown is where errors point.
func (b *binder) watermark(n Node, column, relation string, delayMicros int64, span, shown Span) (*Watermark, error) {
	index := -1
	var names []string
	cols := append([]Column(nil), n.Columns()...)
	for i, c := range cols {
		names = append(names, c.Name)
		if strings.EqualFold(c.Name, column) {
			index = i
		}
	}
	if index < 0 {
		err := sqlerr.At(shown, codeWatermarkColumn, "the watermark of %q is on %q, which is no column of it", relation, column)
		if near := sqlerr.Nearest(column, names); near != "" {
			return nil, err.WithHint("did you mean %q?", near)
		}
		return nil, err.WithHint("it has: %s", strings.Join(names, ", "))
	}
	if cols[index].Type.Kind != types.Timestamp {
		err := sqlerr.At(shown, codeWatermarkType, "a watermark needs a TIMESTAMP, but %q is %s", cols[index].Name, cols[index].Type)
		for _, c := range cols {
			if c.Mark.isEventTime() {
				return nil, err.WithHint("%q has its event time in %q, with a watermark: leave this one out", relation, c.Name)
			}
		}
		return nil, err.WithHint("declare a column in CREATE STREAM: %s", eventTimeColumn(cols[index].Name, cols[index].Type.Kind))
	}
	if delayMicros < 0 {
		return nil, negativeDelay(delayMicros, shown).WithHint("write WATERMARK FOR %s AS %s - INTERVAL '%s'", column, column, durationText(-delayMicros))
	}
	for _, c := range cols {
		if c.Mark != nil && c.Mark.Watermark != nil && c.Mark.Part == Instant {
			return nil, sqlerr.At(shown, codeWatermarkTwice, "%q has a watermark already, on %q", relation, c.Name).
				WithHint("leave out one of the two")
		}
	}
	def := &WatermarkDef{Relation: relation, Column: cols[index].Name, DelayMicros: delayMicros, Span: span}
	cols[index].Mark = &Mark{Watermark: def, Part: Instant}
	return &Watermark{Input: n, Index: index, Def: def, Cols: cols}, nil
}

// watermarkRef binds rel WATERMARK expr [AS n] DELAY OF interval.
func (b *binder) watermarkRef(t *sql.WatermarkRef, e *env) (*scope, error) {
	in, err := b.from(t.Input, e)
	if err != nil {
		return nil, err
	}
	x := &exprBinder{b: b, scope: in, clause: "WATERMARK", rows: true}
	v, err := x.bind(t.Expr)
	if err != nil {
		return nil, err
	}
	n, name := in.node, ""
	if c, ok := v.Expr.(*expr.Column); ok && t.Name == nil {
		name = n.Columns()[c.Index].Name
	} else {
		if t.Name == nil {
			return nil, sqlerr.At(b.at(t.Expr.Pos()), codeWatermarkColumn, "a watermark on an expression needs a name").
				WithHint("write WATERMARK ... AS event_time DELAY OF ...")
		}
		name = t.Name.Name
		n = appendColumns(n, []expr.Expr{v.Expr}, []Column{{Field: types.Field{Name: name, Type: v.Expr.Type(), Nullable: v.Expr.Nullable()}}})
	}
	if t.Delay.Value.Months != 0 {
		b.notices = append(b.notices, "a month in the delay of a watermark is taken as 31 days")
	}
	alias := in.table()
	if t.Alias != nil {
		alias = t.Alias.Name
	}
	if delay := t.Delay.Value.DelayMicros(); delay < 0 {
		return nil, negativeDelay(delay, b.at(t.Delay.Span)).WithHint("write WATERMARK %s DELAY OF INTERVAL '%s'", name, durationText(-delay))
	}
	w, err := b.watermark(n, name, alias, t.Delay.Value.DelayMicros(), b.at(t.Span), b.at(t.Span))
	if err != nil {
		return nil, err
	}
	return newScope(w, alias), nil
}

func negativeDelay(delayMicros int64, at Span) *sqlerr.Error {
	return sqlerr.At(at, codeWatermarkNegative, "the delay of a watermark may not be negative, found %s", durationText(delayMicros))
}

// table returns the one table name of a scope, "" if there are several.
func (s *scope) table() string {
	name := ""
	for i, c := range s.cols {
		if i > 0 && c.Table != name {
			return ""
		}
		name = c.Table
	}
	return name
}

// windowRef binds TUMBLE, HOP, CUMULATE and SESSION in FROM. The columns
// window_start, window_end and window_time are ordinary columns of the result.
func (b *binder) windowRef(t *sql.WindowRef, e *env) (*scope, error) {
	in, err := b.from(t.Input, e)
	if err != nil {
		return nil, err
	}
	span := b.at(t.Span)
	name := [...]string{"TUMBLE", "HOP", "CUMULATE", "SESSION"}[t.Kind]
	x := &exprBinder{b: b, scope: in, clause: name, rows: true}
	w, err := x.bindWindow(&windowArgs{
		kind: t.Kind, time: t.Time, size: t.Size, slide: t.Slide, offset: t.Offset,
		name: name, input: sql.TableText(t.Input), slideFirst: true, span: span,
	})
	if err != nil {
		return nil, err
	}
	n := assignWindow(in.node, w)
	for _, p := range t.PartitionBy {
		v, err := x.scalar(p)
		if err != nil {
			return nil, err
		}
		n.PartitionBy = append(n.PartitionBy, v)
	}
	alias := in.table()
	if t.Alias != nil {
		alias = t.Alias.Name
	}
	return b.windowScope(n, alias, name), nil
}

// windowScope names the columns of a window and of its input. Columns of the input that
// are called as those of the window, as below another window, have no name above it: no
// qualifier could say which of the two is meant.
func (b *binder) windowScope(n *WindowAssign, alias, window string) *scope {
	s := newScope(n, alias)
	input, own := n.Cols[:len(n.Input.Columns())], n.Cols[len(n.Input.Columns()):]
	var behind []string
	for _, c := range input {
		if slices.ContainsFunc(own, func(o Column) bool { return strings.EqualFold(c.Name, o.Name) }) {
			behind = append(behind, c.Name)
		}
	}
	if len(behind) == 0 {
		return s
	}
	s.cols = slices.DeleteFunc(s.cols, func(c scopeColumn) bool { return c.index < len(input) && slices.Contains(behind, c.Name) })
	b.notices = append(b.notices, fmt.Sprintf("where a column below this %[2]s has the name of one of its own (%[1]s), the name is that of %[2]s; to read both, write %[3]s AS inner_%[4]s in the sub-query",
		strings.Join(behind, ", "), window, behind[0], strings.TrimPrefix(strings.ToLower(behind[0]), "window_")))
	return s
}

// assignWindow puts a window over a node.
func assignWindow(n Node, w *windowCall) *WindowAssign {
	mark := func(p Part) *Mark { return windowMark(w.time.mark, w.spec, p) }
	cols := append(append([]Column(nil), n.Columns()...), windowColumns(mark)...)
	w.first = len(n.Columns())
	return &WindowAssign{Input: n, Spec: w.spec, Time: w.time.Expr, Cols: cols, Span: w.span}
}

// dedupRef binds DEDUP(rel, KEY (...) [WITHIN WATERMARK]); without keys all columns
// are the key.
func (b *binder) dedupRef(t *sql.DedupRef, e *env) (*scope, error) {
	in, err := b.from(t.Input, e)
	if err != nil {
		return nil, err
	}
	d := &Dedup{Input: in.node, Within: t.Within, Span: b.at(t.Span)}
	for _, k := range t.Keys {
		found, _ := in.find([]sql.Ident{k})
		switch len(found) {
		case 0:
			return nil, in.unresolved([]sql.Ident{k}, b.at(k.Span))
		case 1:
			d.Keys = append(d.Keys, found[0].index)
		default:
			return nil, ambiguous([]sql.Ident{k}, found, b.at(k.Span))
		}
	}
	if len(t.Keys) == 0 {
		for _, c := range in.cols {
			d.Keys = append(d.Keys, c.index)
		}
	}
	out := in.over(d)
	if t.Alias != nil {
		out = newScope(d, t.Alias.Name)
	}
	return out, nil
}

// fileRef binds a quoted path: the catalog knows it by the path as a name.
func (b *binder) fileRef(t *sql.FileRef) (*scope, error) {
	rel, err := b.relation(sql.Name{{Name: t.Path, Quoted: true, Span: t.Span}})
	if err != nil {
		return nil, err
	}
	if rel == nil || rel.Stream == nil {
		if t.Path == "" {
			return nil, sqlerr.At(b.at(t.Span), codeNoRelation, "the name of the file is empty")
		}
		return nil, sqlerr.At(b.at(t.Span), codeNoRelation, "the file %q cannot be read as a stream", t.Path).
			WithHint("CREATE STREAM %s WITH (%s), and read that", b.freeName("s"), streamOfPath(t.Path))
	}
	n, err := b.stream(rel, t.Reading, b.at(t.Span))
	if err != nil {
		return nil, err
	}
	if t.Alias != nil {
		return newScope(n, t.Alias.Name), nil
	}
	return newScope(n, ""), nil
}

// appendColumns computes more columns behind those of n.
func appendColumns(n Node, exprs []expr.Expr, cols []Column) *Project {
	p := &Project{Input: n}
	for i, c := range n.Columns() {
		p.Exprs = append(p.Exprs, &expr.Column{Index: i, Name: c.Name, T: c.Type, Null: c.Nullable})
		p.Cols = append(p.Cols, c)
	}
	p.Exprs, p.Cols = append(p.Exprs, exprs...), append(p.Cols, cols...)
	return p
}

// streamOfPath writes the options of a stream of a path in FROM.
func streamOfPath(path string) string {
	if path == "stdin" || path == "/dev/stdin" {
		return "connector = 'stdin'"
	}
	return "path = " + types.QuoteText(path)
}
