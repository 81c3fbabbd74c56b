package expr

import (
	"errors"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
)

// errNull is what a scalar function returns instead of a value for NULL.
var errNull = errors.New("null")

// settle makes row NULL for errNull and returns any other error as the row's.
func (f *frame) settle(row int, err error) error {
	if err == errNull {
		f.valid.clear(row)
		return nil
	}
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return f.fail(row, e)
	}
	return f.fail(row, sqlerr.New(sqlerr.Internal, "%s: %v", f.spec.name, err))
}

// map1 returns the kernel of a function of one value. fn is not called on NULL.
func map1[A, R slot](fn func(A) (R, error)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a := read[A](args[0])
		out := make([]R, f.rows)
		for lo := 0; lo < f.rows; lo += runRows {
			if err := f.ctx.Ended(); err != nil {
				return nil, err
			}
			hi := min(lo+runRows, f.rows)
			for i, x := range a.run(lo, hi) {
				if !f.valid.has(lo + i) {
					continue
				}
				r, err := fn(x)
				if err != nil {
					if err = f.settle(lo+i, err); err != nil {
						return nil, err
					}
				}
				out[lo+i] = r
			}
		}
		return newValues(f.arrow, out, f.valid), nil
	}
}

// map2 returns the kernel of a function of two values.
func map2[A, B, R slot](fn func(A, B) (R, error)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a, b := read[A](args[0]), read[B](args[1])
		out := make([]R, f.rows)
		for lo := 0; lo < f.rows; lo += runRows {
			if err := f.ctx.Ended(); err != nil {
				return nil, err
			}
			hi := min(lo+runRows, f.rows)
			ys := b.run(lo, hi)
			for i, x := range a.run(lo, hi) {
				if !f.valid.has(lo + i) {
					continue
				}
				r, err := fn(x, ys[i])
				if err != nil {
					if err = f.settle(lo+i, err); err != nil {
						return nil, err
					}
				}
				out[lo+i] = r
			}
		}
		return newValues(f.arrow, out, f.valid), nil
	}
}

// map3 returns the kernel of a function of three values.
func map3[A, B, C, R slot](fn func(A, B, C) (R, error)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a, b, c := read[A](args[0]), read[B](args[1]), read[C](args[2])
		out := make([]R, f.rows)
		for lo := 0; lo < f.rows; lo += runRows {
			if err := f.ctx.Ended(); err != nil {
				return nil, err
			}
			hi := min(lo+runRows, f.rows)
			ys, zs := b.run(lo, hi), c.run(lo, hi)
			for i, x := range a.run(lo, hi) {
				if !f.valid.has(lo + i) {
					continue
				}
				r, err := fn(x, ys[i], zs[i])
				if err != nil {
					if err = f.settle(lo+i, err); err != nil {
						return nil, err
					}
				}
				out[lo+i] = r
			}
		}
		return newValues(f.arrow, out, f.valid), nil
	}
}

// eachText returns a VARCHAR or BLOB column whose values append writes, one call
// per row that is not NULL.
func eachText(f *frame, append func(dst []byte, row int) ([]byte, error)) (arrow.Array, error) {
	out, most := newTextOut(f.rows), f.ctx.valueBytesMax()
	checked := 0 // the bytes at the last look at the bounds
	for i := 0; i < f.rows; i++ {
		if i%runRows == 0 || len(out.bytes)-checked > checkedEvery {
			checked = len(out.bytes)
			if err := f.goesOn(checked); err != nil {
				return nil, err
			}
		}
		if f.valid.has(i) {
			start := len(out.bytes)
			bytes, err := append(out.bytes, i)
			if err == nil && int64(len(bytes)-start) > most {
				err = valueLimit(f.spec.name, most)
			}
			if err != nil {
				bytes = bytes[:start]
				if err = f.settle(i, err); err != nil {
					return nil, err
				}
			}
			out.bytes = bytes
		}
		out.end()
	}
	if err := f.goesOn(len(out.bytes)); err != nil {
		return nil, err
	}
	return out.array(f.arrow, f.valid), nil
}

// checkedEvery is how many bytes a text column grows by between two looks at its bounds.
const checkedEvery = 1 << 20

// goesOn ends a column of so many bytes that is not wanted any more or too large.
func (f *frame) goesOn(bytes int) error {
	if err := f.ctx.Ended(); err != nil {
		return err
	}
	if f.ctx.columnTooLarge(f.rows, int64(bytes)) || bytes > offsetMax {
		return ErrChunkTooLarge
	}
	return nil
}

// text1 returns the kernel of a function of one value to text.
func text1[A slot](fn func(dst []byte, a A) ([]byte, error)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a := read[A](args[0])
		return eachText(f, func(dst []byte, i int) ([]byte, error) { return fn(dst, a.at(i)) })
	}
}

// text2 returns the kernel of a function of two values to text.
func text2[A, B slot](fn func(dst []byte, a A, b B) ([]byte, error)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a, b := read[A](args[0]), read[B](args[1])
		return eachText(f, func(dst []byte, i int) ([]byte, error) { return fn(dst, a.at(i), b.at(i)) })
	}
}

// text3 returns the kernel of a function of three values to text.
func text3[A, B, C slot](fn func(dst []byte, a A, b B, c C) ([]byte, error)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a, b, c := read[A](args[0]), read[B](args[1]), read[C](args[2])
		return eachText(f, func(dst []byte, i int) ([]byte, error) { return fn(dst, a.at(i), b.at(i), c.at(i)) })
	}
}
