package csv

import (
	"bytes"
	"fmt"
	"strings"

	"ssql/internal/format/cell"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Infer returns the columns of files from samples, each the start of one file that ends
// with a whole record. Names come from the headers, in the order in which they first
// appear, or are column0, column1 and so on, as DuckDB's. Types are those of
// cell.Tally, with the values that they do not hold. Records with another number of fields than their header are passed over.
func Infer(d Dialect, samples [][]byte) ([]types.Field, []cell.Outlier, error) {
	names, tallies, err := d.tallies(samples)
	if err != nil {
		return nil, nil, err
	}
	var outliers []cell.Outlier
	fields := make([]types.Field, len(names))
	for i, name := range names {
		kinds, odd := tallies[i].Main()
		fields[i] = types.Field{Name: name, Type: kinds.Type(), Nullable: true}
		if odd != nil {
			odd.Column, odd.Type = name, fields[i].Type
			outliers = append(outliers, *odd)
		}
	}
	return fields, outliers, nil
}

// tallies returns the names of the columns of samples, and what each column has.
func (d *Dialect) tallies(samples [][]byte) (names []string, tallies []*cell.Tally, err error) {
	if err := d.check(); err != nil {
		return nil, nil, err
	}
	known := map[string]*cell.Tally{}
	column := func(name string) *cell.Tally {
		key := strings.ToLower(name)
		if known[key] == nil {
			known[key] = new(cell.Tally)
			names, tallies = append(names, name), append(tallies, known[key])
		}
		return known[key]
	}
	for i, sample := range samples {
		d.guess(i, sample, column)
	}
	if len(names) == 0 {
		return nil, nil, sqlerr.New("E_DECODE", "the sample is empty, so the columns are not known").
			WithHint("declare the columns: CREATE STREAM name (column TYPE, ...) WITH (...)")
	}
	return names, tallies, nil
}

// headerNames returns the names that the fields of a header give to columns, as DuckDB does:
// one without a name is columnN, and a name that comes again has _1, _2 and so on behind it.
func headerNames(fields []string) []string {
	names, seen := make([]string, len(fields)), map[string]bool{}
	for i, field := range fields {
		name := strings.TrimSpace(field)
		if name == "" {
			name = fmt.Sprintf("column%d", i)
		}
		first := name
		for n := 1; seen[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s_%d", first, n)
		}
		seen[strings.ToLower(name)] = true
		names[i] = name
	}
	return names
}

// guessField returns the kind of a field. Blanks around numbers and truth values are nothing, as
// where they are read.
func guessField(text string) cell.Guess {
	if kind := cell.GuessQuoted(strings.TrimSpace(text)); kind != 0 {
		return kind
	}
	return cell.GuessWord(text)
}

// guess takes the records of one file in.
func (d *Dialect) guess(file int, sample []byte, column func(name string) *cell.Tally) {
	var columns []*cell.Tally
	line, next := int64(1), int64(1)
	for sample = closed(sample); len(sample) > 0; {
		line = next
		end := d.firstEnd(sample, true)
		fields, _ := d.fields(sample[:end])
		first := sample[:end]
		sample, next = sample[end:], line+int64(bytes.Count(first, []byte("\n")))
		if columns == nil && IsSeparatorLine(first) {
			continue
		}
		if len(fields) == 1 && strings.TrimSpace(fields[0]) == "" {
			continue
		}
		if columns == nil {
			for i, name := range headerNames(fields) {
				if !d.Header {
					name = fmt.Sprintf("column%d", i)
				}
				columns = append(columns, column(name))
			}
			if d.Header {
				continue
			}
		}
		if len(fields) != len(columns) {
			continue
		}
		for i, text := range fields {
			if text != d.Null {
				columns[i].Add(guessField(text), 0, 1, cell.Place{Sample: file, Line: line, Text: text})
			}
		}
	}
}
