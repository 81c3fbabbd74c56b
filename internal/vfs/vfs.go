// Package vfs is the only way ssql's own files reach the disk. The operating
// system is one implementation; a crashable disk in memory and an injector of
// faults are others, so that every write of a checkpoint can be the last one
// before a crash in a test.
package vfs

import (
	"io"
	"io/fs"
	"time"
)

// FS is a file system. Names are paths; relative ones are relative to the working
// directory. A file or a directory entry is durable only after Sync of the file or
// SyncDir of its directory.
type FS interface {
	// Create makes a new file or truncates an old one, mode 0600.
	Create(name string) (File, error)
	// Open opens for reading.
	Open(name string) (File, error)
	// OpenWrite opens an existing file for reading and writing in place.
	OpenWrite(name string) (File, error)
	// Rename replaces newname if it exists.
	Rename(oldname, newname string) error
	// Link makes newname another name of oldname; it fails with fs.ErrExist if newname
	// exists. Link and Remove are how a file gets its name exactly once.
	Link(oldname, newname string) error
	Remove(name string) error
	// MkdirAll makes a directory and its parents, mode 0700.
	MkdirAll(dir string) error
	// List returns the names in a directory, sorted.
	List(dir string) ([]string, error)
	Stat(name string) (Info, error)
	SyncDir(dir string) error
	// Lock takes an exclusive lock on a file, making it, without waiting. A held lock
	// is ErrLocked with the content of the file, which says who holds it.
	Lock(name string, content []byte) (io.Closer, error)
}

// File is an open file. Write appends at the position; WriteAt does not move it.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	Size() (int64, error)
	// Preallocate reserves bytes behind the end without changing the size that
	// Size reports where the system can, so that appends need no metadata writes; it
	// may do nothing.
	Preallocate(size int64) error
	Truncate(size int64) error
	Sync() error
}

// Info describes a file.
type Info struct {
	Size    int64
	ModTime time.Time
	Dir     bool
}

// LockedError says who holds a lock.
type LockedError struct{ Holder string }

// Error returns the text.
func (e *LockedError) Error() string { return "locked by " + e.Holder }

// Is makes errors.Is(err, fs.ErrExist) false and ErrLocked true.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// ErrLocked is the class of LockedError.
var ErrLocked error = &LockedError{}

var _ = fs.ErrExist
