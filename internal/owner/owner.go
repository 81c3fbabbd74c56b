// Package owner keeps in a folder which database it belongs to, so that a copy of the
// database does not go on with the checkpoint, the result files or the spool of the original.
//
// A copy and a move look alike to whoever sees only names. What tells them apart is kept
// beside: the id of the database, which a copy shares, and path, device and inode of database
// and folder as they were at the last start. docs/FORMAT.md draws the file.
package owner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"

	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// FileName is the name of the file in the folder.
const FileName = "owner"

// Database is a database file as it is now. The zero value is one in memory: it owns nothing.
type Database struct {
	ID   string     `json:"-"`    // kept in the database; a copy has the same
	Path string     `json:"path"` // absolute, links resolved
	File vfs.FileID `json:"file"`
}

// Record is what a folder keeps: the database and the folder itself at the last start.
type Record struct {
	ID         string     `json:"id"`
	Path       string     `json:"path"`
	File       vfs.FileID `json:"file"`
	Folder     string     `json:"folder"`
	FolderFile vfs.FileID `json:"folderFile"`
}

// Claim is a database that wants to use a folder. A nil Claim, and that of a database in
// memory, are satisfied with everything and leave nothing behind.
type Claim struct {
	Database Database
	What     string // the folder in errors: checkpoint, sink, spool
	Code     string // of the error about a folder that belongs elsewhere
	Corrupt  string // of the error about a damaged record
	// Hint says what to do about a folder of the original, if copy is set, or of another
	// database.
	Hint func(folder string, copy bool) string
}

// The file is one line with the checksum of the second part, and JSON.
const magic = "SSQL1 owner "

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Check refuses a folder that belongs to another database, or to the original of this one.
// A folder without a record, which is new or of an older version, and one that was copied or
// moved along with the database, are accepted, as is that of a database that has moved here.
// Nothing is changed. It returns the record for Keep, nil without one.
func (c *Claim) Check(fsys vfs.FS, folder string) (*Record, error) {
	if c == nil || c.Database.ID == "" {
		return nil, nil
	}
	r, err := c.read(fsys, folder)
	if err != nil || r == nil {
		return nil, err
	}
	db := &c.Database
	if r.ID == db.ID && (r.Path == db.Path || same(r.File, db.File) || r.copied(fsys, folder)) {
		return r, nil
	}
	_, err = fsys.Stat(r.Path)
	switch {
	case r.ID == db.ID && errors.Is(err, fs.ErrNotExist):
		return r, nil // moved: there is no original that this could touch
	case r.ID == db.ID:
		return nil, c.elsewhere(folder, fmt.Sprintf("the database %q, and this is %q (a copy?)", r.Path, db.Path), true)
	case r.Path == db.Path:
		return nil, c.elsewhere(folder, fmt.Sprintf("another database that was %q before this one", r.Path), false)
	}
	return nil, c.elsewhere(folder, fmt.Sprintf("the database %q, and this is %q, another one", r.Path, db.Path), false)
}

func (c *Claim) elsewhere(folder, whose string, copy bool) error {
	return sqlerr.New(c.Code, "%s %q belongs to %s", c.What, folder, whose).WithHint("%s", c.Hint(folder, copy))
}

// Keep writes into a folder that it belongs to the database, unless its record says so.
func (c *Claim) Keep(fsys vfs.FS, folder string, old *Record) error {
	if c == nil || c.Database.ID == "" {
		return nil
	}
	info, err := fsys.Stat(folder)
	if err != nil {
		return err
	}
	now := Record{ID: c.Database.ID, Path: c.Database.Path, File: c.Database.File, Folder: folder, FolderFile: info.ID}
	if old != nil && *old == now {
		return nil
	}
	body, err := json.Marshal(now)
	if err != nil {
		return fmt.Errorf("writing the owner of %s: %w", folder, err)
	}
	body = append(body, '\n')
	return vfs.WriteFile(fsys, filepath.Join(folder, FileName), fmt.Appendf(nil, "%s%08x\n", magic, crc32.Checksum(body, castagnoli)), body)
}

// read returns the record of a folder, nil if it has none.
func (c *Claim) read(fsys vfs.FS, folder string) (*Record, error) {
	r, err := Read(fsys, folder)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if errors.Is(err, errDamaged) {
		return nil, sqlerr.New(c.Corrupt, "file %q is damaged: its checksum does not fit", filepath.Join(folder, FileName)).
			WithHint("nothing was changed; restore the file from a backup; or remove it if the folder is that of %q: the next start writes it anew", c.Database.Path)
	}
	return nil, err
}

var errDamaged = errors.New("the checksum does not fit")

// Read returns the record of a folder. The error is fs.ErrNotExist if it has none.
func Read(fsys vfs.FS, folder string) (*Record, error) {
	data, err := vfs.ReadFile(fsys, filepath.Join(folder, FileName))
	if err != nil {
		return nil, err
	}
	r := &Record{}
	head, body, _ := bytes.Cut(data, []byte("\n"))
	sum, ours := bytes.CutPrefix(head, []byte(magic))
	if !ours || string(sum) != fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)) {
		return nil, errDamaged
	}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, errDamaged
	}
	return r, nil
}

// copied reports whether the folder is another one than that of the record.
func (r *Record) copied(fsys vfs.FS, folder string) bool {
	info, err := fsys.Stat(folder)
	return err == nil && r.Folder != folder && !same(r.FolderFile, info.ID)
}

func same(a, b vfs.FileID) bool { return a == b && a != vfs.FileID{} }
