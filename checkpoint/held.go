package checkpoint

import (
	"errors"
	"io/fs"
	"time"

	"ssql/internal/vfs"
)

// Held reports whether a query has the checkpoint in dir open now, in this process or
// another. It takes the lock for a moment if nobody has it.
func Held(fsys vfs.FS, dir string) (bool, error) {
	if _, err := fsys.Stat(join(dir, lockName)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	lock, err := fsys.Lock(join(dir, lockName), vfs.Holder(time.Now()))
	if errors.Is(err, vfs.ErrLocked) {
		return true, nil
	}
	if err != nil {
		return false, storage("locking", join(dir, lockName), err)
	}
	return false, lock.Close()
}
