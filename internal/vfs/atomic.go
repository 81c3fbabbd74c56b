package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// TempSuffix ends the names of files that WriteFile has not finished. Whoever owns a
// directory may remove them when nobody else writes there.
const TempSuffix = ".tmp"

// WriteFile gives a file its whole content at once: after a crash at any moment the
// name shows the old file or the new one, never a part. The order is temporary file,
// write, sync, name, sync of the directory; without the first sync a power cut leaves
// an empty file under the final name, without the second the name is gone.
func WriteFile(fsys FS, name string, parts ...[]byte) error {
	return writeNamed(fsys, name, fsys.Rename, parts)
}

// WriteNewFile is WriteFile for a file that may get its name only once: it fails with
// fs.ErrExist, and changes nothing, if the name is taken.
func WriteNewFile(fsys FS, name string, parts ...[]byte) error {
	link := func(temp, name string) error {
		if err := fsys.Link(temp, name); err != nil {
			return err
		}
		return fsys.Remove(temp)
	}
	return writeNamed(fsys, name, link, parts)
}

func writeNamed(fsys FS, name string, publish func(temp, name string) error, parts [][]byte) error {
	temp := name + TempSuffix
	if err := writeTemp(fsys, temp, parts); err != nil {
		// The error that counts is the first; a temp file that stays is swept later.
		_ = fsys.Remove(temp)
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := publish(temp, name); err != nil {
		_ = fsys.Remove(temp)
		return fmt.Errorf("naming %s: %w", name, err)
	}
	if err := fsys.SyncDir(filepath.Dir(name)); err != nil {
		return fmt.Errorf("syncing the directory of %s: %w", name, err)
	}
	return nil
}

func writeTemp(fsys FS, temp string, parts [][]byte) error {
	f, err := fsys.Create(temp)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if len(part) == 0 {
			continue
		}
		if _, err = f.Write(part); err != nil {
			break
		}
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// MakeDir makes a directory with its parents, and makes their names durable. It syncs
// them also when they are there: a process that was killed may have made them without.
func MakeDir(fsys FS, dir string) error {
	if info, err := fsys.Stat(dir); err == nil && !info.Dir {
		return fmt.Errorf("making %s: it is a file: %w", dir, fs.ErrExist)
	}
	if err := fsys.MkdirAll(dir); err != nil {
		return err
	}
	for at := filepath.Clean(dir); at != filepath.Dir(at); at = filepath.Dir(at) {
		err := fsys.SyncDir(filepath.Dir(at))
		if errors.Is(err, fs.ErrPermission) {
			return nil // a directory that this process may not read is none that it made
		}
		if err != nil {
			return fmt.Errorf("syncing the directory of %s: %w", at, err)
		}
	}
	return nil
}

// ReadFile returns the whole content of a file.
func ReadFile(fsys FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if n, err := f.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return data, nil
}
