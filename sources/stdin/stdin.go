// Package stdin is the connector that reads the standard input of the process.
//
// A pipe can be read once, and a batch must be readable again: what comes is copied to a
// file, the spool, as it comes, and the files connector reads that file while it grows.
// Without the option spool the file is in a temporary folder and gone with the process:
// a query that was stopped in the middle of a batch then finds its input missing
// (E_SOURCE_MISSING) instead of losing it in silence. With spool = 'folder' the file
// stays, and what was copied can be replayed like any file; each process adds one.
package stdin

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sources/files"
	"ssql/sql/types"
)

// Input is the standard input of a process. Close removes what was kept of it.
type Input struct{ spool spool }

// New returns the input. It is read once a stream of it is.
func New(in io.Reader) *Input {
	return &Input{spool{in: in, done: make(chan struct{}), more: make(chan struct{}), room: make(chan struct{}), aheadMax: spoolBytesMax}}
}

// Close removes the temporary spool. Queries must be closed before.
func (i *Input) Close() error { return i.spool.remove() }

// Spec returns the connector's row.
func (i *Input) Spec() sources.Spec {
	base := files.Spec()
	return sources.Spec{
		Name:         "stdin",
		Summary:      "the standard input of the process, spooled to a file",
		Options:      options(base.Options),
		Metadata:     base.Metadata,
		CheckFormat:  base.CheckFormat,
		CheckColumns: base.CheckColumns,
		Identity:     func(o sources.Values) string { return fmt.Sprintf("stdin spool=%q", o.String("spool")) },
		Infer: func(ctx context.Context, o sources.Values, notice func(text string)) ([]types.Field, error) {
			if o.String("format") == "" {
				return nil, sqlerr.New("MISSING_OPTION", "option \"format\" is missing: columns can only be guessed from standard input when its format is known").
					WithHint("format = 'json', 'csv' or 'text'")
			}
			o, err := i.sample(ctx, o)
			if err != nil {
				return nil, err
			}
			return base.Infer(ctx, o, notice)
		},
		Sniff: func(ctx context.Context, o sources.Values) (map[string]string, error) {
			o, err := i.sample(ctx, o)
			if err != nil {
				return nil, err
			}
			told, err := base.Sniff(ctx, o)
			if told["format"] == "parquet" {
				return nil, noParquet()
			}
			return told, err
		},
		Open: func(o sources.OpenContext) (sources.Source, error) {
			var err error
			if o.Options, err = i.options(o.Options); err != nil {
				return nil, err
			}
			inner, err := base.Open(o)
			if err != nil {
				return nil, err
			}
			most := time.Duration(o.Options.Int(batchWait)) * time.Microsecond
			return &source{Source: inner, freezer: inner.(sources.Freezer), files: inner.(files.Settler), cutter: inner.(sources.Cutter), spool: &i.spool, most: most}, nil
		},
	}
}

// options begins to copy and returns the options of files that read the copy.
func (i *Input) options(o sources.Values) (sources.Values, error) {
	dir, err := i.spool.start(o)
	if err != nil {
		return o, err
	}
	set := maps.Clone(o.Set)
	if set == nil {
		set = map[string]any{}
	}
	set["path"], set["order"], set[files.Growing] = filepath.Join(dir, prefix+"*"), "name", true
	set["settle_time"] = sampleQuiet.Microseconds() // of a sample
	if o.String("spool") == "" {
		set[files.ShownAs] = "stdin"
	}
	o.Set = set
	return o, nil
}

// sample is options, once there is enough input to look at.
func (i *Input) sample(ctx context.Context, o sources.Values) (sources.Values, error) {
	o, err := i.options(o)
	if err != nil {
		return o, err
	}
	return o, i.spool.waitSample(ctx)
}

// batchWait is the option of the time that a batch collects rows.
const batchWait = "batch_wait"

// prefix is how the names of spool files begin.
const prefix = "stdin-"

