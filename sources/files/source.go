package files

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"ssql/internal/format"
	"ssql/internal/format/column"
	"ssql/internal/sqlerr"
	"ssql/sources"
)

// source reads the files of one stream for one query.
type source struct {
	config  *config
	context sources.OpenContext
	shape   format.Shape // of files whose folders say nothing, for their records; nil for Parquet
	notice  func(text string)
	now     func() time.Time
	pause   func(ctx context.Context, d time.Duration) error
	at      position
	stream  string

	// What the last listing found of files that are not what they were called; see
	// follower.
	moves   []moved
	movedTo map[fileName]state
	fresh   map[fileName]bool
	// What was found out about files, so that it is not looked for again.
	verified map[fileName]verified
	wholes   map[fileName]wholeness
	unpacked map[fileName]unpackedAs

	// listed are files of the last listing, in order. Files that have been read are
	// dropped from its front; it is used as long as it fills the batches.
	listed []entry
	frozen bool // listed is all there is, see Freeze

	watch  *watch    // of the folder; nil where one watch is not enough
	idleAt time.Time // when the last listing gave nothing; zero otherwise
	// waiting: bytes were left for later, which only the clock makes ready.
	waiting bool
	settled bool // see Settle

	mu       sync.Mutex
	variants map[string]*variant
	// elsewhere is where pinned files are that are not under their names any more;
	// temporary are those of them that were unpacked.
	elsewhere map[place]string
	temporary []string
}

// idleMax is how long a watch is believed: a network file system can change without
// an event.
const idleMax = time.Second

// Settler is the Source of this connector. Settle says that the files are complete: what
// is not whole in them will not become so.
type Settler interface{ Settle() }

var (
	_ sources.Source  = (*source)(nil)
	_ sources.Freezer = (*source)(nil)
	_ sources.Cutter  = (*source)(nil)
	_ Settler         = (*source)(nil)
)

func newSource(c *config, o *sources.OpenContext, notice func(text string), now func() time.Time) (*source, error) {
	if notice == nil {
		notice = func(string) {}
	}
	s := &source{config: c, notice: notice, now: now, pause: pause, stream: o.Stream, context: *o, variants: map[string]*variant{},
		verified: map[fileName]verified{}, wholes: map[fileName]wholeness{}, unpacked: map[fileName]unpackedAs{}, elsewhere: map[place]string{}}
	c.drift = newDrift(c.format.column, o)
	whole, err := s.newVariant(nil)
	if err != nil {
		return nil, err
	}
	s.shape = whole.shape
	if c.pattern.oneFolder() {
		s.watch = newWatch(c.pattern.root)
	}
	return s, nil
}

func (s *source) Restore(snapshot []byte) error { return s.at.restore(snapshot) }

func (s *source) Position() ([]byte, error) { return json.Marshal(&s.at) }

// Offset is Spark's: the number of the last range.
func (s *source) Offset() json.RawMessage {
	if s.at.Offset < 0 {
		return nil
	}
	return fmt.Appendf(nil, `{"logOffset":%d}`, s.at.Offset)
}

func (s *source) Description() string { return "files[" + s.config.pattern.given + "]" }

// Commit tells of the names that the batch brought.
func (s *source) Commit(sources.Range) error {
	for _, text := range s.config.drift.Notices() {
		s.notice(text)
	}
	return nil
}

func (s *source) Settle() { s.settled = true }

