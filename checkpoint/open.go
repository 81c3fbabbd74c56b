package checkpoint

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"ssql/internal/owner"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// defaultSegmentBytes holds some hundred batches of a small query.
const defaultSegmentBytes = 4 << 20

// Open opens the checkpoint in dir, or makes one where there is none, and takes its
// lock until Close. Every Open is a new generation, durably, before it returns.
//
// Errors are *sqlerr.Error with one of the codes of errors.go, and leave the directory
// as it was. A directory with other files in it is never touched.
func Open(fsys vfs.FS, dir string, o Options) (*Log, *Recovered, error) {
	if o.SegmentBytes <= 0 {
		o.SegmentBytes = defaultSegmentBytes
	}
	if o.Holder == nil {
		o.Holder = vfs.Holder(time.Now())
	}
	if o.NewID == nil {
		o.NewID = randomID
	}
	if err := prepareDir(fsys, dir); err != nil {
		return nil, nil, err
	}
	lock, err := fsys.Lock(join(dir, lockName), o.Holder)
	if err != nil {
		return nil, nil, lockError(dir, err)
	}
	l := &Log{fs: fsys, dir: dir, o: o, lock: lock, pending: -1}
	if l.owned, err = o.Owner.Check(fsys, dir); err != nil {
		l.closeFiles()
		return nil, nil, ownerError(dir, err)
	}
	r, err := l.recover()
	if err != nil {
		l.closeFiles()
		return nil, nil, err
	}
	return l, r, nil
}

// prepareDir makes the directory, or looks whether it may be used. That comes
// before the lock, which would already leave a file there.
func prepareDir(fsys vfs.FS, dir string) error {
	info, err := fsys.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return makeDir(fsys, dir)
	case err != nil:
		return storage("reading", dir, err)
	case !info.Dir:
		return notDirectory(dir)
	}
	names, err := fsys.List(dir)
	if err != nil {
		return storage("reading", dir, err)
	}
	if slices.Contains(names, metadataName) {
		return nil
	}
	for _, name := range names {
		if !isOurs(name) && !isTemp(name) {
			return notCheckpoint(dir, name)
		}
	}
	return makeDir(fsys, dir)
}

func makeDir(fsys vfs.FS, dir string) error {
	if err := vfs.MakeDir(fsys, dir); err != nil {
		return storage("making", dir, err)
	}
	return nil
}

// recover reads or makes the files, with the lock held.
func (l *Log) recover() (*Recovered, error) {
	names, err := l.fs.List(l.dir)
	if err != nil {
		return nil, storage("reading", l.dir, err)
	}
	if slices.Contains(names, metadataName) {
		return l.resume(names)
	}
	if err := checkNothingLost(l.fs, l.dir, names); err != nil {
		return nil, err
	}
	return l.create()
}

// checkNothingLost tells a directory in which create was interrupted, which may be
// filled, from one whose metadata was deleted, which may not: a new identity
// would hide from the sink that it has these batches already (D8).
func checkNothingLost(fsys vfs.FS, dir string, names []string) error {
	for _, name := range names {
		_, isSnapshot := snapshotBatch(name)
		number, isSegment := segmentNumber(name)
		lost := isSnapshot || isSegment && number != firstSegment
		if isSegment && !lost {
			data, err := vfs.ReadFile(fsys, join(dir, name))
			if err != nil {
				return storage("reading", join(dir, name), err)
			}
			lost = len(data) > fileHeaderBytes && strings.Trim(string(data[fileHeaderBytes:]), "\x00") != ""
		}
		if lost {
			return missing(join(dir, metadataName), "it holds the identity of the query, and %q is there", name)
		}
	}
	return nil
}

// create makes a new checkpoint. metadata comes last: without it nothing counts.
func (l *Log) create() (*Recovered, error) {
	l.id, l.generation, l.committed = l.o.NewID(), 1, -1
	generation := fileHeader{kind: kindGeneration, queryID: l.id, number: 1}
	if err := writeFramed(vfs.WriteFile, l.fs, join(l.dir, generationName), generation, nil); err != nil {
		return nil, err
	}
	print := fileHeader{kind: kindPrint, queryID: l.id}
	if err := writeFramed(vfs.WriteFile, l.fs, join(l.dir, printName), print, nil); err != nil {
		return nil, err
	}
	if err := l.newSegment(vfs.WriteFile, firstSegment, 0); err != nil {
		return nil, err
	}
	if err := l.keepOwner(); err != nil {
		return nil, err
	}
	metadata := fileHeader{kind: kindMetadata, queryID: l.id}
	if err := writeFramed(vfs.WriteNewFile, l.fs, join(l.dir, metadataName), metadata, []byte(l.o.CreatedBy)); err != nil {
		return nil, err
	}
	return &Recovered{QueryID: uuidText(l.id), Generation: 1, New: true, SnapshotBatch: -1}, nil
}

