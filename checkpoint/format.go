package checkpoint

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"

	"ssql/internal/sqlerr"
)

// Every number on disk is little-endian, every checksum CRC32C. docs/FORMAT.md draws
// what is encoded here.

// formatVersion is the version that this program writes, and the only one it reads.
const formatVersion = 1

const (
	fileMagic   = "SSQLCKPT"
	recordMagic = "SREC"

	fileHeaderBytes   = 64
	fileFooterBytes   = 4
	recordHeaderBytes = 48
	// recordAlign is where records may begin, so that a reader can look for the next
	// one behind damage.
	recordAlign = 8
)

// The kinds of files.
const (
	kindMetadata   = "META"
	kindGeneration = "GENR"
	kindPrint      = "PRNT"
	kindSnapshot   = "SNAP"
	kindSegment    = "LOGS"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(parts ...[]byte) uint32 {
	sum := uint32(0)
	for _, part := range parts {
		sum = crc32.Update(sum, castagnoli, part)
	}
	return sum
}

// fileHeader is the first 64 bytes of every file but the lock.
type fileHeader struct {
	kind    string
	queryID [16]byte
	batch   int64  // snapshot: its batch; segment: batch of its first record
	number  uint64 // segment: its number; generation: the generation
	length  uint64 // bytes of payload; segment: number of its first write
}

func (h fileHeader) encode() []byte {
	b := make([]byte, 0, fileHeaderBytes)
	b = append(b, fileMagic...)
	b = append(b, h.kind...)
	b = binary.LittleEndian.AppendUint32(b, formatVersion)
	b = append(b, h.queryID[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.batch))
	b = binary.LittleEndian.AppendUint64(b, h.number)
	b = binary.LittleEndian.AppendUint64(b, h.length)
	b = binary.LittleEndian.AppendUint32(b, 0)
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

// decodeFileHeader checks in the order magic, version, checksum, kind and reports
// the first that is wrong.
func decodeFileHeader(path string, b []byte, kind string) (fileHeader, error) {
	var h fileHeader
	if len(b) < fileHeaderBytes {
		return h, corrupt(path, -1, "expected a header of %d bytes, found %d bytes in all", fileHeaderBytes, len(b))
	}
	b = b[:fileHeaderBytes]
	if string(b[:8]) != fileMagic {
		return h, corrupt(path, 0, "expected %q, found %q", fileMagic, b[:8])
	}
	if v := binary.LittleEndian.Uint32(b[12:]); v != formatVersion {
		return h, sqlerr.New(CodeVersion, "file %q has checkpoint format %d, this ssql reads format %d", path, v, formatVersion).
			WithHint("nothing was changed; use the ssql that wrote it")
	}
	if want, found := binary.LittleEndian.Uint32(b[60:]), checksum(b[:60]); want != found {
		return h, corrupt(path, 60, "the header has checksum %08x, its bytes give %08x", want, found)
	}
	h.kind = string(b[8:12])
	copy(h.queryID[:], b[16:])
	h.batch = int64(binary.LittleEndian.Uint64(b[32:]))
	h.number = binary.LittleEndian.Uint64(b[40:])
	h.length = binary.LittleEndian.Uint64(b[48:])
	if h.kind != kind {
		return h, corrupt(path, 8, "expected a file of kind %s, found one of kind %s", kind, h.kind)
	}
	return h, nil
}

// recordKind is the kind of a log record.
type recordKind uint8

const (
	recordPlan recordKind = iota + 1
	recordState
	recordCommit
)

// String returns the name of the kind.
func (k recordKind) String() string {
	switch k {
	case recordPlan:
		return "PLAN"
	case recordState:
		return "STATE"
	case recordCommit:
		return "COMMIT"
	}
	return "unknown"
}

// recordHeader is the first 48 bytes of a log record.
type recordHeader struct {
	kind       recordKind
	batch      int64
	generation int64 // of the run that wrote it
	// write counts the writes of the log, from 1, and more the records that follow in
	// the same write. So a reader can tell a write that a crash has torn (nothing of a
	// later write can be there) from damage in the middle.
	write  uint64
	more   uint8
	length uint64 // bytes of payload, padding not counted
	sum    uint32 // checksum of the payload
}

// encode covers the query id by the checksum: a record of another log is no record.
func (h recordHeader) encode(id [16]byte) []byte {
	b := make([]byte, 0, recordHeaderBytes)
	b = append(b, recordMagic...)
	b = append(b, byte(h.kind), h.more, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.batch))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.generation))
	b = binary.LittleEndian.AppendUint64(b, h.write)
	b = binary.LittleEndian.AppendUint64(b, h.length)
	b = binary.LittleEndian.AppendUint32(b, h.sum)
	return binary.LittleEndian.AppendUint32(b, checksum(id[:], b))
}

// decodeRecordHeader returns false for anything that this log did not write.
func decodeRecordHeader(b []byte, id [16]byte) (h recordHeader, ok bool) {
	if len(b) < recordHeaderBytes || string(b[:4]) != recordMagic ||
		binary.LittleEndian.Uint32(b[44:]) != checksum(id[:], b[:44]) {
		return h, false
	}
	h = recordHeader{
		kind:       recordKind(b[4]),
		more:       b[5],
		batch:      int64(binary.LittleEndian.Uint64(b[8:])),
		generation: int64(binary.LittleEndian.Uint64(b[16:])),
		write:      binary.LittleEndian.Uint64(b[24:]),
		length:     binary.LittleEndian.Uint64(b[32:]),
		sum:        binary.LittleEndian.Uint32(b[40:]),
	}
	return h, h.kind >= recordPlan && h.kind <= recordCommit
}

// padding returns the zeros behind a payload.
func padding(length uint64) int { return int(-length % recordAlign) }

// uuidText returns the usual form of an identity.
func uuidText(id [16]byte) string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
