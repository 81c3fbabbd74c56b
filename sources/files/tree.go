package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// folderTree is the file system below the root of a pattern, for one walk. Names need
// not be UTF-8. A folder that cannot be read has no files, with a notice, and so has one
// that a link leads to again: a walk through links ends.
type folderTree struct {
	pattern *pattern
	notice  func(text string)
	ids     map[inode]string // the folders seen, by what they are
}

var (
	_ fs.ReadDirFS = (*folderTree)(nil)
	_ fs.StatFS    = (*folderTree)(nil)
)

func (t *folderTree) full(name string) string { return filepath.Join(t.pattern.root, name) }

// Open implements fs.FS.
func (t *folderTree) Open(name string) (fs.File, error) { return os.Open(t.full(name)) }

// Stat implements fs.StatFS.
func (t *folderTree) Stat(name string) (fs.FileInfo, error) {
	info, err := os.Stat(t.full(name))
	switch {
	case errors.Is(err, unix.ELOOP):
		t.notice(fmt.Sprintf("file %q is passed over: it is a link that leads back to itself", t.pattern.shown(fileName(name))))
		return nil, fs.ErrNotExist
	case errors.Is(err, fs.ErrPermission):
		t.cannotRead(name)
		return nil, fs.ErrNotExist
	}
	return info, err
}

// ReadDir implements fs.ReadDirFS.
func (t *folderTree) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := os.Stat(t.full(name))
	if err != nil {
		return nil, t.withoutFolder(name, err)
	}
	id := idOf(info).inode()
	if first, seen := t.ids[id]; seen && first != name {
		t.notice(fmt.Sprintf("folder %q is passed over: it is folder %q once more, by a link", t.pattern.shown(fileName(name)), t.pattern.shown(fileName(first))))
		return nil, nil
	}
	t.ids[id] = name
	all, err := os.ReadDir(t.full(name))
	return all, t.withoutFolder(name, err)
}

func (t *folderTree) withoutFolder(name string, err error) error {
	if errors.Is(err, fs.ErrPermission) && name != "." {
		t.cannotRead(name)
		return nil
	}
	return err
}

func (t *folderTree) cannotRead(name string) {
	t.notice(fmt.Sprintf("folder %q is passed over: this user has no right to read it", t.pattern.shown(fileName(name))))
}
