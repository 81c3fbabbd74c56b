package sql

import (
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"ssql/sql/types"
)

// String returns a qualified name without quotes: a.b.c.
func (n Name) String() string {
	parts := make([]string, len(n))
	for i, id := range n {
		parts[i] = id.Name
	}
	return strings.Join(parts, ".")
}

// SQL returns a qualified name as it was written, parts in quotes where they were.
func (n Name) SQL() string {
	parts := make([]string, len(n))
	for i, id := range n {
		parts[i] = id.Name
		if id.Quoted {
			parts[i] = types.QuoteIdent(id.Name)
		}
	}
	return strings.Join(parts, ".")
}

// Pos returns where the name stands.
func (n Name) Pos() Span {
	if len(n) == 0 {
		return Span{}
	}
	return n[0].Span.To(n[len(n)-1].Span)
}

// printer writes canonical text: one spelling for each node, which parses back to
// the same node. Brackets stand round every operand that is not a single thing, so
// that no reader needs the table of precedences.
type printer struct{ strings.Builder }

// ExprText returns an expression in canonical spelling. Two expressions that differ
// only in spelling, brackets and the case of names have texts that differ at most
// in the case of names.
func ExprText(e Expr) string {
	var p printer
	p.expr(e)
	return p.String()
}

// TableText returns what stands in FROM in canonical spelling.
func TableText(t TableExpr) string {
	var p printer
	p.table(t)
	return p.String()
}

// QueryText returns a query in canonical spelling.
func QueryText(q *Query) string {
	var p printer
	p.query(q)
	return p.String()
}

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// list writes n things with commas between.
func (p *printer) list(n int, one func(i int)) {
	for i := range n {
		if i > 0 {
			p.put(", ")
		}
		one(i)
	}
}

// ident writes a name, in quotes when it needs them.
func (p *printer) ident(id Ident) { p.put(IdentText(id.Name)) }

// IdentText returns a name as a query writes it: in quotes when it needs them.
func IdentText(name string) string {
	if plainName(name) {
		return name
	}
	return types.QuoteIdent(name)
}

// plainName reports whether a name reads back as itself without quotes.
func plainName(name string) bool {
	if name == "" || isDigit(name[0]) || wordLength(name) != len(name) {
		return false
	}
	_, quoted := slices.BinarySearch(quotedWords, strings.ToUpper(name))
	return !quoted
}

// quotedWords are the words that are printed in quotes as names: words that begin a
// clause, an operator or an operand of their own somewhere. Sorted.
var quotedWords = []string{
	"ALL", "AND", "ANTI", "ARRAY", "AS", "ASC", "ASOF", "AT", "BETWEEN", "BY", "CASE", "CAST", "COLLATE", "COLUMNS", "CROSS", "CUBE",
	"CUMULATE", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "DATE", "DEDUP", "DELAY", "DESC", "DISTINCT", "DIV", "ELSE", "EMIT", "END",
	"ESCAPE", "EXCEPT", "EXCLUDE", "EXISTS", "EXTRACT", "FALSE", "FETCH", "FILTER", "FOR", "FROM", "FULL", "GROUP", "GROUPING",
	"HAVING", "HOP", "IGNORE", "ILIKE", "IN", "INNER", "INTERSECT", "INTERVAL", "INTO", "IS", "ISNULL", "JOIN", "KEY", "LATERAL",
	"LEFT", "LIKE", "LIMIT", "LOCALTIME", "LOCALTIMESTAMP", "MAP", "MATCH_RECOGNIZE", "MINUS", "NATURAL", "NOT", "NOTNULL", "NULL", "NULLS", "OFFSET", "ON",
	"OR", "ORDER", "OVER", "PARTITION", "PIVOT", "POSITION", "POSITIONAL", "PREWHERE", "QUALIFY", "REGEXP", "REPLACE", "RESPECT", "RIGHT", "RLIKE", "ROLLUP",
	"ROW", "SELECT", "SEMI", "SESSION", "SETTINGS", "SIMILAR", "STREAM", "STRUCT", "SUBSTRING", "TABLE", "TABLESAMPLE", "THEN",
	"TIMESTAMP", "TO", "TRIM", "TRUE", "TRY_CAST", "TUMBLE", "UNION", "UNPIVOT", "USING", "VALUES", "WATERMARK", "WHEN", "WHERE",
	"WINDOW", "WITH", "WITHIN",
}

// quoteString returns text as a string literal.

// operand writes an expression that stands beside an operator.
func (p *printer) operand(e Expr) {
	if isOperand(e) {
		p.expr(e)
		return
	}
	p.put("(")
	p.expr(e)
	p.put(")")
}

