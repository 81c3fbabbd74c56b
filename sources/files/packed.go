package files

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"ssql/internal/format/parquet"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// The values of the option incomplete_files.
const (
	incompleteRead = "read"
	incompleteWait = "wait"
)

// compression is a way in which files are packed: a row of compressions.
type compression struct {
	name   string
	suffix string
	magic  string // the first bytes, which decide
	// unpack returns the content. Nil: files of this kind are not read.
	unpack func(r io.Reader) (io.ReadCloser, error)
}

// compressions returns the ways by name.
func compressions() []compression {
	return []compression{
		{"7-Zip", ".7z", "7z\xBC\xAF\x27\x1C", nil},
		{"bzip2", ".bz2", "BZh", func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(r)), nil }},
		{"compress", ".Z", "\x1F\x9D", nil},
		{"gzip", ".gz", "\x1F\x8B", func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
		{"lz4", ".lz4", "\x04\x22\x4D\x18", func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(lz4.NewReader(r)), nil }},
		{"snappy", ".sz", "\xFF\x06\x00\x00sNaPpY", nil},
		{"xz", ".xz", "\xFD7zXZ\x00", nil},
		{"zip", ".zip", "PK\x03\x04", nil},
		{"zstd", ".zst", "\x28\xB5\x2F\xFD", unpackZstd},
	}
}

// zstdWindowMax bounds the memory a frame may ask for: nine bytes can ask for
// 512 MiB.
const zstdWindowMax = 64 << 20

func unpackZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdWindowMax), zstd.WithDecoderMaxMemory(2*zstdWindowMax))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// compressionOf tells from the first bytes of a file how it is compressed; nil if it is
// not. The magic numbers decide, not the name.
func compressionOf(head []byte) *compression {
	all := compressions()
	for i := range all {
		c := &all[i]
		if bytes.HasPrefix(head, []byte(c.magic)) && (c.name != "bzip2" || isBzip2(head)) {
			return c
		}
	}
	return nil
}

