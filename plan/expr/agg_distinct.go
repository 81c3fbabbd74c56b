package expr

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/cespare/xxhash/v2"

	"ssql/internal/sqlerr"
)

// bindApproxCountDistinct binds approx_count_distinct(x [, error]): HyperLogLog++ with
// Spark's hash and number of registers, so that small counts are Spark's to the
// digit (linear counting). Great ones are estimated by Ertl's improved estimator,
// where Spark corrects the raw estimate by tables. error is the relative standard
// deviation, 0.05 by default.
func bindApproxCountDistinct(c aggregateCall) (*Aggregate, error) {
	deviation := 0.05
	if len(c.args) > 1 {
		l, many, err := c.fractions(1)
		if err != nil {
			return nil, err
		}
		if deviation = l[0]; many || deviation < 0.002 || deviation > 0.39 {
			return nil, sqlerr.At(c.span, codeParameter, "the error of %s is expected to be from 0.002 to 0.39, found %s", c.name, c.args[1])
		}
	}
	bits := int(math.Ceil(2 * math.Log2(1.106/deviation)))
	return &Aggregate{Args: c.args[:1], Type: tBigInt, New: func() Accumulator { return registers{max(bits, 4)} }}, nil
}

// registers holds a handle of 2^bits bytes: per register the longest run of leading
// zeros seen, plus one. Without a value the handle is 0.
type registers struct{ bits int }

// WordCount returns 1.
func (registers) WordCount() int { return 1 }

// Blobs returns the handle.
func (registers) Blobs() []int { return []int{0} }

// of returns the registers of a group, to change.
func (r registers) of(c *Cells, w []uint64) []byte {
	if w[0] == 0 {
		w[0] = c.Heap.SetBlob(0, make([]byte, 1<<r.bits))
	}
	return c.Heap.Blob(w[0])
}

// Update hashes the values into the registers.
func (r registers) Update(c *Cells, groups []int32, args []arrow.Array) error {
	hash := xxhash.NewWithSeed(42)
	for i, g := range c.present(groups, args[0]) {
		if g < 0 {
			continue
		}
		c.buf = appendHashed(c.buf[:0], args[0], i)
		hash.ResetWithSeed(42)
		if _, err := hash.Write(c.buf); err != nil {
			return err
		}
		x := hash.Sum64()
		at := x >> (64 - r.bits)
		run := byte(bits.LeadingZeros64(x<<r.bits|1<<(r.bits-1))) + 1
		if regs := r.of(c, c.Words(g)); regs[at] < run {
			regs[at] = run
		}
	}
	return nil
}

// appendHashed appends the bytes that Spark hashes for a value: numbers little endian
// in 4 or 8 bytes, strings as they are.
func appendHashed(dst []byte, a arrow.Array, row int) []byte {
	le := binary.LittleEndian
	switch a := a.(type) {
	case *array.Dictionary:
		return appendHashed(dst, a.Dictionary(), a.GetValueIndex(row))
	case *array.String:
		return append(dst, a.Value(row)...)
	case *array.Binary:
		return append(dst, a.Value(row)...)
	case *array.Float32:
		return le.AppendUint32(dst, math.Float32bits(a.Value(row)+0)) // -0 + 0 is 0
	case *array.Float64:
		return le.AppendUint64(dst, math.Float64bits(a.Value(row)+0))
	case *array.Decimal128:
		v := a.Value(row)
		if a.DataType().(*arrow.Decimal128Type).Precision <= 18 {
			return le.AppendUint64(dst, v.LowBits())
		}
		return appendBigEndian(dst, v.HighBits(), v.LowBits())
	case *array.Boolean, *array.Int8, *array.Int16, *array.Int32, *array.Uint8, *array.Uint16, *array.Date32:
		return le.AppendUint32(dst, uint32(wordReader(a)(row)))
	case *array.Int64, *array.Uint32, *array.Uint64, *array.Timestamp:
		return le.AppendUint64(dst, wordReader(a)(row))
	}
	if v, ok := a.(*array.MonthDayNanoInterval); ok {
		n := NormalInterval(v.Value(row))
		return le.AppendUint64(le.AppendUint32(le.AppendUint32(dst, uint32(n.Months)), uint32(n.Days)), uint64(n.Nanoseconds))
	}
	return appendEncoded(dst, a, row)
}

// appendBigEndian appends a number of 128 bits in as few bytes as hold it with its
// sign, as java.math.BigInteger does.
func appendBigEndian(dst []byte, hi int64, lo uint64) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(hi))
	binary.BigEndian.PutUint64(b[8:], lo)
	sign := byte(hi >> 63)
	i := 0
	for i < 15 && b[i] == sign && (b[i+1]^sign)&0x80 == 0 {
		i++
	}
	return append(dst, b[i:]...)
}

// Merge takes the greater of each register.
func (r registers) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		x := from.Words(src[i])
		if x[0] == 0 {
			continue
		}
		regs := r.of(c, c.Words(g))
		for j, run := range from.Heap.Blob(x[0]) {
			regs[j] = max(regs[j], run)
		}
	}
	return nil
}

// linearMax is up to which count linear counting is the better estimate, by
// the logarithm of the number of registers from 4 on (Heule et al. 2013).
var linearMax = [...]float64{10, 20, 40, 80, 220, 400, 900, 1800, 3100, 6500, 11500, 20000, 50000, 120000, 350000}

// Result estimates the counts.
func (r registers) Result(c *Cells, groups []int32, _ memory.Allocator) (arrow.Array, error) {
	vals := make([]int64, len(groups))
	for i, g := range groups {
		if w := c.Words(g); w[0] != 0 {
			vals[i] = int64(math.Round(r.estimate(c.Heap.Blob(w[0]))))
		}
	}
	return newValues(arrow.PrimitiveTypes.Int64, vals, newValidity(len(vals))), nil
}

func (r registers) estimate(regs []byte) float64 {
	m := float64(len(regs))
	counts := make([]float64, 66-r.bits) // by value of a register
	for _, run := range regs {
		counts[min(int(run), len(counts)-1)]++
	}
	if zeros := counts[0]; zeros > 0 {
		if linear := m * math.Log(m/zeros); linear <= linearMax[min(r.bits-4, len(linearMax)-1)] {
			return linear
		}
	}
	// Ertl 2017, algorithm 6.
	z := m * ertlTau(1-counts[len(counts)-1]/m)
	for k := len(counts) - 2; k >= 1; k-- {
		z = 0.5 * (z + counts[k])
	}
	z += m * ertlSigma(counts[0]/m)
	return m * m / (2 * math.Ln2 * z)
}

func ertlSigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	y, z := 1.0, x
	for {
		x *= x
		before := z
		z += x * y
		y += y
		if z == before {
			return z
		}
	}
}

func ertlTau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	y, z := 1.0, 1-x
	for {
		x = math.Sqrt(x)
		before := z
		y *= 0.5
		z -= (1 - x) * (1 - x) * y
		if z == before {
			return z / 3
		}
	}
}