// isOperand reports whether an expression reads as one thing beside an operator.
func isOperand(e Expr) bool {
	switch e := e.(type) {
	case *Unary, *Binary, *IsTest, *Between, *In, *Like, *AtTimeZone, *Lambda, *Exists:
		return false
	case *Literal:
		switch v := e.Value.(type) {
		case int64:
			return v >= 0
		case float64:
			return !math.Signbit(v)
		case Number:
			return !strings.HasPrefix(string(v), "-")
		}
	}
	return true
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *ColumnRef:
		for i, part := range e.Parts {
			if i > 0 {
				p.put(".")
			}
			p.ident(part)
		}
	case *Star:
		p.star(e)
	case *Literal:
		p.put(literalText(e.Value))
	case *TypedLiteral:
		p.put(e.Type.String(), " ", types.QuoteText(e.Text))
	case *Interval:
		p.put("INTERVAL ", types.QuoteText(IntervalText(e.Value)))
	case *Unary:
		if b, ok := e.X.(*Binary); ok && e.Op == "NOT" && b.Op == "<=>" {
			p.operand(b.L)
			p.put(" IS DISTINCT FROM ")
			p.operand(b.R)
			return
		}
		p.put(e.Op)
		if e.Op == "NOT" {
			p.put(" ")
		}
		p.operand(e.X)
	case *Binary:
		p.binary(e)
	case *IsTest:
		p.operand(e.X)
		p.put(" IS ", notText(e.Not), e.What)
	case *Between:
		p.operand(e.X)
		p.put(" ", notText(e.Not), "BETWEEN ")
		p.operand(e.Low)
		p.put(" AND ")
		p.operand(e.High)
	case *In:
		p.in(e)
	case *Like:
		p.like(e)
	case *Exists:
		p.put(notText(e.Not), "EXISTS (")
		p.query(e.Query)
		p.put(")")
	case *ScalarQuery:
		p.put("(")
		p.query(e.Query)
		p.put(")")
	case *Case:
		p.caseExpr(e)
	case *Cast:
		p.put(map[bool]string{true: "TRY_CAST(", false: "CAST("}[e.Try])
		p.expr(e.X)
		p.put(" AS ", e.Type.String(), ")")
	case *Call:
		p.call(e)
	default:
		p.nested(e)
	}
}

// nested writes the expressions on structs, lists and maps and those with words of
// their own.
func (p *printer) nested(e Expr) {
	switch e := e.(type) {
	case *Access:
		if e.Field != nil {
			p.base(e.X)
			p.put(".")
			p.ident(*e.Field)
			return
		}
		p.bracketBase(e.X)
		p.put("[")
		p.expr(e.Index)
		p.put("]")
	case *Slice:
		p.bracketBase(e.X)
		p.put("[")
		if e.Low != nil {
			p.expr(e.Low)
		}
		p.put(":")
		if e.High != nil {
			p.expr(e.High)
		}
		p.put("]")
	case *ListLit:
		p.put("[")
		p.exprs(e.Items)
		p.put("]")
	case *StructLit:
		p.put("{")
		p.list(len(e.Items), func(i int) {
			p.put(types.QuoteText(e.Names[i]), ": ")
			p.expr(e.Items[i])
		})
		p.put("}")
	case *MapLit:
		p.put("MAP {")
		p.list(len(e.Keys), func(i int) {
			p.expr(e.Keys[i])
			p.put(": ")
			p.expr(e.Values[i])
		})
		p.put("}")
	case *Lambda:
		p.lambda(e)
	case *AtTimeZone:
		p.base(e.X)
		p.put(" AT TIME ZONE ")
		p.operand(e.Zone)
	case *Extract:
		p.put("EXTRACT(", IdentText(e.Field), " FROM ")
		p.expr(e.X)
		p.put(")")
	}
}

// bracketBase writes what stands in front of a bracket.
func (p *printer) bracketBase(e Expr) {
	if _, path := e.(*ColumnRef); path {
		p.expr(e)
		return
	}
	p.base(e)
}

// base writes what stands in front of a dot. A path needs brackets there, since it
// would swallow the field.
func (p *printer) base(e Expr) {
	switch e.(type) {
	case *Access, *Slice, *Call:
		p.expr(e)
		return
	}
	p.put("(")
	p.expr(e)
	p.put(")")
}

func notText(not bool) string {
	if not {
		return "NOT "
	}
	return ""
}

func (p *printer) exprs(list []Expr) { p.list(len(list), func(i int) { p.expr(list[i]) }) }

func (p *printer) idents(list []Ident) { p.list(len(list), func(i int) { p.ident(list[i]) }) }

// literalText returns a constant as it is written.
func literalText(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		return strings.ToUpper(strconv.FormatBool(v))
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		switch {
		case math.IsInf(v, 1):
			return "1e999"
		case math.IsInf(v, -1):
			return "-1e999"
		}
		// The exponent tells a double from a decimal.
		return strconv.FormatFloat(v, 'e', -1, 64)
	case Number:
		return string(v)
	case string:
		return types.QuoteText(v)
	case []byte:
		return "X'" + hex.EncodeToString(v) + "'"
	}
	return ""
}

