package plan

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// testCatalog holds the relations that a script declares.
type testCatalog map[string]*Relation

func (c testCatalog) Relation(name sql.Name) (*Relation, error) {
	return c[strings.ToLower(name[len(name)-1].Name)], nil
}

func (c testCatalog) Similar(name string) string {
	var names []string
	for _, r := range c {
		names = append(names, r.Name)
	}
	return sqlerr.Nearest(name, names)
}

// step is one block of a script: a line with a verb, its input and, behind ----, what
// is expected.
type step struct {
	verb, name     string
	args           []string
	options        map[string]string
	input          []string
	expected       []string
	hasExpected    bool
	line, lastLine int
	raw            string
}

// parseSteps cuts a script into steps at its blank lines. Lines that start with # are
// comments between steps.
func parseSteps(text string) []step {
	var out []step
	var cur *step
	inExpected := false
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		line := sc.Text()
		switch {
		case cur == nil && (line == "" || strings.HasPrefix(line, "#")):
		case cur == nil:
			s := parseVerb(line)
			s.line, s.lastLine = n, n
			out = append(out, s)
			cur, inExpected = &out[len(out)-1], false
		case line == "":
			cur = nil
		case line == "----" && !inExpected:
			inExpected, cur.hasExpected, cur.lastLine = true, true, n
		case inExpected:
			cur.expected, cur.lastLine = append(cur.expected, line), n
		default:
			cur.input, cur.lastLine = append(cur.input, line), n
		}
	}
	return out
}

func parseVerb(line string) step {
	words := splitWords(line)
	s := step{verb: words[0], options: map[string]string{}, raw: line}
	for _, w := range words[1:] {
		if k, v, ok := strings.Cut(w, "="); ok {
			s.options[k] = strings.Trim(v, `"`)
		} else if s.name == "" {
			s.name = w
		} else {
			s.args = append(s.args, w)
		}
	}
	return s
}

// splitWords cuts at blanks outside double quotes.
func splitWords(line string) []string {
	quoted := false
	return strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
}

// declare adds the relation of a stream, table, view, watermark or dedup step; ok is
// false for other steps.
func (c testCatalog) declare(t *testing.T, s step) (ok bool, err error) {
	t.Helper()
	rel := &Relation{Name: s.name}
	switch s.verb {
	case "stream":
		if rel.Stream, err = declareStream(s); err != nil {
			return true, err
		}
	case "table":
		rel.Table = &Table{Text: types.QuoteIdent(s.name)}
		for _, line := range s.input {
			if line == "." {
				break
			}
			name, typ, _ := strings.Cut(line, " ")
			parsed, err := parseType(typ)
			if err != nil {
				return true, err
			}
			rel.Table.Fields = append(rel.Table.Fields, types.Field{Name: name, Type: parsed, Nullable: true})
		}
	case "view":
		rel.View, err = sql.ParseQueryText(strings.Join(s.input, "\n"))
	case "watermark":
		rel.View, err = sql.ParseQueryText(fmt.Sprintf("SELECT * FROM %s WATERMARK %s DELAY OF INTERVAL '%s'", s.options["of"], s.options["col"], s.options["delay"]))
	case "dedup":
		rel.View, err = sql.ParseQueryText(dedupText(s))
	default:
		return false, nil
	}
	c[strings.ToLower(s.name)] = rel
	return true, err
}

func dedupText(s step) string {
	within := ""
	if len(s.args) > 0 && s.args[0] == "within" {
		within = " WITHIN WATERMARK"
	}
	if s.options["keys"] == "" {
		return "SELECT DISTINCT * FROM " + s.options["of"]
	}
	return fmt.Sprintf("SELECT * FROM DEDUP(%s, KEY (%s)%s)", s.options["of"], s.options["keys"], within)
}

// parseType reads a type as Spark or ssql writes it.
func parseType(text string) (types.Type, error) {
	return sql.ParseType(strings.TrimSuffix(strings.TrimSpace(text), "_NTZ"))
}

func declareStream(s step) (*Stream, error) {
	st := &Stream{ID: "memory:" + s.name}
	for _, line := range s.input {
		if line == "." {
			break
		}
		name, typ, _ := strings.Cut(line, " ")
		st.Order = append(st.Order, name)
		if before, text, ok := strings.Cut(typ, " AS "); ok {
			e, err := sql.ParseExprText(text)
			if err != nil {
				return nil, err
			}
			c := ComputedColumn{Name: name, Expr: e}
			if before = strings.TrimSpace(before); before != "" {
				t, err := parseType(before)
				if err != nil {
					return nil, err
				}
				c.Type = &t
			}
			st.Computed = append(st.Computed, c)
			continue
		}
		notNull := strings.HasSuffix(typ, "NOT NULL")
		parsed, err := parseType(strings.TrimSuffix(typ, "NOT NULL"))
		if err != nil {
			return nil, err
		}
		st.Stored = append(st.Stored, types.Field{Name: name, Type: parsed, Nullable: !notNull})
	}
	for _, w := range strings.Split(s.options["watermark"], ",") {
		column, delay, ok := strings.Cut(w, ":")
		if !ok {
			continue
		}
		i, err := sql.ParseInterval(delay)
		if err != nil {
			return nil, err
		}
		st.Watermarks = append(st.Watermarks, StreamWatermark{Column: column, DelayMicros: i.DelayMicros()})
	}
	return st, nil
}
