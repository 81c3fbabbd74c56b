package files

import (
	"fmt"
	"strings"
	"testing"

	"ssql/sources"
	"ssql/sql/types"
)

// TestPartitionFolders reads columns out of the names of folders, in every format, declared
// and inferred.
func TestPartitionFolders(t *testing.T) {
	for _, c := range []struct{ name, one, two, want string }{
		{"json", `{"a":1,"b":"x"}`, `{"a":2,"b":"y","day":"1999-01-01"}`, "1 | x | 2024-01-01 | eu/de | 1\n2 | y | 2024-01-02 | NULL | 2"},
		{"json.gz", gz(t, `{"a":1,"b":"x"}`), gz(t, `{"a":2,"b":"y"}`), "1 | x | 2024-01-01 | eu/de | 1\n2 | y | 2024-01-02 | NULL | 2"},
		{"csv", "a,b\n1,x\n", "b,a,day\ny,2,1999-01-01\n", "1 | x | 2024-01-01 | eu/de | 1\n2 | y | 2024-01-02 | NULL | 2"},
		{"parquet", parquetOf(t, 1, 1, "x"), parquetOf(t, 2, 1, "y"), "1 | x | 2024-01-01 | eu/de | 1\n2 | y | 2024-01-02 | NULL | 2"},
	} {
		for _, path := range []string{"in", "in/**/*", "in/day=*/*/*/*", "in/*/region=*/*/*." + c.name} {
			f := newFolder(t, map[string]string{"path": path})
			f.fields = append(f.fields, types.Field{Name: "day", Type: types.Of(types.Date)}, types.Field{Name: "region", Type: types.Of(types.Varchar)}, types.Field{Name: "n", Type: types.Of(types.Int)})
			f.write("in/day=2024-01-01/region=eu%2Fde/N=01/part."+c.name, c.one)
			f.write("in/day=2024-01-02/region=__HIVE_DEFAULT_PARTITION__/N=2/part."+c.name, c.two)
			f.write("in/day=2024-01-02/region=x/_temporary=1/part."+c.name, c.two)
			s := f.open(nil)
			f.want(c.name+" at "+path, f.batch(s), c.want)
			f.want("notices", strings.Join(f.notices, "\n"), "")
			fields, err := infer(t.Context(), f.values(), func(string) {})
			got := ""
			for _, field := range fields {
				if field.Name != "a" && field.Name != "b" {
					got += fmt.Sprintf("%s %s, ", field.Name, field.Type)
				}
			}
			if err != nil || got != "day DATE, region VARCHAR, N BIGINT, " {
				t.Errorf("columns of %s at %s: %s%v", c.name, path, got, err)
			}
		}
	}
}

// Lines of text, and CSV without a header, have no place for a column of the folder.
func TestPartitionFoldersOfLines(t *testing.T) {
	f := newFolder(t, map[string]string{"path": "in", "format": "text"})
	f.fields = []types.Field{{Name: "day", Type: types.Of(types.Timestamp)}, {Name: "line", Type: types.Of(types.Varchar)}}
	f.write("in/day=2024-01-01 10%3A30%3A00/a.log", "one\n")
	if err := checkColumns(f.values(), f.fields); err != nil {
		t.Error(err)
	}
	f.want("text", f.batch(f.open(nil)), "2024-01-01 10:30:00 | one")

	f = newFolder(t, map[string]string{"path": "in/day=2024-01-01/*.csv", "header": "false"})
	f.fields = []types.Field{{Name: "a", Type: types.Of(types.BigInt)}, {Name: "day", Type: types.Of(types.Varchar)}, {Name: "b", Type: types.Of(types.Varchar)}}
	f.write("in/day=2024-01-01/a.csv", "1,x\n2,y\n")
	f.want("csv without a header", f.batch(f.openDeclared()), "1 | 2024-01-01 | x\n2 | 2024-01-01 | y")
}

// openDeclared is open with the declared columns, as the engine gives them.
func (f *folder) openDeclared() *source {
	f.t.Helper()
	c, err := newConfig(f.values())
	if err != nil {
		f.t.Fatal(err)
	}
	s, err := newSource(c, &sources.OpenContext{Fields: f.fields, Declared: f.fields}, func(text string) { f.notices = append(f.notices, text) }, f.open(nil).now)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := s.Restore(nil); err != nil {
		f.t.Fatal(err)
	}
	return s
}

// A value that the column cannot hold is a bad row that names the file; no value is NULL.
func TestPartitionFolderMisfit(t *testing.T) {
	f := newFolder(t, map[string]string{"path": "in"})
	f.fields = []types.Field{{Name: "a", Type: types.Of(types.BigInt)}, {Name: "n", Type: types.Of(types.Int)}}
	f.write("in/n=x/1.json", `{"a":1}`)
	f.write("in/n=/2.json", `{"a":2}`)
	f.write("in/3.json", `{"a":3,"n":4}`)
	f.want("rows", f.batch(f.open(nil)), `2 | NULL
3 | 4
bad in/n=x/1.json:0 the folder of the file says n=x: expected INTEGER, found the text "x"; its rows are not read `)
}
