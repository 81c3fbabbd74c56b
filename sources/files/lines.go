package files

import (
	"bytes"

	"ssql/internal/format/column"
)

// splitter cuts a stream of bytes at record ends and feeds a reader's decoder. The
// bytes collect in the reader's block.
type splitter struct {
	reader *reader
	source *source

	have     int  // bytes of an unfinished record at the start of the block
	begun    bool // the first bytes have been looked at for a byte order mark
	mark     int  // and it has this length
	skipping bool // in a record that was refused for its length
}

// room returns where the next bytes go.
func (l *splitter) room() []byte {
	r := l.reader
	if l.have+column.Slack >= len(r.block)/2 {
		grown := make([]byte, 2*len(r.block))
		copy(grown, r.block[:l.have])
		r.block = grown
	}
	return r.block[l.have : len(r.block)-column.Slack]
}

// take decodes the records that n more bytes complete.
func (l *splitter) take(n int) error {
	block := l.reader.block[:l.have+n]
	if !l.begun && len(block) >= len(byteOrderMark) {
		l.begun = true
		if bytes.HasPrefix(block, byteOrderMark) {
			l.mark = len(byteOrderMark)
			block = block[:copy(block, block[l.mark:])]
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
	end := l.source.shape.LastEnd(block)
	tooLong := end == 0 && len(block) > l.source.config.lineMax
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
	if tooLong {
		err := l.reader.decoder.Refuse(block[:l.have], lineTooLong(l.source.config))
		l.have, l.skipping = 0, true
		return err
	}
	return nil
}

// finish decodes a last record without its end.
func (l *splitter) finish() error {
	if l.have == 0 {
		return nil
	}
	err := l.reader.decoder.Decode(l.reader.block[:l.have])
	l.have = 0
	return err
}