// resume reads an old checkpoint, removes what a crash left unfinished, and begins a
// new generation.
func (l *Log) resume(names []string) (*Recovered, error) {
	im := load(l.fs, l.dir, false)
	if len(im.problems) > 0 {
		return nil, im.problems[0]
	}
	l.id, l.generation = im.id, im.generation+1
	if l.o.DropPlan {
		im.dropPlan()
	}
	if err := l.openTail(im); err != nil {
		return nil, err
	}
	for _, name := range names {
		if isTemp(name) {
			if err := l.fs.Remove(join(l.dir, name)); err != nil {
				return nil, storage("removing", join(l.dir, name), err)
			}
		}
	}
	if err := l.keepOwner(); err != nil {
		return nil, err
	}
	h := fileHeader{kind: kindGeneration, queryID: l.id, number: uint64(l.generation)}
	if err := writeFramed(vfs.WriteFile, l.fs, join(l.dir, generationName), h, nil); err != nil {
		return nil, err
	}
	r := &Recovered{
		QueryID: uuidText(l.id), Generation: l.generation, Print: im.print,
		Snapshot: im.snapshot, SnapshotBatch: im.snapshotBatch,
		Batches: im.history.batches, Notices: im.notices,
	}
	l.committed = r.NextBatch() - 1
	if im.history.stage == planned {
		r.Pending, r.PendingDigest = im.history.plan, im.history.digest
		l.pending, l.inherited = r.Pending.Batch, true
	}
	return r, nil
}

// dropPlan takes the plan of the first batch out of the log, which is then empty. Where a batch
// was committed nothing happens.
func (im *image) dropPlan() {
	h := &im.history
	if h.stage != planned || im.snapshotBatch >= 0 || len(h.batches) > 0 || len(im.segments) != 1 {
		return
	}
	im.segments[0].end, im.torn = fileHeaderBytes, true
	im.history = history{}
}

// keepOwner writes down which database the checkpoint belongs to from now on.
func (l *Log) keepOwner() error {
	if err := l.o.Owner.Keep(l.fs, l.dir, l.owned); err != nil {
		return storage("writing", join(l.dir, owner.FileName), err)
	}
	return nil
}

// ownerError names the file of a record that cannot be read.
func ownerError(dir string, err error) error {
	if sqlerr.Code(err) != sqlerr.Internal {
		return err
	}
	return storage("reading", join(dir, owner.FileName), err)
}

// openTail opens the last segment for appending behind the last whole write.
func (l *Log) openTail(im *image) error {
	last := im.segments[len(im.segments)-1]
	f, err := l.fs.OpenWrite(last.path)
	if err != nil {
		return storage("opening", last.path, err)
	}
	l.file, l.segments, l.write = f, im.segments, im.history.write
	// A crash may have torn the zeros behind the last record. It is whole without them, but
	// the next one is looked for where they end.
	l.at = last.end + int64(padding(uint64(last.end)))
	for _, s := range im.snapshots {
		if s.err == nil && s.batch <= im.snapshotBatch {
			l.snapshots = append(l.snapshots, s.batch)
		}
	}
	for _, s := range im.segments {
		l.bytesLogged += s.end - fileHeaderBytes
	}
	if im.torn {
		if err := f.Truncate(l.at); err != nil {
			return storage("cutting the end of", last.path, err)
		}
	}
	if err := f.Preallocate(l.o.SegmentBytes); err != nil {
		return storage("preallocating", last.path, err)
	}
	// Also without a cut: a process that was killed may have written what this one
	// has just read without syncing it.
	if err := f.Sync(); err != nil {
		return storage("syncing", last.path, err)
	}
	return nil
}

// randomID returns a UUID of version 4.
func randomID() (id [16]byte) {
	// crypto/rand does not fail: it ends the program if the system has no randomness.
	rand.Read(id[:])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id
}
