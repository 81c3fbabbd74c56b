package catalog

import (
	"os"
	"path/filepath"
	"strings"
)

// Absolute resolves a path of a statement.
func Absolute(dir, path string) string {
	path = FromHome(path)
	if path == "" || filepath.IsAbs(path) || dir == "" {
		return path
	}
	return filepath.Join(dir, path)
}

// IsAbsolute reports whether a path of a statement means the same in every folder.
func IsAbsolute(path string) bool { return filepath.IsAbs(FromHome(path)) }

// FromHome resolves ~ and ~/.. as a shell does, at the home folder of who runs ssql. A folder
// that is called so is './~'.
func FromHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && rest[0] != '/' && rest[0] != filepath.Separator {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path // who opens it says that it is not there
	}
	return filepath.Join(home, rest) + rest[len(strings.TrimRight(rest, "/")):]
}
