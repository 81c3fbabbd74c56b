package render

import (
	"bufio"
	"io"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/arrowtext"
)

// jsonWriter prints objects: one array of them, or one per line.
type jsonWriter struct {
	w      *bufio.Writer
	schema *arrow.Schema
	lines  bool
	rows   int64
	buf    []byte
}

func newJSON(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	return &jsonWriter{w: bufio.NewWriter(w), schema: schema}, nil
}

func newJSONLines(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	return &jsonWriter{w: bufio.NewWriter(w), schema: schema, lines: true}, nil
}

func (j *jsonWriter) Write(rec arrow.Record) error {
	object := arrowtext.Console.Object(j.schema, rec)
	for row := 0; row < int(rec.NumRows()); row++ {
		switch {
		case j.lines:
		case j.rows == 0:
			j.w.WriteByte('[')
		default:
			j.w.WriteString(",\n")
		}
		j.rows++
		b := object(j.buf[:0], row)
		if j.lines {
			b = append(b, '\n')
		}
		j.w.Write(b)
		j.buf = b
	}
	return j.w.Flush()
}

func (j *jsonWriter) Close() (int64, error) {
	if !j.lines {
		if j.rows == 0 {
			j.w.WriteByte('[')
		}
		j.w.WriteString("]\n")
	}
	return j.rows, j.w.Flush()
}
