package files

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"ssql/internal/arrowtext"
	"ssql/sinks"
	"ssql/sql/types"
)

// columnar is the encoder of Parquet.
type columnar struct {
	schema  *arrow.Schema
	props   *parquet.WriterProperties
	records []arrow.Record // those of the result, then those of rows that it has no more
	keptMax int            // how many records are of the result
	at      []int
	change  *change // nil unless in update mode
}

// change is what update mode says about each row of the result.
type change struct {
	op    string
	batch int64
}

// gatherRuns is how many runs of rows are put together before they are written.
const gatherRuns = 1024

func (s *Sink) newParquet(b *sinks.Batch) *columnar {
	codec := map[string]compress.Compression{
		"none": compress.Codecs.Uncompressed, "snappy": compress.Codecs.Snappy, "zstd": compress.Codecs.Zstd,
	}[s.config.compression]
	fields := make([]types.Field, 0, len(s.layout.stored)+2)
	for _, f := range s.layout.stored {
		fields = append(fields, types.Field{Name: f.Name, Type: parquetType(f.Type), Nullable: true})
	}
	c := &columnar{records: changedRecords(b), keptMax: len(b.Outputs[0].Records), at: s.layout.at}
	if s.layout.changes {
		fields = append(fields, types.Field{Name: s.config.opColumn, Type: types.Of(types.Varchar)}, types.Field{Name: batchColumn, Type: types.Of(types.BigInt)})
		c.change = &change{op(b), b.Batch}
	}
	c.schema = types.ArrowSchema(fields)
	// A dictionary is for text: to try one on numbers, which rarely repeat, took a third of
	// the time of a query (bench w1).
	props := []parquet.WriterProperty{parquet.WithCompression(codec), parquet.WithCreatedBy("ssql"), parquet.WithDictionaryDefault(false)}
	for _, f := range fields {
		eachLeaf(f.Name, f.Type, func(path string, t types.Type) {
			switch t.Kind {
			case types.UTinyInt, types.USmallInt, types.UInt, types.UBigInt:
				// The writer's statistics of unsigned columns are wrong where there are NULLs, and
				// DuckDB refuses the file or skips rows.
				props = append(props, parquet.WithStatsFor(path, false))
			case types.Varchar, types.Blob:
				props = append(props, parquet.WithDictionaryFor(path, true))
			}
		})
	}
	c.props = parquet.NewWriterProperties(props...)
	return c
}

// parquetType is the type that a column has in the file: the writer knows no intervals,
// which become text, no JSON, and no columns without a type.
func parquetType(t types.Type) types.Type {
	return within(t.Plain(), func(t types.Type) types.Type {
		if t.Kind == types.Null || t.Kind == types.IntervalKind {
			return types.Of(types.Varchar)
		}
		return t
	})
}

// within replaces the plain types in a type.
func within(t types.Type, plain func(types.Type) types.Type) types.Type {
	switch t.Kind {
	case types.List:
		return types.ListOf(within(*t.Elem, plain))
	case types.Map:
		return types.MapOf(within(*t.Key, plain), within(*t.Elem, plain))
	case types.Struct:
		fields := make([]types.Field, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = types.Field{Name: f.Name, Type: within(f.Type, plain), Nullable: true}
		}
		return types.StructOf(fields...)
	}
	return plain(t)
}

// eachLeaf calls f with the plain columns of a column and their paths in the file.
func eachLeaf(path string, t types.Type, f func(path string, t types.Type)) {
	switch t.Kind {
	case types.List:
		eachLeaf(path+".list.element", *t.Elem, f)
	case types.Map:
		eachLeaf(path+".key_value.key", *t.Key, f)
		eachLeaf(path+".key_value.value", *t.Elem, f)
	case types.Struct:
		for _, field := range t.Fields {
			eachLeaf(path+"."+field.Name, field.Type, f)
		}
	default:
		f(path, t)
	}
}

func (c *columnar) encode(w io.Writer, p *part, _ bool) error {
	// The writer closes what has a Close; the file is still needed.
	file, err := pqarrow.NewFileWriter(c.schema, struct{ io.Writer }{w}, c.props, pqarrow.DefaultWriterProps())
	if err != nil {
		return fmt.Errorf("beginning a Parquet file: %w", err)
	}
	for runs := p.runs; len(runs) > 0; {
		n := min(len(runs), gatherRuns)
		rec, err := c.gather(runs[:n])
		if err != nil {
			return err
		}
		err = file.WriteBuffered(rec)
		rec.Release()
		if err != nil {
			return fmt.Errorf("writing rows as Parquet: %w", err)
		}
		runs = runs[n:]
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("ending a Parquet file: %w", err)
	}
	return nil
}

