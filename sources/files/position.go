package files

import (
	"encoding/json"
	"fmt"

	"ssql/internal/sqlerr"
)

// pinned are bytes of one file that a batch reads.
type pinned struct {
	Name fileName `json:"path"`
	fileID
	Size  int64  `json:"size"`           // of the file when it was pinned
	MTime int64  `json:"mtime"`          // nanoseconds since 1970
	Head  uint32 `json:"head"`           // CRC-32C of the first sampledBytes: tells growth from replacement
	Tail  uint32 `json:"tail,omitempty"` // CRC-32C of the last sampledBytes before To; 0 in older logs
	From  int64  `json:"from,omitempty"`
	To    int64  `json:"to"`
	// Open says that the last line was read without its end.
	Open bool `json:"open,omitempty"`
	// Compression is a name of compressions; such a file is read from start to end.
	Compression string `json:"compression,omitempty"`
	// Skip are bytes of the unpacked content that were read before the file was packed.
	Skip int64 `json:"skip,omitempty"`
	// Form is "parquet" for Parquet, formUTF16 or formCR, which are, too.
	Form string `json:"form,omitempty"`
	// Records is recordsAny if the records of JSON end where their values do.
	Records string `json:"records,omitempty"`
	// Unclosed says that the array that the file is ends with To, but has no end.
	Unclosed bool `json:"unclosed,omitempty"`
}

// whole reports whether the file is read from start to end: it cannot grow.
func (p *pinned) whole() bool { return p.Compression != "" || p.Form != "" }

// moved is a file that holds what was read under another name.
type moved struct {
	Name fileName `json:"path"`
	Was  fileName `json:"was"`
	Copy bool     `json:"copy,omitempty"` // the file Was has it, too
	state
}

// batchRange is the Range of this connector. The renames since the range before come
// first, all at once.
type batchRange struct {
	Offset int64    `json:"logOffset"` // number of the range, from 0, as Spark's source counts
	Moved  []moved  `json:"moved,omitempty"`
	Files  []pinned `json:"files"`
}

// state is what is known of a file that was read: the last time it was pinned.
type state struct {
	fileID
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"`
	Head  uint32 `json:"head"`
	Tail  uint32 `json:"tail,omitempty"`
	To    int64  `json:"to"`
	Open  bool   `json:"open,omitempty"`
	// Records is that of pinned: how a file is read does not change while it grows.
	Records string `json:"records,omitempty"`
	Done    bool   `json:"done,omitempty"` // compressed: it can not grow
	// Skip is of a packed file that is not read yet: what was read of it before it was
	// packed.
	Skip int64 `json:"skip,omitempty"`
	// Outside says that the pattern does not name the file any more.
	Outside bool `json:"outside,omitempty"`
}

// position is what was read. It remembers files for max_file_age behind the newest
// one, as Spark does: age is relative to the files, not to the clock, so that the
// first batch takes everything and a stopped query forgets nothing.
type position struct {
	Offset int64 // of the last range; -1 before the first
	Newest int64 // mtime of the newest file read
	Purged int64 // files older than this are forgotten, and never new
	Files  map[fileName]state
}

// positionJSON is a position in a snapshot.
type positionJSON struct {
	Offset int64            `json:"logOffset"`
	Newest int64            `json:"newest"`
	Purged int64            `json:"purged"`
	Files  map[string]state `json:"files"`
}

// MarshalJSON implements json.Marshaler.
func (p *position) MarshalJSON() ([]byte, error) {
	out := positionJSON{p.Offset, p.Newest, p.Purged, make(map[string]state, len(p.Files))}
	for name, s := range p.Files {
		out.Files[name.text()] = s
	}
	return json.Marshal(out)
}

func (p *position) restore(snapshot []byte) error {
	*p = position{Offset: -1, Files: map[fileName]state{}}
	if snapshot == nil {
		return nil
	}
	var in positionJSON
	err := json.Unmarshal(snapshot, &in)
	p.Offset, p.Newest, p.Purged = in.Offset, in.Newest, in.Purged
	for text, s := range in.Files {
		name, nameErr := nameOfText(text)
		if nameErr != nil {
			err = nameErr
		}
		p.Files[name] = s
	}
	if err != nil {
		return sqlerr.New("E_CKPT_CORRUPT", "position of the files source cannot be read").Because(err)
	}
	return nil
}

// advance moves behind a range.
func (p *position) advance(r *batchRange, ageNanos int64) error {
	if r.Offset != p.Offset+1 {
		return sqlerr.New("E_CKPT_CORRUPT", "the log continues with range %d of the files source behind range %d", r.Offset, p.Offset)
	}
	p.Offset = r.Offset
	for _, m := range r.Moved {
		if !m.Copy {
			delete(p.Files, m.Was)
		}
	}
	for _, m := range r.Moved {
		p.Files[m.Name] = m.state
	}
	for i := range r.Files {
		f := &r.Files[i]
		s := f.state()
		s.Outside = p.Files[f.Name].Outside && p.Files[f.Name].same(f.fileID)
		p.Files[f.Name] = s
		p.Newest = max(p.Newest, f.MTime)
	}
	if purge := p.Newest - ageNanos; purge > p.Purged {
		p.Purged = purge
		for name, s := range p.Files {
			if s.MTime < purge {
				delete(p.Files, name)
			}
		}
	}
	return nil
}

// state is what is known of a file behind a range that reads it.
func (p *pinned) state() state {
	return state{fileID: p.fileID, Size: p.Size, MTime: p.MTime, Head: p.Head, Tail: p.Tail, To: p.To, Open: p.Open, Records: p.Records, Done: p.whole()}
}

func parseRange(r json.RawMessage) (*batchRange, error) {
	var out batchRange
	if err := json.Unmarshal(r, &out); err != nil {
		return nil, fmt.Errorf("reading a range of the files source: %w", err)
	}
	return &out, nil
}

// BytesOf returns how many bytes of plain files a range reads, 0 if it is not of this
// connector.
func BytesOf(r json.RawMessage) (n int64) {
	parsed, err := parseRange(r)
	if err != nil {
		return 0
	}
	for i := range parsed.Files {
		n += parsed.Files[i].To - parsed.Files[i].From
	}
	return n
}
