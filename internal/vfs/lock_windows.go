package vfs

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks one byte far behind the content, which stays readable.
func lockFile(f *os.File) error {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
}

func isLocked(err error) bool { return errors.Is(err, windows.ERROR_LOCK_VIOLATION) }

// SyncDir does nothing: NTFS journals names by itself and directories cannot be
// opened for writing.
func (OS) SyncDir(string) error { return nil }

// fileID is not known: a name is all that this package asks Windows for.
func fileID(os.FileInfo) FileID { return FileID{} }
