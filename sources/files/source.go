package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"ssql/internal/format"
	"ssql/internal/format/column"
	"ssql/internal/format/parquet"
	"ssql/internal/sqlerr"
	"ssql/sources"
)

// source reads the files of one stream for one query.
type source struct {
	config  *config
	columns *columns
	shape   format.Shape   // nil for Parquet
	table   *parquet.Shape // for Parquet
	notice  func(text string)
	now     func() time.Time
	at      position

	// listed are files of the last listing, in order. Files that have been read are
	// dropped from its front; it is used as long as it fills the batches.
	listed []entry
	frozen bool // listed is all there is, see Freeze

	watch  *watch    // of the folder; nil where one watch is not enough
	idleAt time.Time // when the last listing gave nothing; zero otherwise
	// waiting: bytes were left for later, which only the clock makes ready.
	waiting bool
	settled bool // see Settle

	mu      sync.Mutex
	readers []*reader // not in use
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
	_ Settler         = (*source)(nil)
)

func newSource(c *config, o *sources.OpenContext, notice func(text string), now func() time.Time) (*source, error) {
	if notice == nil {
		notice = func(string) {}
	}
	s := &source{config: c, notice: notice, now: now}
	var data sources.OpenContext
	s.columns, data = splitColumns(o)
	c.drift = newDrift(c.format.column, o)
	if c.format.shape == nil {
		s.table = &parquet.Shape{Fields: data.Fields, Encode: data.Encode, Settings: c.cells}
	} else {
		var err error
		if s.shape, err = c.format.shape(c, &data); err != nil {
			return nil, err
		}
	}
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
	s.readers = nil
	return nil
}

func (s *source) Advance(r sources.Range) error {
	parsed, err := parseRange(r)
	if err != nil {
		return err
	}
	return s.at.advance(parsed, s.config.ageNanos)
}

// Freeze lists the files; what is written later is neither listed nor read beyond
// the size that a file has now.
func (s *source) Freeze(context.Context) error {
	s.frozen = true
	return s.list()
}

// Thaw undoes Freeze.
func (s *source) Thaw() { s.frozen, s.listed = false, s.listed[:0] }

// Next pins files in the order of their modification times until a limit is
// reached.
func (s *source) Next(ctx context.Context, limits sources.Limits) (sources.Range, error) {
	if !s.frozen && s.stillIdle() {
		return nil, nil
	}
	if !limits.Unlimited {
		limits.FilesMax = smallest(limits.FilesMax, s.config.filesMax)
		limits.BytesMax = smallest(limits.BytesMax, s.config.bytesMax)
	}
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
	return json.Marshal(&batchRange{Offset: s.at.Offset + 1, Files: files})
}

// pinListed pins files of the last listing; full says that they reach a limit, so that
// a new listing could add none.
func (s *source) pinListed(ctx context.Context, limits sources.Limits) (files []pinned, full bool, err error) {
	for len(s.listed) > 0 && !s.mayBeNew(s.listed[0]) {
		s.listed = s.listed[1:]
	}
	bytes, rows := int64(0), newBudget(limits.RowsMax)
	for _, e := range s.listed {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		p, err := s.pinNew(e, rows)
		if err != nil {
			return nil, false, sqlerr.New("E_SOURCE_MISSING", "file %q cannot be read", s.config.pattern.shown(e.name)).Because(err).
				WithHint("give this user the right to read it, or move it out of the folder; nothing has been lost")
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

// list lists the files that may have something new.
func (s *source) list() error {
	entries, err := s.config.pattern.list(s.notice)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		s.notice(fmt.Sprintf("no file matches %q yet", s.config.pattern.given))
	}
	s.listed = s.listed[:0]
	for _, e := range entries {
		if s.mayBeNew(e) {
			s.listed = append(s.listed, e)
		}
	}
	return nil
}

func (s *source) mayBeNew(e entry) bool {
	last, seen := s.at.Files[e.name]
	switch {
	case !seen && e.mtime < s.at.Purged:
		s.notice(fmt.Sprintf("file %q is passed over: it is older than the newest file read by more than max_file_age", s.config.pattern.shown(e.name)))
		return false
	case !seen:
		return e.size > 0
	case e.size == last.Size && e.mtime == last.MTime:
		return last.To < last.Size
	}
	return true
}

// pinNew pins a file unless it was read since it was listed.
func (s *source) pinNew(e entry, rows *budget) (*pinned, error) {
	last, seen := s.at.Files[e.name]
	if !seen {
		return s.pin(e, nil, rows)
	}
	if !s.mayBeNew(e) {
		return nil, nil
	}
	return s.pin(e, &last, rows)
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
		switch {
		case s.table != nil:
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

// openPinned opens a pinned file and refuses one that has changed otherwise than by
// growing.
func (s *source) openPinned(p *pinned) (*os.File, error) {
	name := s.config.pattern.full(p.Name)
	f, info, err := openRegular(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, sqlerr.New("E_SOURCE_MISSING", "file %q is gone, but a planned batch reads it", name).
			WithHint("put it back as it was and start the query again; nothing has been lost")
	}
	if err != nil {
		return nil, sqlerr.New("E_SOURCE_MISSING", "file %q cannot be opened, but a planned batch reads it", name).Because(err)
	}
	changed := ""
	switch size := info.Size(); {
	case size < p.Size:
		changed = fmt.Sprintf("it had %d bytes and has %d", p.Size, size)
	case size == p.Size && info.ModTime().UnixNano() != p.MTime:
		changed = "it was modified at " + info.ModTime().UTC().Format(time.RFC3339Nano)
	case size > p.Size && p.whole():
		changed = fmt.Sprintf("such a file cannot grow, and it had %d bytes and has %d", p.Size, size)
	case size > p.Size:
		// The rest of the range cannot be compared: only its bytes would tell.
		if sum, _, err := headOf(f, p.Size); err != nil || sum != p.Head {
			changed = "it starts with other bytes"
		}
	}
	if changed == "" {
		return f, nil
	}
	f.Close()
	return nil, sqlerr.New("E_SOURCE_CHANGED", "file %q is not what the planned batch pinned: %s", name, changed).
		WithHint("put it back as it was and start the query again; files may only grow once they are listed")
}

// reader is what one goroutine needs to read segments: a decoder that has seen
// earlier rows, with its dictionaries, and a block of memory.
type reader struct {
	decoder format.Decoder
	block   []byte
}

func (s *source) takeReader() *reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.readers); n > 0 {
		r := s.readers[n-1]
		s.readers = s.readers[:n-1]
		return r
	}
	return &reader{decoder: s.shape.NewDecoder(), block: make([]byte, blockBytes+column.Slack)}
}

func (s *source) giveBack(r *reader) {
	if len(r.block) > 4*blockBytes {
		r.block = make([]byte, blockBytes+column.Slack) // a giant line made it large
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers = append(s.readers, r)
}
