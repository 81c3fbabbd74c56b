package expr

import (
	"regexp"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Regular expressions are RE2, in DuckDB and in Go. Options follow as a text of
// letters: i (case), c, s (. takes newlines), m and n (it does not, the default),
// l (literal), g (all matches, regexp_replace only).

// patternCache compiles the pattern of a row unless the row before had the same.
type patternCache struct {
	pattern, options string
	re               *regexp.Regexp
	global           bool
}

func (c *patternCache) get(pattern, options string) (*regexp.Regexp, error) {
	if c.re != nil && c.pattern == pattern && c.options == options {
		return c.re, nil
	}
	re, global, err := compileWithOptions(pattern, options)
	if err != nil {
		return nil, err
	}
	*c = patternCache{pattern: pattern, options: options, re: re, global: global}
	return re, nil
}

func compileWithOptions(pattern, options string) (re *regexp.Regexp, global bool, err error) {
	flags := ""
	for _, o := range options {
		switch o {
		case 'i', 's':
			flags += string(o)
		case 'l':
			pattern = regexp.QuoteMeta(pattern)
		case 'g':
			global = true
		case 'c', 'm', 'n', 'p':
		default:
			return nil, false, sqlerr.New(codeParameter, "expected options of the letters c, i, l, m, n, p, s and g, found %q", options)
		}
	}
	if flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	compiled, e := compileRegexp(pattern)
	if e != nil {
		return nil, false, e
	}
	return compiled, global, nil
}

// regexpArgs casts the arguments and refuses a constant pattern or constant options
// that cannot be compiled. options is the index of the options argument.
func (b *binding) regexpArgs(options int, params ...types.Type) ([]Expr, error) {
	args, err := b.cast(params...)
	if err != nil {
		return nil, err
	}
	pattern, ok := literalText(args[1])
	if !ok {
		return args, nil
	}
	letters := ""
	if options < len(args) {
		letters, _ = literalText(args[options])
	}
	if _, _, err := compileWithOptions(pattern, letters); err != nil {
		err.(*sqlerr.Error).Span = b.span
		return nil, err
	}
	return args, nil
}

// optionsOf reads the operand of options, which may be missing.
func optionsOf(args []vec, at int) func(row int) string {
	if at >= len(args) {
		return func(int) string { return "" }
	}
	options := read[string](args[at])
	return options.at
}

// bindRegexpTest binds regexp_matches, or regexp_full_match with full.
func bindRegexpTest(full bool) binder {
	return func(b *binding) (Expr, error) {
		args, err := b.regexpArgs(2, tVarchar)
		if err != nil {
			return nil, err
		}
		return b.call(tBool, func(f *frame, args []vec) (arrow.Array, error) { return regexpTest(f, args, full) }, args...), nil
	}
}

func regexpTest(f *frame, args []vec, full bool) (arrow.Array, error) {
	texts, patterns, options := read[string](args[0]), read[string](args[1]), optionsOf(args, 2)
	var cache patternCache
	out := make([]bool, f.rows)
	for i := range out {
		if !f.valid.has(i) {
			continue
		}
		pattern := patterns.at(i)
		if full {
			pattern = "^(?:" + pattern + ")$"
		}
		re, err := cache.get(pattern, options(i))
		if err != nil {
			return nil, f.settle(i, err)
		}
		out[i] = re.MatchString(texts.at(i))
	}
	return newBools(out, f.valid), nil
}

// bindRegexpReplace binds regexp_replace(text, pattern, replacement [, options]):
// the first match, or with g all; \1 to \9 stand for groups.
func bindRegexpReplace(b *binding) (Expr, error) {
	args, err := b.regexpArgs(3, tVarchar)
	if err != nil {
		return nil, err
	}
	return b.call(tVarchar, func(f *frame, args []vec) (arrow.Array, error) {
		texts, patterns, by := read[string](args[0]), read[string](args[1]), read[string](args[2])
		options := optionsOf(args, 3)
		var cache patternCache
		return growing(f, func(dst []byte, i, endMax int) ([]byte, error) {
			re, err := cache.get(patterns.at(i), options(i))
			if err != nil {
				return dst, err
			}
			return replaceMatches(dst, endMax, re, texts.at(i), by.at(i), cache.global)
		})
	}, args...), nil
}

func replaceMatches(dst []byte, endMax int, re *regexp.Regexp, s, by string, all bool) ([]byte, error) {
	limit := 1
	if all {
		limit = -1
	}
	at := 0
	for _, m := range re.FindAllStringSubmatchIndex(s, limit) {
		dst = append(dst, s[at:m[0]]...)
		dst = expandGroups(dst, by, s, m)
		if at = m[1]; len(dst) > endMax {
			return dst, errTooLong
		}
	}
	return append(dst, s[at:]...), nil
}

// expandGroups appends a replacement with \0 to \9 filled in.
func expandGroups(dst []byte, by, s string, match []int) []byte {
	for i := 0; i < len(by); i++ {
		if by[i] != '\\' || i+1 == len(by) {
			dst = append(dst, by[i])
			continue
		}
		i++
		if g := int(by[i]) - '0'; g >= 0 && g <= 9 {
			if 2*g+1 < len(match) && match[2*g] >= 0 {
				dst = append(dst, s[match[2*g]:match[2*g+1]]...)
			}
			continue
		}
		dst = append(dst, by[i])
	}
	return dst
}

// bindRegexpExtract binds regexp_extract(text, pattern [, group [, options]]): empty
// without a match.
func bindRegexpExtract(b *binding) (Expr, error) {
	if len(b.args) == 2 {
		b.args = append(b.args[:2:2], NewLiteral(tBigInt, int64(0)))
	}
	args, err := b.regexpArgs(3, tVarchar, tVarchar, tBigInt, tVarchar)
	if err != nil {
		return nil, err
	}
	return b.call(tVarchar, func(f *frame, args []vec) (arrow.Array, error) {
		texts, patterns, groups := read[string](args[0]), read[string](args[1]), read[int64](args[2])
		options := optionsOf(args, 3)
		var cache patternCache
		return eachText(f, func(dst []byte, i int) ([]byte, error) {
			re, err := cache.get(patterns.at(i), options(i))
			if err == nil {
				err = checkGroup(re, groups.at(i))
			}
			if err != nil {
				return dst, err
			}
			m := re.FindStringSubmatchIndex(texts.at(i))
			if g := 2 * groups.at(i); m != nil && m[g] >= 0 {
				dst = append(dst, texts.at(i)[m[g]:m[g+1]]...)
			}
			return dst, nil
		})
	}, args...), nil
}

func checkGroup(re *regexp.Regexp, group int64) error {
	if group < 0 || group > int64(re.NumSubexp()) {
		return sqlerr.New(codeParameter, "expected a group from 0 to %d, found %d", re.NumSubexp(), group)
	}
	return nil
}

// bindRegexpExtractAll binds regexp_extract_all(text, pattern [, group]).
func bindRegexpExtractAll(b *binding) (Expr, error) {
	if len(b.args) == 2 {
		b.args = append(b.args[:2:2], NewLiteral(tBigInt, int64(0)))
	}
	args, err := b.regexpArgs(3, tVarchar, tVarchar, tBigInt)
	if err != nil {
		return nil, err
	}
	return b.call(types.ListOf(tVarchar), func(f *frame, args []vec) (arrow.Array, error) {
		texts, patterns, groups := read[string](args[0]), read[string](args[1]), read[int64](args[2])
		var cache patternCache
		return eachTextList(f, func(out []string, i int) ([]string, error) {
			re, err := cache.get(patterns.at(i), "")
			if err == nil {
				err = checkGroup(re, groups.at(i))
			}
			if err != nil {
				return out, err
			}
			for _, m := range re.FindAllStringSubmatch(texts.at(i), -1) {
				out = append(out, m[groups.at(i)])
			}
			return out, nil
		})
	}, args...), nil
}

// bindSplit binds string_split(text, separator).
func bindSplit(b *binding) (Expr, error) {
	args, err := b.cast(tVarchar)
	if err != nil {
		return nil, err
	}
	return b.harmless(types.ListOf(tVarchar), func(f *frame, args []vec) (arrow.Array, error) {
		texts, separators := read[string](args[0]), read[string](args[1])
		return eachTextList(f, func(out []string, i int) ([]string, error) {
			return append(out, splitText(texts.at(i), separators.at(i))...), nil
		})
	}, args...), nil
}

// bindSplitRegexp binds string_split_regex(text, pattern).
func bindSplitRegexp(b *binding) (Expr, error) {
	args, err := b.regexpArgs(2, tVarchar)
	if err != nil {
		return nil, err
	}
	return b.call(types.ListOf(tVarchar), func(f *frame, args []vec) (arrow.Array, error) {
		texts, patterns, options := read[string](args[0]), read[string](args[1]), optionsOf(args, 2)
		var cache patternCache
		return eachTextList(f, func(out []string, i int) ([]string, error) {
			re, err := cache.get(patterns.at(i), options(i))
			if err != nil {
				return out, err
			}
			return append(out, re.Split(texts.at(i), -1)...), nil
		})
	}, args...), nil
}

// eachTextList returns a VARCHAR[] column; items appends those of a row.
func eachTextList(f *frame, items func(out []string, row int) ([]string, error)) (arrow.Array, error) {
	b := array.NewListBuilder(memory.DefaultAllocator, arrow.BinaryTypes.String)
	defer b.Release()
	values := b.ValueBuilder().(*array.StringBuilder)
	var out []string
	bytes := 0
	for i := range f.rows {
		if err := f.goesOn(bytes); err != nil {
			return nil, err
		}
		if f.valid.has(i) {
			var err error
			if out, err = items(out[:0], i); err != nil {
				if err = f.settle(i, err); err != nil {
					return nil, err
				}
			}
		}
		if !f.valid.has(i) {
			b.AppendNull()
			continue
		}
		b.Append(true)
		bytes += 16 * len(out)
		for _, s := range out {
			bytes += len(s)
			values.Append(s)
		}
	}
	return b.NewArray(), nil
}

// bindRegexpOperator binds text ~ pattern: the whole text has to match.
func bindRegexpOperator(l, r Expr, span sqlerr.Span) (Expr, error) {
	b := &binding{name: "regexp_full_match", args: []Expr{l, r}, span: span}
	return bindRegexpTest(true)(b)
}
