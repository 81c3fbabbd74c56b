package lint

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const (
	fileLinesMax     = 600
	testFileLinesMax = 1200
	funcLinesMax     = 70
)

// longFuncs may be longer than funcLinesMax, each with the reason.
var longFuncs = map[string]string{}

func parseAll(t *testing.T, f func(name string, fset *token.FileSet, file *ast.File, src []byte)) {
	goFiles(t, func(name string) {
		src, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		f(name, fset, file, src)
	})
}

func TestSizes(t *testing.T) {
	seen := map[string]bool{}
	parseAll(t, func(name string, fset *token.FileSet, file *ast.File, src []byte) {
		limit := fileLinesMax
		if strings.HasSuffix(name, "_test.go") {
			limit = testFileLinesMax
		}
		if n := bytes.Count(src, []byte("\n")); n > limit {
			t.Errorf("%s has %d lines; at most %d: split it by what it holds", name, n, limit)
		}
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1
			id := path.Dir(name) + "." + fn.Name.Name
			if _, allowed := longFuncs[id]; allowed {
				seen[id] = true
				continue
			}
			if n > funcLinesMax {
				t.Errorf("%s: %s has %d lines; at most %d: keep the branches here and move the leaves out", fset.Position(fn.Pos()), fn.Name.Name, n, funcLinesMax)
			}
		}
	})
	for id := range longFuncs {
		if !seen[id] {
			t.Errorf("longFuncs lists %s, which does not exist any more", id)
		}
	}
}

func TestPackageComments(t *testing.T) {
	comments, files := map[string]int{}, map[string]string{}
	parseAll(t, func(name string, _ *token.FileSet, file *ast.File, src []byte) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		pkg := path.Dir(name)
		files[pkg] = name
		if file.Doc != nil {
			comments[pkg]++
		}
	})
	for pkg, name := range files {
		if comments[pkg] != 1 {
			t.Errorf("package %s (%s) has %d package comments; exactly one says the concept, then the types", pkg, name, comments[pkg])
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	parseAll(t, func(name string, fset *token.FileSet, file *ast.File, _ []byte) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && !hidden(d) {
					t.Errorf("%s: %s is exported and has no comment", fset.Position(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				checkSpecs(t, fset, d)
			}
		}
	})
}

// hidden reports whether a method needs no comment of its own: one of an unexported
// type, or one of contractOfNode, which implement a contract that is written at the
// interface, or a one-line accessor in a block under one comment.
func hidden(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return false
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok && !id.IsExported() {
		return true
	}
	return contractOfNode[d.Name.Name] || d.Body != nil && len(d.Body.List) <= 1
}

// contractOfNode are methods that each kind of plan.Node has: their contract stands at the
// interface, once.
var contractOfNode = map[string]bool{"WithInputs": true, "Expressions": true}

func checkSpecs(t *testing.T, fset *token.FileSet, d *ast.GenDecl) {
	t.Helper()
	for _, s := range d.Specs {
		ts, ok := s.(*ast.TypeSpec)
		if ok && ts.Name.IsExported() && ts.Doc == nil && d.Doc == nil {
			t.Errorf("%s: type %s is exported and has no comment", fset.Position(ts.Pos()), ts.Name.Name)
		}
	}
}

func TestForbidden(t *testing.T) {
	parseAll(t, func(name string, fset *token.FileSet, file *ast.File, _ []byte) {
		for _, part := range strings.Split(strings.TrimSuffix(name, ".go"), "/") {
			switch part {
			case "util", "utils", "common", "helpers", "helper", "misc":
				t.Errorf("%s: %q says nothing; name it after what it holds", name, part)
			}
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: no init(): wire it where it is used", fset.Position(fn.Pos()))
			}
		}
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" && !panicAllowed[path.Dir(name)] {
				t.Errorf("%s: no panic: return an error", fset.Position(call.Pos()))
			}
			return true
		})
	})
}

// panicAllowed lists packages where an impossible case panics, with nothing to
// return an error to.
var panicAllowed = map[string]bool{
	// Tests alone compile it in, and nothing may go on behind a broken invariant.
	"internal/invariant": true,
	// Take, deep in every kernel, has no error to return for a copy that does not fit: Guarded, around
	// each use of a chunk, makes one of its panic.
	"plan/expr":       true,
	"sql/types":       true, // a kind outside the closed set
	"internal/oracle": true, // a generator of tests that contradicts itself
	// Arrow's allocator cannot say no, and its reader panics over damage already.
	"internal/format/parquet": true,
}