// gather puts runs of rows together in one record of the file's schema.
func (c *columnar) gather(runs []run) (arrow.Record, error) {
	rows := 0
	for _, r := range runs {
		rows += r.to - r.from
	}
	columns := make([]arrow.Array, 0, c.schema.NumFields())
	for _, at := range c.at {
		pieces := make([]arrow.Array, len(runs))
		for i, r := range runs {
			// Slices before the conversion: it works on all that the array has.
			slice := array.NewSlice(c.records[r.record].Column(at), int64(r.from), int64(r.to))
			pieces[i] = parquetArray(slice)
		}
		whole := pieces[0]
		if len(pieces) > 1 {
			var err error
			if whole, err = array.Concatenate(pieces, memory.DefaultAllocator); err != nil {
				return nil, fmt.Errorf("gathering the rows of a partition: %w", err)
			}
		}
		columns = append(columns, whole)
	}
	if c.change != nil {
		columns = append(columns, c.changeColumns(runs)...)
	}
	return array.NewRecord(c.schema, columns, int64(rows)), nil
}

// changeColumns returns op and batch for the rows of runs.
func (c *columnar) changeColumns(runs []run) []arrow.Array {
	op, batch := array.NewStringBuilder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
	for _, r := range runs {
		word := c.change.op
		if r.record >= c.keptMax {
			word = deleteOp
		}
		for range r.to - r.from {
			op.Append(word)
			batch.Append(c.change.batch)
		}
	}
	return []arrow.Array{op.NewArray(), batch.NewArray()}
}

// parquetArray gives a column the form of parquetType: dictionaries are spelled out,
// intervals are text.
func parquetArray(a arrow.Array) arrow.Array {
	switch a := a.(type) {
	case *array.Dictionary, *array.MonthDayNanoInterval:
		return textArray(a)
	case *array.Null:
		return array.MakeArrayOfNull(memory.DefaultAllocator, arrow.BinaryTypes.String, a.Len())
	case *array.Struct, *array.Map, *array.List:
		if hasInterval(a.DataType()) {
			return nestedArray(a)
		}
	}
	return a
}

// textArray returns the text of every row of a column that is not nested.
func textArray(a arrow.Array) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	plain := arrowtext.Files.Text(arrow.Field{}, a)
	var text []byte
	for row := range a.Len() {
		if arrowtext.IsNull(a, row) {
			b.AppendNull()
			continue
		}
		text = plain(text[:0], row)
		b.Append(string(text))
	}
	return b.NewArray()
}

// nestedArray converts what is inside of a nested column and keeps its own buffers.
func nestedArray(a arrow.Array) arrow.Array {
	data := a.Data()
	var children []arrow.ArrayData
	var kinds []arrow.DataType
	for _, child := range data.Children() {
		converted := parquetArray(array.MakeFromData(child))
		children = append(children, converted.Data())
		kinds = append(kinds, converted.DataType())
	}
	var kind arrow.DataType
	switch t := a.DataType().(type) {
	case *arrow.StructType:
		fields := t.Fields()
		for i := range fields {
			fields[i].Type = kinds[i]
		}
		kind = arrow.StructOf(fields...)
	case *arrow.MapType:
		entries := kinds[0].(*arrow.StructType)
		kind = arrow.MapOf(entries.Field(0).Type, entries.Field(1).Type)
	default:
		kind = arrow.ListOf(kinds[0])
	}
	return array.MakeFromData(array.NewData(kind, data.Len(), data.Buffers(), children, data.NullN(), data.Offset()))
}

func hasInterval(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.MonthDayNanoIntervalType, *arrow.NullType:
		return true
	case *arrow.StructType:
		for _, f := range t.Fields() {
			if hasInterval(f.Type) {
				return true
			}
		}
	case *arrow.MapType:
		return hasInterval(t.KeyType()) || hasInterval(t.ItemType())
	case *arrow.ListType:
		return hasInterval(t.Elem())
	}
	return false
}