func (s *source) Close() error {
	if s.watch != nil {
		s.watch.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.variants = map[string]*variant{}
	for _, name := range s.temporary {
		os.Remove(name) // of no use to anyone else
	}
	s.temporary = nil
	return nil
}

// streamName is the name for hints.
func (s *source) streamName() string {
	if s.stream == "" {
		return "stream"
	}
	return s.stream
}

func (s *source) Advance(r sources.Range) error {
	parsed, err := parseRange(r)
	if err != nil {
		return err
	}
	s.moves, s.movedTo = nil, nil
	for i := range parsed.Files {
		delete(s.fresh, parsed.Files[i].Name)
	}
	return s.at.advance(parsed, s.config.ageNanos)
}

// Freeze lists the files; what is written later is neither listed nor read beyond
// the size that a file has now. A last line that nobody may have finished, where it
// cannot be told, is waited for.
func (s *source) Freeze(ctx context.Context) error {
	if s.frozen = true; s.shape == nil || !s.config.format.unsure {
		return s.list()
	}
	if err := s.list(); err != nil {
		return err
	}
	rest := s.youngLine()
	if rest <= 0 {
		return nil
	}
	if err := s.pause(ctx, min(rest, freezeWaitMax)); err != nil {
		return err
	}
	return s.list()
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// freezeWaitMax bounds how long Freeze waits.
const freezeWaitMax = 5 * time.Second

// youngLine returns for how long a last line without its end is not known to be whole, of
// the listed files the longest.
func (s *source) youngLine() (rest time.Duration) {
	for _, e := range s.listed {
		young := s.config.settle - s.now().Sub(time.Unix(0, e.mtime))
		if s.settled || young <= rest {
			continue
		}
		f, info, err := openRegular(s.config.pattern.full(e.name))
		if err != nil {
			continue // who reads it says so
		}
		_, head, err := headOf(f, info.Size())
		if err == nil && len(head) > 0 && compressionOf(head) == nil {
			_, tail, tailErr := tailOf(f, info.Size())
			if tailErr == nil && tail[len(tail)-1] != '\n' && tail[len(tail)-1] != '\r' {
				rest = young
			}
		}
		f.Close()
	}
	return rest
}

// Thaw undoes Freeze.
func (s *source) Thaw() { s.frozen, s.listed = false, s.listed[:0] }

// Next pins files in the order of their modification times until a limit is
// reached.
func (s *source) Next(ctx context.Context, limits sources.Limits) (sources.Range, error) {
	if !s.frozen && s.stillIdle() {
		return nil, nil
	}
	limits = s.limits(limits)
	files, full, err := s.pinListed(ctx, limits)
	if err == nil && !full && !s.frozen {
		if err = s.list(); err == nil {
			files, _, err = s.pinListed(ctx, limits)
		}
	}
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		if !s.waiting && !s.frozen {
			s.idleAt = s.now()
		}
		return nil, nil
	}
	return json.Marshal(&batchRange{Offset: s.at.Offset + 1, Moved: s.moves, Files: files})
}

// limits are those of the query and of the stream together.
func (s *source) limits(of sources.Limits) sources.Limits {
	if !of.Unlimited {
		of.FilesMax = smallest(of.FilesMax, s.config.filesMax)
		of.BytesMax = smallest(of.BytesMax, s.config.bytesMax)
	}
	return of
}

// newBudget is the budget of a batch within limits.
func (s *source) newBudget(limits sources.Limits) *budget {
	if !s.config.growing {
		return newBudget(limits.RowsMax, 0)
	}
	return newBudget(limits.RowsMax, limits.BytesMax) // the one file is the whole of the input
}

// pinListed pins files of the last listing; full says that they reach a limit, so that
// a new listing could add none.
func (s *source) pinListed(ctx context.Context, limits sources.Limits) (files []pinned, full bool, err error) {
	for len(s.listed) > 0 && !s.mayBeNew(s.listed[0]) {
		s.listed = s.listed[1:]
	}
	bytes, rows := int64(0), s.newBudget(limits)
	for _, e := range s.listed {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		p, err := s.pinNew(e, rows)
		if err != nil {
			if sqlerr.Code(err) == "E_SOURCE_CHANGED" {
				return nil, false, err
			}
			return nil, false, s.cannotRead(e.name, err)
		}
		if p == nil {
			if rows.left == 0 {
				return files, true, nil // the file would be a batch by itself
			}
			continue
		}
		bytes += p.To - p.From
		if limits.BytesMax > 0 && bytes > limits.BytesMax && len(files) > 0 {
			return files, true, nil
		}
		files = append(files, *p)
		if limits.FilesMax > 0 && int64(len(files)) >= limits.FilesMax || rows.left == 0 || limits.BytesMax > 0 && bytes >= limits.BytesMax {
			return files, true, nil
		}
	}
	return files, false, nil
}

// stillIdle reports that nothing has happened since a listing that gave nothing:
// the cheap answer of a poll.
func (s *source) stillIdle() bool {
	quiet := s.watch != nil && s.watch.quiet()
	still := quiet && !s.idleAt.IsZero() && s.now().Sub(s.idleAt) < idleMax
	if !still {
		s.idleAt, s.waiting = time.Time{}, false
	}
	return still
}

// smallest returns the smaller of two limits, 0 being none.
func smallest(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// Segments checks that the files are what was pinned and cuts them.
func (s *source) Segments(ctx context.Context, r sources.Range) ([]sources.Segment, error) {
	parsed, err := parseRange(r)
	if err != nil {
		return nil, err
	}
	var out []sources.Segment
	for i := range parsed.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := &parsed.Files[i]
		s.config.drift.Expect(s.config.pattern.shown(p.Name))
		f, err := s.openPinned(p)
		if err != nil {
			return nil, err
		}
		refused, err := s.refused(p)
		switch {
		case err != nil:
		case refused != nil:
			out = append(out, refused)
		case s.shape == nil:
			out = append(out, s.parquetSegments(f, p)...)
		case p.whole():
			out = append(out, &wholeSegment{s, p})
		default:
			file := &plainFile{source: s, pinned: p}
			parts, cutErr := file.segments(f)
			out, err = append(out, parts...), cutErr
		}
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("cutting %s: %w", f.Name(), err)
		}
	}
	return out, nil
}

// reader is what one goroutine needs to read segments: a decoder that has seen
// earlier rows, with its dictionaries, and a block of memory.
type reader struct {
	decoder format.Decoder
	block   []byte
}

func (v *variant) takeReader() *reader {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.readers); n > 0 {
		r := v.readers[n-1]
		v.readers = v.readers[:n-1]
		return r
	}
	return &reader{decoder: v.shape.NewDecoder(), block: make([]byte, blockBytes+column.Slack)}
}

func (v *variant) giveBack(r *reader) {
	if len(r.block) > 4*blockBytes {
		r.block = make([]byte, blockBytes+column.Slack) // a giant line made it large
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.readers = append(v.readers, r)
}
