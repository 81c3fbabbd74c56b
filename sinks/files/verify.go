package files

import (
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"ssql/internal/vfs"
)

// Verified is what Verify found.
type Verified struct {
	Files, Manifests int
	Older            int64 // files of batches whose manifests are gone: nothing tells what they held
	Problems         []error
}

// Verify reads the result of a sink, a folder or a single file, and compares every file with
// the manifest of the batch that wrote it. It changes nothing and takes no lock. ok is false
// where no sink has written.
func Verify(fsys vfs.FS, path string) (v *Verified, ok bool, err error) {
	dir, state := path, filepath.Join(path, "_ssql")
	if info, err := fsys.Stat(filepath.Join(state, "manifest")); err != nil || !info.Dir {
		dir, state = filepath.Dir(path), strings.TrimSuffix(path, ".ssql")+".ssql"
	}
	names, err := manifests(fsys, filepath.Join(state, "manifest"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, true, err
	}
	v = &Verified{Manifests: len(names)}
	seen := int64(0)
	for i, name := range names {
		m, err := readManifest(fsys, filepath.Join(state, "manifest", name))
		if err != nil {
			v.Problems = append(v.Problems, err)
			continue
		}
		if m.Publish == replaceFiles && i < len(names)-1 {
			continue // a later batch has replaced its files
		}
		for k := range m.Files {
			v.Files++
			if err := verifyFile(fsys, dir, m, &m.Files[k]); err != nil {
				v.Problems = append(v.Problems, err)
			}
		}
		seen += int64(len(m.Files))
		if i == len(names)-1 && m.Publish != replaceFiles {
			v.Older = max(0, m.Totals.Files-seen)
		}
	}
	return v, true, nil
}

// verifyFile compares the bytes of a file that a batch wrote with its checksum.
func verifyFile(fsys vfs.FS, dir string, m *manifest, f *file) error {
	path := filepath.Join(dir, filepath.FromSlash(f.Name))
	r, err := fsys.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return corrupt("file %q of batch %d of query %q is gone", path, m.Batch, m.Query)
	}
	if err != nil {
		return corrupt("file %q of batch %d of query %q cannot be read: %v", path, m.Batch, m.Query, err)
	}
	defer r.Close()
	sum := crc32.New(castagnoli)
	n, err := io.Copy(sum, io.NewSectionReader(r, f.Offset, f.Bytes))
	size, sizeErr := r.Size()
	switch {
	case err != nil || sizeErr != nil:
		return corrupt("file %q of batch %d of query %q cannot be read: %v", path, m.Batch, m.Query, errors.Join(err, sizeErr))
	case n < f.Bytes:
		return corrupt("file %q is cut: batch %d of query %q left it with %d bytes, it has %d", path, m.Batch, m.Query, f.Offset+f.Bytes, size)
	case m.Publish != growFile && size != f.Bytes:
		return corrupt("file %q has %d bytes, but batch %d of query %q left it with %d", path, size, m.Batch, m.Query, f.Bytes)
	case sum.Sum32() != f.CRC:
		return corrupt("file %q is damaged: bytes %d to %d are not those that batch %d of query %q wrote", path, f.Offset, f.Offset+f.Bytes, m.Batch, m.Query)
	}
	return nil
}
