package checkpoint

import (
	"errors"
	"fmt"
	"sync"

	"ssql/internal/owner"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// Log is an open checkpoint. Its appends come from one goroutine; WriteSnapshot may run
// on another one meanwhile.
//
// The first write or sync of the log that fails ends it: every later call returns the
// same error. What is on disk is then unknown, and a sync that is tried again may report
// success for data that the system has dropped. A new Open finds out.
type Log struct {
	fs   vfs.FS
	dir  string
	o    Options
	lock vfs.Lock
	// owned is the record of the database that the checkpoint belonged to.
	owned *owner.Record

	id         [16]byte
	generation int64

	mu           sync.Mutex // guards what follows
	failed       error
	file         vfs.File // the last segment
	at           int64    // where the next write goes
	write        uint64   // number of the last write
	segments     []segment
	snapshots    []int64 // batches of the intact snapshots, ascending
	committed    int64   // last committed batch, -1 without
	pending      int64   // batch that is planned, -1 without
	inherited    bool    // by an earlier run
	bytesLogged  int64
	bytesAtSnap  int64
	snapshotting sync.Mutex // one WriteSnapshot at a time
}

// pieceBytes is the size up to which the parts of a write are copied together. The
// state of a large batch is written from where it lies; the sync is one all the same.
const pieceBytes = 1 << 20

// outRecord is a record to be written.
type outRecord struct {
	kind    recordKind
	batch   int64
	payload []byte
}

// AppendPlan makes the plan of the next batch durable. The digest identifies this plan
// in the marker of the sink.
func (l *Log) AppendPlan(p *Plan) (digest uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending >= 0 || p.Batch != l.committed+1 {
		return 0, l.misuse("plan", p.Batch)
	}
	return l.plan(p)
}

// ReplacePlan makes another plan of the batch durable that an earlier run has planned: it
// takes the place of that one. The caller has made sure that no sink has anything of the
// batch, and none can get it by the old plan any more.
func (l *Log) ReplacePlan(p *Plan) (digest uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending < 0 || p.Batch != l.pending || !l.inherited {
		return 0, l.misuse("another plan", p.Batch)
	}
	return l.plan(p)
}

func (l *Log) plan(p *Plan) (digest uint64, err error) {
	payload, err := encodeJSON(p)
	if err != nil {
		return 0, err
	}
	if err := l.append(outRecord{recordPlan, p.Batch, payload}); err != nil {
		return 0, err
	}
	l.pending, l.inherited = p.Batch, false
	return planDigest(payload), nil
}

// AppendCommit makes the planned batch final: its state changes, its commit and, if
// next is not nil, the plan of the next batch, in one write and one sync. state is not
// kept. nextDigest is that of next, 0 without.
func (l *Log) AppendCommit(c *Commit, state []byte, next *Plan) (nextDigest uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending < 0 || c.Batch != l.pending {
		return 0, l.misuse("commit", c.Batch)
	}
	payload, err := encodeJSON(c)
	if err != nil {
		return 0, err
	}
	records := []outRecord{{recordState, c.Batch, state}, {recordCommit, c.Batch, payload}}
	if next != nil {
		if next.Batch != c.Batch+1 {
			return 0, l.misuse("plan", next.Batch)
		}
		plan, err := encodeJSON(next)
		if err != nil {
			return 0, err
		}
		records = append(records, outRecord{recordPlan, next.Batch, plan})
		nextDigest = planDigest(plan)
	}
	if err := l.append(records...); err != nil {
		return 0, err
	}
	l.committed, l.pending = c.Batch, -1
	if next != nil {
		l.pending = next.Batch
	}
	return nextDigest, nil
}

// misuse names a call out of order: a bug in the caller. After a failure it is none,
// because the caller need not know which call was the first to fail.
func (l *Log) misuse(what string, batch int64) error {
	if l.failed != nil {
		return l.failed
	}
	return sqlerr.New(sqlerr.Internal, "%s of batch %d in checkpoint %q, where batch %d is committed and %d planned",
		what, batch, l.dir, l.committed, l.pending)
}

// StillHeld returns E_LOCK_LOST if somebody has removed or replaced the lock or its folder:
// then another process may run the query, and nothing may be written any more. It ends
// the log.
func (l *Log) StillHeld() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mayWrite()
}

func (l *Log) mayWrite() error {
	if l.failed != nil {
		return l.failed
	}
	if err := l.lock.Lost(); err != nil {
		return l.fail(lockLost(l.dir, err))
	}
	return nil
}

