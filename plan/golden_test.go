package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// TestGoldens binds every query of the scripts that Spark 4.0.1 recorded: what Spark
// takes has the same columns here, and what Spark refuses is refused with the code that
// stands for Spark's class.
func TestGoldens(t *testing.T) {
	const root = "../testdata/goldens"
	files, err := filepath.Glob(filepath.Join(root, "*", "*.test"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded scripts in %s: %v", root, err)
	}
	queries := 0
	for _, f := range files {
		name, _ := filepath.Rel(root, f)
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name = strings.TrimSuffix(filepath.ToSlash(name), ".test")
		t.Run(name, func(t *testing.T) {
			queries += runGolden(t, string(text))
		})
	}
	t.Logf("%d queries of %d scripts", queries, len(files))
}

func runGolden(t *testing.T, text string) int {
	cat := testCatalog{}
	queries := 0
	steps := parseSteps(text)
	for i, s := range steps {
		wanted := strings.Join(s.expected, "\n")
		if ok, err := cat.declare(t, s); ok {
			if err != nil && !strings.HasPrefix(wanted, "error: ") {
				t.Errorf("line %d: %s: %v", s.line, s.raw, err)
			}
			continue
		}
		if s.verb != "query" {
			continue
		}
		queries++
		// What Spark refuses only at the first batch stands in the run that follows.
		for _, later := range steps[i+1:] {
			if later.verb == "run" && later.name == s.name && len(later.expected) == 1 && strings.Contains(later.expected[0], "_LEGACY_ERROR_TEMP_3077") {
				wanted = later.expected[0]
			}
		}
		checkGolden(t, cat, s, wanted)
	}
	return queries
}

func checkGolden(t *testing.T, cat testCatalog, s step, wanted string) {
	p, err := bindText(cat, strings.Join(s.input, "\n"), optionsOf(s))
	if class, ok := strings.CutPrefix(wanted, "error: "); ok {
		class, _, _ = strings.Cut(class, ":")
		if differs := s.options["differs"]; differs != "" {
			return
		}
		if err == nil {
			t.Errorf("line %d: %s: Spark refuses this with %s, and here is a plan:\n%s", s.line, s.raw, class, Explain(p, ExplainFull))
		} else if !standsFor(sqlerr.Code(err), class) {
			t.Errorf("line %d: %s: code %s does not stand for Spark's %s: %v", s.line, s.raw, sqlerr.Code(err), class, err)
		}
		return
	}
	if err != nil {
		if s.options["differs"] == "" {
			t.Errorf("line %d: %s: %v", s.line, s.raw, err)
		}
		return
	}
	if wanted == "" {
		return
	}
	// The result is nullable (D14); what is known of it inside is compared with Spark 4.0.
	if got := schemaText(p.Outputs[0].Root.Columns()); got != sameTypes(wanted) {
		t.Errorf("line %d: %s: columns\n got %s\nwant %s\n%s", s.line, s.raw, got, wanted, Explain(p, ExplainFull))
	}
	for _, c := range p.Outputs[0].Columns {
		if !c.Nullable {
			t.Errorf("line %d: %s: column %s of the result is NOT NULL", s.line, s.raw, c.Name)
		}
	}
}

func bindText(cat Catalog, text string, o Options) (*Plan, error) {
	q, err := sql.ParseQueryText(text)
	if err != nil {
		return nil, err
	}
	return Bind(q, cat, o)
}

func optionsOf(s step) Options {
	switch s.options["mode"] {
	case "update":
		return Options{Mode: types.Update}
	case "complete":
		return Options{Mode: types.Complete}
	case "auto":
		return Options{AutoMode: true}
	}
	return Options{}
}

// schemaText writes result columns as the recorder does, with Spark's type names.
func schemaText(cols []Column) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = c.Name + " " + sparkType(c.Type)
		if !c.Nullable {
			parts[i] += " NOT NULL"
		}
	}
	return strings.Join(parts, ", ")
}

func sparkType(t types.Type) string {
	switch t.Kind {
	case types.Varchar:
		return "STRING"
	case types.Int:
		return "INT"
	case types.Blob:
		return "BINARY"
	case types.List:
		return "ARRAY<" + sparkType(*t.Elem) + ">"
	case types.Map:
		return "MAP<" + sparkType(*t.Key) + ", " + sparkType(*t.Elem) + ">"
	case types.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + ": " + sparkType(f.Type)
		}
		return "STRUCT<" + strings.Join(parts, ", ") + ">"
	}
	return t.String()
}

// sameTypes replaces Spark's types that are one type here.
func sameTypes(schema string) string { return strings.ReplaceAll(schema, "TIMESTAMP_NTZ", "TIMESTAMP") }
