package duck

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	duckdb "github.com/marcboeker/go-duckdb"

	"ssql/internal/sqlerr"
)

// storageFault is a row of storageFaults.
type storageFault struct {
	text string // in the message of DuckDB or the system
	code string
	hint string
}

const (
	codeExtension  = "EXTENSION_UNAVAILABLE"
	codeRolledBack = "E_ROLLED_BACK"

	safeHint = "the running batch was not stored; run the query again when this is fixed and it goes on where it stopped"
	// DuckDB takes an extension only if it was built for its version and platform.
	extensionHint = "nothing was changed. ssql needs no extension: now(), AT TIME ZONE, JSON and Parquet work without. To have another one, get its file for this platform and the version that PRAGMA version shows, and write LOAD '/path/name.duckdb_extension'"
	corruptHint   = "restore the file, and its .wal beside it, from a backup; never delete a .wal file: it holds committed rows"
)

// storageFaults tell failures of storage apart by DuckDB's wording, which is all it
// gives. The first match counts. The test provokes each.
var storageFaults = []storageFault{
	{"Current transaction is aborted", codeRolledBack, "ROLLBACK ends the transaction, of which nothing is stored; then run its statements again, from BEGIN on"},
	{"Failed to download extension", codeExtension, extensionHint},
	{"Install it first using", codeExtension, extensionHint},
	{"No files found that match the pattern", "PATH_NOT_FOUND", "correct the path; a relative one starts at the folder of the script"},
	{"too many open files", "E_LIMIT", "raise the limit of open files of the process: ulimit -n 1024"},
	{"Too many open files", "E_LIMIT", "raise the limit of open files of the process: ulimit -n 1024"},
	{"Could not set lock on file", "E_SINK_LOCKED", "close the file there, or wait for that process to end"},
	{"No space left on device", "E_STORAGE_FULL", "make room on that disk; " + safeHint},
	{"not enough space", "E_STORAGE_FULL", "make room on that disk; " + safeHint},
	{"could not write all bytes", "E_STORAGE_FULL", "make room on that disk; " + safeHint},
	{"Read-only file system", "E_STORAGE_READONLY", "use a database on a disk that can be written"},
	{"read-only file system", "E_STORAGE_READONLY", "use a database on a disk that can be written"},
	{"Permission denied", "E_STORAGE_READONLY", "give this user the right to write the file and its folder"},
	{"permission denied", "E_STORAGE_READONLY", "give this user the right to write the file and its folder"},
	{"attached in read-only mode", "E_STORAGE_READONLY", "use a database that can be written"},
	{"but we can only read version", "E_SINK_IO", "the file was written by a newer DuckDB with a newer format; write it again with STORAGE_VERSION 'v1.0.0'"},
	{"not a valid DuckDB database file", "E_SINK_CORRUPT", "the file is something else, or damaged: name another file, or restore it from a backup"},
	{"Corrupt database file", "E_SINK_CORRUPT", corruptHint},
	{"Corrupt WAL", "E_SINK_CORRUPT", corruptHint},
	{"replaying WAL", "E_SINK_CORRUPT", corruptHint},
	{"Could not read enough bytes", "E_SINK_CORRUPT", corruptHint},
	{"computed checksum", "E_SINK_CORRUPT", corruptHint},
	{"Serialization Error", "E_SINK_CORRUPT", corruptHint},
	{"Out of Memory Error", "E_LIMIT", "let the statement read or make less at once; or give DuckDB more (SET memory_limit = '4GB'), of what the process has"},
	{"database has been invalidated", "E_SINK_IO", safeHint},
	{"IO Error", "E_SINK_IO", safeHint},
	{"fsync failed", "E_SINK_IO", safeHint},
	{"Could not write file", "E_SINK_IO", safeHint},
	{"FATAL Error", "E_SINK_IO", safeHint},
}

// functionPrefix is what the driver puts before the error of a function of ours.
const functionPrefix = "database/sql/driver: API error: "

// mapError gives a failure of storage its code, with what was being done. Other
// errors, those of the SQL itself, keep their *SQLError; nil stays nil.
func mapError(err error, doing string) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var known *sqlerr.Error
	if errors.As(err, &known) {
		return err
	}
	text := err.Error()
	for _, f := range storageFaults {
		if strings.Contains(text, f.text) {
			switch f.code {
			case codeExtension:
				doing, err = "DuckDB's extension "+quotedIn(text)+" is not there, and could not be downloaded", nil
			case codeRolledBack:
				doing, err = "a statement of the transaction has failed, and no other runs in it", nil
			}
			return sqlerr.New(f.code, "%s", doing).Because(err).WithHint("%s", f.hint)
		}
	}
	var de *duckdb.Error
	if errors.As(err, &de) {
		kind, rest, ok := strings.Cut(de.Msg, ": ")
		if !ok {
			kind, rest = "Error", de.Msg
		}
		return &SQLError{Kind: strings.TrimSuffix(kind, " Error"), Text: strings.TrimPrefix(rest, functionPrefix)}
	}
	// The Arrow interface of the driver gives text only.
	text = strings.TrimPrefix(text, "duckdb_execute_prepared_arrow: ")
	if kind, rest, ok := strings.Cut(text, " Error: "); ok && !strings.Contains(kind, ":") {
		return &SQLError{Kind: kind, Text: strings.TrimPrefix(rest, functionPrefix)}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// SQLError is DuckDB's refusal of a statement or of the values in it.
type SQLError struct {
	Kind string // DuckDB's class: Parser, Binder, Catalog, Conversion, Constraint, ...
	Text string // may have several lines
}

// Error returns DuckDB's own message.
func (e *SQLError) Error() string { return e.Kind + " Error: " + e.Text }

// Poisoned reports whether an error leaves the state of an open file in doubt, so
// that only Discard and a fresh open tell what is stored.
func Poisoned(err error) bool {
	switch sqlerr.Code(err) {
	case "E_SINK_IO", "E_STORAGE_FULL", "E_STORAGE_READONLY", "E_SINK_CORRUPT":
		return true
	}
	return false
}

// also adds what went wrong while cleaning up after err.
func also(err, cleanup error) error {
	switch {
	case cleanup == nil:
		return err
	case err == nil:
		return cleanup
	}
	return fmt.Errorf("%w (and then: %v)", err, cleanup)
}

// quotedIn returns the first name in quotes of a message of DuckDB: that of an extension, or
// the path of its file.
func quotedIn(text string) string {
	_, rest, _ := strings.Cut(text, `"`)
	name, _, _ := strings.Cut(rest, `"`)
	return quoted(strings.TrimSuffix(path.Base(name), ".duckdb_extension"))
}

func quoted(name string) string { return `"` + name + `"` }
