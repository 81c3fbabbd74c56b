package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// checkSums compares the pages of a column chunk with the checksums that their headers
// have, which the library does not look at. A header that cannot be read is left to the
// library.
func checkSums(chunk []byte) error {
	for page, rest := 1, chunk; len(rest) > 0; page++ {
		h, size, err := readPageHeader(rest)
		if err != nil || h.compressed < 0 || h.compressed > int64(len(rest)-size) {
			return nil
		}
		data := rest[size : size+int(h.compressed)]
		if h.hasSum && crc32.ChecksumIEEE(data) != h.sum {
			return fmt.Errorf("page %d is damaged: its checksum is %08x and not %08x", page, crc32.ChecksumIEEE(data), h.sum)
		}
		rest = rest[size+len(data):]
	}
	return nil
}

// pageHeader is what checkSums needs of a PageHeader, see parquet.thrift.
type pageHeader struct {
	compressed int64
	sum        uint32
	hasSum     bool
}

// The types of Thrift's compact protocol.
const (
	thriftTrue = iota + 1
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// The numbers of fields in a PageHeader.
const (
	pageCompressedSize = 3
	pageSum            = 4
)

var errThrift = errors.New("no header of a page")

// readPageHeader reads the header of a page at the start of b, and how long it is.
func readPageHeader(b []byte) (h pageHeader, size int, err error) {
	r := thriftReader{b: b}
	h.compressed = -1
	err = r.structure(0, func(id int64, value int64) {
		switch id {
		case pageCompressedSize:
			h.compressed = value
		case pageSum:
			h.sum, h.hasSum = uint32(int32(value)), true
		}
	})
	return h, r.at, err
}

// thriftReader passes over values of Thrift's compact protocol.
type thriftReader struct {
	b  []byte
	at int
}

// thriftDepthMax is how deep structures may be; those of a page have three.
const thriftDepthMax = 16

func (r *thriftReader) byte() (byte, error) {
	if r.at >= len(r.b) {
		return 0, errThrift
	}
	r.at++
	return r.b[r.at-1], nil
}

// number reads a number in zigzag form.
func (r *thriftReader) number() (int64, error) {
	v, n := binary.Varint(r.b[r.at:])
	if n <= 0 {
		return 0, errThrift
	}
	r.at += n
	return v, nil
}

// structure reads a structure and gives the whole numbers in it.
func (r *thriftReader) structure(depth int, number func(id, value int64)) error {
	for id := int64(0); ; {
		head, err := r.byte()
		if err != nil || head == 0 {
			return err
		}
		if delta := int64(head >> 4); delta > 0 {
			id += delta
		} else if id, err = r.number(); err != nil {
			return err
		}
		switch kind := head & 0xF; kind {
		case thriftTrue, thriftFalse: // the type is the value
		case thriftI16, thriftI32, thriftI64:
			v, err := r.number()
			if err != nil {
				return err
			}
			number(id, v)
		default:
			if err := r.skip(kind, depth); err != nil {
				return err
			}
		}
	}
}

// skip passes over a value.
func (r *thriftReader) skip(kind byte, depth int) error {
	if depth > thriftDepthMax {
		return errThrift
	}
	switch kind {
	case thriftTrue, thriftFalse, thriftByte: // in a list each truth value is a byte
		_, err := r.byte()
		return err
	case thriftI16, thriftI32, thriftI64:
		_, err := r.number()
		return err
	case thriftDouble:
		return r.pass(8)
	case thriftBinary:
		size, n := binary.Uvarint(r.b[r.at:])
		if n <= 0 {
			return errThrift
		}
		r.at += n
		return r.pass(size)
	case thriftList, thriftSet:
		return r.skipList(depth)
	case thriftStruct:
		return r.structure(depth+1, func(int64, int64) {})
	}
	return errThrift // a page has no maps
}

func (r *thriftReader) skipList(depth int) error {
	head, err := r.byte()
	if err != nil {
		return err
	}
	size := uint64(head >> 4)
	if size == 15 {
		n := 0
		if size, n = binary.Uvarint(r.b[r.at:]); n <= 0 {
			return errThrift
		}
		r.at += n
	}
	for ; size > 0; size-- {
		if err := r.skip(head&0xF, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (r *thriftReader) pass(n uint64) error {
	if n > uint64(len(r.b)-r.at) {
		return errThrift
	}
	r.at += int(n)
	return nil
}
