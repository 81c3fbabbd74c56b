package checkpoint

import (
	"errors"
	"io/fs"

	"ssql/internal/vfs"
)

// Report is what Inspect found, for `ssql checkpoint show` and `verify`.
type Report struct {
	Dir        string
	QueryID    string
	CreatedBy  string
	Generation int64
	Print      []byte
	Holder     string // who opened it last; may be running still

	Segments  []SegmentReport  // oldest first
	Snapshots []SnapshotReport // oldest first
	Batches   []BatchReport    // committed batches that the log still holds
	Pending   *Plan            // planned, not committed
	Torn      bool             // the log ends in an unfinished write, as after a crash

	// Problems are damaged or missing files that stop a query from starting; Notices are
	// what a start would repair or work around.
	Problems []error
	Notices  []string
}

// SegmentReport describes a segment of the log.
type SegmentReport struct {
	Name       string
	FirstBatch int64
	Records    int
	UsedBytes  int64 // of SizeBytes, which are preallocated
	SizeBytes  int64
}

// SnapshotReport describes a snapshot. Err is nil if it is intact.
type SnapshotReport struct {
	Name  string
	Batch int64
	Bytes int64 // of its payload
	Err   error
}

// BatchReport describes a committed batch. Plan is nil if it was in a segment that is
// gone.
type BatchReport struct {
	Batch      int64
	Generation int64 // run that committed it
	Plan       *Plan
	Commit     *Commit
	StateBytes int64
}

// Inspect reads a checkpoint completely, checks everything in it and changes nothing. It
// takes no lock: of a query that runs it may see an unfinished write. The error says
// that there is nothing to inspect.
func Inspect(fsys vfs.FS, dir string) (*Report, error) {
	if err := expectCheckpoint(fsys, dir); err != nil {
		return nil, err
	}
	return report(load(fsys, dir, true)), nil
}

// Identity is whose a checkpoint is.
type Identity struct {
	QueryID string
	Print   []byte // what SetPrint has stored; empty before
}

// ReadIdentity reads whose a checkpoint is: two small files, and neither log nor snapshots, which the start that
// comes after it reads and checks. It errs as Inspect does.
func ReadIdentity(fsys vfs.FS, dir string) (Identity, error) {
	if err := expectCheckpoint(fsys, dir); err != nil {
		return Identity{}, err
	}
	im := &image{fs: fsys, dir: dir}
	if err := errors.Join(im.readMetadata(), im.readPrint()); err != nil {
		r := report(load(fsys, dir, true)) // other files tell it, too
		return Identity{r.QueryID, r.Print}, nil
	}
	return Identity{uuidText(im.id), im.print}, nil
}

// expectCheckpoint errs if a folder is no checkpoint.
func expectCheckpoint(fsys vfs.FS, dir string) error {
	info, err := fsys.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing(join(dir, metadataName), "the directory %q does not exist", dir)
	case err != nil:
		return storage("reading", dir, err)
	case !info.Dir:
		return notDirectory(dir)
	}
	names, err := fsys.List(dir)
	if err != nil {
		return storage("reading", dir, err)
	}
	ours := false
	for _, name := range names {
		ours = ours || isOurs(name)
	}
	if !ours {
		found := "nothing"
		if len(names) > 0 {
			found = names[0]
		}
		return notCheckpoint(dir, found)
	}
	return nil
}

func report(im *image) *Report {
	r := &Report{
		Dir: im.dir, QueryID: uuidText(im.id), CreatedBy: im.createdBy, Generation: im.generation, Print: im.print,
		Batches: im.history.reports, Torn: im.torn, Problems: im.problems, Notices: im.notices,
	}
	if holder, err := vfs.ReadFile(im.fs, join(im.dir, lockName)); err == nil {
		r.Holder = string(holder) // only information
	}
	for _, s := range im.segments {
		r.Segments = append(r.Segments, SegmentReport{
			Name: segmentName(s.number), FirstBatch: s.firstBatch, Records: s.records, UsedBytes: s.end, SizeBytes: s.size,
		})
	}
	for _, s := range im.snapshots {
		r.Snapshots = append(r.Snapshots, SnapshotReport{Name: snapshotName(s.batch), Batch: s.batch, Bytes: s.bytes, Err: s.err})
	}
	if im.history.stage == planned {
		r.Pending = im.history.plan
	}
	return r
}
