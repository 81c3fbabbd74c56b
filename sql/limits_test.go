package sql

import (
	"strings"
	"testing"
	"time"
)

// TestLimits checks that texts made to exhaust the parser are refused by name and at
// once, in each of the ways that nest.
func TestLimits(t *testing.T) {
	const many = 50_000
	for name, text := range map[string]string{
		"brackets":       "SELECT " + strings.Repeat("(", many) + "1" + strings.Repeat(")", many),
		"open brackets":  "SELECT " + strings.Repeat("(", 3*many),
		"lists":          "SELECT " + strings.Repeat("[", many),
		"sub-queries":    strings.Repeat("SELECT * FROM (", 20_000) + "SELECT 1" + strings.Repeat(")", 20_000),
		"cases":          "SELECT " + strings.Repeat("CASE WHEN ", 20_000),
		"not":            "SELECT " + strings.Repeat("NOT ", many/2) + "a",
		"minus":          "SELECT " + strings.Repeat("- ", many) + "a",
		"tilde":          "SELECT " + strings.Repeat("~ ", many) + "a",
		"plus":           "SELECT a" + strings.Repeat(" + a", many/2),
		"is null":        "SELECT a" + strings.Repeat(" ISNULL", many/4),
		"like":           "SELECT a" + strings.Repeat(" LIKE a", many/4),
		"and":            "SELECT a" + strings.Repeat(" AND a", many/4),
		"subscripts":     "SELECT a" + strings.Repeat("[1]", many),
		"fields":         "SELECT (a)" + strings.Repeat(".a", many),
		"path":           "SELECT a" + strings.Repeat(".a", many),
		"casts":          "SELECT a" + strings.Repeat("::INT", many/3),
		"arrows":         "SELECT a" + strings.Repeat("->b", many/3),
		"lambdas":        "SELECT filter(" + strings.Repeat("a->", many/3) + "a)",
		"types":          "SELECT CAST(a AS " + strings.Repeat("ARRAY<", many/4),
		"list types":     "SELECT CAST(a AS INT" + strings.Repeat("[]", many),
		"unions":         "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 30_000),
		"joins":          "SELECT 1 FROM a" + strings.Repeat(" CROSS JOIN a", 30_000),
		"commas in FROM": "SELECT 1 FROM a" + strings.Repeat(", a", many),
		"streams":        "SELECT 1 FROM " + strings.Repeat("LATERAL ", many/4) + "a",
		"tables":         "SELECT 1 FROM " + strings.Repeat("TABLE ", many/4) + "a",
		"cube":           "SELECT 1 FROM a GROUP BY CUBE (" + strings.Repeat("a, ", 20) + "a)",
		"cubes":          "SELECT 1 FROM a GROUP BY " + strings.Repeat("CUBE (a, b), ", 20) + "a",
		"long":           "SELECT '" + strings.Repeat("x", 1<<20) + "'",
		"order by":       "SELECT 1 ORDER BY " + strings.Repeat("(", many),
	} {
		start := time.Now()
		s, err := parseOne(text)
		if u, ok := s.(*Undecided); ok {
			_, err = u.Parse(DefaultLimits())
		}
		if errorCode(err) != codeLimit {
			t.Errorf("%s: got %.200v", name, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// TestLimitsAreOptions checks that limits can be raised and lowered.
func TestLimitsAreOptions(t *testing.T) {
	limits := Limits{StatementBytes: 20, Depth: 5, ChainLength: 2}
	for text, code := range map[string]string{
		"SELECT ((a))":             "",
		"SELECT ((((a))))":         codeLimit,
		"SELECT a+b+c":             "",
		"SELECT a+b+c+d":           codeLimit,
		"SELECT 12345678901234567": codeLimit,
	} {
		_, err := (&Undecided{Node: Node{Text: text}}).Parse(limits)
		if errorCode(err) != code {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestWidestLimits checks that what the highest limits let through is parsed, or refused by
// name, and does not exhaust the stack.
func TestWidestLimits(t *testing.T) {
	limits := WidestLimits()
	depth, chain := limits.Depth-1, limits.ChainLength-1
	for name, text := range map[string]string{
		"brackets":    "SELECT " + strings.Repeat("(", depth) + "1" + strings.Repeat(")", depth),
		"lists":       "SELECT " + strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth),
		"sub-queries": strings.Repeat("SELECT * FROM (", depth) + "SELECT 1" + strings.Repeat(")", depth),
		"cases":       "SELECT " + strings.Repeat("CASE WHEN ", depth) + "a" + strings.Repeat(" THEN 1 END", depth),
		"not":         "SELECT " + strings.Repeat("NOT ", depth) + "a",
		"plus":        "SELECT a" + strings.Repeat(" + a", chain),
		"unions":      "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", chain),
		"joins":       "SELECT 1 FROM a" + strings.Repeat(" CROSS JOIN a", chain),
	} {
		if _, err := (&Undecided{Node: Node{Text: text}}).Parse(limits); err != nil && errorCode(err) != codeLimit {
			t.Errorf("%s: got %.200v", name, err)
		}
	}
}

// TestLongFlatStatements checks that length alone is no fault: long lists of columns,
// rows and alternatives parse.
func TestLongFlatStatements(t *testing.T) {
	for name, text := range map[string]string{
		"columns": "SELECT a" + strings.Repeat(", b + 1", 20_000) + " FROM s",
		"in":      "SELECT a FROM s WHERE a IN (1" + strings.Repeat(", 1", 50_000) + ")",
		"rows":    "INSERT INTO s VALUES (1, 'a')" + strings.Repeat(", (2, 'b')", 5_000),
		"or":      "SELECT a FROM s WHERE a = 1" + strings.Repeat(" OR a = 1", 900),
	} {
		s, err := parseOne(text)
		if u, ok := s.(*Undecided); ok {
			_, err = u.Parse(DefaultLimits())
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLookingAheadCostsLittle checks that words which need a look ahead do not make
// the time grow with the square of their number.
func TestLookingAheadCostsLittle(t *testing.T) {
	for name, text := range map[string]string{
		"watermark": "SELECT a FROM b" + strings.Repeat(" WATERMARK", 50_000),
		"brackets":  "SELECT " + strings.Repeat("(", 190) + strings.Repeat("a,", 50_000) + "a" + strings.Repeat(")", 190),
		"trim":      "SELECT " + strings.Repeat("trim(", 190) + strings.Repeat("a,", 50_000) + "a" + strings.Repeat(")", 190),
		"with":      "WITH x AS (SELECT 1)" + strings.Repeat(", a AS (FROM a)", 10_000) + " SELECT 1",
		"options":   "CREATE STREAM s WITH (a = 1" + strings.Repeat(", b = 1", 50_000) + ")",
		"group":     "SELECT 1 FROM a GROUP BY a" + strings.Repeat(", a", 20_000),
	} {
		start := time.Now()
		s, err := parseOne(text)
		if u, ok := s.(*Undecided); ok {
			_, err = u.Parse(DefaultLimits())
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s took %v: %.100v", name, took, err)
		}
	}
}
