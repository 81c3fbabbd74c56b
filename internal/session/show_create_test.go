package session_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recreate runs what SHOW CREATE says of everything that a table of statements has left in a
// session of its own: there it says the same, and DESCRIBE too.
func (w *pasteWorld) recreate(t *testing.T) {
	t.Helper()
	want := w.definitions()
	if len(want) == 0 {
		t.Error("nothing to create again")
	}
	again := openPaste(t)
	if err := os.CopyFS(filepath.Join(again.dir, "in"), os.DirFS(filepath.Join(w.dir, "in"))); err != nil {
		t.Fatal(err)
	}
	// What stands on others comes after them.
	for left := slices.Clone(want); len(left) > 0; {
		var refused []definition
		var why string
		for _, d := range left {
			answer := again.answer(strings.ReplaceAll(d.create, "DIR", again.dir))
			if strings.Contains(answer, "ERROR") {
				refused, why = append(refused, d), answer
			}
		}
		if len(refused) == len(left) {
			t.Errorf("%s\n%s", refused[len(refused)-1].create, why)
			return
		}
		left = refused
	}
	// A query has made its table anew where the first one was dropped.
	got := again.definitions()
	for _, d := range want {
		i := slices.IndexFunc(got, func(g definition) bool { return g.kind == d.kind && g.name == d.name })
		if i < 0 {
			t.Errorf("%s %q is not created again", d.kind, d.name)
		} else if got[i] != d {
			t.Errorf("%s %q is\n%s\n%s\nand was\n%s\n%s", d.kind, d.name, got[i].create, got[i].describe, d.create, d.describe)
		}
	}
}

// definition is what SHOW CREATE and DESCRIBE say of a thing.
type definition struct{ kind, name, create, describe string }

// definitions returns all that there is, each before what may stand on it.
func (w *pasteWorld) definitions() (out []definition) {
	made := map[string]bool{} // by a sink or a materialized view of the name
	for _, kind := range []string{"QUERY", "SINK", "VIEW", "STREAM", "TABLE"} {
		list := "SHOW " + strings.TrimSuffix(kind, "Y") + "S"
		if kind == "QUERY" {
			list = "SHOW QUERIES"
		}
		var found []definition
		for _, line := range strings.Split(strings.TrimSpace(w.answer(list)), "\n")[1:] {
			name, _, _ := strings.Cut(line, " | ")
			if made[name] && (kind == "VIEW" || kind == "TABLE") {
				continue
			}
			d := definition{kind: kind, name: name, create: w.answer("SHOW CREATE " + kind + ` "` + name + `"`)}
			if kind != "QUERY" {
				d.describe = w.answer(`DESCRIBE "` + name + `"`)
			}
			made[name] = made[name] || kind == "SINK" || strings.HasPrefix(d.create, "CREATE MATERIALIZED VIEW") || strings.HasPrefix(d.create, "CREATE STREAMING TABLE")
			found = append(found, d)
		}
		out = append(found, out...)
	}
	return out
}
