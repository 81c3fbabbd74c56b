package vfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// preallocate reserves extents. A file system without fallocate is no error.
func preallocate(f *os.File, size int64) error {
	err := retry(func() error { return unix.Fallocate(int(f.Fd()), 0, 0, size) })
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return os.NewSyscallError("fallocate", err)
}

func syncData(f *os.File) error {
	return os.NewSyscallError("fdatasync", retry(func() error { return unix.Fdatasync(int(f.Fd())) }))
}

// retry repeats a call that a signal interrupted before it did anything. It is not a
// retry of a failure.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
