package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Mem is a disk in memory that can lose power. Every file keeps what was synced and
// the writes since; every directory the synced names and the changes since. CrashClone
// returns what a crash could have left. Mem is stricter than common file systems:
// syncing a file says nothing about its name, and unsynced writes and names may
// survive in any combination.
//
// The zero value is not usable; see NewMem. Mem is safe for concurrent use.
type Mem struct {
	// Preallocates makes File.Preallocate grow the file, as Linux does. Set it before
	// the first use.
	Preallocates bool

	mu    sync.Mutex
	root  *node
	locks map[*node]string // the lock file to the holder
	clock time.Time        // the next modification time; steps by a millisecond
}

var _ FS = (*Mem)(nil)

// node is a file or a directory.
type node struct {
	dir bool

	entries       map[string]*node // as seen now
	syncedEntries map[string]*node
	pendingNames  []nameChange

	data, synced  []byte
	pendingWrites []write
	modTime       time.Time
	id            uint64 // unique on this disk
}

// nameChange is one change of a directory; a rename inside it is one change.
type nameChange struct {
	name   string
	target *node  // nil: the name was removed
	remove string // rename: the old name; "" otherwise
}

// write is one change of a file's content.
type write struct {
	offset   int64
	data     []byte
	truncate bool // set the size to offset; data is empty
}

// NewMem returns an empty disk.
func NewMem() *Mem {
	return &Mem{
		root:  newDir(),
		locks: map[*node]string{},
		clock: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
	}
}

func newDir() *node {
	return &node{dir: true, id: nextID.Add(1), entries: map[string]*node{}, syncedEntries: map[string]*node{}}
}

// nextID numbers files and folders over all disks.
var nextID atomic.Uint64

func split(path string) []string {
	return strings.FieldsFunc(filepath.ToSlash(filepath.Clean(path)), func(r rune) bool { return r == '/' })
}

func pathError(op, path string, err error) error { return &fs.PathError{Op: op, Path: path, Err: err} }

// find returns the node of a path.
func (m *Mem) find(op, path string) (*node, error) {
	at := m.root
	for _, name := range split(path) {
		if name == "." {
			continue
		}
		if !at.dir {
			return nil, pathError(op, path, errNotDir)
		}
		next, ok := at.entries[name]
		if !ok {
			return nil, pathError(op, path, fs.ErrNotExist)
		}
		at = next
	}
	return at, nil
}

var errNotDir = errors.New("not a directory")

// parent returns the directory that holds the last name of a path.
func (m *Mem) parent(op, path string) (dir *node, name string, err error) {
	dir, err = m.find(op, filepath.Dir(filepath.Clean(path)))
	if err == nil && !dir.dir {
		err = pathError(op, path, errNotDir)
	}
	return dir, filepath.Base(path), err
}

func (d *node) change(c nameChange) {
	c.apply(d.entries)
	d.pendingNames = append(d.pendingNames, c)
}

func (c nameChange) apply(entries map[string]*node) {
	if c.remove != "" {
		delete(entries, c.remove)
	}
	if c.target == nil {
		delete(entries, c.name)
	} else {
		entries[c.name] = c.target
	}
}

func (m *Mem) tick() time.Time {
	m.clock = m.clock.Add(time.Millisecond)
	return m.clock
}

// Create makes or truncates a file.
func (m *Mem) Create(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.create(name)
	if err != nil {
		return nil, err
	}
	return &memFile{mem: m, node: n, name: name, writable: true}, nil
}

func (m *Mem) create(name string) (*node, error) {
	dir, base, err := m.parent("create", name)
	if err != nil {
		return nil, err
	}
	n := dir.entries[base]
	switch {
	case n == nil:
		n = &node{modTime: m.tick(), id: nextID.Add(1)}
		dir.change(nameChange{name: base, target: n})
	case n.dir:
		return nil, pathError("create", name, errors.New("is a directory"))
	case len(n.data) > 0:
		n.write(write{truncate: true}, m.tick())
	}
	return n, nil
}

func (m *Mem) open(name string, writable bool) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return nil, pathError("open", name, errors.New("is a directory"))
	}
	return &memFile{mem: m, node: n, name: name, writable: writable}, nil
}

// Open opens for reading.
func (m *Mem) Open(name string) (File, error) { return m.open(name, false) }

// OpenWrite opens an existing file in place.
func (m *Mem) OpenWrite(name string) (File, error) { return m.open(name, true) }

