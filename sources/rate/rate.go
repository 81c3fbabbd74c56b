// Package rate is the connector that makes rows by the clock, as Spark's rate source:
// for trying queries out and for measuring. It can be replayed: row n of a stream is the
// same each time, and when the first one came is pinned by the batch that reads it.
//
// A column named timestamp is the time at which the row is due, one named value its
// number from 0. Any other column is made up from the number: whole numbers below keys,
// doubles in [0, 1), booleans, and texts such as k17, of which there are keys.
package rate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ssql/internal/format/column"
	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql/types"
)

// Spec returns the connector's row.
func Spec() sources.Spec {
	return sources.Spec{
		Name:    "rate",
		Summary: "rows made by the clock: timestamp, value, and made-up columns",
		Options: options(),
		Infer: func(context.Context, sources.Values, func(string)) ([]types.Field, error) {
			return []types.Field{{Name: "timestamp", Type: types.Of(types.Timestamp)}, {Name: "value", Type: types.Of(types.BigInt)}}, nil
		},
		Check: func(o sources.Values) error { _, err := newConfig(o); return err },
		Identity: func(o sources.Values) string {
			return fmt.Sprintf("rate rows_per_second=%d keys=%d start=%q", o.Int("rows_per_second"), o.Int("keys"), o.String("start"))
		},
		Preview: preview,
		Open:    func(o sources.OpenContext) (sources.Source, error) { return open(o, time.Now) },
	}
}

func options() []sources.Option {
	return []sources.Option{
		{Name: "rows_per_second", Type: sources.IntegerOption, Default: "1", Summary: "how many rows are due per second"},
		{Name: "number_of_rows", Type: sources.IntegerOption, Default: "0", Summary: "rows after which there are no more; 0 is no end"},
		{Name: "start", Type: sources.StringOption, Summary: "when the first row is due, such as '2026-01-01 00:00:00'; without it when the query starts"},
		{Name: "keys", Type: sources.IntegerOption, Default: "1000", Summary: "how many values made-up texts and whole numbers have"},
	}
}

// preview lets the first row be due so long ago that rowsMax rows are.
func preview(o sources.Values, rowsMax int64, now time.Time) map[string]string {
	c, err := newConfig(o)
	if err != nil || c.hasStart {
		return nil
	}
	const secondsMax = 100 * 365 * 24 * 3600
	start := now.Add(-time.Duration(min(rowsMax/c.perSecond, secondsMax)+1) * time.Second)
	return map[string]string{"start": start.UTC().Format("2006-01-02 15:04:05.999999")}
}

// config are the checked options.
type config struct {
	perSecond, rowsMax, keys int64
	startMicros              int64
	hasStart                 bool
}

// rateMax keeps the arithmetic of years of rows in 64 bits.
const rateMax = 1_000_000_000

func newConfig(o sources.Values) (*config, error) {
	c := &config{perSecond: o.Int("rows_per_second"), rowsMax: o.Int("number_of_rows"), keys: o.Int("keys")}
	if c.perSecond < 1 || c.perSecond > rateMax || c.keys < 1 {
		return nil, sqlerr.New("INVALID_OPTION", "expected options \"rows_per_second\" and \"keys\" from 1 up, found %d and %d", c.perSecond, c.keys)
	}
	if text := o.String("start"); text != "" {
		if c.startMicros, _, c.hasStart = types.ParseTimestamp([]byte(text)); !c.hasStart {
			return nil, sqlerr.New("INVALID_OPTION", "expected a timestamp for option \"start\", found %q", text)
		}
	}
	return c, nil
}

// source makes the rows of one stream for one query.
type source struct {
	*config
	fields []types.Field
	encode []bool
	pool   column.Pool
	now    func() time.Time
	at     position
	end    int64 // rows from here on are not there yet, see Freeze; -1: the clock decides
}

var (
	_ sources.Source  = (*source)(nil)
	_ sources.Freezer = (*source)(nil)
	_ sources.Cutter  = (*source)(nil)
)

// position is where a query is.
type position struct {
	Start  int64 `json:"start"` // when row 0 was due, microseconds since 1970
	Pinned bool  `json:"pinned"`
	Next   int64 `json:"next"`
}

