package expr

import (
	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
)

// Similarities compare bytes, as DuckDB's do.

// checkCompared refuses texts of which too many pairs of bytes would be compared: the work grows
// with the product of their lengths, and cannot be ended.
func checkCompared(a, b string, pairsMax int) error {
	if len(a) == 0 || len(b) <= pairsMax/len(a) {
		return nil
	}
	return sqlerr.New(codeLimit, "texts of %d and %d bytes are too long to be compared", len(a), len(b)).
		WithHint("compare a part of them: left(text, 1000)")
}

// comparing is map2 of a function that takes the product of the lengths of two texts: it looks
// before each pair whether anybody still waits for it.
func comparing[R slot](fn func(a, b string) (R, error)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a, b := read[string](args[0]), read[string](args[1])
		out := make([]R, f.rows)
		for i := range f.rows {
			if err := f.ctx.Ended(); err != nil {
				return nil, err
			}
			if !f.valid.has(i) {
				continue
			}
			r, err := fn(a.at(i), b.at(i))
			if err != nil {
				if err = f.settle(i, err); err != nil {
					return nil, err
				}
			}
			out[i] = r
		}
		return newValues(f.arrow, out, f.valid), nil
	}
}

// hamming counts the places in which two texts of equal length differ.
func hamming(a, b string) (int64, error) {
	x, y := []byte(a), []byte(b)
	if len(x) != len(y) {
		return 0, sqlerr.New(codeParameter, "hamming expects texts of equal length, found %q and %q", a, b)
	}
	n := int64(0)
	for i := range x {
		if x[i] != y[i] {
			n++
		}
	}
	return n, nil
}

// damerauLevenshtein is levenshtein that counts a swap of neighbours as one edit; no part
// is edited twice.
func damerauLevenshtein(a, b string) (int64, error) {
	if err := checkCompared(a, b, 1<<24); err != nil {
		return 0, err
	}
	x, y := []byte(a), []byte(b)
	lastRow := map[byte]int{}
	width := len(y) + 2
	far := len(x) + len(y)
	d := make([]int, (len(x)+2)*width)
	at := func(i, j int) *int { return &d[(i+1)*width+j+1] }
	*at(-1, -1) = far
	for i := 0; i <= len(x); i++ {
		*at(i, -1), *at(i, 0) = far, i
	}
	for j := 0; j <= len(y); j++ {
		*at(-1, j), *at(0, j) = far, j
	}
	for i := 1; i <= len(x); i++ {
		lastCol := 0
		for j := 1; j <= len(y); j++ {
			k, l, cost := lastRow[y[j-1]], lastCol, 1
			if x[i-1] == y[j-1] {
				cost, lastCol = 0, j
			}
			*at(i, j) = min(*at(i-1, j-1)+cost, *at(i, j-1)+1, *at(i-1, j)+1, *at(k-1, l-1)+(i-k-1)+1+(j-l-1))
		}
		lastRow[x[i-1]] = i
	}
	return int64(*at(len(x), len(y))), nil
}

// jaccard is the share of the different bytes of two texts that both have.
func jaccard(a, b string) (float64, error) {
	if a == "" || b == "" {
		return 0, sqlerr.New(codeParameter, "jaccard expects texts that are not empty")
	}
	var in [256]uint8
	for _, c := range []byte(a) {
		in[c] |= 1
	}
	for _, c := range []byte(b) {
		in[c] |= 2
	}
	both, either := 0, 0
	for _, sides := range in {
		switch sides {
		case 3:
			both++
			either++
		case 1, 2:
			either++
		}
	}
	return float64(both) / float64(either), nil
}

// jaro is the Jaro similarity of two texts, from 0 to 1.
func jaro(a, b string) (float64, error) {
	if err := checkCompared(a, b, 1<<30); err != nil {
		return 0, err
	}
	x, y := []byte(a), []byte(b)
	if len(x) == 0 || len(y) == 0 {
		if len(x) == len(y) {
			return 1, nil
		}
		return 0, nil
	}
	reach := max(max(len(x), len(y))/2-1, 0)
	usedX, usedY := make([]bool, len(x)), make([]bool, len(y))
	matches := 0
	for i := range x {
		for j := max(0, i-reach); j < min(len(y), i+reach+1); j++ {
			if !usedY[j] && x[i] == y[j] {
				usedX[i], usedY[j] = true, true
				matches++
				break
			}
		}
	}
	if matches == 0 {
		return 0, nil
	}
	swapped, j := 0, 0
	for i := range x {
		if !usedX[i] {
			continue
		}
		for !usedY[j] {
			j++
		}
		if x[i] != y[j] {
			swapped++
		}
		j++
	}
	m := float64(matches)
	return (m/float64(len(x)) + m/float64(len(y)) + (m-float64(swapped/2))/m) / 3, nil
}

// jaroWinkler is jaro that favours a common beginning of up to four bytes.
func jaroWinkler(a, b string) (float64, error) {
	s, err := jaro(a, b)
	if err != nil || s <= 0.7 {
		return s, err
	}
	x, y := []byte(a), []byte(b)
	common := 0
	for common < min(len(x), len(y), 4) && x[common] == y[common] {
		common++
	}
	return s + float64(common)*0.1*(1-s), nil
}
