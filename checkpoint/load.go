package checkpoint

import (
	"fmt"
	"math"
	"slices"

	"ssql/internal/vfs"
)

// firstSegment is the number of the first segment of a log.
const firstSegment = 1

// image is what a checkpoint directory holds. Reading it changes nothing.
type image struct {
	fs  vfs.FS
	dir string
	all bool // check everything and keep going, for Inspect

	id         [16]byte
	createdBy  string
	generation int64
	print      []byte

	segments      []segment // the log; leftovers of a trimmed log excluded
	snapshots     []snapshotFile
	snapshot      []byte
	snapshotBatch int64
	history       history
	torn          bool // the last segment has bytes behind the place to cut

	problems []error
	notices  []string
}

type snapshotFile struct {
	batch int64
	bytes int64
	err   error
}

// load reads a checkpoint. Its problems are in im.problems; unless all is set, it
// stops at the first.
func load(fsys vfs.FS, dir string, all bool) *image {
	im := &image{fs: fsys, dir: dir, all: all, snapshotBatch: -1}
	names, err := fsys.List(dir)
	if err != nil {
		im.problems = append(im.problems, storage("reading", dir, err))
		return im
	}
	steps := []func() error{
		im.readMetadata,
		im.readGeneration,
		im.readPrint,
		func() error { return im.readSegments(names) },
		func() error { return im.readSnapshots(names) },
		im.readLog,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			im.problems = append(im.problems, err)
			if !all {
				break
			}
		}
	}
	return im
}

// readOwn reads a framed file of this query.
func (im *image) readOwn(name, kind string) (fileHeader, []byte, error) {
	path := join(im.dir, name)
	h, payload, err := readFramed(im.fs, path, kind)
	if err == nil {
		err = im.own(path, h)
	}
	return h, payload, err
}

// own checks that a file belongs to this query. The first file read says which it is:
// metadata, unless Inspect reads a checkpoint without.
func (im *image) own(path string, h fileHeader) error {
	if im.id == ([16]byte{}) {
		im.id = h.queryID
	}
	if h.queryID != im.id {
		return foreign(path, h.queryID, im.id)
	}
	return nil
}

func (im *image) readMetadata() error {
	_, payload, err := im.readOwn(metadataName, kindMetadata)
	im.createdBy = string(payload)
	return err
}

func (im *image) readGeneration() error {
	h, _, err := im.readOwn(generationName, kindGeneration)
	im.generation = int64(h.number)
	return err
}

func (im *image) readPrint() (err error) {
	_, im.print, err = im.readOwn(printName, kindPrint)
	return err
}

func (im *image) readSegments(names []string) error {
	var numbers []uint64
	for _, name := range names {
		if n, ok := segmentNumber(name); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	if len(numbers) == 0 {
		return missing(join(im.dir, segmentName(firstSegment)), "the checkpoint has no log")
	}
	// Segments are removed oldest first, but after a power cut a removal may stand
	// while an earlier one is undone. Only the unbroken run up to the newest is the log.
	first := len(numbers) - 1
	for first > 0 && numbers[first-1] == numbers[first]-1 {
		first--
	}
	for _, n := range numbers[first:] {
		h, s, err := readSegmentHeader(im.fs, im.dir, n)
		if err == nil {
			err = im.own(s.path, h)
		}
		if err != nil && !im.all {
			return err
		}
		if err != nil {
			im.problems = append(im.problems, err)
			im.segments = nil // what is before is no part of what can be read
			continue
		}
		im.segments = append(im.segments, s)
	}
	return nil
}

// readSnapshots takes the newest that is intact.
func (im *image) readSnapshots(names []string) error {
	for _, name := range slices.Backward(names) {
		batch, ok := snapshotBatch(name)
		if !ok {
			continue
		}
		s := snapshotFile{batch: batch}
		var payload []byte
		if im.snapshot == nil || im.all {
			var h fileHeader
			h, payload, s.err = im.readOwn(name, kindSnapshot)
			if s.err == nil && h.batch != batch {
				s.err = corrupt(join(im.dir, name), -1, "it is of batch %d", h.batch)
			}
			s.bytes = int64(len(payload))
		}
		im.snapshots = append(im.snapshots, s)
		if s.err == nil && im.snapshot == nil {
			im.snapshot, im.snapshotBatch = payload, batch
		}
	}
	slices.Reverse(im.snapshots)
	for _, s := range im.snapshots {
		if s.err != nil {
			im.notices = append(im.notices, fmt.Sprintf("%v; an older state and the log were used instead", s.err))
		}
	}
	return nil
}

// readLog reads the records behind the snapshot.
func (im *image) readLog() error {
	im.history = history{from: im.snapshotBatch, generation: im.generation, batch: im.snapshotBatch, reporting: im.all}
	if im.all && im.generation == 0 {
		im.history.generation = math.MaxInt64 // the file is damaged, which was said already
	}
	if len(im.segments) == 0 {
		return nil // said already
	}
	if err := im.dropOldSegments(); err != nil {
		return err
	}
	for i := range im.segments {
		if err := im.readSegment(&im.segments[i], i == len(im.segments)-1); err != nil {
			return err
		}
	}
	return im.checkReach()
}

// dropOldSegments leaves out the segments that end before the snapshot; reading them
// would only cost time. Inspect reads all.
func (im *image) dropOldSegments() error {
	first := &im.segments[0]
	// The PLAN of a segment's first batch may stand at the end of the one before.
	if first.number != firstSegment && first.firstBatch > im.snapshotBatch {
		for _, s := range slices.Backward(im.snapshots) {
			if s.err != nil {
				return s.err
			}
		}
		why := "the log begins with batch %d and no snapshot of it or a later one is intact"
		return missing(join(im.dir, segmentName(first.number-1)), why, first.firstBatch)
	}
	for !im.all && len(im.segments) > 1 && im.segments[1].firstBatch <= im.snapshotBatch {
		im.segments = im.segments[1:]
	}
	return nil
}

func (im *image) readSegment(s *segment, last bool) error {
	f, _, err := openSized(im.fs, s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := &im.history
	if !h.started && len(h.group) == 0 {
		h.write = s.firstWrite - 1
	}
	if s.firstWrite != h.write+1 {
		return corrupt(s.path, -1, "expected a segment that begins with write %d of the log, found %d", h.write+1, s.firstWrite)
	}
	h.end = fileHeaderBytes
	skip := h.skip
	if im.all {
		skip = func(recordHeader) bool { return false }
	}
	if err := s.scan(f, im.id, skip, h.add); err != nil {
		return err
	}
	written, later, err := s.tail(f, im.id, h.provesDamage())
	switch {
	case err != nil:
		return err
	case later >= 0:
		return corrupt(s.path, s.end, "expected a log record, and an intact one follows at byte %d", later)
	case !last && (written || len(h.group) > 0):
		return corrupt(s.path, s.end, "expected a log record or zeros, and a later segment follows")
	}
	// What is behind the last whole write is the torn end of the log.
	im.torn = written || h.end < s.end
	s.end, h.group = h.end, nil
	return nil
}

// checkReach compares the log with the snapshots. Every snapshot was made after its
// batch was committed in the log.
func (im *image) checkReach() error {
	h := &im.history
	end := h.batch
	if h.started && h.stage != committed {
		end--
	}
	if newest := len(im.snapshots) - 1; newest >= 0 && im.snapshots[newest].batch > end {
		last := im.segments[len(im.segments)-1]
		return corrupt(last.path, last.end, "the log ends with batch %d and there is a snapshot of batch %d", end, im.snapshots[newest].batch)
	}
	return nil
}
