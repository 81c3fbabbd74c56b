package main

import (
	"ssql/internal/duck"
	"ssql/sinks"
	"ssql/sinks/console"
	"ssql/sinks/duckdb"
	filesink "ssql/sinks/files"
	"ssql/sources"
	"ssql/sources/files"
	"ssql/sources/memory"
	"ssql/sources/rate"
	"ssql/sources/stdin"
)

// sourceConnectors is the list of what streams can be read from, sorted by name. in is what
// the stream of the standard input reads.
func sourceConnectors(in *stdin.Input) []sources.Spec {
	return []sources.Spec{
		files.Spec(),
		memory.Spec(),
		rate.Spec(),
		in.Spec(),
	}
}

// sinkConnectors is the list of where results can go, sorted by name.
func sinkConnectors(db *duck.DB, print func(*sinks.Batch) error) []sinks.Spec {
	return []sinks.Spec{
		console.Spec(print),
		duckdb.Spec(db),
		filesink.Spec(),
	}
}
