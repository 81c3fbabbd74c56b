package files

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/format"
	"ssql/internal/format/column"
	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql/types"
)

// metadata lists what METADATA columns of files can be.
func metadata() []sources.Metadata {
	return []sources.Metadata{
		{Name: "file", Aliases: []string{"file.path", "filename"}, Type: types.Of(types.Varchar), Summary: "name of the file, as path would name it"},
		{Name: "line", Type: types.Of(types.BigInt), Summary: "line of the file where the row starts, from 1; in Parquet the number of the row"},
		{Name: "modified", Aliases: []string{"arrival_time", "file.modification-time", "timestamp"}, Type: types.Of(types.Timestamp), Summary: "when the file was last modified before it was read: the time of arrival"},
		{Name: "offset", Type: types.Of(types.BigInt), Summary: "bytes of the file, unpacked, before the row; NULL in Parquet and JSON arrays"},
	}
}

// columns are the columns of a stream: those of the data, which a decoder makes, and
// METADATA.
type columns struct {
	fields  []types.Field // of the chunks
	keys    []string      // by field: the key of a METADATA column, or ""; nil if there is none
	pool    column.Pool
	config  *config
	formats []*types.TimeFormat // by field
}

// builder returns a builder for a column that is not in the data.
func (c *columns) builder(field int) *column.Builder {
	b := column.NewBuilder(&c.pool, c.fields[field], true)
	if field < len(c.formats) {
		b.Format = c.formats[field]
	}
	return b
}

// splitColumns parts the columns to deliver. data is o with those of the data only.
func splitColumns(o *sources.OpenContext) (c *columns, data sources.OpenContext) {
	c, data = &columns{fields: o.Fields}, *o
	data.Fields, data.Encode, data.Formats = nil, nil, nil
	for i, f := range o.Fields {
		if i < len(o.Metadata) && o.Metadata[i] != "" {
			c.keys = o.Metadata
			continue
		}
		data.Fields = append(data.Fields, f)
		data.Encode = append(data.Encode, i < len(o.Encode) && o.Encode[i])
		if i < len(o.Formats) {
			data.Formats = append(data.Formats, o.Formats[i])
		}
	}
	return c, data
}

// placed is what columns outside of the data are made of.
type placed struct {
	name   string
	pinned *pinned
	place  func(row int) (format.Place, error) // an offset below 0 is none
	values map[int]partition
}

// around returns an emit that adds the columns to the chunks of a file that are not in its
// data.
func (c *columns) around(emit func(rec arrow.Record) error, at placed) func(rec arrow.Record) error {
	if c.keys == nil {
		return emit
	}
	return func(rec arrow.Record) error {
		whole, err := c.add(rec, &at)
		if err != nil {
			return err
		}
		defer whole.Release()
		return emit(whole)
	}
}

func (c *columns) add(rec arrow.Record, at *placed) (arrow.Record, error) {
	arrays := make([]arrow.Array, len(c.fields))
	fields := make([]arrow.Field, len(c.fields))
	data := 0
	for i, f := range c.fields {
		if c.keys[i] == "" {
			arrays[i] = rec.Column(data)
			data++
		} else {
			made, err := c.make(i, int(rec.NumRows()), at)
			if err != nil {
				return nil, err
			}
			defer made.Release()
			arrays[i] = made
		}
		fields[i] = arrow.Field{Name: f.Name, Type: arrays[i].DataType(), Nullable: true}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, rec.NumRows()), nil
}

// make makes one column that is not in the data.
func (c *columns) make(field, rows int, from *placed) (arrow.Array, error) {
	b := c.builder(field)
	b.Start(rows)
	key := c.keys[field]
	for i := range rows {
		switch key {
		case "file":
			b.SetText(i, []byte(from.name))
			continue
		case "modified":
			b.I64[i] = from.pinned.MTime / 1000
			continue
		case partitionKey:
			if f := c.config.setPartition(b, i, from.values[field]); f != nil {
				b.Finish(i).Release()
				return nil, sqlerr.New(sqlerr.Internal, "the folder of %q was not checked: %s", from.name, f.Reason)
			}
			continue
		}
		at, err := from.place(i)
		if err != nil {
			b.Finish(i).Release()
			return nil, err
		}
		if key == "line" {
			b.I64[i] = at.Line
		} else if b.I64[i] = at.Offset; at.Offset < 0 {
			b.SetNull(i)
		}
	}
	return b.Finish(rows), nil
}
