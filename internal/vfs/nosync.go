package vfs

// NoSync is a file system whose Sync and SyncDir do nothing. What is written through
// it survives the death of the process but not of the machine.
type NoSync struct{ FS }

var _ FS = NoSync{}

// SyncDir does nothing.
func (NoSync) SyncDir(string) error { return nil }

// Create returns a file whose Sync does nothing.
func (n NoSync) Create(name string) (File, error) { return noSync(n.FS.Create(name)) }

// OpenWrite returns a file whose Sync does nothing.
func (n NoSync) OpenWrite(name string) (File, error) { return noSync(n.FS.OpenWrite(name)) }

type noSyncFile struct{ File }

func (noSyncFile) Sync() error { return nil }

func noSync(f File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return noSyncFile{f}, nil
}
