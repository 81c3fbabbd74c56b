package op

import (
	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
)

// StateLimits bound what one operator holds between batches. 0: no limit.
type StateLimits struct {
	RowsMax  int64 // state_rows_max
	BytesMax int64 // state_bytes_max
}

// check refuses state beyond its limits: an error that names the option comes before
// the machine runs out of memory. holder and unit name what is held, and advice says
// how to hold less.
func (l StateLimits) check(holder, unit string, rows, bytes int64, advice string) error {
	if l.RowsMax > 0 && rows > l.RowsMax {
		return sqlerr.New("E_LIMIT", "the %s holds %d %s, more than state_rows_max = %d", holder, rows, unit, l.RowsMax).
			WithHint("%s, or raise state_rows_max", advice)
	}
	if l.BytesMax > 0 && bytes > l.BytesMax {
		return sqlerr.New("E_LIMIT", "the %s holds %d bytes, more than state_bytes_max = %d", holder, bytes, l.BytesMax).
			WithHint("%s, or raise state_bytes_max", advice)
	}
	return nil
}

// recordBytes returns about how much memory the columns of a record take.
func recordBytes(rec arrow.Record) int64 {
	n := uint64(0)
	for _, c := range rec.Columns() {
		n += c.Data().SizeInBytes()
	}
	return int64(n)
}
