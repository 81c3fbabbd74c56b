package duck

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"ssql/internal/sqlerr"
)

// files are the databases this process has open. It is a variable of the process
// because what it guards, the kernel's lock on a file, belongs to the process.
var files registry

// registry finds a database by what its path leads to, so that links and other
// spellings of one file give one DB.
type registry struct {
	mu  sync.Mutex
	dbs []*DB
}

// open returns the DB of a path and counts one more owner of it.
func (r *registry) open(path string, o Options) (*DB, error) {
	if path == ":memory:" {
		return &DB{o: o, turn: make(chan struct{}, 1), owners: 1}, nil
	}
	full, err := resolve(path)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, db := range r.dbs {
		if db.path == full || sameFile(db.path, full) {
			db.owners++
			return db, nil
		}
	}
	db := &DB{path: full, o: o, turn: make(chan struct{}, 1), owners: 1}
	r.dbs = append(r.dbs, db)
	return db, nil
}

// close gives up one owner; the last one closes the file before another Open can
// find it gone.
func (r *registry) close(db *DB) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if db.owners == 0 {
		return nil
	}
	if db.owners--; db.owners > 0 {
		return nil
	}
	err := db.shut()
	r.dbs = slices.DeleteFunc(r.dbs, func(d *DB) bool { return d == db })
	return err
}

// sameFile compares device and inode, so that hard links count as one file. Stat
// does not open the file and so leaves its lock alone.
func sameFile(a, b string) bool {
	ai, aErr := os.Stat(a)
	bi, bErr := os.Stat(b)
	return aErr == nil && bErr == nil && os.SameFile(ai, bi)
}

// resolve returns the absolute path behind symbolic links. The file may be missing,
// its folder not.
func resolve(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", sqlerr.New("E_SINK_IO", "finding the database %q", path).Because(err)
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		if info, err := os.Stat(real); err == nil && info.IsDir() {
			return "", sqlerr.New("E_SINK_IO", "%q is a folder, not a database", path).
				WithHint("name a file: %s", filepath.Join(path, "ssql.duckdb"))
		}
		return real, nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(full))
	if errors.Is(err, os.ErrNotExist) {
		return "", sqlerr.New("E_SINK_IO", "the folder of the database %q does not exist", path).
			WithHint("make it: mkdir -p %s", sqlerr.ShellWord(filepath.Dir(full)))
	}
	if err != nil {
		return "", sqlerr.New("E_SINK_IO", "finding the database %q", path).Because(err)
	}
	return filepath.Join(dir, filepath.Base(full)), nil
}
