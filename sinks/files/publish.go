package files

import (
	"errors"
	"hash/crc32"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// publish gives the files of a committed batch their final names. It may be done again
// at any time until the staged files are gone, and they go when the names are durable:
// a file that is not staged any more needs nothing.
//
// A name is given with a link and not with a rename: a crash can make of a rename
// between two folders that the file is in neither of them.
func (s *Sink) publish(m *manifest) error {
	give := map[publish]func(staged, final string, f *file) error{
		addFiles: s.add, replaceFiles: s.replace, growFile: s.grow,
	}[m.Publish]
	if give == nil {
		return sqlerr.New("E_SINK_CORRUPT", "the manifest of batch %d publishes files by %q", m.Batch, m.Publish).
			WithHint("it was written by a newer ssql: use that one")
	}
	dirs := map[string]bool{}
	for i := range m.Files {
		f := &m.Files[i]
		staged := filepath.Join(s.stageDir(), f.Stage)
		final := filepath.Join(s.config.dir(), filepath.FromSlash(f.Name))
		if _, err := s.fsys.Stat(staged); errors.Is(err, fs.ErrNotExist) {
			if err := s.published(m, final, f); err != nil {
				return err
			}
			continue
		}
		if err := s.makeFolder(path.Dir(f.Name)); err != nil {
			return s.ioError("making a folder", err)
		}
		if err := give(staged, final, f); err != nil {
			return s.ioError("publishing "+f.Name, err)
		}
		dirs[filepath.Dir(final)] = true
	}
	if err := s.removeOld(m, dirs); err != nil {
		return s.ioError("removing what a result no longer has", err)
	}
	for _, dir := range sortedKeys(dirs) {
		if err := s.fsys.SyncDir(dir); err != nil {
			return s.ioError("syncing a folder", err)
		}
	}
	for _, f := range m.Files {
		if err := s.fsys.Remove(filepath.Join(s.stageDir(), f.Stage)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s.ioError("removing a staged file", err)
		}
	}
	s.readable.Store(m.Totals.Files > 0)
	return nil
}

// add gives a staged file a name that only this batch uses.
func (s *Sink) add(staged, final string, f *file) error {
	err := s.fsys.Link(staged, final)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	// The name was given before a crash.
	info, err := s.fsys.Stat(final)
	if err == nil && info.Size != f.Bytes {
		err = corrupt("file %q has %d bytes, expected %d: something else has the name", final, info.Size, f.Bytes)
	}
	return err
}

// replace puts a staged file in the place of the one before. A reader finds the one or
// the other; the second name is hidden from globs.
func (s *Sink) replace(staged, final string, _ *file) error {
	hidden := filepath.Join(filepath.Dir(final), "."+filepath.Base(final)+vfs.TempSuffix)
	if err := s.fsys.Remove(hidden); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.fsys.Link(staged, hidden); err != nil {
		return err
	}
	return s.fsys.Rename(hidden, final)
}

// grow writes staged bytes behind those of the batches before, where a crash may have
// left some of them already.
func (s *Sink) grow(staged, final string, f *file) error {
	data, err := vfs.ReadFile(s.fsys, staged)
	if err != nil {
		return err
	}
	if int64(len(data)) != f.Bytes || crc32.Checksum(data, castagnoli) != f.CRC {
		return corrupt("the staged file %q is damaged: its checksum does not fit", staged)
	}
	w, err := s.openFinal(final, f.Offset)
	if err != nil {
		return err
	}
	if err = fitsBefore(w, final, f); err == nil {
		_, err = w.WriteAt(data, f.Offset)
	}
	if err == nil {
		err = w.Sync()
	}
	return errors.Join(err, w.Close())
}

// openFinal opens the file that grows; only its first batch may make it.
func (s *Sink) openFinal(final string, offset int64) (vfs.File, error) {
	w, err := s.fsys.OpenWrite(final)
	if errors.Is(err, fs.ErrNotExist) && offset == 0 {
		return s.fsys.Create(final)
	}
	return w, err
}

// fitsBefore checks that the file ends where the batch begins, or within it.
func fitsBefore(w vfs.File, final string, f *file) error {
	size, err := w.Size()
	if err == nil && (size < f.Offset || size > f.Offset+f.Bytes) {
		err = corrupt("file %q has %d bytes, expected %d: something else has written to it", final, size, f.Offset)
	}
	return err
}

// corrupt is the error for a file that is not what the manifests say.
func corrupt(format string, args ...any) error {
	return sqlerr.New("E_SINK_CORRUPT", format, args...).
		WithHint("put the file back as it was; or drop the query, remove what it wrote and start it anew")
}

// published checks a file whose name was durable before. One that was added may be gone:
// whoever reads the folder may take its files away.
func (s *Sink) published(m *manifest, final string, f *file) error {
	info, err := s.fsys.Stat(final)
	if errors.Is(err, fs.ErrNotExist) && m.Publish == addFiles {
		return nil
	}
	want := f.Offset + f.Bytes
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return corrupt("file %q of batch %d of query %q is gone", final, m.Batch, m.Query)
	case err != nil:
		return s.ioError("reading "+f.Name, err)
	case info.Size != want:
		return corrupt("file %q has %d bytes, but batch %d of query %q left it with %d", final, info.Size, m.Batch, m.Query, want)
	}
	return nil
}

// removeOld removes the partitions that a complete result no longer has. Their folders
// stay: the next batch may want them.
func (s *Sink) removeOld(m *manifest, dirs map[string]bool) error {
	for _, name := range m.Removes {
		final := filepath.Join(s.config.dir(), filepath.FromSlash(name))
		if _, err := s.fsys.Stat(filepath.Dir(final)); errors.Is(err, fs.ErrNotExist) {
			continue // somebody took the whole folder away
		}
		if err := s.fsys.Remove(final); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		// Also one that was removed before a crash may come back after another.
		dirs[filepath.Dir(final)] = true
	}
	return nil
}

// makeFolder makes a folder below that of the sink, and makes its name durable.
func (s *Sink) makeFolder(rel string) error {
	if rel == "." || s.made[rel] {
		return nil
	}
	if err := s.makeFolder(path.Dir(rel)); err != nil {
		return err
	}
	dir := filepath.Join(s.config.dir(), filepath.FromSlash(rel))
	if err := s.fsys.MkdirAll(dir); err != nil {
		return err
	}
	if err := s.fsys.SyncDir(filepath.Dir(dir)); err != nil {
		return err
	}
	s.made[rel] = true
	return nil
}

func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
