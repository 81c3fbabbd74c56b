package files

import (
	"encoding/json"
	"fmt"

	"ssql/internal/sqlerr"
)

// pinned are bytes of one file that a batch reads.
type pinned struct {
	Name  string `json:"path"`
	Size  int64  `json:"size"`  // of the file when it was pinned
	MTime int64  `json:"mtime"` // nanoseconds since 1970
	Head  uint32 `json:"head"`  // CRC-32C of the first headBytes: tells growth from replacement
	From  int64  `json:"from,omitempty"`
	To    int64  `json:"to"`
	// Compression is gzip or zstd; such a file is read from start to end.
	Compression string `json:"compression,omitempty"`
	// Form is "array" for a JSON array and "parquet" for Parquet, which are, too.
	Form string `json:"form,omitempty"`
}

// whole reports whether the file is read from start to end: it cannot grow.
func (p *pinned) whole() bool { return p.Compression != "" || p.Form != "" }

// batchRange is the Range of this connector.
type batchRange struct {
	Offset int64    `json:"logOffset"` // number of the range, from 0, as Spark's source counts
	Files  []pinned `json:"files"`
}

// state is what is known of a file that was read: the last time it was pinned.
type state struct {
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"`
	Head  uint32 `json:"head"`
	To    int64  `json:"to"`
	Done  bool   `json:"done,omitempty"` // compressed: it can not grow
}

// position is what was read. It remembers files for max_file_age behind the newest
// one, as Spark does: age is relative to the files, not to the clock, so that the
// first batch takes everything and a stopped query forgets nothing.
type position struct {
	Offset int64            `json:"logOffset"` // of the last range; -1 before the first
	Newest int64            `json:"newest"`    // mtime of the newest file read
	Purged int64            `json:"purged"`    // files older than this are forgotten, and never new
	Files  map[string]state `json:"files"`
}

func (p *position) restore(snapshot []byte) error {
	*p = position{Offset: -1, Files: map[string]state{}}
	if snapshot == nil {
		return nil
	}
	if err := json.Unmarshal(snapshot, p); err != nil {
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
	for _, f := range r.Files {
		p.Files[f.Name] = state{Size: f.Size, MTime: f.MTime, Head: f.Head, To: f.To, Done: f.whole()}
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

func parseRange(r json.RawMessage) (*batchRange, error) {
	var out batchRange
	if err := json.Unmarshal(r, &out); err != nil {
		return nil, fmt.Errorf("reading a range of the files source: %w", err)
	}
	return &out, nil
}
