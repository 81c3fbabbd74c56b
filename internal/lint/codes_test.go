package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// TestErrorCodesAreListed holds docs/ERRORS.md and the code equal: every code that an
// error can have is a row there, and every row is a code. Codes of the form DUCKDB_x
// are made of DuckDB's words and described as a family.
func TestErrorCodesAreListed(t *testing.T) {
	root := filepath.Join("..", "..")
	used := codesIn(t, root)
	text, err := os.ReadFile(filepath.Join(root, "docs", "ERRORS.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	last := ""
	for _, m := range regexp.MustCompile("(?m)^\\| `([A-Z0-9_.]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		if listed[m[1]] {
			t.Errorf("docs/ERRORS.md lists %s twice", m[1])
		}
		listed[m[1]] = true
		last = m[1]
	}
	if last == "" {
		t.Fatal("docs/ERRORS.md lists nothing")
	}
	for _, code := range sortedKeys(used) {
		if !listed[code] && !strings.HasPrefix(code, "DUCKDB_") {
			t.Errorf("docs/ERRORS.md does not list %s (%s)", code, used[code])
		}
	}
	for code := range listed {
		if used[code] == "" {
			t.Errorf("docs/ERRORS.md lists %s, which no error has", code)
		}
	}
}

// codesIn returns the codes of the errors that the module makes, each with a place where
// it stands.
func codesIn(t *testing.T, root string) map[string]string {
	t.Helper()
	packages := map[string][]*ast.File{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err == nil {
			packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for dir, files := range packages {
		for code := range packageCodes(files) {
			out[code] = dir
		}
	}
	return out
}

// packageCodes returns the codes of one package: literals in the place of a code in
// sqlerr.At and sqlerr.New, in calls of a function of the package with a parameter
// called code, in fields called code, and constants whose names begin with code.
func packageCodes(files []*ast.File) map[string]bool {
	at := codeParameters(files)
	out := map[string]bool{}
	note := func(e ast.Expr) {
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return
		}
		if code, err := strconv.Unquote(lit.Value); err == nil && codePattern.MatchString(code) {
			out[code] = true
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if i, ok := at[calledName(n)]; ok && i < len(n.Args) {
					note(n.Args[i])
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && strings.EqualFold(key.Name, "code") {
					note(n.Value)
				}
			case *ast.ValueSpec:
				for i, name := range n.Names {
					isCode := strings.HasPrefix(strings.ToLower(name.Name), "code") || name.Name == "Internal"
					if isCode && i < len(n.Values) {
						note(n.Values[i])
					}
				}
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if id, ok := left.(*ast.Ident); ok && id.Name == "code" && i < len(n.Rhs) {
						note(n.Rhs[i])
					}
				}
			}
			return true
		})
	}
	return out
}

// codePattern is what a code looks like.
var codePattern = regexp.MustCompile(`^[A-Z][A-Z0-9]*([_.][A-Z0-9]+)+$`)

// codeParameters returns, by the name of a function, the index of its code.
func codeParameters(files []*ast.File) map[string]int {
	at := map[string]int{"sqlerr.At": 1, "sqlerr.New": 0}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			i := 0
			for _, field := range fn.Type.Params.List {
				for _, name := range field.Names {
					if name.Name == "code" {
						at[fn.Name.Name] = i
					}
					i++
				}
			}
		}
	}
	return at
}

// calledName returns f for f(..) and x.f(..) within the package, and sqlerr.F.
func calledName(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok && x.Name == "sqlerr" {
			return "sqlerr." + fun.Sel.Name
		}
		return fun.Sel.Name
	}
	return ""
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
