package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"ssql/internal/owner"
	"ssql/internal/vfs"
)

// The names in a checkpoint directory.
const (
	lockName       = "LOCK"
	metadataName   = "metadata"
	generationName = "generation"
	printName      = "print"
	segmentPrefix  = "log-"
	snapshotPrefix = "snapshot-"
)

func segmentName(number uint64) string { return fmt.Sprintf(segmentPrefix+"%08d", number) }
func snapshotName(batch int64) string  { return fmt.Sprintf(snapshotPrefix+"%020d", batch) }
func isTemp(name string) bool {
	return isOurs(strings.TrimSuffix(name, vfs.TempSuffix)) && strings.HasSuffix(name, vfs.TempSuffix)
}
func join(dir string, n string) string { return filepath.Join(dir, n) }

// numbered returns the number in a name of a prefix. Only the canonical spelling
// counts.
func numbered(name, prefix string, canonical func(uint64) string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	return n, err == nil && canonical(n) == name
}

func segmentNumber(name string) (uint64, bool) { return numbered(name, segmentPrefix, segmentName) }

func snapshotBatch(name string) (int64, bool) {
	n, ok := numbered(name, snapshotPrefix, func(n uint64) string { return snapshotName(int64(n)) })
	return int64(n), ok
}

// isOurs reports whether this package gives a file that name.
func isOurs(name string) bool {
	switch name {
	case lockName, metadataName, generationName, printName, owner.FileName:
		return true
	}
	_, segment := segmentNumber(name)
	_, snapshot := snapshotBatch(name)
	return segment || snapshot
}

// fileWriter gives a file its whole content: vfs.WriteFile, which may replace one, or
// vfs.WriteNewFile, which may not.
type fileWriter func(fsys vfs.FS, name string, parts ...[]byte) error

// writeFramed writes a whole file: header, payload, checksum of the payload.
func writeFramed(write fileWriter, fsys vfs.FS, path string, h fileHeader, payload []byte) error {
	h.length = uint64(len(payload))
	footer := binary.LittleEndian.AppendUint32(nil, checksum(payload))
	if err := write(fsys, path, h.encode(), payload, footer); err != nil {
		return storage("writing", path, err)
	}
	return nil
}

// readFramed reads a whole file and checks everything but the query id. It reads
// the payload only when the size of the file agrees with the header, so that damage
// cannot make it ask for more memory than the file has bytes.
func readFramed(fsys vfs.FS, path, kind string) (fileHeader, []byte, error) {
	f, size, err := openSized(fsys, path)
	if err != nil {
		return fileHeader{}, nil, err
	}
	defer f.Close()
	head := make([]byte, min(size, fileHeaderBytes))
	if err := readFull(f, head, 0); err != nil {
		return fileHeader{}, nil, storage("reading", path, err)
	}
	h, err := decodeFileHeader(path, head, kind)
	if err != nil {
		return h, nil, err
	}
	if room := size - fileHeaderBytes - fileFooterBytes; room < 0 || h.length != uint64(room) {
		return h, nil, corrupt(path, -1, "expected %d bytes of content behind the header, found %d", h.length, room)
	}
	body := make([]byte, h.length+fileFooterBytes)
	if err := readFull(f, body, fileHeaderBytes); err != nil {
		return h, nil, storage("reading", path, err)
	}
	payload := body[:h.length]
	if want, found := binary.LittleEndian.Uint32(body[h.length:]), checksum(payload); want != found {
		return h, nil, corrupt(path, size-fileFooterBytes, "the content has checksum %08x, its bytes give %08x", want, found)
	}
	return h, payload, nil
}

func openSized(fsys vfs.FS, path string) (vfs.File, int64, error) {
	f, err := fsys.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, missing(path, "the checkpoint cannot be read without it").Because(err)
	}
	if err != nil {
		return nil, 0, storage("opening", path, err)
	}
	size, err := f.Size()
	if err != nil {
		f.Close()
		return nil, 0, storage("reading", path, err)
	}
	return f, size, nil
}

func readFull(f io.ReaderAt, b []byte, offset int64) error {
	n, err := f.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
