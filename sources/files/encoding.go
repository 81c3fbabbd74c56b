package files

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// The forms of files of text that are not lines of UTF-8. They are converted while they are
// read, from start to end.
const (
	formUTF16 = "utf-16"
	formCR    = "cr" // lines end in carriage returns alone
)

// encodingOf tells from the start of a file which of these forms it has, "" for none. A
// program that shows its progress writes carriage returns into text, so that they end no
// line there.
func (c *config) encodingOf(start []byte) string {
	switch cr := bytes.IndexByte(start, '\r'); {
	case c.format.shape == nil:
	case bytes.HasPrefix(start, []byte{0xFF, 0xFE}), bytes.HasPrefix(start, []byte{0xFE, 0xFF}):
		return formUTF16
	case c.format.name != "text" && cr >= 0 && cr < len(start)-1 && bytes.IndexByte(start, '\n') < 0:
		return formCR
	}
	return ""
}

// asLines returns content, which is read from its start, as lines of UTF-8.
func (c *config) asLines(content io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(content, sampledBytes)
	start, err := b.Peek(sampledBytes)
	if len(start) == 0 && err != nil {
		return content, err
	}
	switch c.encodingOf(start) {
	case formUTF16:
		text := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(b)
		return c.asLines(text)
	case formCR:
		return crLines{b}, nil
	}
	return b, nil
}

// crLines is text whose lines end in newlines instead of carriage returns.
type crLines struct{ io.Reader }

func (r crLines) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for rest := p[:n]; ; {
		k := bytes.IndexByte(rest, '\r')
		if k < 0 {
			return n, err
		}
		rest[k] = '\n'
		rest = rest[k+1:]
	}
}
