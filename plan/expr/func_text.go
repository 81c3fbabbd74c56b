package expr

import (
	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// bindConcatOperator binds l || r: of two lists, or of texts with NULL if a side is
// NULL. What is no text is written as one.
func bindConcatOperator(l, r Expr, span sqlerr.Span) (Expr, error) {
	lt, rt := l.Type(), r.Type()
	if lt.Kind == types.List || rt.Kind == types.List {
		return bindListConcat(l, r, span)
	}
	if lt.Kind == types.Blob && rt.Kind == types.Blob {
		return newCall(spec{name: "||", t: lt, nullable: anyNullable(l, r), span: span, total: true, form: infix("||"),
			kern: text2(appendBoth)}, l, r), nil
	}
	l, err := BindCast(l, tVarchar, false, span)
	if err != nil {
		return nil, err
	}
	if r, err = BindCast(r, tVarchar, false, span); err != nil {
		return nil, err
	}
	return newCall(spec{name: "||", t: tVarchar, nullable: anyNullable(l, r), span: span, total: true, form: infix("||"),
		kern: text2(appendBoth)}, l, r), nil
}

func appendBoth(dst []byte, a, b string) ([]byte, error) { return append(append(dst, a...), b...), nil }

// bindConcat binds concat(...), which leaves out NULLs.
func bindConcat(b *binding) (Expr, error) {
	args := make([]Expr, len(b.args))
	for i, a := range b.args {
		var err error
		if args[i], err = BindCast(a, tVarchar, false, b.span); err != nil {
			return nil, err
		}
	}
	return newCall(spec{name: b.name, t: tVarchar, span: b.span, lenient: true, total: true, kern: concatTexts}, args...), nil
}

func concatTexts(f *frame, args []vec) (arrow.Array, error) {
	vals := make([]operand[string], len(args))
	for i, v := range args {
		vals[i] = read[string](v)
	}
	return eachText(f, func(dst []byte, row int) ([]byte, error) {
		for i, v := range vals {
			if args[i].arr.IsValid(args[i].row(row)) {
				dst = append(dst, v.at(row)...)
			}
		}
		return dst, nil
	})
}
