package checkpoint

import (
	"slices"

	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// snapshotsKept is how many snapshots stay: if the newest turns out damaged, the one
// before and the log replace it.
const snapshotsKept = 2

// WriteSnapshot stores the whole state after a committed batch and then removes what
// it makes superfluous: all snapshots but the newest two, and the segments that end
// before the older of them. It may run on another goroutine than the appends; payload
// must not change meanwhile.
//
// An error does no harm to the log, which still holds everything: the caller may go on
// and try a later batch.
func (l *Log) WriteSnapshot(batch int64, payload []byte) error {
	l.snapshotting.Lock()
	defer l.snapshotting.Unlock()
	bytesBefore, err := l.beginSnapshot(batch)
	if err != nil {
		return err
	}
	path := join(l.dir, snapshotName(batch))
	// Replaces a damaged snapshot of the same batch, if there is one.
	h := fileHeader{kind: kindSnapshot, queryID: l.id, batch: batch}
	if err := writeFramed(vfs.WriteFile, l.fs, path, h, payload); err != nil {
		return err
	}
	superfluous, err := l.endSnapshot(batch, bytesBefore)
	if err != nil {
		return err
	}
	for _, name := range superfluous {
		if err := l.fs.Remove(join(l.dir, name)); err != nil {
			return storage("removing", join(l.dir, name), err)
		}
	}
	return nil
}

func (l *Log) beginSnapshot(batch int64) (bytesBefore int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.mayWrite(); err != nil {
		return 0, err
	}
	newest := int64(-1)
	if n := len(l.snapshots); n > 0 {
		newest = l.snapshots[n-1]
	}
	if batch > l.committed || batch <= newest {
		return 0, sqlerr.New(sqlerr.Internal, "snapshot of batch %d in checkpoint %q, where batch %d is committed and %d the newest snapshot",
			batch, l.dir, l.committed, newest)
	}
	return l.bytesLogged, nil
}

// endSnapshot counts the snapshot and returns the names of the files that may go,
// oldest first.
func (l *Log) endSnapshot(batch, bytesBefore int64) ([]string, error) {
	names, err := l.fs.List(l.dir)
	if err != nil {
		return nil, storage("reading", l.dir, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.snapshots = append(l.snapshots, batch)
	l.snapshots = l.snapshots[max(0, len(l.snapshots)-snapshotsKept):]
	l.bytesAtSnap = bytesBefore
	oldest := l.snapshots[0]
	if len(l.snapshots) == snapshotsKept {
		// A segment is needed as long as the next one begins after the oldest snapshot:
		// the plan of the next one's first batch may stand at its end.
		for len(l.segments) > 1 && l.segments[1].firstBatch <= oldest {
			l.segments = l.segments[1:]
		}
	}
	var superfluous []string
	for _, name := range names {
		old, isSnapshot := snapshotBatch(name)
		number, isSegment := segmentNumber(name)
		if isSegment && number < l.segments[0].number || isSnapshot && !slices.Contains(l.snapshots, old) {
			superfluous = append(superfluous, name)
		}
	}
	return superfluous, nil
}
