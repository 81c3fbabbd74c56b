package owner

import (
	"fmt"
	"testing"

	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// touch makes a file and returns what it is.
func touch(t *testing.T, disk vfs.FS, name string) vfs.FileID {
	t.Helper()
	f, err := disk.Create(name)
	if err == nil {
		err = f.Close()
	}
	info, statErr := disk.Stat(name)
	if err != nil || statErr != nil {
		t.Fatal(err, statErr)
	}
	return info.ID
}

func claimOf(id, path string, file vfs.FileID) *Claim {
	return &Claim{
		Database: Database{ID: id, Path: path, File: file}, What: "checkpoint", Code: "E_CKPT_ELSEWHERE", Corrupt: "E_CKPT_CORRUPT",
		Hint: func(folder string, copy bool) string { return fmt.Sprint(folder, " ", copy) },
	}
}

// TestWhoseFolder: the stories of a database at /prod/w with the folder /prod/ck, which its
// last start has claimed. "" is accepted.
func TestWhoseFolder(t *testing.T) {
	const copied = `E_CKPT_ELSEWHERE: checkpoint "/prod/ck" belongs to the database "/prod/w", and this is "/stage/w" (a copy?)`
	for _, c := range []struct {
		name   string
		change func(t *testing.T, disk vfs.FS, original vfs.FileID) (claim *Claim, folder string)
		want   string
	}{
		{"the same", func(_ *testing.T, _ vfs.FS, w vfs.FileID) (*Claim, string) {
			return claimOf("1", "/prod/w", w), "/prod/ck"
		}, ""},
		{"restored in its place", func(t *testing.T, disk vfs.FS, _ vfs.FileID) (*Claim, string) {
			return claimOf("1", "/prod/w", touch(t, disk, "/stage/new")), "/prod/ck"
		}, ""},
		{"renamed, or mounted elsewhere", func(_ *testing.T, _ vfs.FS, w vfs.FileID) (*Claim, string) {
			return claimOf("1", "/mnt/w", w), "/prod/ck"
		}, ""},
		{"copied", func(t *testing.T, disk vfs.FS, _ vfs.FileID) (*Claim, string) {
			return claimOf("1", "/stage/w", touch(t, disk, "/stage/w")), "/prod/ck"
		}, copied},
		{"copied, inodes not known", func(*testing.T, vfs.FS, vfs.FileID) (*Claim, string) {
			return claimOf("1", "/stage/w", vfs.FileID{}), "/prod/ck"
		}, copied},
		{"copied with the folder", func(t *testing.T, disk vfs.FS, _ vfs.FileID) (*Claim, string) {
			copyOwner(t, disk, "/prod/ck", "/stage/ck")
			return claimOf("1", "/stage/w", touch(t, disk, "/stage/w")), "/stage/ck"
		}, ""},
		{"copied, and the folder moved to the copy", func(t *testing.T, disk vfs.FS, _ vfs.FileID) (*Claim, string) {
			if err := disk.Rename("/prod/ck", "/stage/ck"); err != nil {
				t.Fatal(err)
			}
			return claimOf("1", "/stage/w", touch(t, disk, "/stage/w")), "/stage/ck"
		}, `E_CKPT_ELSEWHERE: checkpoint "/stage/ck" belongs to the database "/prod/w", and this is "/stage/w" (a copy?)`},
		{"moved to another disk", func(t *testing.T, disk vfs.FS, _ vfs.FileID) (*Claim, string) {
			if err := disk.Remove("/prod/w"); err != nil {
				t.Fatal(err)
			}
			return claimOf("1", "/stage/w", touch(t, disk, "/stage/w")), "/prod/ck"
		}, ""},
		{"another database", func(t *testing.T, disk vfs.FS, _ vfs.FileID) (*Claim, string) {
			return claimOf("2", "/stage/w", touch(t, disk, "/stage/w")), "/prod/ck"
		}, `E_CKPT_ELSEWHERE: checkpoint "/prod/ck" belongs to the database "/prod/w", and this is "/stage/w", another one`},
		{"another database in its place", func(_ *testing.T, _ vfs.FS, w vfs.FileID) (*Claim, string) {
			return claimOf("2", "/prod/w", w), "/prod/ck"
		},
			`E_CKPT_ELSEWHERE: checkpoint "/prod/ck" belongs to another database that was "/prod/w" before this one`},
		{"no record, of an older version", func(t *testing.T, disk vfs.FS, w vfs.FileID) (*Claim, string) {
			if err := disk.Remove("/prod/ck/owner"); err != nil {
				t.Fatal(err)
			}
			return claimOf("2", "/stage/w", w), "/prod/ck"
		}, ""},
		{"in memory", func(*testing.T, vfs.FS, vfs.FileID) (*Claim, string) {
			return claimOf("", "", vfs.FileID{}), "/prod/ck"
		}, ""},
		{"nobody", func(*testing.T, vfs.FS, vfs.FileID) (*Claim, string) { return nil, "/prod/ck" }, ""},
		{"a damaged record", func(t *testing.T, disk vfs.FS, w vfs.FileID) (*Claim, string) {
			data, err := vfs.ReadFile(disk, "/prod/ck/owner")
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)/2] ^= 1
			if err := vfs.WriteFile(disk, "/prod/ck/owner", data); err != nil {
				t.Fatal(err)
			}
			return claimOf("1", "/prod/w", w), "/prod/ck"
		}, `E_CKPT_CORRUPT: file "/prod/ck/owner" is damaged: its checksum does not fit`},
	} {
		t.Run(c.name, func(t *testing.T) {
			disk := vfs.NewMem()
			for _, dir := range []string{"/prod/ck", "/stage"} {
				if err := disk.MkdirAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			w := touch(t, disk, "/prod/w")
			if err := claimOf("1", "/prod/w", w).Keep(disk, "/prod/ck", nil); err != nil {
				t.Fatal(err)
			}
			claim, folder := c.change(t, disk, w)
			old, err := claim.Check(disk, folder)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Fatalf("got %s\nwant %s", got, c.want)
			}
			if err != nil || claim == nil || claim.Database.ID == "" {
				return
			}
			// What is accepted is from now on the folder of this database, also where it is then.
			if err := claim.Keep(disk, folder, old); err != nil {
				t.Fatal(err)
			}
			if old, err = claim.Check(disk, folder); err != nil || old == nil || old.Path != claim.Database.Path {
				t.Errorf("after Keep: %+v, %v", old, err)
			}
		})
	}
}

func copyOwner(t *testing.T, disk vfs.FS, from, to string) {
	t.Helper()
	data, err := vfs.ReadFile(disk, from+"/"+FileName)
	if err == nil {
		err = disk.MkdirAll(to)
	}
	if err == nil {
		err = vfs.WriteFile(disk, to+"/"+FileName, data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestKeepWritesWhatIsNew: a record that says all already is not written again, since each
// start of a query would cost a sync.
func TestKeepWritesWhatIsNew(t *testing.T) {
	disk := vfs.NewMem()
	if err := disk.MkdirAll("/ck"); err != nil {
		t.Fatal(err)
	}
	in := vfs.NewInjector(disk, vfs.Fault{})
	claim := claimOf("1", "/w", vfs.FileID{Device: 1, Inode: 7})
	var old *Record
	for range 2 {
		if err := claim.Keep(in, "/ck", old); err != nil {
			t.Fatal(err)
		}
		var err error
		if old, err = claim.Check(in, "/ck"); err != nil || sqlerr.Code(err) != "" {
			t.Fatal(err)
		}
	}
	if got := in.Ops(); got != 6 {
		t.Errorf("%d operations, expected those of one file: %q", got, in.Trace())
	}
}
