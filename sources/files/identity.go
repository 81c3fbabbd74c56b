package files

import (
	"encoding/base64"
	"hash/crc32"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"unicode/utf8"
)

// fileID is what a file is, whatever it is called. A rename keeps it.
type fileID struct {
	Dev uint64 `json:"dev,omitempty"`
	Ino uint64 `json:"ino,omitempty"`
	// Born is when the file was made, in nanoseconds since 1970: it tells a number that
	// was given again. 0 where the file system does not say.
	Born int64 `json:"born,omitempty"`
}

// inode is the part of an identity that a listing gives.
type inode struct{ dev, ino uint64 }

func (id fileID) inode() inode { return inode{id.Dev, id.Ino} }

// known is false for what older versions wrote.
func (id fileID) known() bool { return id.Ino != 0 }

// same reports whether two identities, as far as they are known, are of one file.
func (id fileID) same(other fileID) bool {
	return id.inode() == other.inode() && (id.Born == 0 || other.Born == 0 || id.Born == other.Born)
}

// idOf returns the identity of a file without its time of birth, which takes another
// call.
func idOf(info fs.FileInfo) fileID {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fileID{Dev: uint64(st.Dev), Ino: st.Ino}
	}
	return fileID{}
}

// fileName names a file relative to the root of a pattern, with slashes. It need not be
// UTF-8, and JSON text is: other names are written as a NUL, which no name has, and
// base64.
type fileName string

const bytesMark = "\x00"

func (n fileName) text() string {
	if utf8.ValidString(string(n)) {
		return string(n)
	}
	return bytesMark + base64.StdEncoding.EncodeToString([]byte(n))
}

func nameOfText(text string) (fileName, error) {
	packed, is := strings.CutPrefix(text, bytesMark)
	if !is {
		return fileName(text), nil
	}
	name, err := base64.StdEncoding.DecodeString(packed)
	return fileName(name), err
}

// MarshalText implements encoding.TextMarshaler.
func (n fileName) MarshalText() ([]byte, error) { return []byte(n.text()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *fileName) UnmarshalText(text []byte) (err error) {
	*n, err = nameOfText(string(text))
	return err
}

// sampledBytes at the start of a file, and as many before the place up to which it was
// read, are checksummed: a file that has both still holds what was read.
const sampledBytes = 1024

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// headOf returns the checksum of the first bytes of a file that had the given size,
// and the bytes.
func headOf(f io.ReaderAt, size int64) (sum uint32, head []byte, err error) {
	head = make([]byte, min(size, sampledBytes))
	if _, err := f.ReadAt(head, 0); err != nil {
		return 0, nil, err
	}
	return crc32.Checksum(head, castagnoli), head, nil
}

// tailOf returns the checksum of the last bytes before a place, and the bytes.
func tailOf(f io.ReaderAt, to int64) (sum uint32, tail []byte, err error) {
	tail = make([]byte, min(to, sampledBytes))
	if _, err := f.ReadAt(tail, to-int64(len(tail))); err != nil {
		return 0, nil, err
	}
	return crc32.Checksum(tail, castagnoli), tail, nil
}
