package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// The codes of this package (docs/ERRORS.md).
const (
	CodeLocked   = "E_LOCKED"           // another process has the checkpoint open
	CodeLockLost = "E_LOCK_LOST"        // the lock of an open checkpoint was removed
	CodeCorrupt  = "E_CKPT_CORRUPT"     // a file is not what was written
	CodeMissing  = "E_CKPT_MISSING"     // a file, or the whole checkpoint, is not there
	CodeVersion  = "E_CKPT_VERSION"     // written by a newer ssql
	CodeFull     = "E_STORAGE_FULL"     // no space left
	CodeIO       = "E_STORAGE_IO"       // any other failure of a write, read or sync
	CodeReadOnly = "E_STORAGE_READONLY" // no permission to write
)

// corrupt says which file is not what was written. An offset below zero means the
// whole file.
func corrupt(path string, offset int64, format string, args ...any) *sqlerr.Error {
	where := ""
	if offset >= 0 {
		where = fmt.Sprintf(" at byte %d", offset)
	}
	e := sqlerr.New(CodeCorrupt, "file %q is damaged%s: %s", path, where, fmt.Sprintf(format, args...))
	return e.WithHint("nothing was changed; restore %q from a backup, or move it away and drop the result table to start "+
		"from the beginning; `ssql checkpoint verify %s` lists all damage", filepath.Dir(path), filepath.Dir(path))
}

// foreign says that a file is intact and belongs to another query.
func foreign(path string, found, want [16]byte) *sqlerr.Error {
	return corrupt(path, -1, "it belongs to query %s, this checkpoint is of query %s", uuidText(found), uuidText(want))
}

func missing(path, format string, args ...any) *sqlerr.Error {
	e := sqlerr.New(CodeMissing, "file %q is missing: %s", path, fmt.Sprintf(format, args...))
	return e.WithHint("nothing was changed; restore %q from a backup, or move it away and drop the result table to start "+
		"from the beginning", filepath.Dir(path))
}

func notCheckpoint(dir, found string) *sqlerr.Error {
	return sqlerr.New(CodeMissing, "%q is not a checkpoint: it holds %q and no file \"metadata\"", dir, found).
		WithHint("nothing was changed; name an empty or new directory, as in checkpoint = 'dir'")
}

func notDirectory(dir string) *sqlerr.Error {
	return sqlerr.New(CodeMissing, "%q is not a checkpoint: expected a directory, found a file", dir).
		WithHint("nothing was changed; name an empty or new directory, as in checkpoint = 'dir'")
}

func locked(dir string, err *vfs.LockedError) *sqlerr.Error {
	holder := err.Holder
	if holder == "" {
		holder = "a process that has not said its name yet"
	}
	return sqlerr.New(CodeLocked, "checkpoint %q is in use by %s", dir, holder).
		WithHint("stop the query there first; two processes cannot run the same query")
}

func lockLost(dir string, err error) *sqlerr.Error {
	return sqlerr.New(CodeLockLost, "checkpoint %q is no longer locked by this query", dir).Because(err).
		WithHint("nothing more is written: somebody removed or moved the folder while the query ran; put it back and start the query again")
}

// storage names a failure of the file system.
func storage(doing, path string, err error) *sqlerr.Error {
	code, hint := CodeIO, "check the disk, then start the query again: it goes on with the batch that was not committed"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code, hint = CodeFull, "free some space, then start the query again: it goes on with the batch that was not committed"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		code, hint = CodeReadOnly, "make the directory writable, or name another one, as in checkpoint = 'dir'"
	case errors.Is(err, syscall.ENAMETOOLONG):
		hint = "the name of the query is that of a folder: give it a shorter one, or name the folder, as in checkpoint = 'dir'"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		code, hint = "E_LIMIT", "raise the limit of open files of the process: ulimit -n 1024"
	}
	e := sqlerr.New(code, "%s %q failed", doing, path).Because(err)
	return e.WithHint("%s", hint)
}
