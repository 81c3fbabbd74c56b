//go:build tools

package internal

import (
	_ "github.com/apache/arrow/go/v17/arrow"
	_ "github.com/bmatcuk/doublestar/v4"
	_ "github.com/chzyer/readline"
	_ "github.com/creack/pty"
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/marcboeker/go-duckdb"
	_ "github.com/mattn/go-isatty"
	_ "github.com/mattn/go-runewidth"
	_ "github.com/pingcap/tidb/pkg/parser"
	_ "golang.org/x/sys/unix"
)
