package ndjson

import (
	"ssql/internal/format/column"
)

// Complete reports whether a line without newline is blank or a whole object: more
// bytes behind it could only make it wrong.
func (s *Shape) Complete(_, line []byte) bool {
	// The columns do not matter, only the form.
	bare, err := NewShape(Options{})
	if err != nil {
		return false
	}
	d := bare.newDecoder()
	d.buf = append(append(make([]byte, 0, len(line)+column.Slack), line...), '\n')
	d.buf = d.buf[:len(line)+column.Slack]
	d.steps.giveUp()
	end, _, f := d.parseLine(0)
	return f == nil && end == len(line)+1
}
