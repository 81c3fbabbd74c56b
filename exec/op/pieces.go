package op

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
)

// Sizes bound the chunks that an expansion makes, and what it makes of one row. 0: no bound.
type Sizes struct {
	ChunkRows  int
	ChunkBytes int64 // about, of what is copied; texts are shared
	// RowsPerRowMax is how many rows may be made of one (rows_per_row_max).
	RowsPerRowMax int64
}

// pieces cuts the rows that an expansion makes of a chunk into chunks. made gives the columns
// that stand beside those of the chunk, for the rows since the last cut.
type pieces struct {
	what string // for messages
	t    *Task
	rec  arrow.Record
	used []bool // columns of rec that somebody reads; nil: all
	emit func(rows []int32, taken []arrow.Array) error

	rows  []int32
	bytes int64
	row   int32 // the newest row, how often it came, and what a copy of it takes
	count int64
	cost  int64
}

func newPieces(what string, t *Task, rec arrow.Record, used []bool, emit func(rows []int32, taken []arrow.Array) error) *pieces {
	return &pieces{what: what, t: t, rec: rec, used: used, emit: emit, row: -1}
}

// add adds a row that is made of a row of the chunk and extra bytes beside it.
func (p *pieces) add(row int32, extra int64) error {
	if row != p.row {
		p.row, p.count, p.cost = row, 0, p.rowBytes(int(row))
	}
	p.count++
	if limit := p.t.Sizes.RowsPerRowMax; limit > 0 && p.count > limit {
		return &expr.RowError{Row: int(row), Err: sqlerr.New("E_LIMIT", "%s makes more than rows_per_row_max = %d rows of one row", p.what, limit).
			WithHint("leave such rows out by a condition, or raise rows_per_row_max")}
	}
	p.rows, p.bytes = append(p.rows, row), p.bytes+p.cost+extra
	s := p.t.Sizes
	if s.ChunkRows > 0 && len(p.rows) >= s.ChunkRows || s.ChunkBytes > 0 && p.bytes >= s.ChunkBytes {
		return p.cut()
	}
	return nil
}

// cut gives the rows since the last cut on.
func (p *pieces) cut() error {
	if len(p.rows) == 0 {
		return nil
	}
	cols := make([]arrow.Array, p.rec.NumCols())
	for i, a := range p.rec.Columns() {
		if p.unused(i) {
			cols[i] = array.NewNull(len(p.rows))
		} else {
			cols[i] = expr.Share(a, p.rows)
		}
	}
	p.t.From = p.rows
	err := p.emit(p.rows, cols)
	p.rows, p.bytes = p.rows[:0:0], 0
	return err
}

func (p *pieces) unused(i int) bool { return p.used != nil && i < len(p.used) && !p.used[i] }

// rowBytes returns about how many bytes a copy of a row takes.
func (p *pieces) rowBytes(row int) int64 {
	n := int64(0)
	for i, a := range p.rec.Columns() {
		switch a.(type) {
		case *array.String, *array.Dictionary:
			n += 4
		default:
			if !p.unused(i) {
				n += expr.RowBytes(a, row)
			}
		}
	}
	return n
}

// emitColumns emits columns, which are made of the listed rows of a chunk, as a record of a schema
// and releases them.
func emitColumns(of arrow.Record, rows []int32, schema *arrow.Schema, cols []arrow.Array, emit Emit) error {
	rec := tracedTake(of, array.NewRecord(schemaOf(schema, cols), cols, int64(len(rows))), rows)
	defer rec.Release()
	for _, c := range cols {
		c.Release()
	}
	return emit(rec)
}
