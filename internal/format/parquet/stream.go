package parquet

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// stream gives the bytes of a column chunk to the reader of pages. That of the library
// goes on with old bytes behind the end: a damaged chunk has pages without end in it.
type stream struct{ rest []byte }

// Peek returns the next n bytes, or with io.EOF those that are left.
func (s *stream) Peek(n int) ([]byte, error) {
	if n > len(s.rest) {
		return s.rest, io.EOF
	}
	return s.rest[:n], nil
}

// Discard skips n bytes.
func (s *stream) Discard(n int) (int, error) {
	skipped := min(n, len(s.rest))
	s.rest = s.rest[skipped:]
	if skipped < n {
		return skipped, io.EOF
	}
	return skipped, nil
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// pages opens a column of a row group, by its number as stored.
func (f *File) pages(group, leaf int) (file.PageReader, error) {
	chunk, err := f.reader.RowGroup(group).MetaData().ColumnChunk(leaf)
	if err != nil {
		return nil, err
	}
	from, bytes := chunk.DataPageOffset(), chunk.TotalCompressedSize()
	if chunk.HasDictionaryPage() && chunk.DictionaryPageOffset() > 0 {
		from = min(from, chunk.DictionaryPageOffset())
	}
	if from < 0 || bytes < 0 || from > f.size || bytes > f.size-from {
		return nil, fmt.Errorf("column %q says that it has %d bytes from byte %d on, and the file has %d", chunk.PathInSchema(), bytes, from, f.size)
	}
	if f.reader.MetaData().WriterVersion().LessThan(metadata.Parquet816FixedVersion) {
		// parquet-mr up to 1.2.8 did not count the header of the dictionary (PARQUET-816).
		bytes += min(100, f.size-from-bytes)
	}
	data := make([]byte, bytes)
	if _, err := f.at.ReadAt(data, from); err != nil {
		return nil, err
	}
	if err := checkSums(data[:min(int64(len(data)), chunk.TotalCompressedSize())]); err != nil {
		return nil, fmt.Errorf("column %q: %w", chunk.PathInSchema(), err)
	}
	return file.NewPageReader(&stream{data}, chunk.NumValues(), chunk.Compression(), f.memory, nil)
}

// checkPages goes through the pages of a column that the library reads, which may not end
// before it expects. See stream.
func (f *File) checkPages(group, leaf int) error {
	pages, err := f.pages(group, leaf)
	if err != nil {
		return err
	}
	values := int64(0)
	for pages.Next() {
		if p, ok := pages.Page().(file.DataPage); ok {
			values += int64(p.NumValues())
		}
	}
	if err := pages.Err(); err != nil {
		return err
	}
	chunk, err := f.reader.RowGroup(group).MetaData().ColumnChunk(leaf)
	if err == nil && values < chunk.NumValues() {
		err = fmt.Errorf("column %q says that it has %d values, and its pages have %d", chunk.PathInSchema(), chunk.NumValues(), values)
	}
	return err
}
