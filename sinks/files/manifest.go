package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/sinks"
)

// manifest says what a batch consists of. That it has its name is the commit.
type manifest struct {
	QueryID    string  `json:"queryId"`
	Query      string  `json:"query"`
	Generation int64   `json:"generation"`
	Batch      int64   `json:"batch"`
	Digest     uint64  `json:"digest,string"`
	Publish    publish `json:"publish"`
	Format     string  `json:"format"`
	Columns    string  `json:"columns"`
	Files      []file  `json:"files"`
	// Removes are the files of the batch before that this one does not replace:
	// partitions that are no longer part of a complete result.
	Removes []string `json:"removes,omitempty"`
	Totals  totals   `json:"totals"`
}

// file is one file of a batch.
type file struct {
	Stage string `json:"stage"` // its name before the commit, in the folder stage
	Name  string `json:"name"`  // its final name, below the folder, with slashes
	Bytes int64  `json:"bytes"`
	CRC   uint32 `json:"crc"` // CRC32C of the staged bytes
	Rows  int64  `json:"rows"`
	// Offset is where the bytes stand in a file that grows.
	Offset int64 `json:"offset,omitempty"`
}

// totals add up over all batches: manifests of old batches need not be kept for them.
type totals struct {
	Files int64 `json:"files"`
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
}

// publish is how files get their final names.
type publish string

// The ways.
const (
	addFiles     publish = "add"     // each gets a name that nothing has
	replaceFiles publish = "replace" // each takes the place of the file of its name
	growFile     publish = "grow"    // its bytes go behind those of the file of its name
)

func (m *manifest) marker() sinks.Marker {
	return sinks.Marker{QueryID: m.QueryID, Generation: m.Generation, Batch: m.Batch, Digest: m.Digest}
}

// manifestMagic begins the first line of a manifest; the checksum of the rest, in
// hexadecimal, ends it.
const manifestMagic = "SSQL1 manifest "

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (m *manifest) encode() ([]byte, error) {
	body, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, fmt.Errorf("writing the manifest of batch %d: %w", m.Batch, err)
	}
	body = append(body, '\n')
	head := fmt.Appendf(nil, "%s%08x\n", manifestMagic, crc32.Checksum(body, castagnoli))
	return append(head, body...), nil
}

// readManifest reads a manifest. It was written whole before it got its name, so
// anything wrong inside is damage.
func readManifest(fsys vfs.FS, name string) (*manifest, error) {
	data, err := vfs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	corrupt := func(what string) error {
		return sqlerr.New("E_SINK_CORRUPT", "manifest %q %s", name, what).
			WithHint("put the file back from a copy; nothing is written to the folder until then")
	}
	head, body, found := bytes.Cut(data, []byte("\n"))
	sum, isOurs := bytes.CutPrefix(head, []byte(manifestMagic))
	switch {
	case !found || !isOurs:
		return nil, corrupt("does not begin as a manifest does")
	case string(sum) != fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)):
		return nil, corrupt("is damaged: its checksum does not fit")
	}
	m := &manifest{}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, corrupt("cannot be read").(*sqlerr.Error).Because(err)
	}
	if filepath.Base(name) != manifestName(m.Batch) {
		return nil, corrupt(fmt.Sprintf("is that of batch %d", m.Batch))
	}
	return m, nil
}

// manifestName is the name of a batch's manifest; the order of names is that of batches.
func manifestName(batch int64) string { return fmt.Sprintf("%020d", batch) }

// manifests returns the names of the manifests in a folder, the newest last.
func manifests(fsys vfs.FS, dir string) ([]string, error) {
	names, err := fsys.List(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for manifests: %w", err)
	}
	return slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, vfs.TempSuffix) }), nil
}

// How many manifests are kept. The newest is the head, the others are for people who
// want to know which batch wrote what.
const (
	manifestsKept  = 100
	manifestsSlack = 100 // how many more gather before the oldest are removed
)

// prune removes old manifests. Removals need not be durable: what comes back is removed
// again.
func (s *Sink) prune(names []string) error {
	if len(names) < manifestsKept+manifestsSlack {
		return nil
	}
	for _, n := range names[:len(names)-manifestsKept] {
		if err := s.fsys.Remove(filepath.Join(s.manifestDir(), n)); err != nil {
			return fmt.Errorf("removing an old manifest: %w", err)
		}
	}
	return nil
}
