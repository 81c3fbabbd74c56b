//go:build unix

package main

import "golang.org/x/sys/unix"

// keepPrivate makes every file and folder of this process its owner's alone, also those that
// DuckDB makes: the database and its log hold what was read, bad lines included.
func keepPrivate() { unix.Umask(0o077) }
