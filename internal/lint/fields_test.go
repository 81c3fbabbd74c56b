package lint

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// unreadFields are the fields of the tree that nobody behind the parser reads, and why that
// drops nothing of what was written.
var unreadFields = map[string]string{
	"FuncRef.Lateral":     "a table function sees the columns in front of it with and without the word",
	"Node.Aliases":        "Statement.Foreign hands it out",
	"SubqueryRef.Lateral": "a sub-query that uses columns in front of it is refused with and without the word",
}

// TestEveryFieldOfTheTreeIsRead goes over every exported field of every type of package sql
// and looks who reads it behind the parser: what a statement accepts and nobody reads is
// dropped in silence. -v shows the readers.
func TestEveryFieldOfTheTreeIsRead(t *testing.T) {
	c := &checker{fset: token.NewFileSet(), done: map[string]*types.Package{}, readers: map[types.Object]map[string]bool{}}
	tree := c.check("ssql/sql")
	for _, dir := range []string{"exec", "internal/library", "internal/session", "internal/shell", "plan"} {
		c.check("ssql/" + dir)
	}
	fields := 0
	for _, name := range tree.Scope().Names() {
		object, ok := tree.Scope().Lookup(name).(*types.TypeName)
		if !ok || !object.Exported() || strings.HasSuffix(c.fset.Position(object.Pos()).Filename, "_test.go") {
			continue
		}
		s, ok := object.Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for i := range s.NumFields() {
			f := s.Field(i)
			if !f.Exported() || f.Embedded() || strings.HasSuffix(f.Type().String(), ".Span") {
				continue // places are for messages
			}
			fields++
			id := name + "." + f.Name()
			switch reason := unreadFields[id]; {
			case len(c.readers[f]) == 0 && reason == "":
				t.Errorf("nobody behind the parser reads %s: what it holds is dropped in silence", id)
			case len(c.readers[f]) > 0 && reason != "":
				t.Errorf("%s is read by %s: take it off the list of those that are not", id, readersOf(c.readers[f]))
			}
			if testing.Verbose() {
				t.Logf("%-28s %s", id, readersOf(c.readers[f]))
			}
		}
	}
	if fields < 250 {
		t.Errorf("found %d fields of the tree", fields)
	}
}

func readersOf(set map[string]bool) string {
	var names []string
	for n := range set {
		names = append(names, n)
	}
	sort.Strings(names)
	return strings.Join(names[:min(len(names), 6)], ", ")
}

// checker type-checks packages of the module by their source. Packages of others are
// empty to it, and what comes from them has no type: no field of the tree does.
type checker struct {
	fset    *token.FileSet
	done    map[string]*types.Package
	readers map[types.Object]map[string]bool // by field: the functions that read it
}

// Import implements types.Importer.
func (c *checker) Import(path string) (*types.Package, error) {
	if strings.HasPrefix(path, "ssql/") {
		return c.check(path), nil
	}
	return nil, errors.New("not of this module")
}

func (c *checker) check(path string) *types.Package {
	if p := c.done[path]; p != nil {
		return p
	}
	dir := filepath.Join(root, strings.TrimPrefix(path, "ssql/"))
	entries, _ := os.ReadDir(dir)
	var files []*ast.File
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_windows.go") {
			continue
		}
		if f, err := parser.ParseFile(c.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution); err == nil {
			files = append(files, f)
		}
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	conf := types.Config{Importer: c, FakeImportC: true, Error: func(error) {}}
	p, _ := conf.Check(path, c.fset, files, info)
	c.done[path] = p
	if path != "ssql/sql" {
		c.note(path, files, info)
	}
	return p
}

// note adds the functions of a package that read fields. A field on the left of an
// assignment is written.
func (c *checker) note(path string, files []*ast.File, info *types.Info) {
	for _, f := range files {
		for _, d := range f.Decls {
			name := strings.TrimPrefix(path, "ssql/")
			if fn, ok := d.(*ast.FuncDecl); ok {
				name += "." + fn.Name.Name
			}
			written := map[ast.Expr]bool{}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for _, l := range n.Lhs {
						written[l] = true
					}
				case *ast.SelectorExpr:
					if s := info.Selections[n]; s != nil && s.Kind() == types.FieldVal && !written[n] {
						if c.readers[s.Obj()] == nil {
							c.readers[s.Obj()] = map[string]bool{}
						}
						c.readers[s.Obj()][name] = true
					}
				}
				return true
			})
		}
	}
}