// Rename replaces newname. Between two directories it is two changes, of which a
// crash may keep one.
func (m *Mem) Rename(oldname, newname string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, oldBase, err := m.parent("rename", oldname)
	if err != nil {
		return err
	}
	to, newBase, err := m.parent("rename", newname)
	if err != nil {
		return err
	}
	n := from.entries[oldBase]
	if n == nil {
		return pathError("rename", oldname, fs.ErrNotExist)
	}
	if old := to.entries[newBase]; old != nil && old.dir {
		return pathError("rename", newname, fs.ErrExist)
	}
	if from == to {
		if oldBase != newBase {
			to.change(nameChange{name: newBase, target: n, remove: oldBase})
		}
		return nil
	}
	to.change(nameChange{name: newBase, target: n})
	from.change(nameChange{name: oldBase})
	return nil
}

// Link fails with fs.ErrExist if newname exists.
func (m *Mem) Link(oldname, newname string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("link", oldname)
	if err != nil {
		return err
	}
	dir, base, err := m.parent("link", newname)
	if err != nil {
		return err
	}
	if dir.entries[base] != nil {
		return pathError("link", newname, fs.ErrExist)
	}
	dir.change(nameChange{name: base, target: n})
	return nil
}

// Remove removes a file or an empty directory.
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.parent("remove", name)
	if err != nil {
		return err
	}
	n := dir.entries[base]
	if n == nil {
		return pathError("remove", name, fs.ErrNotExist)
	}
	if n.dir && len(n.entries) > 0 {
		return pathError("remove", name, errors.New("directory not empty"))
	}
	dir.change(nameChange{name: base})
	return nil
}

// MkdirAll makes a directory and its parents.
func (m *Mem) MkdirAll(path string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.root
	for _, name := range split(path) {
		if name == "." {
			continue
		}
		next := at.entries[name]
		if next == nil {
			next = newDir()
			next.modTime = m.tick()
			at.change(nameChange{name: name, target: next})
		}
		if !next.dir {
			return pathError("mkdir", path, errNotDir)
		}
		at = next
	}
	return nil
}

// List returns the names in a directory, sorted.
func (m *Mem) List(path string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("list", path)
	if err != nil {
		return nil, err
	}
	if !n.dir {
		return nil, pathError("list", path, errNotDir)
	}
	names := make([]string, 0, len(n.entries))
	for name := range n.entries {
		names = append(names, name)
	}
	sort.Strings(names)
	return names, nil
}

// Stat describes a file.
func (m *Mem) Stat(name string) (Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("stat", name)
	if err != nil {
		return Info{}, err
	}
	return Info{Size: int64(len(n.data)), ModTime: n.modTime, Dir: n.dir, ID: FileID{Device: 1, Inode: n.id}}, nil
}

// SyncDir makes the names in a directory durable.
func (m *Mem) SyncDir(path string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("sync", path)
	if err != nil {
		return err
	}
	if !n.dir {
		return pathError("sync", path, errNotDir)
	}
	for _, c := range n.pendingNames {
		c.apply(n.syncedEntries)
	}
	n.pendingNames = nil
	return nil
}

// Lock locks a file until it is closed or the machine crashes.
func (m *Mem) Lock(name string, content []byte) (Lock, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, err := m.find("lock", name); err == nil {
		if holder, held := m.locks[n]; held {
			return nil, &LockedError{Holder: holder}
		}
	}
	n, err := m.create(name)
	if err != nil {
		return nil, err
	}
	n.write(write{data: slices.Clone(content)}, m.tick())
	m.locks[n] = string(content)
	return &memLock{m, n, name}, nil
}

type memLock struct {
	mem  *Mem
	node *node
	name string
}

// Lost compares the locked file with the one that has its name.
func (l *memLock) Lost() error {
	l.mem.mu.Lock()
	defer l.mem.mu.Unlock()
	n, err := l.mem.find("lock", l.name)
	if err == nil && n != l.node {
		err = fmt.Errorf("%s was replaced by another file", l.name)
	}
	return err
}

// Close releases the lock.
func (l *memLock) Close() error {
	l.mem.mu.Lock()
	defer l.mem.mu.Unlock()
	if _, held := l.mem.locks[l.node]; !held {
		return fmt.Errorf("unlocking %s: %w", l.name, fs.ErrClosed)
	}
	delete(l.mem.locks, l.node)
	return nil
}
