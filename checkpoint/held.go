package checkpoint

import (
	"errors"
	"io/fs"
	"syscall"
	"time"

	"ssql/internal/owner"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// Remove removes the checkpoint in dir; that it is not there is no error. It is refused
// with E_LOCKED while a query has it open, and if it is not the claimed database's. The
// folder loses its name at once: after a crash there is a whole checkpoint or none.
func Remove(fsys vfs.FS, dir string, claim *owner.Claim) error {
	info, err := fsys.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return storage("reading", dir, err)
	case !info.Dir:
		return notDirectory(dir)
	}
	if _, err := claim.Check(fsys, dir); err != nil {
		return ownerError(dir, err)
	}
	lock, err := fsys.Lock(join(dir, lockName), vfs.Holder(time.Now()))
	if err != nil {
		return lockError(dir, err)
	}
	defer lock.Close()
	if err := vfs.RemoveDir(fsys, dir); err != nil {
		return storage("removing", dir, err)
	}
	return nil
}

// lockError tells a lock that is held from one that cannot be had.
func lockError(dir string, err error) error {
	var held *vfs.LockedError
	if errors.As(err, &held) {
		return locked(dir, held)
	}
	return storage("locking", join(dir, lockName), err)
}

// Free refuses with E_LOCKED while a query has the checkpoint in dir open.
func Free(fsys vfs.FS, dir string) error {
	if _, err := fsys.Stat(join(dir, lockName)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := fsys.Lock(join(dir, lockName), vfs.Holder(time.Now()))
	if err != nil {
		return lockError(dir, err)
	}
	return lock.Close()
}

// Held reports whether a query has the checkpoint in dir open now, in this process or
// another. It takes the lock for a moment if nobody has it. On a file system that cannot
// be written no query runs.
func Held(fsys vfs.FS, dir string) (bool, error) {
	err := Free(fsys, dir)
	switch {
	case sqlerr.Code(err) == CodeLocked:
		return true, nil
	case errors.Is(err, syscall.EROFS):
		return false, nil
	}
	return false, err
}