// batchRange is the Range of this connector: rows [From, To) of a stream that began at
// Start.
type batchRange struct {
	Start int64 `json:"start"`
	From  int64 `json:"from"`
	To    int64 `json:"to"`
}

func open(o sources.OpenContext, now func() time.Time) (*source, error) {
	c, err := newConfig(o.Options)
	if err != nil {
		return nil, err
	}
	for _, f := range o.Fields {
		if _, err := makerOf(f); err != nil {
			return nil, err
		}
	}
	return &source{config: c, fields: o.Fields, encode: o.Encode, now: now, end: -1}, nil
}

func (s *source) Restore(snapshot []byte) error {
	s.at = position{Start: s.startMicros, Pinned: s.hasStart}
	if !s.hasStart {
		s.at.Start = s.now().UnixMicro()
	}
	if snapshot == nil {
		return nil
	}
	if err := json.Unmarshal(snapshot, &s.at); err != nil {
		return sqlerr.New("E_CKPT_CORRUPT", "position of the rate source cannot be read").Because(err)
	}
	return nil
}

func (s *source) Position() ([]byte, error) { return json.Marshal(&s.at) }

// Offset is the number of the next row.
func (s *source) Offset() json.RawMessage { return fmt.Appendf(nil, "%d", s.at.Next) }

func (s *source) Description() string        { return fmt.Sprintf("rate[rows_per_second=%d]", s.perSecond) }
func (s *source) Commit(sources.Range) error { return nil }
func (s *source) Close() error               { return nil }

// due returns how many rows are due by now.
func (s *source) due() int64 {
	micros := max(0, s.now().UnixMicro()-s.at.Start)
	rows := micros/1_000_000*s.perSecond + micros%1_000_000*s.perSecond/1_000_000
	if s.rowsMax > 0 {
		rows = min(rows, s.rowsMax)
	}
	return rows
}

// Freeze makes what is due later invisible.
func (s *source) Freeze(context.Context) error {
	s.end = s.due()
	return nil
}

// Thaw undoes Freeze.
func (s *source) Thaw() { s.end = -1 }

// Next takes the rows that are due.
func (s *source) Next(ctx context.Context, limits sources.Limits) (sources.Range, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	to := s.end
	if to < 0 {
		to = s.due()
	}
	if limits.RowsMax > 0 {
		to = min(to, s.at.Next+limits.RowsMax)
	}
	if to <= s.at.Next {
		return nil, nil
	}
	return json.Marshal(&batchRange{s.at.Start, s.at.Next, to})
}

// Cut takes the first rows.
func (s *source) Cut(_ context.Context, r sources.Range, limits sources.Limits) (sources.Range, error) {
	parsed, err := parseRange(r)
	if err != nil || limits.RowsMax == 0 || parsed.To-parsed.From <= limits.RowsMax {
		return r, err
	}
	parsed.To = parsed.From + limits.RowsMax
	return json.Marshal(parsed)
}

func (s *source) Advance(r sources.Range) error {
	parsed, err := parseRange(r)
	if err != nil {
		return err
	}
	if s.at.Next != parsed.From || s.at.Pinned && s.at.Start != parsed.Start {
		return sqlerr.New("E_CKPT_CORRUPT", "the log continues with row %d of a rate source that is at row %d", parsed.From, s.at.Next)
	}
	s.at = position{parsed.Start, true, parsed.To}
	return nil
}

func parseRange(r sources.Range) (*batchRange, error) {
	var out batchRange
	if err := json.Unmarshal(r, &out); err != nil {
		return nil, fmt.Errorf("reading a range of the rate source: %w", err)
	}
	return &out, nil
}

// segmentRows is how a range is cut.
const segmentRows = 64 << 10

func (s *source) Segments(_ context.Context, r sources.Range) ([]sources.Segment, error) {
	parsed, err := parseRange(r)
	if err != nil {
		return nil, err
	}
	var out []sources.Segment
	for from := parsed.From; from < parsed.To; from += segmentRows {
		out = append(out, &segment{s, batchRange{parsed.Start, from, min(from+segmentRows, parsed.To)}})
	}
	return out, nil
}

func isNamed(f types.Field, name string) bool { return strings.EqualFold(f.Name, name) }
