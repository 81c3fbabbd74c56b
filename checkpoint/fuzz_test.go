package checkpoint_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ssql/checkpoint"
	"ssql/internal/vfs"
)

// fuzzFile puts bytes in the place of a file of a good checkpoint, and also lays them
// over it at an offset. Open must not panic, and what it accepts must be what was
// written: verify compares every byte.
func fuzzFile(f *testing.F, name string) {
	base := oldCheckpoint(f, 1)
	data, err := vfs.ReadFile(base, filepath.Join(dir, name))
	must(f, err)
	f.Add(data, uint16(0), false)
	f.Add(data[:len(data)/2], uint16(0), false)
	f.Add([]byte("SREC"), uint16(300), true)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, uint16(48), true)
	f.Add([]byte{0}, uint16(64+32), true)
	f.Fuzz(func(t *testing.T, b []byte, at uint16, overlay bool) {
		m := base.CrashClone(rng(1), vfs.KeepAll)
		edit(t, m, name, func(old []byte) []byte {
			if !overlay {
				return b
			}
			copy(old[min(int(at), len(old)):], b)
			return old
		})
		if _, err := checkpoint.Inspect(m, dir); err != nil {
			t.Fatal(err)
		}
		l, rec, err := checkpoint.Open(m, dir, testOptions())
		if err != nil {
			if strings.HasPrefix(err.Error(), "E_INTERNAL") {
				t.Fatal(err)
			}
			return
		}
		defer l.Close()
		if err := verify(rec); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzReadLog(f *testing.F) {
	names := segments(f, oldCheckpoint(f, 1))
	fuzzFile(f, names[len(names)-1])
}

func FuzzReadSnapshot(f *testing.F) { fuzzFile(f, snapshot8) }

func FuzzMetadata(f *testing.F) { fuzzFile(f, "metadata") }
