package expr

import (
	"bytes"
	"encoding/binary"
	"math"
	"sort"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// bindApproxPercentile binds approx_percentile(x, f [, accuracy]): a value of the column whose rank
// is about the fraction f of the count, as Spark's; f may be a list. Up to accuracy
// values (10000 by default) it is exact, beyond that the rank is off by a few
// count/accuracy at most.
func bindApproxPercentile(c aggregateCall) (*Aggregate, error) {
	t := c.args[0].Type()
	if !t.IsNumeric() && t.Kind != types.Date && t.Kind != types.Timestamp {
		return nil, c.mismatch(0, "a number, DATE or TIMESTAMP")
	}
	fractions, many, err := c.fractions(1)
	if err != nil {
		return nil, err
	}
	accuracy := int64(10_000)
	if len(c.args) > 2 {
		l, err := c.constant(2)
		if err != nil {
			return nil, err
		}
		n, ok := literalInt(l)
		if accuracy = n; !ok || n < 1 || n > 1<<20 {
			return nil, sqlerr.At(c.span, codeParameter, "the accuracy of %s is expected to be an integer from 1 to 1048576, found %s", c.name, c.args[2])
		}
	}
	out := t
	if many {
		out = types.ListOf(t)
	}
	acc := percentile{t: t, out: out, width: encodedWidth[t.Kind], size: int(max(accuracy, 16)), fractions: fractions}
	return &Aggregate{Args: c.args[:1], Type: out, Nullable: true, New: func() Accumulator { return acc }}, nil
}

// percentile is a sketch of levels (Manku, Rajagopalan, Lindsay 1998): a value of level i stands for
// 2^i values. When a level is full, every other one of its values in order
// goes to the next level; which half goes alternates, so that errors cancel.
//
// It holds a handle, how many values there were, and where in the bytes level 0 begins. The bytes
// are the levels from 1 on, each a varint 2n+h and n values (h: which half goes next), then the values
// of level 0. Values are encoded without tag, all in the same width.
type percentile struct {
	t, out    types.Type
	width     int
	size      int // values per level
	fractions []float64
}

// WordCount returns 3.
func (percentile) WordCount() int { return 3 }

// Blobs returns the handle.
func (percentile) Blobs() []int { return []int{0} }

// Update adds the values.
func (p percentile) Update(c *Cells, groups []int32, args []arrow.Array) error {
	for i, g := range c.present(groups, args[0]) {
		if g < 0 {
			continue
		}
		w := c.Words(g)
		c.buf = appendEncoded(c.buf[:0], args[0], i)
		w[0] = c.Heap.Extend(w[0], c.buf[1:])
		w[1]++
		if len(c.Heap.Blob(w[0]))-int(w[2]) >= p.size*p.width {
			if err := p.rebuild(c, w, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// level is the values of one level, end to end.
type level struct {
	values []byte
	half   uint64
}

// levels reads a sketch; level 0 comes first.
func (p percentile) levels(b []byte, zero uint64) ([]level, error) {
	if zero > uint64(len(b)) || (len(b)-int(zero))%p.width != 0 {
		return nil, errEncoded
	}
	list := []level{{values: b[zero:]}}
	for b = b[:zero]; len(b) > 0; {
		head, n := binary.Uvarint(b)
		if n <= 0 || head/2 > uint64(len(b))/uint64(p.width) {
			return nil, errEncoded
		}
		size := int(head/2) * p.width
		if b = b[n:]; size > len(b) {
			return nil, errEncoded
		}
		list = append(list, level{b[:size], head & 1})
		b = b[size:]
	}
	return list, nil
}

// rebuild adds levels to a sketch and thins the full ones.
func (p percentile) rebuild(c *Cells, w []uint64, more []level) error {
	list, err := p.levels(c.Heap.Blob(w[0]), w[2])
	if err != nil {
		return err
	}
	own := make([]level, max(len(list), len(more)))
	for i := 0; i < len(own); i++ {
		if i < len(list) {
			own[i].values = append(own[i].values, list[i].values...)
			own[i].half = list[i].half
		}
		if i < len(more) {
			own[i].values = append(own[i].values, more[i].values...)
		}
		if len(own[i].values) >= p.size*p.width {
			if i+1 == len(own) {
				own = append(own, level{})
			}
			own[i+1].values = p.thin(&own[i])
		}
	}
	var out []byte
	for _, l := range own[1:] {
		out = binary.AppendUvarint(out, uint64(len(l.values)/p.width)<<1|l.half)
		out = append(out, l.values...)
	}
	w[2] = uint64(len(out))
	w[0] = c.Heap.SetBlob(w[0], append(out, own[0].values...))
	return nil
}

// thin empties a level but for an odd value and returns every other one.
func (p percentile) thin(l *level) []byte {
	sort.Sort(fixedValues{l.values, p.width})
	n := len(l.values) / p.width
	var up []byte
	for i := int(l.half); i < n&^1; i += 2 {
		up = append(up, l.values[i*p.width:(i+1)*p.width]...)
	}
	l.half ^= 1
	l.values = append([]byte(nil), l.values[(n&^1)*p.width:]...)
	return up
}

// fixedValues sorts values of one width that lie end to end.
type fixedValues struct {
	b     []byte
	width int
}

func (v fixedValues) Len() int { return len(v.b) / v.width }

func (v fixedValues) at(i int) []byte { return v.b[i*v.width : (i+1)*v.width] }

// Less compares the bytes, which compare as the values do.
func (v fixedValues) Less(i, j int) bool { return bytes.Compare(v.at(i), v.at(j)) < 0 }

// Swap exchanges two values.
func (v fixedValues) Swap(i, j int) {
	var tmp [16]byte
	n := copy(tmp[:], v.at(i))
	copy(v.at(i), v.at(j))
	copy(v.at(j), tmp[:n])
}

// Merge puts sketches together.
func (p percentile) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		x := from.Words(src[i])
		if x[1] == 0 {
			continue
		}
		more, err := p.levels(from.Heap.Blob(x[0]), x[2])
		if err != nil {
			return err
		}
		w := c.Words(g)
		w[1] += x[1]
		if err := p.rebuild(c, w, more); err != nil {
			return err
		}
	}
	return nil
}

// Result returns the values at the fractions.
func (p percentile) Result(c *Cells, groups []int32, alloc memory.Allocator) (arrow.Array, error) {
	b := array.NewBuilder(alloc, p.out.Arrow())
	defer b.Release()
	for _, g := range groups {
		w := c.Words(g)
		if w[1] == 0 {
			b.AppendNull()
			continue
		}
		list, err := p.levels(c.Heap.Blob(w[0]), w[2])
		if err != nil {
			return nil, err
		}
		into := b
		if l, ok := b.(*array.ListBuilder); ok {
			l.Append(true)
			into = l.ValueBuilder()
		}
		p.pick(list, float64(w[1]), into)
	}
	return b.NewArray(), nil
}

// pick appends the value at each fraction.
func (p percentile) pick(list []level, count float64, b array.Builder) {
	type weighted struct {
		value  []byte
		weight float64
	}
	var all []weighted
	total := 0.0
	for i, l := range list {
		weight := math.Ldexp(1, i)
		for at := 0; at < len(l.values); at += p.width {
			all = append(all, weighted{l.values[at : at+p.width], weight})
			total += weight
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return bytes.Compare(all[i].value, all[j].value) < 0 })
	for _, f := range p.fractions {
		rank := math.Ceil(f*count) / count * total
		i, sum := 0, all[0].weight
		for i < len(all)-1 && sum < rank {
			i++
			sum += all[i].weight
		}
		decodeFixed(b, all[i].value)
	}
}
