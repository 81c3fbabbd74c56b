package sql

import (
	"fmt"
	"sort"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// typeName is one accepted spelling of a type without its parameters.
type typeName struct {
	name   string // upper case, words joined by single blanks
	kind   types.Kind
	params int // how many numbers may follow in brackets; they are kept for DECIMAL only
}

// typeNames is the table of type names, sorted by name. UUID is text and
// every timestamp is an instant in UTC (docs/SPELLINGS.md).
var typeNames = []typeName{
	{"BIGINT", types.BigInt, 0},
	{"BINARY", types.Blob, 1},
	{"BINARY VARYING", types.Blob, 1},
	{"BLOB", types.Blob, 1},
	{"BOOL", types.Boolean, 0},
	{"BOOLEAN", types.Boolean, 0},
	{"BPCHAR", types.Varchar, 1},
	{"BYTE", types.TinyInt, 0},
	{"BYTEA", types.Blob, 0},
	{"BYTES", types.Blob, 0},
	{"CHAR", types.Varchar, 1},
	{"CHARACTER", types.Varchar, 1},
	{"CHARACTER VARYING", types.Varchar, 1},
	{"DATE", types.Date, 0},
	{"DATETIME", types.Timestamp, 1},
	{"DEC", types.Decimal, 2},
	{"DECIMAL", types.Decimal, 2},
	{"DOUBLE", types.Double, 0},
	{"DOUBLE PRECISION", types.Double, 0},
	{"FLOAT", types.Float, 1},
	{"FLOAT4", types.Float, 0},
	{"FLOAT8", types.Double, 0},
	{"INT", types.Int, 0},
	{"INT UNSIGNED", types.UInt, 0},
	{"INT1", types.TinyInt, 0},
	{"INT2", types.SmallInt, 0},
	{"INT4", types.Int, 0},
	{"INT8", types.BigInt, 0},
	{"INTEGER", types.Int, 0},
	{"INTERVAL", types.IntervalKind, 0},
	{"JSON", types.Varchar, 0},
	{"JSONB", types.Varchar, 0},
	{"LOGICAL", types.Boolean, 0},
	{"LONG", types.BigInt, 0},
	{"NUMERIC", types.Decimal, 2},
	{"NVARCHAR", types.Varchar, 1},
	{"REAL", types.Float, 0},
	{"SHORT", types.SmallInt, 0},
	{"SIGNED", types.Int, 0},
	{"SMALLINT", types.SmallInt, 0},
	{"STRING", types.Varchar, 1},
	{"TEXT", types.Varchar, 1},
	{"TIMESTAMP", types.Timestamp, 1},
	{"TIMESTAMPTZ", types.Timestamp, 1},
	{"TIMESTAMP_LTZ", types.Timestamp, 1},
	{"TIMESTAMP_MS", types.Timestamp, 0},
	{"TIMESTAMP_NS", types.Timestamp, 0},
	{"TIMESTAMP_NTZ", types.Timestamp, 1},
	{"TIMESTAMP_S", types.Timestamp, 0},
	{"TIMESTAMP_US", types.Timestamp, 0},
	{"TINYINT", types.TinyInt, 0},
	{"UBIGINT", types.UBigInt, 0},
	{"UINT1", types.UTinyInt, 0},
	{"UINT2", types.USmallInt, 0},
	{"UINT4", types.UInt, 0},
	{"UINT8", types.UBigInt, 0},
	{"UINTEGER", types.UInt, 0},
	{"USMALLINT", types.USmallInt, 0},
	{"UTINYINT", types.UTinyInt, 0},
	{"UUID", types.Varchar, 0},
	{"VARBINARY", types.Blob, 1},
	{"VARCHAR", types.Varchar, 1},
}

// lookupType returns the row of a type name in any case.
func lookupType(name string) (typeName, bool) {
	name = strings.ToUpper(name)
	i := sort.Search(len(typeNames), func(i int) bool { return typeNames[i].name >= name })
	if i < len(typeNames) && typeNames[i].name == name {
		return typeNames[i], true
	}
	return typeName{}, false
}

// ParseType reads a type in any accepted spelling: VARCHAR(20), TIMESTAMP(3) WITH
// TIME ZONE, ARRAY<INT>, INT[], STRUCT<a: INT>, ROW(a INT), MAP(VARCHAR, INT).
func ParseType(text string) (types.Type, error) {
	p, err := newParser(text, 0, DefaultLimits())
	if err != nil {
		return types.Type{}, err
	}
	t, err := p.typ()
	if err != nil {
		return types.Type{}, err
	}
	return t, p.finish()
}

// typ consumes a type with the list brackets behind it.
func (p *parser) typ() (types.Type, error) {
	if err := p.enter(); err != nil {
		return types.Type{}, err
	}
	defer p.leave()
	t, err := p.baseType()
	if err != nil {
		return t, err
	}
	// ARRAY after the element type is RisingWave's and PostgreSQL's other spelling.
	for lists := 0; p.cur().isOp("[") || p.at("ARRAY"); lists++ {
		if lists == p.limits.Depth {
			return t, p.limits.tooDeep(p.cur().span())
		}
		if p.accept("ARRAY") && !p.cur().isOp("[") {
			t = types.ListOf(t)
			continue
		}
		if err := p.expectOp("["); err != nil {
			return t, err
		}
		if p.cur().kind == tokNumber {
			return t, sqlerr.At(p.cur().span(), codeType, "arrays of a fixed length are not supported").
				WithHint("leave out the length: %s[]", t)
		}
		if err := p.expectOp("]"); err != nil {
			return t, err
		}
		t = types.ListOf(t)
	}
	return t, nil
}

func (p *parser) baseType() (types.Type, error) {
	t := p.cur()
	if !t.isName() {
		return types.Type{}, p.unexpected("a type")
	}
	next := p.peek(1)
	opens := next.isOp("<") || next.isOp("(")
	switch name := strings.ToUpper(t.ident().Name); {
	case (name == "ARRAY" || name == "LIST") && opens:
		p.take()
		return p.listType()
	case name == "MAP" && opens:
		p.take()
		return p.mapType()
	case (name == "STRUCT" || name == "ROW") && (opens || next.isOp("<>")):
		p.take()
		return p.structType()
	}
	return p.plainType()
}

// plainType consumes a type of the table with its numbers and zone words.
func (p *parser) plainType() (types.Type, error) {
	first := p.pos
	t := p.take()
	name := t.ident().Name
	for _, second := range []string{"PRECISION", "VARYING", "UNSIGNED"} {
		if _, ok := lookupType(name + " " + second); ok && p.accept(second) {
			name += " " + second
		}
	}
	row, ok := lookupType(name)
	if !ok {
		return types.Type{}, p.typeMissing(t, name)
	}
	out := types.Type{Kind: row.kind, JSON: strings.HasPrefix(row.name, "JSON")}
	if row.kind == types.Decimal {
		out = types.DecimalOf(18, 3) // DuckDB's default
	}
	if p.cur().isOp("(") && row.params > 0 {
		numbers, err := p.typeNumbers(row.params)
		if err != nil {
			return out, err
		}
		if out, err = parametrized(row.kind, numbers); err != nil {
			return out, placed(err, p.spanFrom(first))
		}
	} else if row.kind == types.Decimal {
		p.noteAlias(Alias{
			Written:   strings.ToUpper(name) + " without digits",
			Canonical: fmt.Sprintf("%s, as in DuckDB: digits behind the third are rounded. DECIMAL(38, 10) keeps more", out),
			Always:    true,
		}, p.spanFrom(first))
	}
	if p.accept("UNSIGNED") {
		if out, ok = unsigned(row.kind); !ok {
			return out, sqlerr.At(p.spanFrom(first), codeType, "%s has no unsigned form", strings.ToUpper(name))
		}
	}
	if row.kind == types.Timestamp && (p.at("WITH") || p.at("WITHOUT")) {
		p.take()
		p.accept("LOCAL")
		return out, p.expect("TIME", "ZONE")
	}
	return out, nil
}

// unsigned returns the unsigned type of the size of a signed one.
func unsigned(k types.Kind) (types.Type, bool) {
	switch k {
	case types.TinyInt:
		return types.Of(types.UTinyInt), true
	case types.SmallInt:
		return types.Of(types.USmallInt), true
	case types.Int:
		return types.Of(types.UInt), true
	case types.BigInt:
		return types.Of(types.UBigInt), true
	}
	return types.Type{}, false
}

// parametrized applies the numbers in brackets. The length of text and the digits
// of a timestamp do not restrict anything, as in DuckDB.
func parametrized(kind types.Kind, numbers []int64) (types.Type, error) {
	switch {
	case kind == types.Float && numbers[0] > 24:
		return types.Of(types.Double), nil
	case kind != types.Decimal:
		return types.Of(kind), nil
	}
	precision, scale := numbers[0], int64(0)
	if len(numbers) == 2 {
		scale = numbers[1]
	}
	if precision < 1 || precision > 38 || scale > precision {
		return types.Type{}, sqlerr.New(codeType, "DECIMAL(%d,%d) does not exist: precision goes from 1 to 38, scale from 0 to precision", precision, scale)
	}
	return types.DecimalOf(int32(precision), int32(scale)), nil
}

func (p *parser) typeNumbers(most int) ([]int64, error) {
	if err := p.expectOp("("); err != nil {
		return nil, err
	}
	var out []int64
	for {
		n, err := p.count("a number")
		if err != nil {
			return nil, err
		}
		out = append(out, n)
		if len(out) == most || !p.acceptOp(",") {
			return out, p.expectOp(")")
		}
	}
}

func (p *parser) typeMissing(t token, name string) error {
	err := sqlerr.At(t.span(), codeType, "type %q does not exist", name)
	names := make([]string, len(typeNames))
	for i, row := range typeNames {
		names[i] = row.name
	}
	if near := sqlerr.Nearest(name, names); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err.WithHint("types are BOOLEAN, TINYINT to BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), VARCHAR, BLOB, DATE, TIMESTAMP, INTERVAL, T[], STRUCT(a T), MAP(K, V)")
}

// openType consumes < or ( and returns the operator that closes it.
func (p *parser) openType() string {
	if p.take().text == "<" {
		return ">"
	}
	return ")"
}

// closeType consumes the closing operator. The lexer reads the end of nested
// types as >>; the first half of it closes the inner type.
func (p *parser) closeType(closing string) error {
	if t := p.cur(); closing == ">" && t.isOp(">>") {
		p.toks[p.pos] = token{kind: tokOp, start: t.start + 1, end: t.end, text: ">"}
		return nil
	}
	return p.expectOp(closing)
}

func (p *parser) listType() (types.Type, error) {
	closing := p.openType()
	elem, err := p.typ()
	if err != nil {
		return elem, err
	}
	p.acceptNullability()
	return types.ListOf(elem), p.closeType(closing)
}

func (p *parser) mapType() (types.Type, error) {
	closing := p.openType()
	key, err := p.typ()
	if err != nil {
		return key, err
	}
	p.acceptNullability()
	if err := p.expectOp(","); err != nil {
		return key, err
	}
	value, err := p.typ()
	if err != nil {
		return value, err
	}
	p.acceptNullability()
	return types.MapOf(key, value), p.closeType(closing)
}

// structType consumes the fields of a struct: a T, a: T, each with NOT NULL.
func (p *parser) structType() (types.Type, error) {
	if p.cur().isOp("<>") {
		return types.Type{}, p.unexpected("at least one field")
	}
	closing := p.openType()
	var fields []types.Field
	seen := map[string]bool{}
	for {
		name, err := p.name("the name of a field")
		if err != nil {
			return types.Type{}, err
		}
		key := strings.ToLower(name.Name)
		if seen[key] {
			return types.Type{}, sqlerr.At(name.Span, codeType, "struct has two fields %q", name.Name)
		}
		seen[key] = true
		p.acceptOp(":")
		t, err := p.typ()
		if err != nil {
			return t, err
		}
		fields = append(fields, types.Field{Name: name.Name, Type: t, Nullable: !p.acceptNullability()})
		if !p.acceptOp(",") {
			return types.StructOf(fields...), p.closeType(closing)
		}
	}
}

// acceptNullability consumes NOT NULL or NULL and reports whether it was NOT NULL.
func (p *parser) acceptNullability() bool {
	p.accept("NULL")
	return p.accept("NOT", "NULL")
}
