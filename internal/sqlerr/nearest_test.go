package sqlerr

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"path", "format", "settle_time", "max_files_per_batch", "max_bytes_per_batch"}
	for _, c := range []struct{ name, want string }{
		{"paht", "path"},
		{"PATH", "path"},
		{"fromat", "format"},
		{"settletime", "settle_time"},
		{"max_file_per_batch", "max_files_per_batch"},
		{"xyz", ""},
		{"p", ""},
		{"bath", "path"},
		{"bats", ""},
		{"", ""},
	} {
		if got := Nearest(c.name, names); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}
