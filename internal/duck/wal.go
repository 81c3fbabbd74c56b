package duck

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The log of a database file (NAME.wal), as DuckDB 1.1 writes it: a head and frames. A transaction
// is its frames and a flush. docs/FORMAT.md draws them.
const (
	// walHead is the entry that says version 2, without size and checksum: field 100, type
	// version (98), field 101, 2, end.
	walHead       = "\x64\x00\x62\x65\x00\x02\xff\xff"
	walFrameBytes = 16 // u64 size, u64 checksum
	// walFlush is the whole entry that ends a transaction: field 100, type flush (100), end.
	walFlush = "\x64\x00\x64\xff\xff"
)

// cutTornLog cuts the log of a database that was just opened behind its last whole transaction.
//
// A process that dies while it writes leaves a part of a transaction at the end of the log.
// DuckDB 1.1 passes over it when it reads the log, and then appends behind it: what it commits
// from then on is lost or cannot be read at the next death, or brings the part back as committed
// (duckdb#14785, mended in 1.2). DuckDB has the file locked when this is called, has accepted the
// log and has not begun to write: what is cut is what it has passed over. A log of a form that is
// not known stays as it is.
func cutTornLog(path string) error {
	f, err := os.OpenFile(path+".wal", os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening the log of the database: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("opening the log of the database: %w", err)
	}
	whole, err := wholeLog(f, info.Size())
	if err != nil {
		return fmt.Errorf("reading the log of the database: %w", err)
	}
	if whole == info.Size() {
		return nil
	}
	if err := f.Truncate(whole); err != nil {
		return fmt.Errorf("cutting the torn end of the log of the database: %w", err)
	}
	return f.Sync()
}

// wholeLog returns where the last flush of a log of size bytes ends. A log that does not begin as
// version 2 does is said to be whole.
func wholeLog(r io.ReadSeeker, size int64) (end int64, err error) {
	head := make([]byte, min(size, int64(len(walHead))))
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, err
	}
	if string(head) != walHead[:len(head)] {
		return size, nil
	}
	in := bufio.NewReader(r)
	var frame [walFrameBytes]byte
	entry := make([]byte, len(walFlush))
	for at := int64(len(walHead)); ; {
		if size-at < walFrameBytes {
			return end, nil
		}
		if _, err := io.ReadFull(in, frame[:]); err != nil {
			return 0, err
		}
		at += walFrameBytes
		length := binary.LittleEndian.Uint64(frame[:])
		if length > uint64(size-at) {
			return end, nil
		}
		at += int64(length)
		if length != uint64(len(walFlush)) {
			if _, err := io.CopyN(io.Discard, in, int64(length)); err != nil {
				return 0, err
			}
			continue
		}
		if _, err := io.ReadFull(in, entry); err != nil {
			return 0, err
		}
		if string(entry) == walFlush {
			end = at
		}
	}
}

// Attach runs an ATTACH, and does for what it attaches for writing what opening does: see
// cutTornLog.
func (c *Conn) Attach(ctx context.Context, text string) error {
	known, err := c.attachedFiles(ctx)
	if err != nil {
		return err
	}
	if _, err := c.Exec(ctx, text); err != nil {
		return err
	}
	now, err := c.attachedFiles(ctx)
	for path := range now {
		if !known[path] {
			err = also(err, mapError(cutTornLog(path), "attaching the database "+quoted(path)))
		}
	}
	return err
}

// attachedFiles returns the files of the databases that are open for writing.
func (c *Conn) attachedFiles(ctx context.Context) (map[string]bool, error) {
	paths := map[string]bool{}
	err := c.Query(ctx, "SELECT path FROM duckdb_databases() WHERE path IS NOT NULL AND NOT internal AND NOT readonly", nil, func(row []any) error {
		path, _ := row[0].(string)
		paths[path] = true
		return nil
	})
	return paths, err
}