// isBzip2 looks behind the three letters, which a text may begin with.
func isBzip2(head []byte) bool {
	return len(head) >= 10 && head[3] >= '1' && head[3] <= '9' && (string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17rE8P\x90")
}

// packedSuffix returns what the name of a packed file ends with, "" if it is none.
func packedSuffix(name fileName) string {
	ext := path.Ext(string(name))
	for _, c := range compressions() {
		if strings.EqualFold(ext, c.suffix) {
			return ext
		}
	}
	return ""
}

func isPacked(name fileName) bool { return packedSuffix(name) != "" }

// unpack returns the content of a compressed stream.
func unpack(r io.Reader, name string) (io.ReadCloser, error) {
	for _, c := range compressions() {
		if c.name == name && c.unpack != nil {
			return c.unpack(bufio.NewReaderSize(r, 64<<10))
		}
	}
	return nil, sqlerr.New(sqlerr.Internal, "a file is packed with %q, which is not read", name)
}

// endsEarly reports whether an error says that packed data ends before its end.
func endsEarly(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// wholeness is what was found out about the end of a file that is read whole.
type wholeness struct {
	inode
	size, mtime int64
	cutShort    bool
}

// isCutShort reports whether a file that is read whole ends too early: it is still being
// written, or its writer has died. A packed one is read for it, once.
func (s *source) isCutShort(f *os.File, p *pinned) bool {
	known := s.wholes[p.Name]
	now := wholeness{p.inode(), p.Size, p.MTime, false}
	now.cutShort = known.cutShort
	if known != now {
		now.cutShort = s.endsTooEarly(f, p)
		s.wholes[p.Name] = now
	}
	return now.cutShort
}

// noticeIncomplete says that a file waits for its end, and how to read it without.
func (s *source) noticeIncomplete(name fileName) {
	way := "CREATE STREAM with the option incomplete_files = 'read'"
	if s.stream != "" {
		way = fmt.Sprintf("ALTER STREAM %s SET (incomplete_files = 'read')", types.QuoteIdent(s.stream))
	}
	s.notice(fmt.Sprintf("file %q ends too early: it is not complete, and is read when it is; %s reads what is there", s.config.pattern.shown(name), way))
}

func (s *source) endsTooEarly(f *os.File, p *pinned) bool {
	switch {
	case p.Form == "parquet":
		return !parquet.Whole(f, p.Size)
	case p.Form == formUTF16:
		return p.Size%2 != 0
	case p.Form == formCR:
		return false
	case p.Compression == "":
		_, first := openArray(f, p.Size)
		return first
	}
	r, err := unpack(io.NewSectionReader(f, 0, p.Size), p.Compression)
	if err != nil {
		return endsEarly(err) || errors.Is(err, io.EOF)
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(r, s.config.unpackMax))
	return endsEarly(err)
}

// unpackedAs is what was found in a packed file, compared with a state.
type unpackedAs struct {
	wholeness
	of    state
	found *state
}

// unpackedState compares the content of a packed file with what was read of a plain one.
// It returns the state of the packed file if it begins with that, nil if not or if the
// file is not complete yet.
func (s *source) unpackedState(e entry, st *state) (*state, error) {
	now := unpackedAs{wholeness: wholeness{e.id.inode(), e.size, e.mtime, false}, of: *st}
	if known := s.unpacked[e.name]; known.wholeness == now.wholeness && known.of == now.of {
		return known.found, nil
	}
	f, info, err := openRegular(s.config.pattern.full(e.name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.cannotRead(e.name, err)
	}
	defer f.Close()
	if info.Size() != e.size || e.size == 0 {
		return nil, nil
	}
	packed := state{Size: e.size, MTime: e.mtime, Records: st.Records}
	sum, head, err := headOf(f, e.size)
	if err != nil {
		return nil, ignoreEnd(err)
	}
	packed.Head = sum
	if packed.Tail, _, err = tailOf(f, e.size); err != nil {
		return nil, ignoreEnd(err)
	}
	if how := compressionOf(head); how != nil && how.unpack != nil {
		rest, ok := s.unpackBehind(io.NewSectionReader(f, 0, e.size), how.name, st)
		switch {
		case ok && rest:
			packed.Skip = st.To
			now.found = &packed
		case ok:
			packed.To, packed.Done = e.size, true
			now.found = &packed
		}
	}
	s.unpacked[e.name] = now
	return now.found, nil
}

// unpackBehind unpacks what was read of a plain file; rest says that there is more behind
// it. ok is false if the content is another, or is not complete.
func (s *source) unpackBehind(packed io.Reader, how string, st *state) (rest, ok bool) {
	r, err := unpack(packed, how)
	if err != nil {
		return false, false
	}
	defer r.Close()
	head := make([]byte, min(st.Size, sampledBytes))
	if _, err := io.ReadFull(r, head); err != nil || crc32.Checksum(head, castagnoli) != st.Head {
		return false, false
	}
	if st.To < int64(len(head)) {
		// The sampled bytes of the end are among those of the beginning.
		return true, st.Tail == 0 || crc32.Checksum(head[:st.To], castagnoli) == st.Tail
	}
	tail := head
	if behind := st.To - int64(len(head)); behind > 0 {
		kept := min(st.To, sampledBytes)
		if skip := behind - kept; skip > 0 {
			if _, err := io.CopyN(io.Discard, r, skip); err != nil {
				return false, false
			}
			behind = kept
		}
		next := make([]byte, behind)
		if _, err := io.ReadFull(r, next); err != nil {
			return false, false
		}
		tail = append(tail, next...)
		tail = tail[int64(len(tail))-kept:]
	}
	if st.Tail != 0 && crc32.Checksum(tail, castagnoli) != st.Tail {
		return false, false
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r, s.config.unpackMax))
	return n > 0, err == nil
}

// notRead says that files of a kind are passed over.
func (s *source) notRead(name fileName, how *compression) {
	s.notice(fmt.Sprintf("file %q is passed over: it is packed with %s, which is not read; unpack it first", s.config.pattern.shown(name), how.name))
}
