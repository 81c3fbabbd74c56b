package parquet

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// hybrid reads numbers of a fixed width in bits: definition levels, and ids of a
// dictionary. They are runs of one number and runs of packed ones (Parquet's "RLE/bit-packing
// hybrid").
type hybrid struct {
	data   []byte
	at     int    // in data, behind the run that is being read
	width  int    // bits of a number, 0 to 32
	left   int    // numbers left of the run
	packed []byte // the numbers of a packed run; nil: all are same
	bit    int    // where the next one starts in packed
	same   int32
}

var errNumbersEnd = errors.New("levels or ids of a dictionary end too early")

// newHybrid returns a reader of data.
func newHybrid(data []byte, width int) hybrid { return hybrid{data: data, width: width} }

// newPacked returns a reader of bits without runs, the most significant first: how old
// writers stored levels.
func newPacked(data []byte) hybrid {
	turned := make([]byte, len(data))
	for i, b := range data {
		turned[i] = bits.Reverse8(b)
	}
	return hybrid{width: 1, left: 8 * len(data), packed: turned}
}

// read reads the next len(to) numbers.
func (h *hybrid) read(to []int32) error {
	for len(to) > 0 {
		if h.left == 0 {
			if err := h.begin(); err != nil {
				return err
			}
			continue
		}
		n := min(len(to), h.left)
		if h.packed == nil {
			for i := range to[:n] {
				to[i] = h.same
			}
		} else {
			h.unpack(to[:n])
		}
		h.left -= n
		to = to[n:]
	}
	return nil
}

// skipOnes skips the next n numbers if all of them are 1 and in one run.
func (h *hybrid) skipOnes(n int) bool {
	for h.left == 0 {
		if h.begin() != nil {
			return false
		}
	}
	if h.packed != nil || h.same != 1 || h.left < n {
		return false
	}
	h.left -= n
	return true
}

// begin begins the next run, which may be empty.
func (h *hybrid) begin() error {
	head, n := binary.Uvarint(h.data[h.at:])
	if n <= 0 {
		return errNumbersEnd
	}
	h.at += n
	rest := h.data[h.at:]
	count := int(min(head>>1, math.MaxInt32))
	if head&1 == 1 && h.width > 0 {
		// The last run of a page may lack bytes that no value needs.
		n = min(count*h.width, len(rest))
		h.packed, h.bit, h.left = rest[:n], 0, min(count*8, n*8/h.width)
		h.at += n
		return nil
	}
	if head&1 == 1 {
		count *= 8
	}
	n = (h.width + 7) / 8
	if n > len(rest) {
		return errNumbersEnd
	}
	h.packed, h.left, h.same = nil, count, 0
	for i, b := range rest[:n] {
		h.same |= int32(b) << (8 * i)
	}
	h.at += n
	return nil
}

func (h *hybrid) unpack(to []int32) {
	mask := uint64(1)<<h.width - 1
	for i := range to {
		var word uint64
		if rest := h.packed[h.bit>>3:]; len(rest) >= 8 {
			word = binary.LittleEndian.Uint64(rest)
		} else {
			for k, b := range rest {
				word |= uint64(b) << (8 * k)
			}
		}
		to[i] = int32(word >> (h.bit & 7) & mask)
		h.bit += h.width
	}
}