// options are those of files but for what says which files. The format is not Parquet,
// whose end must be read first.
func options(base []sources.Option) []sources.Option {
	out := []sources.Option{{Name: "spool", Type: sources.StringOption,
		Summary: "folder that keeps what was read, so that a restart can replay it; without it a temporary one, which is removed at the end"},
		{Name: batchWait, Type: sources.DurationOption, Default: "1 second",
			Summary: "how long a batch of a pipe that has not ended collects rows at most, while they come without a pause; 0 is until the end of the input"}}
	for _, o := range base {
		if !slices.Contains([]string{"path", "order", "max_file_age", "max_files_per_batch", "settle_time", "changed_files", "incomplete_files"}, o.Name) {
			if o.Name == "format" {
				o.Values = slices.DeleteFunc(slices.Clone(o.Values), func(format string) bool { return format == "parquet" })
			}
			out = append(out, o)
		}
	}
	return out
}

func noParquet() error {
	return sqlerr.New("INVALID_OPTION", "Parquet cannot be read from standard input, since its end must be read first").
		WithHint("write it to a file and use connector = 'files'")
}

// source is the files source of the spool.
type source struct {
	sources.Source
	freezer sources.Freezer
	files   files.Settler
	cutter  sources.Cutter
	spool   *spool
	most    time.Duration // batch_wait
	seen    int64         // bytes of the spool that were there at the last look
	read    int64         // bytes that batches have read
	// readBefore is read at the last look.
	readBefore int64
}

// pipeBytesMax is what a batch of a pipe that has not ended reads at most.
const pipeBytesMax = 64 << 20

var (
	_ sources.Pipe   = (*source)(nil)
	_ sources.Cutter = (*source)(nil)
)

// Cut cuts the files of the spool.
func (s *source) Cut(ctx context.Context, r sources.Range, l sources.Limits) (sources.Range, error) {
	return s.cutter.Cut(ctx, r, l)
}

// Next takes what has no line end only when the input has ended: no more belongs to it.
func (s *source) Next(ctx context.Context, l sources.Limits) (sources.Range, error) {
	if s.spool.ended() {
		s.files.Settle()
	} else if !l.Unlimited && (l.BytesMax == 0 || l.BytesMax > pipeBytesMax) {
		l.BytesMax = pipeBytesMax
	}
	return s.Source.Next(ctx, l)
}

// Advance makes room for more input.
func (s *source) Advance(r sources.Range) error {
	s.read += files.BytesOf(r)
	s.spool.release(s.read, false)
	return s.Source.Advance(r)
}

// More waits for a batch of the input.
func (s *source) More(ctx context.Context) (ended bool, err error) {
	if s.most == 0 {
		err = s.spool.wait(ctx)
		return true, err
	}
	before := s.seen
	s.seen, ended, err = s.spool.waitMore(ctx, s.seen, s.most)
	if err == nil && !ended && s.seen-s.read > s.spool.aheadMax && s.read == s.readBefore && before > 0 {
		s.spool.release(0, true) // nothing can be read of it before its end
	}
	s.readBefore = s.read
	if ended && err == nil {
		err = s.spool.wait(ctx) // for its error
	}
	return ended, err
}

// EndsWithin waits for the end of the input, but not for longer.
func (s *source) EndsWithin(ctx context.Context, d time.Duration) (ended bool, err error) {
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-s.spool.done:
		return true, nil
	case <-time.After(d):
		return false, nil
	}
}

// Freeze waits for the end of the input: what a pipe holds at one moment means nothing.
func (s *source) Freeze(ctx context.Context) error {
	if err := s.spool.wait(ctx); err != nil {
		return err
	}
	s.files.Settle()
	return s.freezer.Freeze(ctx)
}

// Thaw undoes Freeze.
func (s *source) Thaw() { s.freezer.Thaw() }

// Description names the input, not its spool.
func (s *source) Description() string { return "stdin" }
