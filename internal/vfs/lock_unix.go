//go:build unix

package vfs

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

func isLocked(err error) bool { return errors.Is(err, unix.EWOULDBLOCK) }

// SyncDir calls fsync on the directory.
func (OS) SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// fileID returns device and inode.
func fileID(info os.FileInfo) FileID {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return FileID{Device: uint64(s.Dev), Inode: s.Ino}
	}
	return FileID{}
}
