package expr

import (
	"errors"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// JSON is text here, a VARCHAR with a mark (types.Type.JSON). A text that is no JSON is
// MALFORMED_JSON of its row; NULL, a path that is not there, is NULL.

// bindJSONOperator binds x -> path and x ->> path.
func bindJSONOperator(op string, l, r Expr, span sqlerr.Span) (Expr, error) {
	b := &binding{name: "json_extract", args: []Expr{l, r}, span: span}
	if op == "->" {
		return bindJSONExtract(b)
	}
	b.name = "json_extract_string"
	return bindJSONString(b)
}

// jsonArgs returns the text and, if there is one, the path. A whole number stands for
// an element of an array.
func (b *binding) jsonArgs() ([]Expr, error) {
	text, err := b.arg(0, tVarchar)
	if err != nil || len(b.args) < 2 {
		return []Expr{text}, err
	}
	path := b.args[1]
	if path.Type().IsInteger() {
		if path, err = bindConcatOperator(NewLiteral(tVarchar, "$["), path, b.span); err != nil {
			return nil, err
		}
		path, err = bindConcatOperator(path, NewLiteral(tVarchar, "]"), b.span)
		return []Expr{text, path}, err
	}
	if path, err = b.arg(1, tVarchar); err != nil {
		return nil, err
	}
	if constant, ok := literalText(path); ok {
		if _, err := jsonPathOf(constant); err != nil {
			err.(*sqlerr.Error).Span = b.span
			return nil, err
		}
	}
	return []Expr{text, path}, nil
}

// jsonFinder finds the value of a row; the path of a row is read again only if it is not
// that of the row before.
type jsonFinder struct {
	texts, paths operand[string]
	whole        bool // there are no paths
	last         string
	path         []jsonStep
}

func newJSONFinder(args []vec) *jsonFinder {
	f := &jsonFinder{texts: read[string](args[0]), whole: len(args) < 2}
	if !f.whole {
		f.paths = read[string](args[1])
	}
	return f
}

// find returns the value of row i, errNull without.
func (f *jsonFinder) find(i int) (string, error) {
	if !f.whole {
		if text := f.paths.at(i); text != f.last || f.path == nil {
			path, err := jsonPathOf(text)
			if err != nil {
				return "", err
			}
			f.last, f.path = text, path
		}
	}
	text := f.texts.at(i)
	j := jsonScan{text: text}
	found, ok, err := j.find(f.path)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", errNull
	}
	return text[found.start:found.end], nil
}

// jsonText returns the kernel of a function of a value to text. lenient makes NULL of
// what is no JSON.
func jsonText(lenient bool, fn func(dst []byte, value string) ([]byte, error)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		finder := newJSONFinder(args)
		return eachText(f, func(dst []byte, i int) ([]byte, error) {
			value, err := finder.find(i)
			if err != nil {
				if lenient && !errors.Is(err, errNull) {
					err = errNull
				}
				return dst, err
			}
			return fn(dst, value)
		})
	}
}

func (b *binding) jsonCall(t types.Type, k kernel) (Expr, error) {
	args, err := b.jsonArgs()
	if err != nil {
		return nil, err
	}
	return b.partial(t, k, args...), nil
}

// bindJSONExtract binds json_extract(text, path): the JSON text of the value.
func bindJSONExtract(b *binding) (Expr, error) {
	return b.jsonCall(types.JSONText, jsonText(false, func(dst []byte, value string) ([]byte, error) {
		return appendJSON(dst, value), nil
	}))
}

// bindJSONString binds json_extract_string(text, path): a string without its quotes,
// anything else as JSON text, null as NULL.
func bindJSONString(b *binding) (Expr, error) {
	return b.jsonCall(tVarchar, jsonText(false, appendJSONAsText))
}

// bindGetJSONObject binds Spark's get_json_object(text, path): json_extract_string that
// is NULL for what is no JSON.
func bindGetJSONObject(b *binding) (Expr, error) {
	return b.jsonCall(tVarchar, jsonText(true, appendJSONAsText))
}

// jsonScalar returns a JSON value as the text that a cast to another type reads: a string
// without its quotes, null as NULL.
func jsonScalar(x Expr) Expr {
	c, ok := x.(*call)
	if !ok || c.name != "json_extract" && c.name != "json_value" {
		return x
	}
	s := c.spec
	s.name, s.kern = "json_extract_string", jsonText(false, appendJSONAsText)
	return &call{spec: s, args: c.args}
}

func appendJSONAsText(dst []byte, value string) ([]byte, error) {
	switch value[0] {
	case '"':
		return unescapeJSON(dst, value[1:len(value)-1]), nil
	case 'n':
		return dst, errNull
	}
	return appendJSON(dst, value), nil
}

// bindJSONValue binds json_value(text, path): json_extract that is NULL for objects,
// arrays and null.
func bindJSONValue(b *binding) (Expr, error) {
	return b.jsonCall(tVarchar, jsonText(false, func(dst []byte, value string) ([]byte, error) {
		if value[0] == '{' || value[0] == '[' || value[0] == 'n' {
			return dst, errNull
		}
		return appendJSON(dst, value), nil
	}))
}

// bindJSONType binds json_type(text [, path]).
func bindJSONType(b *binding) (Expr, error) {
	return b.jsonCall(tVarchar, jsonText(false, func(dst []byte, value string) ([]byte, error) {
		return append(dst, jsonTypeName(value)...), nil
	}))
}

// bindJSONExists binds json_exists(text, path).
func bindJSONExists(b *binding) (Expr, error) {
	args, err := b.jsonArgs()
	if err != nil {
		return nil, err
	}
	return b.call(tBool, func(f *frame, args []vec) (arrow.Array, error) {
		out, finder := make([]bool, f.rows), newJSONFinder(args)
		for i := range out {
			if !f.valid.has(i) {
				continue
			}
			_, err := finder.find(i)
			if err != nil && err != errNull {
				return nil, f.settle(i, err)
			}
			out[i] = err == nil
		}
		return newBools(out, f.valid), nil
	}, args...), nil
}

// bindJSONLength binds json_array_length(text [, path]): 0 for what is no array.
func bindJSONLength(b *binding) (Expr, error) {
	return b.jsonCall(types.Of(types.UBigInt), func(f *frame, args []vec) (arrow.Array, error) {
		out, finder := make([]uint64, f.rows), newJSONFinder(args)
		for i := range out {
			if !f.valid.has(i) {
				continue
			}
			value, err := finder.find(i)
			if err == nil && value[0] == '[' {
				j := jsonScan{text: value}
				err = j.elements(func() error { out[i]++; return j.skip() })
			}
			if err != nil {
				if err = f.settle(i, err); err != nil {
					return nil, err
				}
			}
		}
		return newValues(f.arrow, out, f.valid), nil
	})
}

// bindJSONKeys binds json_keys(text [, path]): an empty list for what is no object.
func bindJSONKeys(b *binding) (Expr, error) {
	return b.jsonCall(types.ListOf(tVarchar), func(f *frame, args []vec) (arrow.Array, error) {
		finder := newJSONFinder(args)
		return eachTextList(f, func(out []string, i int) ([]string, error) {
			value, err := finder.find(i)
			if err != nil || value[0] != '{' {
				return out, err
			}
			j := jsonScan{text: value}
			err = j.members(func(key jsonSpan) error {
				out = append(out, string(unescapeJSON(nil, value[key.start+1:key.end-1])))
				return j.skip()
			})
			return out, err
		})
	})
}

func isJSON(text string) (bool, error) {
	j := jsonScan{text: text}
	_, _, err := j.find(nil)
	return err == nil, nil
}
