package shell

import (
	"io"
	"testing"
)

// byteReader gives one byte per Read, the worst way to receive a mark.
type byteReader struct{ rest []byte }

func (b *byteReader) Read(dst []byte) (int, error) {
	if len(b.rest) == 0 {
		return 0, io.EOF
	}
	dst[0] = b.rest[0]
	b.rest = b.rest[1:]
	return 1, nil
}

func (b *byteReader) Close() error { return nil }

func TestPasteReader(t *testing.T) {
	for in, want := range map[string]string{
		"select 1;\r":                          "select 1;\r",
		"\x1b[200~a\tb\r\nc\nd\r\x1b[201~\te":  "a b\rc\rd\r\te",
		"\x1b[200~x\x1b[Ay\x01\x1b[201~\x1b[A": "x[Ay\x1b[A", // no keys out of a paste
		"\x1b[A\x1b[20~":                       "\x1b[A\x1b[20~",
		"a\x13b":                               "ab",
		"\x1b":                                 "\x1b",
		"\x1b[200~caf\u00e9\x1b[201~":          "caf\u00e9",
		"\x1b[200~unfinished":                  "unfinished",
		"\x1b[200~\x1b[201~\x1b[200~twice\x1b[201~.": "twice.",
	} {
		got, err := io.ReadAll(newPasteReader(&byteReader{[]byte(in)}))
		if err != nil || string(got) != want {
			t.Errorf("%q: got %q, %v; want %q", in, got, err, want)
		}
	}
}
