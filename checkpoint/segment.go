package checkpoint

import (
	"bufio"
	"bytes"
	"io"

	"ssql/internal/vfs"
)

// segment is one file of the log.
type segment struct {
	path       string
	number     uint64
	firstBatch int64  // batch of the first record
	firstWrite uint64 // number of the first write
	size       int64  // of the file, preallocated zeros included
	end        int64  // behind the last intact record
	records    int
}

// record is one intact record.
type record struct {
	recordHeader
	path    string
	offset  int64
	end     int64
	payload []byte // nil if it was skipped
}

// readSegmentHeader opens a segment and checks that it is the one its name says.
func readSegmentHeader(fsys vfs.FS, dir string, number uint64) (fileHeader, segment, error) {
	s := segment{path: join(dir, segmentName(number)), number: number, end: fileHeaderBytes}
	f, size, err := openSized(fsys, s.path)
	if err != nil {
		return fileHeader{}, s, err
	}
	defer f.Close()
	s.size = size
	head := make([]byte, min(size, fileHeaderBytes))
	if err := readFull(f, head, 0); err != nil {
		return fileHeader{}, s, storage("reading", s.path, err)
	}
	h, err := decodeFileHeader(s.path, head, kindSegment)
	if err == nil && h.number != number {
		err = corrupt(s.path, -1, "it is segment %d under the name of segment %d", h.number, number)
	}
	s.firstBatch, s.firstWrite = h.batch, h.length
	return h, s, err
}

// scanBufferBytes is how much of a segment is read at once.
const scanBufferBytes = 256 << 10

// scan calls visit for every intact record, in order, up to the first bytes that are
// none, and sets s.end there. skip says whose payload is not wanted; it is then not
// even read. An error of visit ends the scan with s.end before that record.
func (s *segment) scan(f io.ReaderAt, id [16]byte, skip func(recordHeader) bool, visit func(*record) error) error {
	from := func(offset int64) io.Reader { return io.NewSectionReader(f, offset, s.size-offset) }
	in := bufio.NewReaderSize(from(s.end), scanBufferBytes)
	head := make([]byte, recordHeaderBytes)
	for s.size-s.end >= recordHeaderBytes {
		if _, err := io.ReadFull(in, head); err != nil {
			return storage("reading", s.path, err)
		}
		h, ok := decodeRecordHeader(head, id)
		room := uint64(s.size - s.end - recordHeaderBytes)
		// The length is covered by the checksum of the header; that it fits bounds the
		// memory asked for by the size of the file.
		if !ok || h.length > room {
			return nil
		}
		r := record{recordHeader: h, path: s.path, offset: s.end}
		r.end = min(s.end+recordHeaderBytes+int64(h.length)+int64(padding(h.length)), s.size)
		if skip(h) {
			// What is behind may be in the buffer already: nothing is read twice.
			if rest := int(r.end - s.end - recordHeaderBytes); rest > in.Buffered() {
				in.Reset(from(r.end))
			} else if _, err := in.Discard(rest); err != nil {
				return storage("reading", s.path, err)
			}
		} else {
			r.payload = make([]byte, h.length)
			if _, err := io.ReadFull(in, r.payload); err != nil {
				return storage("reading", s.path, err)
			}
			if checksum(r.payload) != h.sum {
				return nil
			}
			if _, err := in.Discard(int(r.end - s.end - recordHeaderBytes - int64(h.length))); err != nil {
				return storage("reading", s.path, err)
			}
		}
		if err := visit(&r); err != nil {
			return err
		}
		s.end = r.end
		s.records++
	}
	return nil
}

// tailWindowBytes is how much of the bytes behind the last record is looked at at once.
const tailWindowBytes = 1 << 20

// tail looks at the bytes behind s.end. written is whether any is not zero; later
// is the offset of a record of write number from or above, -1 without.
func (s *segment) tail(f io.ReaderAt, id [16]byte, from uint64) (written bool, later int64, err error) {
	window := make([]byte, min(tailWindowBytes, s.size-s.end))
	for at := s.end; at < s.size; {
		b := window[:min(int64(len(window)), s.size-at)]
		if err := readFull(f, b, at); err != nil {
			return written, -1, storage("reading", s.path, err)
		}
		written = written || len(bytes.Trim(b, "\x00")) > 0
		for i := bytes.Index(b, []byte(recordMagic)); i >= 0; {
			if h, ok := decodeRecordHeader(b[i:], id); ok && h.write >= from {
				return true, at + int64(i), nil
			}
			next := bytes.Index(b[i+1:], []byte(recordMagic))
			if next < 0 {
				break
			}
			i += 1 + next
		}
		if at+int64(len(b)) == s.size {
			break
		}
		// A header may lie across two windows.
		at += int64(len(b)) - recordHeaderBytes
	}
	return written, -1, nil
}
