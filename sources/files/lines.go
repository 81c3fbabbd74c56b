package files

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"ssql/internal/format/column"
)

// lineSplitter cuts a stream of bytes at line ends and feeds a reader's decoder. The
// bytes collect in the reader's block.
type lineSplitter struct {
	reader *reader
	config *config

	have     int  // bytes of an unfinished line at the start of the block
	begun    bool // the first bytes have been looked at for a byte order mark
	skipping bool // in a line that was refused for its length
}

// room returns where the next bytes go.
func (l *lineSplitter) room() []byte {
	r := l.reader
	if l.have+column.Slack >= len(r.block)/2 {
		grown := make([]byte, 2*len(r.block))
		copy(grown, r.block[:l.have])
		r.block = grown
	}
	return r.block[l.have : len(r.block)-column.Slack]
}

// take decodes the lines that n more bytes complete.
func (l *lineSplitter) take(n int) error {
	block := l.reader.block[:l.have+n]
	if !l.begun && len(block) >= len(byteOrderMark) {
		l.begun = true
		if bytes.HasPrefix(block, byteOrderMark) {
			block = block[:copy(block, block[len(byteOrderMark):])]
		}
	}
	if l.skipping {
		end := bytes.IndexByte(block, '\n') + 1
		if end == 0 {
			l.have = 0
			return nil
		}
		l.skipping = false
		block = block[:copy(block, block[end:])]
	}
	end := bytes.LastIndexByte(block, '\n') + 1
	if end > 0 {
		// The decoder writes behind the lines it is given, where the next one starts.
		var next [column.Slack]byte
		behind := l.reader.block[end : end+column.Slack]
		copy(next[:], behind)
		if err := l.reader.decoder.Decode(block[:end]); err != nil {
			return err
		}
		copy(behind, next[:])
	}
	l.have = copy(block, block[end:])
	if l.have > l.config.format.LineBytesMax {
		err := l.reader.decoder.Refuse(block[:l.have], lineTooLong(l.config))
		l.have, l.skipping = 0, true
		return err
	}
	return nil
}

// finish decodes a last line without newline.
func (l *lineSplitter) finish() error {
	if l.have == 0 {
		return nil
	}
	err := l.reader.decoder.Decode(l.reader.block[:l.have])
	l.have = 0
	return err
}

// sampleOf returns up to most lines from the start of a file.
func sampleOf(name string, most int) ([][]byte, error) {
	f, info, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_, head, err := headOf(f, info.Size())
	if err != nil {
		return nil, err
	}
	var content io.Reader = f
	if c := compressionOf(head); c != "" {
		unpacked, err := unpack(f, c)
		if err != nil {
			return nil, err
		}
		defer unpacked.Close()
		content = unpacked
	}
	var out [][]byte
	scanner := bufio.NewScanner(io.LimitReader(content, sampleBytes))
	scanner.Buffer(nil, sampleBytes+1)
	for len(out) < most && scanner.Scan() {
		line := bytes.TrimPrefix(scanner.Bytes(), byteOrderMark)
		out = append(out, bytes.Clone(line))
	}
	if err := scanner.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return out, nil
}

// compressionOf tells from the first bytes of a file how it is compressed. The
// magic numbers decide, not the name.
func compressionOf(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1F, 0x8B}):
		return "gzip"
	case bytes.HasPrefix(head, []byte{0x28, 0xB5, 0x2F, 0xFD}):
		return "zstd"
	}
	return ""
}
