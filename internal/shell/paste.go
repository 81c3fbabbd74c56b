package shell

import (
	"bytes"
	"io"
)

// The marks around pasted text.
var (
	pasteBegin = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// ctrlS freezes output on a terminal in cooked mode and panics the line editor when
// Ctrl-C follows (its issue 163).
const ctrlS = 0x13

// pasteReader takes the marks of bracketed paste out of what a terminal sends.
// Within a paste tabs become blanks, so that they do not complete, and other
// control characters but line ends are dropped, so that pasted text cannot act as
// keys. Line ends submit, as typed ones do.
type pasteReader struct {
	in      io.ReadCloser
	pasting bool
	lastCR  bool
	held    []byte // read, not yet passed on: it may be the start of a mark
	ready   []byte // filtered, not yet taken
	err     error
}

func newPasteReader(in io.ReadCloser) *pasteReader { return &pasteReader{in: in} }

// Read implements io.Reader.
func (p *pasteReader) Read(dst []byte) (int, error) {
	buf := make([]byte, 4096)
	for len(p.ready) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		n, err := p.in.Read(buf)
		p.held = append(p.held, buf[:n]...)
		p.err = err
		p.filter(err != nil)
	}
	n := copy(dst, p.ready)
	p.ready = append(p.ready[:0], p.ready[n:]...)
	return n, nil
}

// Close implements io.Closer.
func (p *pasteReader) Close() error { return p.in.Close() }

// filter moves bytes from held to ready. It keeps back what may be the beginning of
// a mark, unless nothing more will come.
func (p *pasteReader) filter(last bool) {
	for len(p.held) > 0 {
		mark := pasteBegin
		if p.pasting {
			mark = pasteEnd
		}
		if p.held[0] == mark[0] {
			if bytes.HasPrefix(p.held, mark) {
				p.held = p.held[len(mark):]
				p.pasting = !p.pasting
				continue
			}
			// A lone ESC is held too: the editor would wait for the next byte as well.
			if bytes.HasPrefix(mark, p.held) && !last {
				return
			}
		}
		p.pass(p.held[0])
		p.held = p.held[1:]
	}
}

func (p *pasteReader) pass(c byte) {
	afterCR := p.lastCR
	p.lastCR = c == '\r'
	switch {
	case c == ctrlS:
	case !p.pasting:
		p.ready = append(p.ready, c)
	case c == '\t':
		p.ready = append(p.ready, ' ')
	case c == '\n' && afterCR: // CR LF is one line end
	case c == '\n' || c == '\r':
		p.ready = append(p.ready, '\r')
	case c >= 0x20 && c != 0x7f:
		p.ready = append(p.ready, c)
	}
}
