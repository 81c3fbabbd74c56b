package parquet

import (
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

// tryNested reads the parts of a field that is nested, to see that it can be done. Arrow's
// reader of STRUCTs and MAPs reads each part in a goroutine of its own, in which a panic over
// damage would end the process.
func (f *File) tryNested(group int, field *pqarrow.SchemaField) error {
	for k := range field.Children {
		part := &field.Children[k]
		if len(part.Children) > 0 {
			if err := f.tryNested(group, part); err != nil {
				return err
			}
		} else if err := f.tryPart(group, part); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) tryPart(group int, part *pqarrow.SchemaField) error {
	pages, err := f.pages(group, part.ColIndex)
	if err != nil {
		return err
	}
	r := file.NewRecordReader(f.reader.MetaData().Schema.Column(part.ColIndex), part.LevelInfo, part.Field.Type, f.memory, f.reader.BufferPool())
	defer r.Release()
	r.SetPageReader(pages)
	for r.HasMore() {
		r.Reset()
		if err := r.Reserve(int64(f.chunkRows)); err != nil {
			return err
		}
		rows, err := r.ReadRecords(int64(f.chunkRows))
		if err != nil || rows == 0 {
			return err
		}
		if b, ok := r.(file.BinaryRecordReader); ok {
			releaseAll(b.GetBuilderChunks())
		}
	}
	return nil
}