func (p *printer) star(e *Star) {
	if e.Table != nil {
		p.ident(*e.Table)
		p.put(".")
	}
	p.put("*")
	if len(e.Exclude) > 0 {
		p.put(" EXCLUDE (")
		p.idents(e.Exclude)
		p.put(")")
	}
	if len(e.Replace) > 0 {
		p.put(" REPLACE (")
		p.list(len(e.Replace), func(i int) {
			p.expr(e.Replace[i].Expr)
			p.put(" AS ")
			p.ident(*e.Replace[i].Alias)
		})
		p.put(")")
	}
}

func (p *printer) binary(e *Binary) {
	p.operand(e.L)
	op := e.Op
	if op == "<=>" {
		op = "IS NOT DISTINCT FROM"
	}
	p.put(" ", op, " ")
	p.operand(e.R)
}

func (p *printer) in(e *In) {
	p.operand(e.X)
	p.put(" ", notText(e.Not), "IN (")
	if e.Query != nil {
		p.query(e.Query)
	} else {
		p.exprs(e.List)
	}
	p.put(")")
}

func (p *printer) like(e *Like) {
	p.operand(e.X)
	op := e.Op
	if op == "SIMILAR" {
		op = "SIMILAR TO"
	}
	p.put(" ", notText(e.Not), op, " ")
	p.operand(e.Pattern)
	if e.Escape != nil {
		p.put(" ESCAPE ")
		p.operand(e.Escape)
	}
}

func (p *printer) caseExpr(e *Case) {
	p.put("CASE ")
	if e.X != nil {
		p.operand(e.X)
		p.put(" ")
	}
	for _, w := range e.Whens {
		p.put("WHEN ")
		p.expr(w.When)
		p.put(" THEN ")
		p.expr(w.Then)
		p.put(" ")
	}
	if e.Else != nil {
		p.put("ELSE ")
		p.expr(e.Else)
		p.put(" ")
	}
	p.put("END")
}

func (p *printer) lambda(e *Lambda) {
	if len(e.Params) == 1 {
		p.put("(")
		p.ident(e.Params[0])
		p.put(")")
	} else {
		p.put("(")
		p.idents(e.Params)
		p.put(")")
	}
	p.put(" -> ")
	p.expr(e.Body)
}

func (p *printer) call(e *Call) {
	bare := len(e.Args) == 0 && !e.Star && isBareCall(e.Name)
	if bare {
		p.put(strings.ToUpper(e.Name.Name))
		return
	}
	p.put(callName(e.Name), "(")
	if e.Distinct {
		p.put("DISTINCT ")
	}
	if e.Star {
		p.put("*")
	}
	p.list(len(e.Args), func(i int) {
		if i < len(e.ArgNames) && e.ArgNames[i] != "" {
			p.put(IdentText(e.ArgNames[i]), " => ")
		}
		p.expr(e.Args[i])
	})
	if len(e.OrderBy) > 0 && !e.WithinGroup {
		p.put(" ")
		p.orderBy(e.OrderBy)
	}
	if e.Nulls != NullsAsUsual {
		p.put(" ", e.Nulls.String())
	}
	p.put(")")
	if e.WithinGroup {
		p.put(" WITHIN GROUP (")
		p.orderBy(e.OrderBy)
		p.put(")")
	}
	if e.Filter != nil {
		p.put(" FILTER (WHERE ")
		p.expr(e.Filter)
		p.put(")")
	}
	if e.Over != nil {
		p.over(e.Over)
	}
}

// callName returns the name of a function. Most words that are quoted as columns
// are plain in front of a bracket; the rest begins an operand of its own there.
func callName(id Ident) string {
	if id.Quoted || slices.Contains(reservedOperands, strings.ToUpper(id.Name)) || !plainName(id.Name) && wordLength(id.Name) != len(id.Name) {
		return types.QuoteIdent(id.Name)
	}
	switch strings.ToUpper(id.Name) {
	case "CASE", "CAST", "EXISTS", "EXTRACT", "FALSE", "INTERVAL", "NOT", "NULL", "TRUE", "TRY_CAST":
		return types.QuoteIdent(id.Name)
	}
	return id.Name
}

// isBareCall reports whether a call without arguments is written without brackets.
func isBareCall(id Ident) bool {
	switch strings.ToUpper(id.Name) {
	case "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP":
		return !id.Quoted
	}
	return false
}

func (p *printer) over(o *Over) {
	p.put(" OVER (")
	sep := ""
	if len(o.PartitionBy) > 0 {
		p.put("PARTITION BY ")
		p.exprs(o.PartitionBy)
		sep = " "
	}
	if len(o.OrderBy) > 0 {
		p.put(sep)
		p.orderBy(o.OrderBy)
		sep = " "
	}
	if o.Frame != "" {
		p.put(sep, o.Frame)
	}
	p.put(")")
}

func (p *printer) orderBy(items []OrderItem) {
	p.put("ORDER BY ")
	p.list(len(items), func(i int) {
		p.expr(items[i].Expr)
		if items[i].Desc {
			p.put(" DESC")
		}
		if items[i].NullsFirst != nil {
			p.put(map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[*items[i].NullsFirst])
		}
	})
}
