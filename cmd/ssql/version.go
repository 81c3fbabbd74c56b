package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"ssql/internal/duck"
)

// versionNumber returns the version that the binary was built from: the module's, or
// the revision of a checkout.
func versionNumber() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of unknown version"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return strings.TrimPrefix(v, "v")
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(len(s.Value), 12)]
		}
	}
	return "(devel)"
}

// duckVersion asks DuckDB itself: the number of the Go module is not its own.
func duckVersion() string {
	v, err := duck.Version(context.Background())
	if err != nil {
		return "of unknown version"
	}
	return strings.TrimPrefix(v, "v")
}

// versionText is what -version prints.
func versionText() string {
	text := "ssql " + versionNumber()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return text
	}
	for _, dep := range info.Deps {
		if dep.Path == "github.com/marcboeker/go-duckdb" {
			text += fmt.Sprintf("\ngo-duckdb %s (DuckDB %s)", strings.TrimPrefix(dep.Version, "v"), duckVersion())
		}
	}
	return text + "\n" + info.GoVersion
}
