package column

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

// Chunk is the rows of one record under construction, a Builder per column.
type Chunk struct {
	Cols []*Builder

	names  []string
	schema *arrow.Schema
	open   bool // the builders have memory
}

// NewChunk returns the columns of fields. encode says, per field, which come dictionary
// encoded; it may be shorter.
func NewChunk(pool *Pool, fields []types.Field, encode []bool) *Chunk {
	c := &Chunk{}
	for i, f := range fields {
		c.Cols = append(c.Cols, NewBuilder(pool, f, i < len(encode) && encode[i]))
		c.names = append(c.names, f.Name)
	}
	return c
}

// SetFormats says how the times of columns are written, those in STRUCTs, LISTs and MAPs
// included: by a format of the column, else by that of the stream for its type; nil is
// ISO-8601. own has one for each column, or is nil.
func (c *Chunk) SetFormats(own []*types.TimeFormat, timestamps, dates *types.TimeFormat) {
	for i, b := range c.Cols {
		ts, d := timestamps, dates
		if i < len(own) && own[i] != nil {
			ts, d = own[i], own[i]
		}
		b.setFormat(ts, d)
	}
}

func (b *Builder) setFormat(timestamps, dates *types.TimeFormat) {
	switch b.Type.Kind {
	case types.Timestamp:
		b.Format = timestamps
	case types.Date:
		b.Format = dates
	}
	for _, part := range b.Children {
		part.setFormat(timestamps, dates)
	}
}

// Start takes memory for up to rows rows, unless it has some; started says which.
func (c *Chunk) Start(rows int) (started bool) {
	if c.open {
		return false
	}
	for _, b := range c.Cols {
		b.Start(rows)
	}
	c.open = true
	return true
}

// Reset forgets what was written of a row, the last one.
func (c *Chunk) Reset(row int) {
	for _, b := range c.Cols {
		b.Reset(row)
	}
}

// Record returns the first rows rows as a record that owns the memory.
func (c *Chunk) Record(rows int) arrow.Record {
	arrays := make([]arrow.Array, len(c.Cols))
	for i, b := range c.Cols {
		arrays[i] = b.Finish(rows)
	}
	rec := array.NewRecord(c.schemaNow(), arrays, int64(rows))
	for _, a := range arrays {
		a.Release()
	}
	c.open = false
	return rec
}

// Discard gives the memory back.
func (c *Chunk) Discard() {
	if !c.open {
		return
	}
	for _, b := range c.Cols {
		b.Finish(0).Release()
	}
	c.open = false
}

// schemaNow returns the schema of the rows: dictionary columns may have become plain.
func (c *Chunk) schemaNow() *arrow.Schema {
	if c.schema != nil {
		same := true
		for i, b := range c.Cols {
			same = same && c.schema.Field(i).Type == b.arrowType()
		}
		if same {
			return c.schema
		}
	}
	fields := make([]arrow.Field, len(c.Cols))
	for i, b := range c.Cols {
		fields[i] = arrow.Field{Name: c.names[i], Type: b.arrowType(), Nullable: true}
	}
	c.schema = arrow.NewSchema(fields, nil)
	return c.schema
}
