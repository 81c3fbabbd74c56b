package files

import (
	"bytes"

	"ssql/internal/format/column"
	"ssql/internal/format/ndjson"
)

// splitter cuts a stream of bytes at record ends and feeds a reader's decoder. The
// bytes collect in the reader's block.
type splitter struct {
	cutter
	reader *reader
	// start is told how the content begins, before anything is decoded.
	start func(start []byte)

	have  int  // bytes of an unfinished record at the start of the block
	begun bool // the first bytes have been looked at for a byte order mark
	mark  int  // and it has this length
	// rest finds the end of a record that was refused for its length; nil if none is.
	rest func(block []byte) (end int, done bool)
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
		l.start(block)
	}
	if l.rest != nil {
		end, done := l.rest(block)
		if !done {
			l.pass(block)
			l.have = 0
			return nil
		}
		l.rest = nil
		l.pass(block[:end])
		block = block[:copy(block, block[end:])]
	}
	end := l.LastEnd(block)
	tooLong := end == 0 && len(block) > l.lineMax
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
		err := l.reader.decoder.Refuse(block[:l.have], lineTooLong(l.lineMax))
		l.rest = l.Rest(block[:l.have])
		l.pass(block[:l.have])
		l.have = 0
		return err
	}
	return nil
}

// pass tells the decoder of values what it is not given; that of lines counts them.
func (l *splitter) pass(block []byte) {
	if d, ok := l.reader.decoder.(*ndjson.Decoder); ok {
		d.Skip(block)
	}
}

// finish decodes a last record without its end.
func (l *splitter) finish() error {
	block := l.reader.block[:l.have]
	l.have = 0
	if !l.begun {
		l.begun = true
		l.start(block)
	}
	if len(block) > 0 {
		if err := l.reader.decoder.Decode(block); err != nil {
			return err
		}
	}
	if d, ok := l.reader.decoder.(*ndjson.Decoder); ok && d.OpenArray() {
		return d.Refuse(nil, ndjson.Unclosed)
	}
	return nil
}
