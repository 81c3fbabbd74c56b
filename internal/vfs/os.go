package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// OS is the file system of the operating system.
type OS struct{}

var _ FS = OS{}

// Create makes or truncates a file that only its owner may read.
func (OS) Create(name string) (File, error) {
	return wrap(os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600))
}

// Open opens for reading.
func (OS) Open(name string) (File, error) { return wrap(os.Open(name)) }

// OpenWrite opens an existing file in place.
func (OS) OpenWrite(name string) (File, error) { return wrap(os.OpenFile(name, os.O_RDWR, 0)) }

// Rename replaces newname.
func (OS) Rename(oldname, newname string) error { return os.Rename(oldname, newname) }

// Link fails with fs.ErrExist if newname exists.
func (OS) Link(oldname, newname string) error { return os.Link(oldname, newname) }

// Remove removes a file or an empty directory.
func (OS) Remove(name string) error { return os.Remove(name) }

// MkdirAll makes a directory and its parents.
func (OS) MkdirAll(dir string) error { return os.MkdirAll(dir, 0o700) }

// List returns the names in a directory, sorted.
func (OS) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// Stat follows symbolic links.
func (OS) Stat(name string) (Info, error) {
	info, err := os.Stat(name)
	if err != nil {
		return Info{}, err
	}
	return Info{Size: info.Size(), ModTime: info.ModTime(), Dir: info.IsDir(), ID: fileID(info)}, nil
}

// Lock locks the side file name with flock, which, unlike a POSIX lock, survives
// another open and close of the same file in this process and also refuses a second
// lock by this process. The file stays after the lock is released: removing it would
// let two processes lock two files of the same name.
func (OS) Lock(name string, content []byte) (Lock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		holder, _ := io.ReadAll(io.LimitReader(f, holderBytesMax)) // only information
		f.Close()
		if !isLocked(err) {
			return nil, fmt.Errorf("locking %s: %w", name, err)
		}
		return nil, &LockedError{Holder: string(holder)}
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt(content, 0)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	return osLock{f}, nil
}

type osLock struct{ *os.File }

// Lost compares the open file with the one that has its name.
func (l osLock) Lost() error {
	open, err := l.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(l.Name())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s was removed", l.Name())
	case err != nil:
		return err
	case !os.SameFile(open, named):
		return fmt.Errorf("%s was replaced by another file", l.Name())
	}
	return nil
}

// holderBytesMax bounds what is read of a lock file that somebody else wrote.
const holderBytesMax = 4096

// Holder describes this process for the content of a lock file.
func Holder(start time.Time) []byte {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return fmt.Appendf(nil, "pid %d on %s since %s", os.Getpid(), host, start.UTC().Format(time.RFC3339))
}

type osFile struct{ *os.File }

func wrap(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// Size returns the size.
func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if info.IsDir() {
		return 0, &fs.PathError{Op: "size", Path: f.Name(), Err: fs.ErrInvalid}
	}
	return info.Size(), nil
}

// Preallocate calls fallocate where there is one.
func (f osFile) Preallocate(size int64) error { return preallocate(f.File, size) }

// Sync is fdatasync on Linux: the size is synced with the data, times are not.
func (f osFile) Sync() error { return syncData(f.File) }