// append writes records as one write and syncs it.
func (l *Log) append(records ...outRecord) error {
	if err := l.mayWrite(); err != nil {
		return err
	}
	parts, size := l.encode(records)
	if l.at+size > l.o.SegmentBytes && l.at > fileHeaderBytes {
		if err := l.rotate(records[0].batch); err != nil {
			return l.fail(err)
		}
	}
	path := l.segments[len(l.segments)-1].path
	at := l.at
	for _, part := range parts {
		if _, err := l.file.WriteAt(part, at); err != nil {
			return l.fail(storage("writing", path, err))
		}
		at += int64(len(part))
	}
	if err := l.file.Sync(); err != nil {
		return l.fail(storage("syncing", path, err))
	}
	l.at = at
	l.write++
	l.bytesLogged += size
	return nil
}

// encode returns the bytes of a write, in parts that follow each other.
func (l *Log) encode(records []outRecord) (parts [][]byte, size int64) {
	var joined []byte
	for i, r := range records {
		h := recordHeader{
			kind: r.kind, batch: r.batch, generation: l.generation,
			write: l.write + 1, more: uint8(len(records) - 1 - i),
			length: uint64(len(r.payload)), sum: checksum(r.payload),
		}
		joined = append(joined, h.encode(l.id)...)
		if len(r.payload) > pieceBytes {
			parts = append(parts, joined, r.payload)
			joined = nil
		} else {
			joined = append(joined, r.payload...)
		}
		joined = append(joined, make([]byte, padding(h.length))...)
		size += recordHeaderBytes + int64(h.length) + int64(padding(h.length))
	}
	return append(parts, joined), size
}

// rotate begins a new segment. Everything in the old one is synced.
func (l *Log) rotate(firstBatch int64) error {
	old := l.file
	number := l.segments[len(l.segments)-1].number + 1
	if err := l.newSegment(vfs.WriteNewFile, number, firstBatch); err != nil {
		return err
	}
	if err := old.Close(); err != nil {
		return storage("closing", segmentName(number-1), err)
	}
	return nil
}

// newSegment makes a segment and opens it. Its name appears when its header is
// durable, so that a segment without an intact header is always damage. write may replace
// only the first one, which an interrupted create may have left.
func (l *Log) newSegment(write fileWriter, number uint64, firstBatch int64) error {
	path := join(l.dir, segmentName(number))
	h := fileHeader{kind: kindSegment, queryID: l.id, batch: firstBatch, number: number, length: l.write + 1}
	if err := write(l.fs, path, h.encode()); err != nil {
		return storage("making", path, err)
	}
	f, err := l.fs.OpenWrite(path)
	if err != nil {
		return storage("opening", path, err)
	}
	if err := f.Preallocate(l.o.SegmentBytes); err != nil {
		f.Close()
		return storage("preallocating", path, err)
	}
	l.file, l.at = f, fileHeaderBytes
	l.segments = append(l.segments, segment{path: path, number: number, firstBatch: firstBatch, firstWrite: h.length})
	return nil
}

// fail ends the log.
func (l *Log) fail(err error) error {
	l.failed = err
	return err
}

// SetPrint replaces the user's bytes, such as the fingerprint of the plan, durably.
func (l *Log) SetPrint(print []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.mayWrite(); err != nil {
		return err
	}
	h := fileHeader{kind: kindPrint, queryID: l.id}
	if err := writeFramed(vfs.WriteFile, l.fs, join(l.dir, printName), h, print); err != nil {
		return l.fail(err)
	}
	return nil
}

// QueryID returns the identity of the query.
func (l *Log) QueryID() string { return uuidText(l.id) }

// Generation returns the number of this run.
func (l *Log) Generation() int64 { return l.generation }

// BytesSinceSnapshot returns how many bytes of log a restart would read behind the
// newest snapshot. A caller that snapshots when this exceeds twice the size of its
// state bounds both the log and the restart (docs/FORMAT.md, Trimming).
func (l *Log) BytesSinceSnapshot() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytesLogged - l.bytesAtSnap
}

// Close releases the files and the lock. It syncs nothing: what was acknowledged is
// durable already.
func (l *Log) Close() error {
	l.snapshotting.Lock()
	defer l.snapshotting.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = fmt.Errorf("checkpoint %q is closed", l.dir)
	}
	if err := l.closeFiles(); err != nil {
		return storage("closing", l.dir, err)
	}
	return nil
}

func (l *Log) closeFiles() error {
	var errs []error
	if l.file != nil {
		errs = append(errs, l.file.Close())
		l.file = nil
	}
	if l.lock != nil {
		errs = append(errs, l.lock.Close())
		l.lock = nil
	}
	return errors.Join(errs...)
}
