package sql

import (
	"strings"

	"ssql/sql/types"
)

// formattedTime is DATE_FORMAT(ts, 'yyyy-MM-dd'): strftime with DuckDB's pattern.
func formattedTime(c *Call) Expr { return withPattern(c, "strftime") }

// parsedTime is TO_TIMESTAMP(text, 'yyyy-MM-dd'): strptime with DuckDB's pattern.
func parsedTime(c *Call) Expr { return withPattern(c, "strptime") }

// parsedDate is TO_DATE(text, 'dd.MM.yyyy'): the date of strptime with DuckDB's pattern.
func parsedDate(c *Call) Expr {
	parsed := withPattern(c, "strptime")
	if parsed == nil {
		return nil
	}
	return &Cast{X: parsed, Type: types.Of(types.Date), Span: c.Span, TypeAt: c.Name.Span}
}

// daysBefore is Spark's DATE_SUB(d, n): so many days before a date.
func daysBefore(c *Call) Expr {
	if len(c.Args) != 2 {
		return nil
	}
	return &Binary{Op: "-", L: &Cast{X: c.Args[0], Type: types.Of(types.Date), Span: c.Args[0].Pos(), TypeAt: c.Name.Span}, R: c.Args[1], Span: c.Span, OpAt: c.Name.Span}
}

// millisOfText is STRINGTOTIMESTAMP(text, 'yyyy-MM-dd'), milliseconds since 1970.
func millisOfText(c *Call) Expr {
	parsed := withPattern(c, "strptime")
	if parsed == nil {
		return nil
	}
	return renamed(c, "epoch_ms", parsed)
}

// formattedSeconds is FROM_UNIXTIME(n [, pattern]), a text.
func formattedSeconds(c *Call) Expr {
	if len(c.Args) == 0 {
		return nil
	}
	args := []Expr{renamed(c, "to_timestamp", c.Args[0]), &Literal{Value: "yyyy-MM-dd HH:mm:ss", Span: c.Span}}
	if len(c.Args) > 1 {
		args = append(args[:1], c.Args[1:]...)
	}
	return withPattern(renamed(c, c.Name.Name, args...), "strftime")
}

// secondsOfTime is UNIX_TIMESTAMP(ts): whole seconds since 1970.
func secondsOfTime(c *Call) Expr {
	if len(c.Args) != 1 {
		return nil
	}
	return &Cast{X: renamed(c, "epoch", c.Args[0]), Type: types.Of(types.BigInt), Span: c.Span, TypeAt: c.Name.Span}
}

// withPattern calls one of DuckDB's functions with the pattern of the second argument in
// DuckDB's letters; nil when it is no constant or has letters that DuckDB has none for.
func withPattern(c *Call, function string) Expr {
	if len(c.Args) != 2 {
		return nil
	}
	l, ok := c.Args[1].(*Literal)
	if !ok {
		return nil
	}
	text, ok := l.Value.(string)
	if !ok {
		return nil
	}
	pattern, ok := types.FormatOfJava(text)
	if !ok {
		pattern, ok = types.FormatOfPostgres(text)
	}
	// Java writes a zone as Z or +01:00, strftime as +00.
	if !ok || function == "strftime" && strings.Contains(strings.ToLower(pattern), "%z") {
		return nil
	}
	return renamed(c, function, c.Args[0], &Literal{Value: pattern, Span: l.Span})
}

// laterBy is TIMESTAMPADD(MINUTE, n, ts): ts + to_minutes(n).
func laterBy(c *Call) Expr {
	if len(c.Args) != 3 {
		return nil
	}
	ref, ok := c.Args[0].(*ColumnRef)
	if !ok || len(ref.Parts) != 1 {
		return nil
	}
	unit, ok := unitOf(ref.Parts[0].Name)
	if !ok {
		return nil
	}
	length := renamed(c, "to_"+strings.ToLower(pluralUnit(unit.name)), c.Args[1])
	return &Binary{Op: "+", L: c.Args[2], R: length, Span: c.Span, OpAt: c.Name.Span}
}

// unitAsText is DATEDIFF(DAY, a, b), in which DuckDB wants the unit as a text.
func unitAsText(c *Call) Expr {
	if len(c.Args) != 3 {
		return nil
	}
	ref, ok := c.Args[0].(*ColumnRef)
	if !ok || len(ref.Parts) != 1 {
		return nil
	}
	unit, ok := unitOf(ref.Parts[0].Name)
	if !ok {
		return nil
	}
	return renamed(c, c.Name.Name, &Literal{Value: strings.ToLower(unit.name), Span: ref.Span}, c.Args[1], c.Args[2])
}

// instantOfCount is TO_TIMESTAMP_LTZ(n, 3) of milliseconds and TO_TIMESTAMP_LTZ(n, 0) of
// seconds since 1970.
func instantOfCount(c *Call) Expr {
	if len(c.Args) != 2 {
		return nil
	}
	digits, ok := c.Args[1].(*Literal)
	if !ok {
		return nil
	}
	out := *c
	out.Args = c.Args[:1]
	switch digits.Value {
	case int64(0):
		out.Name.Name = "to_timestamp"
	case int64(3):
		out.Name.Name = "epoch_ms"
	default:
		return nil
	}
	return &out
}

// fullUnitsBetween is TIMESTAMPDIFF(MINUTE, a, b), which counts full units as date_sub
// does; date_diff counts the boundaries between.
func fullUnitsBetween(c *Call) Expr {
	if len(c.Args) != 3 {
		return nil
	}
	unit, ok := c.Args[0].(*ColumnRef)
	if !ok || len(unit.Parts) != 1 {
		return nil
	}
	if _, isUnit := unitOf(unit.Parts[0].Name); !isUnit {
		return nil
	}
	out := *c
	out.Name.Name = "date_sub"
	out.Args = append([]Expr{&Literal{Value: strings.ToLower(unit.Parts[0].Name), Span: unit.Span}}, c.Args[1:]...)
	return &out
}

// truncatedTo is to_start_of_hour(ts): date_trunc('hour', ts).
func truncatedTo(c *Call) Expr {
	if len(c.Args) != 1 {
		return nil
	}
	out := *c
	unit := strings.TrimPrefix(strings.ToLower(c.Name.Name), "to_start_of_")
	out.Name.Name = "date_trunc"
	out.Args = []Expr{&Literal{Value: unit, Span: c.Name.Span}, c.Args[0]}
	return &out
}
