package shell

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// historyMax is how many entries a shell starts with. The file may hold twice as
// many before it is cut.
const historyMax = 1000

// history keeps what was typed, one JSON string per line, so that an entry with line
// ends stays one entry. The file is readable by its owner only, and a statement that
// seems to hold a secret is never written to it.
//
// The file is not part of any promise: an error to write it turns the history off
// and is reported once.
type history struct {
	path string // "" keeps nothing
}

// historyPath returns where the history is: SSQL_HISTORY, which may be empty for
// none, else a file in the home directory.
func historyPath(getenv func(string) (string, bool)) string {
	if path, ok := getenv("SSQL_HISTORY"); ok {
		return path
	}
	home, ok := getenv("HOME")
	if !ok || home == "" {
		return ""
	}
	return filepath.Join(home, ".ssql_history")
}

// load returns the newest entries, oldest first. Lines that are no JSON string are
// left out. A file that has grown too long is cut.
func (h *history) load() ([]string, error) {
	if h.path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(h.path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	var entries []string
	lines := 0
	scan := bufio.NewScanner(bytes.NewReader(content))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		lines++
		var entry string
		if json.Unmarshal(scan.Bytes(), &entry) == nil {
			entries = append(entries, entry)
		}
	}
	if len(entries) > historyMax {
		entries = entries[len(entries)-historyMax:]
	}
	if lines > 2*historyMax {
		return entries, h.rewrite(entries)
	}
	return entries, nil
}

func (h *history) rewrite(entries []string) error {
	var out bytes.Buffer
	for _, e := range entries {
		out.Write(historyLine(e))
	}
	temp := h.path + ".tmp"
	if err := os.WriteFile(temp, out.Bytes(), 0o600); err != nil {
		return fmt.Errorf("cutting the history: %w", err)
	}
	if err := os.Rename(temp, h.path); err != nil {
		return fmt.Errorf("cutting the history: %w", err)
	}
	return nil
}

// add appends an entry unless it may hold a secret.
func (h *history) add(entry string) error {
	if h.path == "" || holdsSecret(entry) {
		return nil
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the history: %w", err)
	}
	// The file may be older than this rule or come from elsewhere.
	if err := f.Chmod(0o600); err != nil {
		f.Close()
		return fmt.Errorf("protecting the history: %w", err)
	}
	if _, err := f.Write(historyLine(entry)); err != nil {
		f.Close()
		return fmt.Errorf("writing the history: %w", err)
	}
	return f.Close()
}

func historyLine(entry string) []byte {
	line, err := json.Marshal(entry)
	if err != nil { // a string always marshals
		return nil
	}
	return append(line, '\n')
}

// secretWords are parts of the names of options, DuckDB's included, whose values
// nobody should find in a history file.
var secretWords = []string{
	"access_key", "accesskey", "api_key", "apikey", "bearer", "credential", "passphrase", "passwd", "password",
	"private_key", "sasl", "secret", "token",
}

// holdsSecret reports whether a statement names something that may be secret. It
// errs on the side of forgetting.
func holdsSecret(entry string) bool {
	lower := strings.ToLower(entry)
	for _, w := range secretWords {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return holdsLogin(lower)
}

// holdsLogin reports whether a text has a URL with a login, user:password@host.
func holdsLogin(text string) bool {
	for {
		_, rest, found := strings.Cut(text, "://")
		if !found {
			return false
		}
		authority := rest
		if end := strings.IndexAny(rest, "/?# \t\r\n'\""); end >= 0 {
			authority = rest[:end]
		}
		if strings.Contains(authority, "@") {
			return true
		}
		text = rest
	}
}
