package duck

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
)

// brokenFile returns a database with rows in the file and in its log, after harm.
func brokenFile(t *testing.T, harm func(path string) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lab.duckdb")
	db, err := Open(path, Options{IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	exec1(t, db, "CREATE TABLE t AS SELECT range AS a FROM range(1000)")
	if err := db.Release(); err != nil {
		t.Fatal(err)
	}
	exec1(t, db, "INSERT INTO t SELECT range FROM range(1000)")
	// A copy is what a killed process leaves: the log is not written back.
	copied := filepath.Join(t.TempDir(), "lab.duckdb")
	for _, end := range []string{"", ".wal"} {
		text, err := os.ReadFile(path + end)
		if err == nil {
			err = os.WriteFile(copied+end, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := harm(copied); err != nil {
		t.Fatal(err)
	}
	return copied
}

// flip changes one byte.
func flip(name string, at int64) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		return errors.Join(err, f.Close())
	}
	b[0] ^= 0x10
	_, err = f.WriteAt(b, at)
	return errors.Join(err, f.Close())
}

func TestBadFiles(t *testing.T) {
	cases := []struct {
		name, code string
		harm       func(path string) error
	}{
		{"whole", "", func(string) error { return nil }},
		{"not a database", "E_SINK_CORRUPT", func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("hello ", 4000)), 0o600) }},
		{"short", "E_SINK_CORRUPT", func(p string) error { return os.Truncate(p, 100) }},
		{"header flipped", "E_SINK_CORRUPT", func(p string) error { return flip(p, 4096+20) }},
		{"log flipped", "E_SINK_CORRUPT", func(p string) error { return flip(p+".wal", 200) }},
		{"folder", "E_SINK_IO", func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) }},
		{"no folder", "E_SINK_IO", func(p string) error { return os.RemoveAll(filepath.Dir(p)) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := brokenFile(t, c.harm)
			db, err := Open(path, Options{IdleAfter: -1})
			if err == nil {
				defer db.Close()
				wantText(t, queryText(t, db, "SELECT count(*) FROM t"), "2000")
			}
			wantCode(t, err, c.code)
			if err != nil && !strings.Contains(err.Error(), path) {
				t.Errorf("the file is not named: %v", err)
			}
			if _, err := os.Stat(path + ".lock"); c.code != "" && err == nil {
				t.Error("a refused file stays locked")
			}
		})
	}
}

// TestMapError has the texts that a test cannot provoke everywhere, as DuckDB and
// Linux write them.
func TestMapError(t *testing.T) {
	for text, code := range map[string]string{
		`IO Error: Could not set lock on file "x": Conflicting lock is held in PID 7. See also https://...`:                   "E_SINK_LOCKED",
		`IO Error: Could not write file "x.wal": No space left on device`:                                                     "E_STORAGE_FULL",
		`TransactionContext Error: Failed to commit: Could not write file "x.wal": No space left on device`:                   "E_STORAGE_FULL",
		`IO Error: Cannot open file "x": Read-only file system`:                                                               "E_STORAGE_READONLY",
		`IO Error: Cannot open file "x": Permission denied`:                                                                   "E_STORAGE_READONLY",
		`Invalid Input Error: Cannot execute statement of type "INSERT" on database "x" which is attached in read-only mode!`: "E_STORAGE_READONLY",
		`IO Error: Trying to read a database file with version number 67, but we can only read version 64.`:                   "E_SINK_IO",
		`IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2 in block at location 3`:        "E_SINK_CORRUPT",
		`Serialization Error: Failed to deserialize: field id mismatch`:                                                       "E_SINK_CORRUPT",
		`Out of Memory Error: could not allocate block of size 256.0 KiB`:                                                     "E_LIMIT",
		`FATAL Error: Failed: database has been invalidated because of a previous fatal error.`:                               "E_SINK_IO",
		`TransactionContext Error: Failed to commit: fsync failed!`:                                                           "E_SINK_IO",
		`TransactionContext Error: Failed to commit: Could not write file "x.wal": File too large`:                            "E_SINK_IO",
		`IO Error: Could not write file "x": Input/output error`:                                                              "E_SINK_IO",
	} {
		err := mapError(errors.New(text), "doing it")
		if got := sqlerr.Code(err); got != code {
			t.Errorf("%s: %s, want %s", text, got, code)
		}
		wantText(t, err.Error(), code+": doing it: "+text)
	}
	if mapError(nil, "x") != nil {
		t.Error("no error became one")
	}
	known := sqlerr.New("E_FENCED", "stale")
	if got := mapError(fmt.Errorf("more: %w", known), "x"); sqlerr.Code(got) != "E_FENCED" {
		t.Errorf("a known error became %v", got)
	}
}

func TestHeldBy(t *testing.T) {
	for text, want := range map[string]string{
		`IO Error: Could not set lock on file "/a/b (c)": Conflicting lock is held in /usr/bin/duck db (PID 71) by user x. See also https://duckdb.org`: "process 71 (/usr/bin/duck db)",
		`IO Error: Could not set lock on file "/a/b": Conflicting lock is held in PID 71. See also`:                                                     "process 71",
		`IO Error: Could not set lock on file "/a/b": Resource temporarily unavailable`:                                                                 "another process",
	} {
		wantText(t, heldBy(errors.New(text)).holder(), want)
	}
	if heldBy(errors.New("IO Error: No such file")) != nil {
		t.Error("any error counts as held")
	}
}
