// Package vfs is the only way ssql's own files reach the disk. The operating
// system is one implementation; a crashable disk in memory and an injector of
// faults are others, so that every write of a checkpoint can be the last one
// before a crash in a test.
package vfs

import (
	"io"
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
	// SyncDir makes the names in a directory durable.
	SyncDir(dir string) error
	// Lock takes an exclusive lock on a file, making it, without waiting. A held lock
	// is ErrLocked with the content of the file, which says who holds it.
	Lock(name string, content []byte) (Lock, error)
}

// Lock is a lock that is held until Close.
type Lock interface {
	io.Closer
	// Lost returns why the lock protects nothing any more: its file was removed, or another
	// has its name, so that a second holder would not be kept out. nil while it does.
	Lost() error
}

// File is an open file. Write appends at the position; WriteAt does not move it.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	Size() (int64, error)
	// Preallocate makes room for the first size bytes of the file, so that writes
	// there change neither its size nor its extents: their fdatasync is then a third
	// cheaper (0.11 against 0.16 ms for 300 bytes on ext4). The new bytes read as
	// zeros. It never shrinks a file and may do nothing.
	Preallocate(size int64) error
	Truncate(size int64) error
	// Sync makes the content and size durable, not the name. After an error the
	// system may have dropped the data and would report success the next time, so
	// nobody may try again: the file has to be written anew or the process ended.
	Sync() error
}

// Info describes a file.
type Info struct {
	Size    int64
	ModTime time.Time
	Dir     bool
	ID      FileID
}

// FileID is what stays the same of a file or folder that is renamed, and is another in a
// copy. The zero value is not known.
type FileID struct {
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

// LockedError says who holds a lock.
type LockedError struct{ Holder string }

// Error returns the text.
func (e *LockedError) Error() string { return "locked by " + e.Holder }

// Is makes every LockedError match ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// ErrLocked is the class of LockedError.
var ErrLocked error = &LockedError{}
