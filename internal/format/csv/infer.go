package csv

import (
	"fmt"
	"strings"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Infer returns the columns of files from samples, each the start of one file that ends
// with a whole record. Names come from the headers, in the order in which they first
// appear, or are column0, column1 and so on, as DuckDB's. Types are those of
// cell.Guess. Records with another number of fields than their header are passed over.
func Infer(d Dialect, samples [][]byte) ([]types.Field, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	var names []string
	guesses := map[string]*cell.Guess{}
	column := func(name string) *cell.Guess {
		key := strings.ToLower(name)
		if guesses[key] == nil {
			guesses[key] = new(cell.Guess)
			names = append(names, name)
		}
		return guesses[key]
	}
	for _, sample := range samples {
		d.guess(sample, column)
	}
	switch {
	case len(names) == 0:
		return nil, sqlerr.New("E_DECODE", "the sample is empty, so the columns are not known").
			WithHint("declare the columns: CREATE STREAM name (column TYPE, ...) WITH (...)")
	case len(names) > format.ColumnsMax:
		return nil, sqlerr.New("E_LIMIT", "the sample has %d columns, more than %d", len(names), format.ColumnsMax).
			WithHint("declare the columns that are needed")
	}
	fields := make([]types.Field, len(names))
	for i, name := range names {
		fields[i] = types.Field{Name: name, Type: guesses[strings.ToLower(name)].Type(), Nullable: true}
	}
	return fields, nil
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

// guess takes the records of one file in.
func (d *Dialect) guess(sample []byte, column func(name string) *cell.Guess) {
	var columns []*cell.Guess
	for sample = closed(sample); len(sample) > 0; {
		end := d.firstEnd(sample, true)
		fields, _ := d.fields(sample[:end])
		first := sample[:end]
		sample = sample[end:]
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
				*columns[i] |= cell.GuessWord(text)
			}
		}
	}
}
