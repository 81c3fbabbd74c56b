package sqlerr

import (
	"os/exec"
	"testing"
)

func TestShellWord(t *testing.T) {
	for path, want := range map[string]string{
		"/a/b-c_1.x": "/a/b-c_1.x", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "é": "é", "$HOME": "'$HOME'", "~x": "'~x'",
		"\x1b[31m'\"": `$'\x1b[31m\'"'`, "a\nb": `$'a\nb'`,
	} {
		if got := ShellWord(path); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
		out, err := exec.Command("bash", "-c", "printf %s "+ShellWord(path)).Output()
		if err != nil || string(out) != path {
			t.Errorf("%q came back as %q: %v", path, out, err)
		}
	}
}
