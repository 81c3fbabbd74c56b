//go:build !linux

package vfs

import "os"

func preallocate(*os.File, int64) error { return nil }

func syncData(f *os.File) error { return f.Sync() }
