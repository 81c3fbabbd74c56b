package vfs

import (
	"io"
	"io/fs"
	"slices"
	"time"
)

// write applies one change to what readers see and remembers it until Sync.
func (n *node) write(w write, now time.Time) {
	n.data = w.apply(n.data)
	n.pendingWrites = append(n.pendingWrites, w)
	n.modTime = now
}

// apply changes content in place where it fits. Bytes between the old end and a
// write behind it are zeros.
func (w write) apply(content []byte) []byte {
	if w.truncate {
		return resize(content, int(w.offset))
	}
	if end := int(w.offset) + len(w.data); end > len(content) {
		content = resize(content, end)
	}
	copy(content[w.offset:], w.data)
	return content
}

func resize(content []byte, size int) []byte {
	old := len(content)
	if size <= old {
		return content[:size]
	}
	content = slices.Grow(content, size-old)[:size]
	clear(content[old:])
	return content
}

type memFile struct {
	mem      *Mem
	node     *node
	name     string
	at       int64
	writable bool
	closed   bool
}

// check runs with the disk's lock held.
func (f *memFile) check(op string, write bool) error {
	if f.closed {
		return pathError(op, f.name, fs.ErrClosed)
	}
	if write && !f.writable {
		return pathError(op, f.name, fs.ErrPermission)
	}
	return nil
}

// Read reads at the position.
func (f *memFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.at)
	f.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

// ReadAt reads what was written, synced or not.
func (f *memFile) ReadAt(p []byte, offset int64) (int, error) {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.check("read", false); err != nil {
		return 0, err
	}
	if offset >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Write writes at the position.
func (f *memFile) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, f.at)
	f.at += int64(n)
	return n, err
}

// WriteAt writes in place.
func (f *memFile) WriteAt(p []byte, offset int64) (int, error) {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.check("write", true); err != nil {
		return 0, err
	}
	f.node.write(write{offset: offset, data: slices.Clone(p)}, f.mem.tick())
	return len(p), nil
}

// Size returns the size.
func (f *memFile) Size() (int64, error) {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	return int64(len(f.node.data)), f.check("size", false)
}

// Preallocate grows the file by zeros if the disk was made so.
func (f *memFile) Preallocate(size int64) error {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.check("preallocate", true); err != nil {
		return err
	}
	if f.mem.Preallocates && size > int64(len(f.node.data)) {
		f.node.write(write{offset: size, truncate: true}, f.mem.tick())
	}
	return nil
}

// Truncate sets the size.
func (f *memFile) Truncate(size int64) error {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.check("truncate", true); err != nil {
		return err
	}
	f.node.write(write{offset: size, truncate: true}, f.mem.tick())
	return nil
}

// Sync makes the content durable.
func (f *memFile) Sync() error {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.check("sync", true); err != nil {
		return err
	}
	for _, w := range f.node.pendingWrites {
		f.node.synced = w.apply(f.node.synced)
	}
	f.node.pendingWrites = nil
	return nil
}

// Close closes the file; it syncs nothing.
func (f *memFile) Close() error {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.check("close", false); err != nil {
		return err
	}
	f.closed = true
	return nil
}
