package csv

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ssql/internal/format/cell"
	"ssql/sql/types"
)

// Delimiters are those that a file may have which does not say, the likeliest first.
const Delimiters = ",\t;|"

// IsSeparatorLine reports whether a record is the line by which Excel is told the
// delimiter, which stands before the header.
func IsSeparatorLine(record []byte) bool {
	record = bytes.TrimRight(record, "\r\n")
	return len(record) == len("sep=;") && bytes.HasPrefix(record, []byte("sep="))
}

// foreign says why a record with these names cannot be the header of a file of the stream:
// it has none of its columns. It is "" for one that can.
func (o *Options) foreign(record []byte, names []string) string {
	if len(o.Columns) == 0 || o.hasColumn(names) {
		return ""
	}
	columns := o.Columns[:min(len(o.Columns), 3)]
	shown := `"` + strings.Join(columns, `", "`) + `"`
	if len(o.Columns) > len(columns) {
		shown += " and others"
	}
	why := fmt.Sprintf("the header %q has none of the columns %s", cell.Clip(bytes.TrimRight(record, "\r\n")), shown)
	for _, other := range []byte(Delimiters) {
		d := o.Dialect
		d.Delimiter = other
		fields, _ := d.fields(record)
		if o.hasColumn(headerNames(fields)) {
			return why + fmt.Sprintf("; delimiter = '%s' finds them", strings.ReplaceAll(string(rune(other)), "\t", `\t`))
		}
	}
	if len(names) == len(o.Columns) {
		why += "; header = 'false' reads files that have none"
	}
	return why
}

// hasColumn reports whether one of the names of a header is a column of the stream.
func (o *Options) hasColumn(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(o.Columns, func(column string) bool { return strings.EqualFold(name, column) })
	})
}

// sniffRecords is how many records are looked at to tell the delimiter.
const sniffRecords = 50

// Delimiter returns what seems to part the fields of a sample: what gives most records as
// many fields as the first one has, and among such the most fields. It is 0 if nothing
// parts the first record and most others alike.
func Delimiter(sample []byte) byte {
	if first, rest, _ := bytes.Cut(sample, []byte("\n")); IsSeparatorLine(first) {
		if c := first[len("sep=")]; len(rest) > 0 {
			return c
		}
	}
	best, bestAlike, bestFields := byte(0), 0.0, 0
	for _, c := range []byte(Delimiters) {
		d := Default()
		d.Delimiter = c
		fields, alike := d.fieldsAlike(sample)
		if fields > 1 && alike > 0.5 && (alike > bestAlike || alike == bestAlike && fields > bestFields) {
			best, bestAlike, bestFields = c, alike, fields
		}
	}
	return best
}

// fieldsAlike returns how many fields the first record of a sample has, and what part of
// the others has as many; 1 where there are no others. A first one with a
// stray quote has none, another one those that it has without looking at quotes. A last record without its end that has too few does not count: it is cut short.
func (d *Dialect) fieldsAlike(sample []byte) (fields int, alike float64) {
	unfinished := len(closed(sample)) > len(sample)
	sample = closed(sample)
	same, others := 0, 0
	for n := 0; n < sniffRecords && len(sample) > 0; n++ {
		end := d.firstEnd(sample, true)
		record := bytes.TrimRight(sample[:end], "\r\n")
		sample = sample[end:]
		if len(record) == 0 {
			continue
		}
		found := 0
		if fields > 0 {
			found = bytes.Count(record, []byte{d.Delimiter}) + 1
		}
		if d.isWhole(record) {
			names, _ := d.fields(record)
			found = len(names)
		}
		switch {
		case fields == 0:
			if fields = found; found == 0 {
				return 0, 0
			}
		case found == fields:
			same++
		case len(sample) == 0 && unfinished && found < fields:
		default:
			others++
		}
	}
	if same+others == 0 {
		return fields, 1
	}
	return fields, float64(same) / float64(same+others)
}

// closed returns text with a line end behind its last record.
func closed(text []byte) []byte {
	if len(text) == 0 || text[len(text)-1] == '\n' {
		return text
	}
	return append(text[:len(text):len(text)], '\n')
}

// isWhole reports whether no field of a record begins with a stray quote.
func (d *Dialect) isWhole(record []byte) bool {
	record = closed(record)
	for p := 0; p < len(record); {
		if record[p] == d.Quote && d.Quote != 0 {
			if p = d.quotedEnd(record, 0, p); p <= 0 {
				return false
			}
		}
		n := bytes.IndexByte(record[p:], d.Delimiter)
		if n < 0 {
			return true
		}
		p += n + 1
	}
	return true
}

// HasHeader reports whether the first record of a sample seems to name columns. It does not
// if others follow that have the same types in all columns as it has itself, and not all of
// these are text. A column that has no other value does not count.
func (d *Dialect) HasHeader(sample []byte) bool {
	with, without := *d, *d
	with.Header, without.Header = true, false
	_, below, errBelow := with.tallies([][]byte{sample})
	_, all, errAll := without.tallies([][]byte{sample})
	if errBelow != nil || errAll != nil || len(below) != len(all) {
		return true
	}
	values := 0
	for i := range all {
		if below[i].Kinds() == 0 {
			continue // nothing to compare with
		}
		kind := all[i].Kinds().Type().Kind // of all values: a header is one among many
		if kind != below[i].Kinds().Type().Kind {
			return true
		}
		if kind != types.Varchar {
			values++
		}
	}
	return values == 0
}
