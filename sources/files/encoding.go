package files

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/transform"
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
		if _, err := b.Discard(2); err != nil {
			return nil, err
		}
		return c.asLines(transform.NewReader(b, utf16Text{little: start[0] == 0xFF}))
	case formCR:
		return crLines{b}, nil
	}
	return b, nil
}

// utf16Text converts UTF-16 to UTF-8. What is none, half of a pair of surrogates or half of a
// character at the end, becomes a byte that is no UTF-8, so that its row is a bad one: U+FFFD
// would be stored as if the file had it.
type utf16Text struct {
	transform.NopResetter
	little bool
}

// notUTF8 is a byte that no text in UTF-8 has.
const notUTF8 = 0xFF

func (t utf16Text) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if len(dst)-nDst < utf8.UTFMax {
			return nDst, nSrc, transform.ErrShortDst
		}
		r, size := t.next(src[nSrc:], atEOF)
		switch {
		case size == 0:
			return nDst, nSrc, transform.ErrShortSrc
		case r < 0:
			dst[nDst] = notUTF8
			nDst++
		default:
			nDst += utf8.EncodeRune(dst[nDst:], r)
		}
		nSrc += size
	}
	return nDst, nSrc, nil
}

// next returns the first character of text and its size in bytes: -1 where it is none, and
// size 0 where the rest of it has to come.
func (t utf16Text) next(text []byte, atEOF bool) (r rune, size int) {
	if len(text) < 2 {
		return t.half(len(text), atEOF)
	}
	r = t.unit(text)
	if !utf16.IsSurrogate(r) {
		return r, 2
	}
	if len(text) < 4 {
		return t.half(2, atEOF)
	}
	if r = utf16.DecodeRune(r, t.unit(text[2:])); r == utf8.RuneError {
		return -1, 2
	}
	return r, 4
}

func (t utf16Text) half(size int, atEOF bool) (r rune, _ int) {
	if atEOF {
		return -1, size
	}
	return -1, 0
}

func (t utf16Text) unit(text []byte) rune {
	if t.little {
		return rune(text[0]) | rune(text[1])<<8
	}
	return rune(text[1]) | rune(text[0])<<8
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
