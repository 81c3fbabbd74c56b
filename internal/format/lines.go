package format

import "bytes"

// LineEnds is Shape.Ends for formats whose records are lines.
func LineEnds(block []byte, max int64) (end int, records int64) {
	for ; records < max; records++ {
		n := bytes.IndexByte(block[end:], '\n') + 1
		if n == 0 {
			break
		}
		end += n
	}
	return end, records
}

// LineRest is Shape.Rest for formats that go on with the next line.
func LineRest([]byte) func(block []byte) (int, bool) {
	return func(block []byte) (int, bool) {
		end := bytes.IndexByte(block, '\n') + 1
		return end, end > 0
	}
}

// LastLineEnd is Shape.LastEnd for formats whose records are lines.
func LastLineEnd(block []byte) int { return bytes.LastIndexByte(block, '\n') + 1 }
