package files

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"ssql/internal/vfs"
	"ssql/sinks"
)

// stage writes the files of a batch, synced, under names that nobody looks for, and
// returns the manifest that would commit them.
func (s *Sink) stage(ctx context.Context, b *sinks.Batch) (*manifest, error) {
	parts, err := s.layout.partitions(changedRecords(b))
	if err != nil {
		return nil, err
	}
	m := &manifest{
		QueryID: b.QueryID, Query: b.Query, Generation: b.Generation, Batch: b.Batch, Digest: b.Digest,
		Publish: s.way(), Format: s.config.format, Columns: s.layout.columns(),
	}
	encode := s.encoder(b)
	for i := range parts {
		p := &parts[i]
		if len(p.runs) == 0 && m.Publish != replaceFiles {
			continue // only a result that is replaced may become empty
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := s.fileOf(m, p, i)
		if err := s.stageFile(encode, p, f); err != nil {
			return nil, s.ioError("writing "+f.Name, err)
		}
		m.Files = append(m.Files, *f)
	}
	if len(m.Files) > 0 {
		if err := s.fsys.SyncDir(s.stageDir()); err != nil {
			return nil, s.ioError("syncing the staged files", err)
		}
	}
	s.settle(m)
	return m, nil
}

// fileOf names the segment-th file of a batch. Names come from numbers alone, so that no
// value can lead out of the folder.
func (s *Sink) fileOf(m *manifest, p *part, segment int) *file {
	f := &file{Stage: fmt.Sprintf("%d-%d-%d%s", m.Generation, m.Batch, segment, vfs.TempSuffix)}
	for _, r := range p.runs {
		f.Rows += int64(r.to - r.from)
	}
	switch {
	case s.config.single:
		f.Name = filepath.Base(s.config.path)
		if m.Publish == growFile {
			f.Offset = s.grownTo()
		}
	case m.Publish == replaceFiles: // the same name in every batch
		f.Name = "part-00000" + s.config.extension()
	default:
		f.Name = fmt.Sprintf("part-%010d-%05d%s", m.Batch, segment, s.config.extension())
	}
	if p.folder != "" {
		f.Name = p.folder + "/" + f.Name
	}
	return f
}

// grownTo returns how long the file is that grows.
func (s *Sink) grownTo() int64 {
	if s.head == nil {
		return 0
	}
	return s.head.Totals.Bytes
}

// settle fills in what a manifest says about the batches before.
func (s *Sink) settle(m *manifest) {
	now := map[string]bool{}
	if s.head != nil && m.Publish != replaceFiles {
		m.Totals = s.head.Totals
	}
	for _, f := range m.Files {
		now[f.Name] = true
		m.Totals.Rows += f.Rows
		m.Totals.Bytes += f.Bytes
		if m.Publish != growFile || f.Offset == 0 {
			m.Totals.Files++
		}
	}
	if s.head == nil || m.Publish != replaceFiles {
		return
	}
	for _, f := range s.head.Files {
		if !now[f.Name] {
			m.Removes = append(m.Removes, f.Name)
		}
	}
}

// encoder returns what writes the rows of a batch.
func (s *Sink) encoder(b *sinks.Batch) encoder {
	switch s.config.format {
	case csvFormat:
		return s.newCSV(b)
	case jsonFormat:
		return s.newJSON(b)
	case debeziumFormat:
		return s.newDebezium(b)
	}
	return s.newParquet(b)
}

// stageFile writes and syncs one file and notes its size and checksum.
func (s *Sink) stageFile(encode encoder, p *part, f *file) error {
	w, err := s.fsys.Create(filepath.Join(s.stageDir(), f.Stage))
	if err != nil {
		return err
	}
	counted := &counter{to: w}
	s.buffer.Reset(counted)
	packed, err := s.packer(s.buffer)
	if err == nil {
		err = encode.encode(packed, p, f.Offset == 0)
	}
	if err == nil {
		err = packed.Close()
	}
	if err == nil {
		err = s.buffer.Flush()
	}
	if err == nil {
		err = w.Sync()
	}
	f.Bytes, f.CRC = counted.bytes, counted.crc
	return errors.Join(err, w.Close())
}

// packer compresses what is written as text; Parquet compresses its own pages. Parts of
// a file that grows are packed one by one, which gzip and zstd read as one text.
func (s *Sink) packer(w io.Writer) (io.WriteCloser, error) {
	if s.config.format != parquetFormat {
		switch s.config.compression {
		case "gzip":
			return gzip.NewWriter(w), nil
		case "zstd":
			return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		}
	}
	return open{w}, nil
}

// open is a Writer that needs no Close.
type open struct{ io.Writer }

// Close does nothing.
func (open) Close() error { return nil }

// counter counts and sums what goes through.
type counter struct {
	to    io.Writer
	bytes int64
	crc   uint32
}

// Write passes p on.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += int64(n)
	c.crc = crc32.Update(c.crc, castagnoli, p[:n])
	return n, err
}
