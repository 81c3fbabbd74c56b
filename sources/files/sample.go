package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"ssql/internal/format"
	"ssql/internal/format/ndjson"
	"ssql/internal/sqlerr"
)

// How much of the input is looked at to guess columns.
const (
	sampleFiles = 8
	sampleBytes = 1 << 20 // of each
	sampleLines = 20_000
)

// samples gives the starts of files, each of whole records. Values, which are cut one by one, come
// as they are.
func (c *config) samples(files []entry, shape format.Shape, take func(sample []byte)) error {
	for _, e := range files {
		sample, whole, err := c.sampleOf(e)
		if err != nil && !os.IsNotExist(err) {
			return c.cannotSample(e, err)
		}
		if end := c.sampleEnd(sample, shape); !whole && end > 0 && !c.isValues(sample) {
			sample = sample[:end]
		}
		take(sample)
	}
	return nil
}

// cannotSample says that the columns cannot be guessed from a file.
func (c *config) cannotSample(e entry, err error) error {
	return sqlerr.New("E_DECODE", "file %q cannot be read, so that its columns are not known", c.pattern.shown(e.name)).Because(err).
		WithHint("declare the columns, or leave the file out: CREATE STREAM name (column TYPE, ...) WITH (...)")
}

// sampleEnd returns where the whole records of a sample end that is cut short; 0 for one
// that is taken as it is: a record that is alone, or an array, whose elements are no lines.
func (c *config) sampleEnd(sample []byte, shape format.Shape) int {
	least := int64(1)
	if shape.Header() {
		least = 2
	}
	end := shape.LastEnd(sample)
	if _, records := shape.Ends(sample[:end], least); records < least && len(sample) < sampleBytes {
		return 0
	}
	return end
}

// noRows says why the files have nothing to guess columns from, if their start tells.
func (c *config) noRows(files []entry, err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != "E_DECODE" || e.Err != nil {
		return err
	}
	sample, _, readErr := c.sampleOf(files[0])
	if readErr != nil {
		return err
	}
	name, text := c.pattern.shown(files[0].name), bytes.TrimSpace(sample)
	line, _, _ := bytes.Cut(text, []byte("\n"))
	why, hint := "", e.Hint
	other := formatOfContent(string(files[0].name), sample)
	switch {
	case len(text) == 0:
		why = "is empty"
	case len(line) == len(text) && len(sample) == sampleBytes:
		why = fmt.Sprintf("has a first line of more than %d bytes", sampleBytes)
	case c.records == recordsLines && ndjson.FormOf(text) == ndjson.ValuesForm:
		why, hint = "has JSON that is not one object per line", "leave out records = 'lines'"
	case c.format.name == "json" && text[0] == '[' && len(bytes.Trim(text, "[] \t\r\n,")) > 0:
		why, hint = "has an array whose elements are no objects", "make objects of them, as jq -c '.[] | {a: .[0], b: .[1]}' does of arrays, or say format = 'text' to read each line as it is"
	case c.byNames && formatOfName(name) == "" && other != c.format.name:
		why, hint = "is no "+c.format.name, "say what the files hold: format = '"+other+"'"
	default:
		return err
	}
	return sqlerr.New(e.Code, "file %q %s, so that its columns are not known", name, why).WithHint("%s", hint)
}

// sampleOf returns up to sampleBytes from the start of a file, unpacked; whole says that
// there is no more, and that nobody seems to be writing any.
func (c *config) sampleOf(e entry) (sample []byte, whole bool, err error) {
	f, info, err := openRegular(c.pattern.full(e.name))
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	_, head, err := headOf(f, info.Size())
	if err != nil {
		return nil, false, err
	}
	var content io.Reader = f
	if packed := compressionOf(head); packed != nil && c.format.shape != nil {
		if packed.unpack == nil {
			return nil, false, fmt.Errorf("it is packed with %s, which is not read; unpack it first", packed.name)
		}
		unpacked, err := unpack(f, packed.name)
		if err != nil {
			return nil, false, err
		}
		defer unpacked.Close()
		content = unpacked
	}
	sample = make([]byte, sampleBytes)
	content, err = c.asLines(content)
	n := 0
	if err == nil {
		n, err = fill(content, sample)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return bytes.TrimPrefix(sample[:n], byteOrderMark), n < sampleBytes && time.Since(info.ModTime()) >= c.settle, err
}
