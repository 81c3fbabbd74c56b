package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// RemovedSuffix ends the names of folders that RemoveDir has renamed and not yet emptied.
const RemovedSuffix = ".removed"

// RemoveDir removes a folder with all that is in it. It loses its name first, durably: after
// a crash it is there as it was, or is gone but for a folder of another name, which
// SweepRemoved takes away. A folder that is not there is no error.
func RemoveDir(fsys FS, dir string) error {
	away := dir + RemovedSuffix
	// What an earlier removal has left would be in the way of the name.
	if err := removeTree(fsys, away); err != nil {
		return err
	}
	err := fsys.Rename(dir, away)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("renaming %s: %w", dir, err)
	}
	if err := fsys.SyncDir(filepath.Dir(dir)); err != nil {
		return fmt.Errorf("syncing the folder of %s: %w", dir, err)
	}
	return removeTree(fsys, away)
}

// SweepRemoved removes what RemoveDir has left in a folder when it was interrupted.
func SweepRemoved(fsys FS, parent string) error {
	names, err := fsys.List(parent)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, RemovedSuffix) {
			if err := removeTree(fsys, filepath.Join(parent, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeTree removes a file, or a folder and what is in it. It follows no link.
func removeTree(fsys FS, name string) error {
	err := fsys.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	names, listErr := fsys.List(name)
	if listErr != nil {
		return err
	}
	for _, n := range names {
		if err := removeTree(fsys, filepath.Join(name, n)); err != nil {
			return err
		}
	}
	return fsys.Remove(name)
}
