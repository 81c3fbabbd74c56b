package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"golang.org/x/tools/txtar"

	"ssql/internal/sqlerr"
	"ssql/sql"
)

// refusal is a message that testdata records, with what was typed.
type refusal struct {
	file       string
	statements []string // in which its error may be
	place      string   // FILE:LINE of a script
	code, text string
	line       string // that it shows, without LINE n; "" if it has no place
	column     int    // of the caret in it, in columns of a terminal
	hint       string
}

var (
	errorLine  = regexp.MustCompile(`^(?:(\S+:\d+):\d+: )?ERROR ([A-Z_0-9]+): (.*)`)
	shownLine  = regexp.MustCompile(`^LINE \d+: `)
	caretLine  = regexp.MustCompile(`^ *\^$`)
	ofStderr   = regexp.MustCompile(`(?m)^2> ?`)
	argument   = regexp.MustCompile(`(?s)-c ("(?:[^"\\]|\\.)*"|'[^']*')`)
	cutByShell = regexp.MustCompile(`\| *(head|grep|sed|tail|cut)`)
)

// recordedRefusals returns the refusals of all transcripts, pasted statements, plans and faulty
// statements of testdata. Those of stream scripts are looked at where they run.
func recordedRefusals(t *testing.T) (all []refusal) {
	t.Helper()
	for _, path := range glob(t, "testdata/*.txtar") {
		all = append(all, refusalsOfTranscript(t, path)...)
	}
	for _, pattern := range []string{"../../testdata/paste/*.txt", "../../plan/testdata/*.txt", "../../sql/testdata/faults.txt"} {
		for _, path := range glob(t, pattern) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range strings.Split(string(data), "\n\n") {
				parts := strings.Split(block+"\n", "\n----\n")
				if len(parts) < 2 || strings.HasPrefix(block, "#") {
					continue
				}
				statement := strings.TrimPrefix(strings.ReplaceAll(parts[0], `\n`, "\n"), "plan\n")
				answer, _, _ := strings.Cut(parts[len(parts)-1], "\n> ")
				all = append(all, refusalsIn(path, []string{statement}, answer)...)
			}
		}
	}
	if len(all) < 500 {
		t.Fatalf("only %d refusals are recorded", len(all))
	}
	return all
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	return paths
}

// refusalsOfTranscript returns what the commands of a transcript refuse. What they were given is in
// their arguments -c and in the scripts that they name.
func refusalsOfTranscript(t *testing.T, path string) (all []refusal) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	transcript := ""
	for _, f := range archive.Files {
		if f.Name == "transcript" {
			transcript = string(f.Data)
		}
	}
	for _, command := range strings.Split("\n"+transcript, "\n$ ")[1:] {
		typed, answer, _ := strings.Cut(command, "\n")
		if cutByShell.MatchString(typed) {
			continue // places are cut, too
		}
		var texts, statements []string
		scripts := map[string]string{}
		for _, m := range argument.FindAllStringSubmatch(typed, -1) {
			texts = append(texts, strings.NewReplacer(`\"`, `"`, `\$`, `$`, "\\`", "`").Replace(m[1][1:len(m[1])-1]))
		}
		for _, f := range archive.Files {
			if f.Name != "transcript" && strings.HasSuffix(f.Name, ".sql") && strings.Contains(typed, f.Name) {
				texts = append(texts, string(f.Data))
				scripts[f.Name] = string(f.Data)
			}
		}
		for _, text := range texts {
			pieces, _ := sql.Split(text)
			for _, p := range pieces {
				statements = append(statements, p.Text)
			}
		}
		for _, r := range refusalsIn(path, statements, ofStderr.ReplaceAllString(answer, "")) {
			if name, line, ok := strings.Cut(r.place, ":"); ok && scripts[name] != "" {
				r.statements = []string{statementAt(scripts[name], line)}
			}
			all = append(all, r)
		}
	}
	return all
}

// statementAt returns the statement that has a line of a script.
func statementAt(script, line string) string {
	n, _ := strconv.Atoi(line)
	pieces, _ := sql.Split(script)
	for _, p := range pieces {
		if last := 1 + strings.Count(script[:p.Span.End], "\n"); n <= last {
			return p.Text
		}
	}
	return ""
}

// refusalsIn returns the refusals of an answer.
func refusalsIn(file string, statements []string, answer string) (all []refusal) {
	lines := strings.Split(answer, "\n")
	for i, l := range lines {
		m := errorLine.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		r := refusal{file: filepath.Base(file), statements: statements, place: m[1], code: m[2], text: m[3]}
		if i+2 < len(lines) && shownLine.MatchString(lines[i+1]) && caretLine.MatchString(lines[i+2]) {
			prefix := shownLine.FindString(lines[i+1])
			r.line, r.column = lines[i+1][len(prefix):], len(lines[i+2])-1-len(prefix)
		}
		for _, below := range lines[i+1:] {
			if errorLine.MatchString(below) {
				break
			}
			if hint, ok := strings.CutPrefix(below, "Hint: "); ok {
				r.hint = hint
				break
			}
		}
		all = append(all, r)
	}
	return all
}

// pointsElsewhere names the exceptions from the rule that a message which quotes a name points at it.
var pointsElsewhere = map[string]string{
	"DOT_COMMAND":              "a dot command is one line and shown whole in the message",
	"INCOMPATIBLE_COLUMN_TYPE": "two names of two queries: the UNION between them is shown",
	"TWO_EVENT_TIMES":          "two names of two inputs: the operator that both reach is shown",
}

// TestMessagesPointAtNames goes over every refusal that testdata records: one that quotes a name of
// the statement has its caret at that name.
func TestMessagesPointAtNames(t *testing.T) {
	about := 0
	for _, r := range recordedRefusals(t) {
		if pointsElsewhere[r.code] != "" {
			continue
		}
		e := &sqlerr.Error{Code: r.code, Text: r.text}
		for _, statement := range r.statements {
			name := e.Elsewhere(statement)
			if name == "" {
				continue
			}
			about++
			if r.line == "" {
				t.Errorf("%s: %s: %s\nhas no place, and %q stands in %s", r.file, r.code, r.text, name, statement)
			}
			break
		}
		if r.line == "" {
			continue
		}
		at := offsetOf(r.line, r.column)
		e.Span = sqlerr.Span{Start: at, End: at + 1}
		if name := e.Elsewhere(r.line); name != "" {
			t.Errorf("%s: %s: %s\ndoes not point at %q but at %q", r.file, r.code, r.text, name, r.line[at:])
		}
	}
	if about < 250 {
		t.Errorf("only %d refusals quote a name of their statement", about)
	}
}

// offsetOf returns the byte of a line that a terminal shows in a column.
func offsetOf(line string, column int) int {
	for i := range line {
		if runewidth.StringWidth(line[:i]) >= column {
			return i
		}
	}
	return len(line)
}
