package ndjson

import (
	"ssql/internal/format/column"
)

// Complete reports whether a line without newline is blank or a whole object: more
// bytes behind it could only make it wrong. A source uses it to decide whether the
// last line of a file that may still be written is a row.
func Complete(line []byte) bool {
	s, err := NewShape(Options{})
	if err != nil {
		return false
	}
	d := s.NewDecoder()
	d.buf = append(append(make([]byte, 0, len(line)+column.Slack), line...), '\n')
	d.buf = d.buf[:len(line)+column.Slack]
	d.steps.giveUp()
	end, _, f := d.parseLine(0)
	return f == nil && end == len(line)+1
}
