package files

import (
	"context"
	"encoding/json"
	"fmt"

	"ssql/sources"
)

// Cut keeps the first files of a range, and of the last one the first rows, as Next would
// have within the limits. The rest is found by the next listing: the position knows
// nothing of it.
func (s *source) Cut(ctx context.Context, r sources.Range, limits sources.Limits) (sources.Range, error) {
	limits = s.limits(limits)
	parsed, err := parseRange(r)
	if err != nil {
		return nil, err
	}
	kept, changed, err := s.within(ctx, parsed.Files, limits)
	if err != nil || !changed && len(kept) == len(parsed.Files) {
		return r, err
	}
	parsed.Files = kept
	return json.Marshal(parsed)
}

// within returns the first of some pinned files that the limits allow; changed says that the
// last of them is read in part now.
func (s *source) within(ctx context.Context, files []pinned, limits sources.Limits) (kept []pinned, changed bool, err error) {
	bytes, rows := int64(0), s.newBudget(limits)
	for _, p := range files {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		full := limits.FilesMax > 0 && int64(len(kept)) >= limits.FilesMax || rows.left == 0 || limits.BytesMax > 0 && bytes >= limits.BytesMax
		bytes += p.To - p.From
		if full || limits.BytesMax > 0 && bytes > limits.BytesMax && len(kept) > 0 {
			return kept, false, nil
		}
		to := p.To
		switch {
		case p.whole():
			if !rows.takeWhole() {
				return kept, false, nil
			}
		case rows.limited() || rows.bytes > 0:
			if err := s.shorten(&p, rows); err != nil {
				return nil, false, err
			}
		}
		if kept = append(kept, p); p.To < to {
			return kept, true, nil
		}
	}
	return kept, false, nil
}

// shorten leaves what is in the budget of a pinned file.
func (s *source) shorten(p *pinned, rows *budget) error {
	f, err := s.openPinned(p)
	if err != nil {
		return err
	}
	defer f.Close()
	to := p.To
	if err := s.cutPinned(f, p, rows); err != nil {
		return fmt.Errorf("cutting %s: %w", f.Name(), err)
	}
	if p.To == to {
		return nil
	}
	p.Open, p.Unclosed = false, false
	p.Tail, _, err = tailOf(f, p.To)
	return err
}
