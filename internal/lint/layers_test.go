package lint

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// goFiles calls f for every Go file of the module, with its path from the root.
func goFiles(t *testing.T, f func(name string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if strings.HasSuffix(p, ".go") {
			rel, err := filepath.Rel(root, p)
			if err != nil {
				return err
			}
			f(filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// layers reads layers.txt: package pattern → patterns it may import.
func layers(t *testing.T) (order []string, allowed map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("layers.txt")
	if err != nil {
		t.Fatal(err)
	}
	allowed = map[string][]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pkg, imports, ok := strings.Cut(line, ":")
		if !ok {
			t.Fatalf("layers.txt: no colon in %q", line)
		}
		pkg = strings.TrimSpace(pkg)
		order = append(order, pkg)
		allowed[pkg] = strings.Fields(imports)
	}
	return order, allowed
}

func matches(pattern, pkg string) bool {
	if pattern == "*" {
		return true
	}
	ok, err := path.Match(pattern, pkg)
	return err == nil && ok
}

// row returns the line of layers.txt for a package: its own before a folder's.
func row(order []string, pkg string) string {
	for _, p := range order {
		if p == pkg {
			return p
		}
	}
	for _, p := range order {
		if strings.HasSuffix(p, "/*") && matches(p, pkg) {
			return p
		}
	}
	return ""
}

func TestImportsPointDown(t *testing.T) {
	order, allowed := layers(t)
	used := map[string]bool{}
	goFiles(t, func(name string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		pkg := path.Dir(name)
		r := row(order, pkg)
		// Test support may see what it tests.
		if strings.HasSuffix(pkg, "test") && r == "" {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if r == "" {
			t.Errorf("%s: package %s has no line in internal/lint/layers.txt", name, pkg)
			return
		}
		used[r] = true
		for _, imp := range file.Imports {
			target, ours := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), "ssql/")
			if !ours {
				continue
			}
			ok := false
			for _, p := range allowed[r] {
				ok = ok || matches(p, target)
			}
			if !ok {
				t.Errorf("%s imports ssql/%s: layers.txt does not allow %s to see it; move the code down or declare an interface where it is called", name, target, r)
			}
		}
	})
	for _, p := range order {
		if !used[p] && p != "internal/lint" {
			t.Errorf("layers.txt has a line for %s, but there is no such package", p)
		}
	}
}
