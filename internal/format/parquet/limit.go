package parquet

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// What a file may ask for: its headers say how large things are before they are read,
// and a damaged one can say anything. A page of one value again and again is packed well, but
// not better than this.
const (
	askedMin       = 64 << 20 // bytes of a page, or rows of a row group
	askedPerStored = 1000     // and this for each byte of the file
)

// askedMax returns the most bytes of a page, or rows of a row group, of a file.
func askedMax(fileBytes int64) int64 { return askedMin + askedPerStored*fileBytes }

// allocator gives memory for pages, up to a number of bytes at once.
type allocator struct {
	memory.GoAllocator
	bytesMax int64
}

// Allocate returns memory. Its contract has no error: what is too much is a panic, which
// recovered turns into the error of the file, as it does those of the reader.
func (a *allocator) Allocate(size int) []byte {
	a.check(size)
	return a.GoAllocator.Allocate(size)
}

// Reallocate returns memory with the bytes of b; see Allocate.
func (a *allocator) Reallocate(size int, b []byte) []byte {
	a.check(size)
	return a.GoAllocator.Reallocate(size, b)
}

func (a *allocator) check(size int) {
	if int64(size) > a.bytesMax {
		panic(fmt.Sprintf("a page says that it needs %d bytes, more than %d", size, a.bytesMax))
	}
}

// rows returns the rows of a row group.
func (f *File) rows(group int) (int64, error) {
	rows, most := f.reader.MetaData().RowGroups[group].GetNumRows(), askedMax(f.size)
	if rows < 0 || rows > most {
		return 0, fmt.Errorf("it says that it has %d rows, and %d bytes hold no more than %d", rows, f.size, most)
	}
	return rows, nil
}
