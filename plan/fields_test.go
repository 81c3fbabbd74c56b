package plan

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"testing"

	"ssql/sql"
	"ssql/sql/types"
)

// silentFields are the fields of queries whose value changes no plan, and why that drops
// nothing of what was written.
var silentFields = map[string]string{
	"FileRef.Alias":       "the session puts a stream in the place of a file before the planner sees the query",
	"FileRef.Reading":     "the same",
	"FuncRef.Lateral":     "a table function sees the columns in front of it with and without the word",
	"SubqueryRef.Lateral": "a sub-query that uses columns in front of it is refused with and without the word",
}

// fieldStatements set the fields that no script of testdata sets.
var fieldStatements = []string{
	"SELECT d.k FROM DEDUP(s, KEY (k)) d",
	"SELECT f.k FROM 'in/*.json' f",
	"SELECT k FROM STREAM s WITH (max_files_per_batch = 1) IDENTIFIED BY one",
	"SELECT k FROM s, unnest(l := [1, 2]) AS u(x)",
	"SELECT \"current_date\" FROM s",
	"SELECT k, v FROM s QUALIFY row_number() OVER (PARTITION BY k ORDER BY ts NULLS LAST) = 1",
	"SELECT k, v FROM s QUALIFY row_number() OVER (PARTITION BY k ORDER BY ts ROWS UNBOUNDED PRECEDING) = 1",
	"SELECT k, sum(n := v) AS n FROM s GROUP BY k",
	"SELECT s.k, v, w FROM s JOIN t WITHIN (1 HOUR, 2 HOURS) ON s.k = t.k",
	"SELECT w.k FROM TUMBLE(s, ts, INTERVAL '5' MINUTE) w",
	"SELECT w.k FROM s WATERMARK ts DELAY OF INTERVAL '3' MINUTE w",
	"SELECT window_start, count(*) AS n FROM TUMBLE(s, ts, INTERVAL '5' MINUTE, INTERVAL '1' MINUTE) GROUP BY window_start EMIT ON WINDOW CLOSE WITH DELAY INTERVAL '9' MINUTE",
	"SELECT window_start, count(*) AS n FROM TUMBLE(s, ts, INTERVAL '5' MINUTE) GROUP BY window_start EMIT ON WINDOW CLOSE TIMEOUT INTERVAL '9' MINUTE",
	"SELECT k, count(*) AS n FROM s GROUP BY k EMIT ON UPDATE EVERY INTERVAL '9' SECOND",
}

// TestEveryFieldOfAQueryCounts changes every field of the trees of the queries in testdata,
// one at a time: plan, fingerprint or refusal must change, or the field holds what is dropped
// in silence.
func TestEveryFieldOfAQueryCounts(t *testing.T) {
	m := &mutations{seen: map[string]string{}, silent: map[string]string{}}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		cat := testCatalog{}
		for _, s := range parseSteps(string(data)) {
			if ok, _ := cat.declare(t, s); !ok {
				m.query(cat, strings.Join(s.input, "\n"), optionsOf(s))
			}
		}
	}
	cat := declared(t, compatDeclarations)
	for _, text := range fieldStatements {
		m.query(cat, text, Options{AutoMode: true})
	}
	for _, field := range fieldsOfTree(t) {
		switch reason := silentFields[field]; {
		case m.seen[field] == "" && reason == "":
			t.Errorf("no plan changes with %s, as in\n%s", field, m.silent[field])
		case m.seen[field] != "" && reason != "":
			t.Errorf("%s changes the plan of\n%s: take it off the list of silent fields", field, m.seen[field])
		}
	}
	t.Logf("%d fields change plans", len(m.seen))
}

// fieldsOfTree returns the exported fields of the types of the tree, but places, sorted.
func fieldsOfTree(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../sql/ast.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		s, ok := spec.Type.(*ast.StructType)
		if !ok {
			return false
		}
		for _, f := range s.Fields.List {
			if place, ok := f.Type.(*ast.Ident); ok && place.Name == "Span" {
				continue
			}
			for _, name := range f.Names {
				if name.IsExported() {
					out = append(out, spec.Name.Name+"."+name.Name)
				}
			}
		}
		return false
	})
	sort.Strings(out)
	return out
}

// mutations collects which fields change plans.
type mutations struct {
	seen, silent map[string]string // by Type.Field: a query in which a change is seen, or not
}

// query changes every field of a query.
func (m *mutations) query(cat Catalog, text string, o Options) {
	q, err := sql.ParseQueryText(text)
	if err != nil {
		return
	}
	answer := func() (out string) {
		defer func() {
			if recover() != nil {
				out = "somebody reads what the parser always sets"
			}
		}()
		p, err := Bind(q, cat, o)
		if err != nil {
			return err.Error()
		}
		print, _ := json.Marshal(Fingerprint(p))
		return Explain(p, ExplainFull) + string(print) + strconv.FormatInt(p.EveryMicros(), 10) + strings.Join(p.Notices, "\n")
	}
	before := answer()
	m.value(reflect.ValueOf(q).Elem(), func(field string) {
		if answer() != before {
			m.seen[field] = text
		} else {
			m.silent[field] = text
		}
	})
}

// value changes the fields of v, and below, and calls changed while one is changed.
func (m *mutations) value(v reflect.Value, changed func(field string)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			m.value(v.Elem(), changed)
		}
	case reflect.Slice:
		for i := range v.Len() {
			m.value(v.Index(i), changed)
		}
	case reflect.Struct:
		if v.Type().PkgPath() != "ssql/sql" {
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Type == reflect.TypeFor[Span]() {
				continue
			}
			if old := v.Field(i); !old.IsZero() {
				kept := reflect.New(f.Type).Elem()
				kept.Set(old)
				name := v.Type().Name() + "." + f.Name
				if change(old) {
					changed(name)
				}
				if f.Type.Kind() != reflect.Slice {
					old.SetZero()
					changed(name)
				}
				old.Set(kept)
				m.value(old, changed)
			}
		}
	}
}

// change gives a field another value, false if it has none.
func change(v reflect.Value) bool {
	if v.Type() == reflect.TypeFor[sql.Expr]() {
		v.Set(reflect.ValueOf(&sql.Literal{Value: int64(424242)}))
		return true
	}
	switch old := v.Interface().(type) {
	case types.Type:
		v.Set(reflect.ValueOf(map[bool]types.Type{true: types.Of(types.Double), false: types.Of(types.Varchar)}[old.Kind == types.Varchar]))
		return true
	case types.Interval:
		old.Micros += 7_000_000
		v.Set(reflect.ValueOf(old))
		return true
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 7_000_000)
	case reflect.Uint8:
		v.SetUint(v.Uint() - 1)
	case reflect.Slice:
		if v.Len() == 0 {
			return false
		}
		v.Set(v.Slice(0, v.Len()-1))
	case reflect.Pointer:
		v.SetZero()
	case reflect.Interface:
		if v.Type() != reflect.TypeFor[any]() {
			return false // a body or a relation: what is in it is changed
		}
		v.Set(reflect.ValueOf("another"))
	default:
		return false
	}
	return true
}
