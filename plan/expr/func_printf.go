package expr

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// directive is a place in a format that takes an argument, with the text before it.
type directive struct {
	text string // before it
	arg  int    // which argument, from 0
	spec string // of Go's fmt, such as %05.2f; "" to write the value as a cast does
	verb byte   // of spec
	// thousands is the separator between groups of three digits, 0 without.
	thousands byte
}

// bindPrintf binds printf(format, ...): %d, %i, %x, %X, %o, %c, %e, %f, %g, %s with
// flags, width and precision, as in C.
func bindPrintf(b *binding) (Expr, error) { return b.formatted(printfDirectives) }

// bindFormat binds format(format, ...): {} and {:spec}, as Python's with widths, fills,
// precisions and types; {0} names an argument.
func bindFormat(b *binding) (Expr, error) { return b.formatted(braceDirectives) }

func (b *binding) formatted(parse func(format string) (list []directive, rest string, err error)) (Expr, error) {
	format, ok := literalText(b.args[0])
	if !ok {
		return nil, sqlerr.At(b.span, codeParameter, "the format of %s is expected to be a constant, found %s", b.name, b.args[0])
	}
	list, rest, err := parse(format)
	if err == nil {
		err = checkWidths(list)
	}
	if err != nil {
		err.(*sqlerr.Error).Span = b.span
		return nil, err
	}
	var args []Expr
	for i := range list {
		d := &list[i]
		if d.arg >= len(b.args)-1 {
			return nil, sqlerr.At(b.span, codeArgCount, "the format %q of %s wants %s, found %d", format, b.name, sqlerr.CountOf(d.arg+1, "value"), len(b.args)-1)
		}
		arg, err := b.formatArg(d)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	name := b.name
	form := func(texts []string) string {
		return name + "(" + strings.Join(append([]string{b.args[0].String()}, texts...), ", ") + ")"
	}
	return newCall(spec{name: name, t: tVarchar, nullable: anyNullable(args...), span: b.span, total: true, form: form,
		kern: func(f *frame, args []vec) (arrow.Array, error) { return formatRows(f, args, list, rest) }}, args...), nil
}

// formatArg casts the argument of a directive to what its verb takes.
func (b *binding) formatArg(d *directive) (Expr, error) {
	e := b.args[1+d.arg]
	t := e.Type()
	wrong := func(expected string) error {
		return sqlerr.At(b.span, codeMismatch, "%q in the format of %s takes %s, found %s", d.spec, b.name, expected, t).
			WithHint("cast the value, or write it with the form for text")
	}
	switch {
	case d.spec == "" && (t.IsInteger() || !d.grouped()):
		return BindCast(e, tVarchar, false, b.span)
	case strings.IndexByte("dxXocb", d.verb) >= 0:
		if !t.IsInteger() && t.Kind != types.Null {
			return nil, wrong("a whole number")
		}
		return implicit(e, tBigInt, b.span)
	case strings.IndexByte("eEfFgG", d.verb) >= 0:
		if !t.IsNumeric() && t.Kind != types.Null {
			return nil, wrong("a number")
		}
		return BindCast(e, tDouble, false, b.span)
	}
	return BindCast(e, tVarchar, false, b.span)
}

// widthMax is the greatest width and precision: that of Go's fmt, which leaves larger ones out.
const widthMax = 1_000_000

// checkWidths refuses a width or precision beyond it.
func checkWidths(list []directive) error {
	for _, d := range list {
		for _, digits := range strings.FieldsFunc(d.spec, func(r rune) bool { return r < '0' || r > '9' }) {
			if n, err := strconv.Atoi(digits); err != nil || n > widthMax {
				return sqlerr.New(codeLimit, "a width or precision of a format is at most %d, found %s", widthMax, digits).
					WithHint("use lpad or rpad for a longer text")
			}
		}
	}
	return nil
}

func (d *directive) grouped() bool { return d.thousands != 0 }

// formatRows writes the values of every row into the format.
func formatRows(f *frame, args []vec, list []directive, rest string) (arrow.Array, error) {
	values := make([]func(dst []byte, row int) []byte, len(list))
	for i, d := range list {
		values[i] = d.writer(args[i])
	}
	return growing(f, func(dst []byte, row, endMax int) ([]byte, error) {
		for i, d := range list {
			if len(dst) > endMax {
				return dst, errTooLong
			}
			dst = append(dst, d.text...)
			start := len(dst)
			dst = values[i](dst, row)
			if d.grouped() {
				dst = append(dst[:start], groupDigits(string(dst[start:]), d.thousands)...)
			}
		}
		return append(dst, rest...), nil
	})
}

// writer returns what appends the value of a row.
func (d *directive) writer(v vec) func(dst []byte, row int) []byte {
	switch {
	case strings.IndexByte("dxXocb", d.verb) >= 0 && d.verb != 0:
		vals := read[int64](v)
		return func(dst []byte, row int) []byte { return fmt.Appendf(dst, d.spec, vals.at(row)) }
	case strings.IndexByte("eEfFgG", d.verb) >= 0 && d.verb != 0:
		vals := read[float64](v)
		return func(dst []byte, row int) []byte { return fmt.Appendf(dst, d.spec, vals.at(row)) }
	}
	vals := read[string](v)
	if d.spec == "" {
		return func(dst []byte, row int) []byte { return append(dst, vals.at(row)...) }
	}
	return func(dst []byte, row int) []byte { return fmt.Appendf(dst, d.spec, vals.at(row)) }
}

// groupDigits puts a separator between groups of three digits of the whole part.
func groupDigits(number string, separator byte) string {
	start := strings.IndexAny(number, "0123456789")
	if start < 0 {
		return number
	}
	end := start
	for end < len(number) && number[end] >= '0' && number[end] <= '9' {
		end++
	}
	var out []byte
	for i := start; i < end; i++ {
		if i > start && (end-i)%3 == 0 {
			out = append(out, separator)
		}
		out = append(out, number[i])
	}
	return number[:start] + string(out) + number[end:]
}

// printfDirectives reads a format of C.
func printfDirectives(format string) (list []directive, rest string, err error) {
	text := ""
	for i := 0; i < len(format); {
		if format[i] != '%' {
			text += format[i : i+1]
			i++
			continue
		}
		if strings.HasPrefix(format[i:], "%%") {
			text += "%"
			i += 2
			continue
		}
		end := i + 1
		for end < len(format) && strings.IndexByte("-+ #0123456789.l", format[end]) >= 0 {
			end++
		}
		if end == len(format) || strings.IndexByte("diuxXocfFeEgGs", format[end]) < 0 {
			return nil, "", sqlerr.New(codeParameter, "expected a form such as %%d, %%f or %%s in the format of printf, found %q", format[i:min(end+1, len(format))])
		}
		verb := format[end]
		if verb == 'i' || verb == 'u' {
			verb = 'd'
		}
		spec := strings.ReplaceAll(format[i:end], "l", "") + string(verb)
		list = append(list, directive{text: text, arg: len(list), spec: spec, verb: verb})
		text, i = "", end+1
	}
	return list, text, nil
}

// braceDirectives reads a format of {}.
func braceDirectives(format string) (list []directive, rest string, err error) {
	text, next := "", 0
	for i := 0; i < len(format); {
		c := format[i]
		if (c == '{' || c == '}') && strings.HasPrefix(format[i+1:], string(c)) {
			text += string(c)
			i += 2
			continue
		}
		if c != '{' {
			if c == '}' {
				return nil, "", sqlerr.New(codeParameter, "expected }} for a brace in the format %q", format)
			}
			text += format[i : i+1]
			i++
			continue
		}
		end := strings.IndexByte(format[i:], '}')
		if end < 0 {
			return nil, "", sqlerr.New(codeParameter, "expected a closing brace in the format %q", format)
		}
		name, spec, _ := strings.Cut(format[i+1:i+end], ":")
		d, err := braceSpec(spec)
		if err != nil {
			return nil, "", err
		}
		d.text, d.arg = text, next
		if name != "" {
			if d.arg, err = strconv.Atoi(name); err != nil || d.arg < 0 {
				return nil, "", sqlerr.New(codeParameter, "expected the number of an argument in the format, found %q", name)
			}
		}
		next = d.arg + 1
		list = append(list, d)
		text, i = "", i+end+1
	}
	return list, text, nil
}

// braceSpec reads [<>][sign][0][width][,][.precision][type].
func braceSpec(spec string) (directive, error) {
	d := directive{}
	if spec == "" {
		return d, nil
	}
	flags, rest := "", spec
	for rest != "" && strings.IndexByte("<>+-# 0", rest[0]) >= 0 {
		switch rest[0] {
		case '<':
			flags += "-"
		case '+', '#', ' ', '0':
			flags += rest[:1]
		}
		rest = rest[1:]
	}
	width := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	rest = rest[len(width):]
	if rest != "" && (rest[0] == ',' || rest[0] == '_') {
		d.thousands, rest = rest[0], rest[1:]
	} else if strings.HasPrefix(rest, "t") && len(rest) > 1 {
		d.thousands, rest = rest[1], rest[2:]
	}
	precision := ""
	if strings.HasPrefix(rest, ".") {
		digits := strings.TrimLeft(rest[1:], "0123456789")
		precision, rest = rest[:len(rest)-len(digits)], digits
	}
	if len(rest) > 1 || rest != "" && strings.IndexByte("bcdeEfFgGosxX", rest[0]) < 0 {
		return d, sqlerr.New(codeParameter, "expected a form such as {:d}, {:.2f}, {:>10} or {:,} in the format, found {:%s}", spec)
	}
	if rest == "" && flags == "" && width == "" && precision == "" {
		return d, nil
	}
	verb := "s"
	switch {
	case rest != "":
		verb = rest
	case precision != "":
		verb = "g"
	}
	d.spec, d.verb = "%"+flags+width+precision+verb, verb[0]
	return d, nil
}
