package vfs

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
)

// Injector is a file system that counts the operations that change something, fails
// one of them on demand, and keeps a trace. The operations that count are Create,
// Write, WriteAt, Preallocate, Truncate, Sync, Rename, Link, Remove, MkdirAll and
// SyncDir.
type Injector struct {
	under FS

	mu    sync.Mutex
	fault Fault
	ops   int
	trace []string
	dead  bool
}

var _ FS = (*Injector)(nil)

// Fault is one failure. The zero value never happens.
type Fault struct {
	At     int   // number of the operation that fails, from 1
	Err    error // for example syscall.EIO; ErrCrashed stops reads and locks too
	Sticky bool  // every later operation fails as well
}

// ErrCrashed is what every call returns after the simulated machine has stopped.
var ErrCrashed = errors.New("the machine has crashed")

// NewInjector returns fs with a fault in it.
func NewInjector(under FS, fault Fault) *Injector { return &Injector{under: under, fault: fault} }

// Ops returns how many counted operations were asked for.
func (i *Injector) Ops() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ops
}

// Arm replaces the fault; its At counts from now on.
func (i *Injector) Arm(fault Fault) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if fault.At > 0 {
		fault.At += i.ops
	}
	i.fault = fault
}

// Crashed reports whether a fault of ErrCrashed has happened.
func (i *Injector) Crashed() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.dead
}

// Trace returns the operations so far, such as "write log-00000001 at 64: 120" and
// "sync log-00000001", with the last name of each path.
func (i *Injector) Trace() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]string(nil), i.trace...)
}

// op counts one operation and returns the error that it must fail with.
func (i *Injector) op(format string, args ...any) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.dead {
		return ErrCrashed
	}
	i.ops++
	f := i.fault
	if f.At == 0 || i.ops < f.At || i.ops > f.At && !f.Sticky {
		i.trace = append(i.trace, fmt.Sprintf(format, args...))
		return nil
	}
	i.dead = errors.Is(f.Err, ErrCrashed)
	i.trace = append(i.trace, fmt.Sprintf(format, args...)+" -> "+f.Err.Error())
	return f.Err
}

func (i *Injector) alive() error {
	if i.Crashed() {
		return ErrCrashed
	}
	return nil
}

func (i *Injector) file(f File, name string, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return &injectedFile{File: f, in: i, name: filepath.Base(name)}, nil
}

// Create counts.
func (i *Injector) Create(name string) (File, error) {
	if err := i.op("create %s", filepath.Base(name)); err != nil {
		return nil, err
	}
	f, err := i.under.Create(name)
	return i.file(f, name, err)
}

// Open does not count.
func (i *Injector) Open(name string) (File, error) {
	if err := i.alive(); err != nil {
		return nil, err
	}
	f, err := i.under.Open(name)
	return i.file(f, name, err)
}

// OpenWrite does not count.
func (i *Injector) OpenWrite(name string) (File, error) {
	if err := i.alive(); err != nil {
		return nil, err
	}
	f, err := i.under.OpenWrite(name)
	return i.file(f, name, err)
}

// Rename counts.
func (i *Injector) Rename(oldname, newname string) error {
	if err := i.op("rename %s %s", filepath.Base(oldname), filepath.Base(newname)); err != nil {
		return err
	}
	return i.under.Rename(oldname, newname)
}

// Link counts.
func (i *Injector) Link(oldname, newname string) error {
	if err := i.op("link %s %s", filepath.Base(oldname), filepath.Base(newname)); err != nil {
		return err
	}
	return i.under.Link(oldname, newname)
}

// Remove counts.
func (i *Injector) Remove(name string) error {
	if err := i.op("remove %s", filepath.Base(name)); err != nil {
		return err
	}
	return i.under.Remove(name)
}

// MkdirAll counts.
func (i *Injector) MkdirAll(dir string) error {
	if err := i.op("mkdir %s", filepath.Base(dir)); err != nil {
		return err
	}
	return i.under.MkdirAll(dir)
}

// List does not count.
func (i *Injector) List(dir string) ([]string, error) {
	if err := i.alive(); err != nil {
		return nil, err
	}
	return i.under.List(dir)
}

// Stat does not count.
func (i *Injector) Stat(name string) (Info, error) {
	if err := i.alive(); err != nil {
		return Info{}, err
	}
	return i.under.Stat(name)
}

// SyncDir counts.
func (i *Injector) SyncDir(dir string) error {
	if err := i.op("syncdir %s", filepath.Base(dir)); err != nil {
		return err
	}
	return i.under.SyncDir(dir)
}

// Lock does not count.
func (i *Injector) Lock(name string, content []byte) (Lock, error) {
	if err := i.alive(); err != nil {
		return nil, err
	}
	return i.under.Lock(name, content)
}

type injectedFile struct {
	File
	in   *Injector
	name string
}

// Read fails after a crash.
func (f *injectedFile) Read(p []byte) (int, error) {
	if err := f.in.alive(); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

// ReadAt fails after a crash.
func (f *injectedFile) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.in.alive(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, offset)
}

// Write counts. One that fails leaves its first half behind, as a full disk does.
func (f *injectedFile) Write(p []byte) (int, error) {
	if err := f.in.op("write %s: %d", f.name, len(p)); err != nil {
		if errors.Is(err, ErrCrashed) {
			return 0, err
		}
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

// WriteAt counts and fails as Write does.
func (f *injectedFile) WriteAt(p []byte, offset int64) (int, error) {
	if err := f.in.op("write %s at %d: %d", f.name, offset, len(p)); err != nil {
		if errors.Is(err, ErrCrashed) {
			return 0, err
		}
		n, _ := f.File.WriteAt(p[:len(p)/2], offset)
		return n, err
	}
	return f.File.WriteAt(p, offset)
}

// Preallocate counts.
func (f *injectedFile) Preallocate(size int64) error {
	if err := f.in.op("preallocate %s %d", f.name, size); err != nil {
		return err
	}
	return f.File.Preallocate(size)
}

// Truncate counts.
func (f *injectedFile) Truncate(size int64) error {
	if err := f.in.op("truncate %s %d", f.name, size); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// Sync counts.
func (f *injectedFile) Sync() error {
	if err := f.in.op("sync %s", f.name); err != nil {
		return err
	}
	return f.File.Sync()
}
